//! The `doubletap` command: dispatch only.

use std::process::ExitCode;

fn main() -> ExitCode {
    doubletap::cli::main()
}
