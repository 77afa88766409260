//! The command line: as typed, then as meant; one file a subcommand.
//! It must not hold logic that another front end would need.

pub mod check;
pub mod completions;
mod curl;
pub mod deliver;
mod draft;
mod draft_secrets;
mod draft_text;
pub mod drills;
pub mod explain;
pub mod faults;
pub mod flags;
pub mod init;
pub mod journal_file;
pub mod look;
pub mod output;
pub mod sandbox;
pub mod schema;
pub mod target;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::exit;
use look::Look;

/// Tests whether an HTTP API keeps its promise about idempotency keys.
///
/// It sends one operation in every way a retry can happen (again, at the same moment, with another body, from another
/// account, after the key expired), counts what really happened, and judges it against the contract that the API declares.
#[derive(Parser, Debug)]
#[command(name = "doubletap", version, max_term_width = 110, after_help = exit_codes(), arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    look: Look,
}

#[derive(Subcommand, Debug)]
enum Command {
    Sandbox(sandbox::SandboxArgs),
    Drills(drills::DrillsArgs),
    Explain(explain::ExplainArgs),
    Faults(faults::FaultsArgs),
    Completions(completions::CompletionsArgs),
    Check(Box<check::CheckArgs>),
    Init(Box<init::InitArgs>),
    Schema(schema::SchemaArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// Reads the command line, does what it asks, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let look = cli.look;
    let code = match cli.command {
        Command::Sandbox(args) => return sandbox::run(args),
        Command::Drills(args) => drills::run(&args, &look),
        Command::Explain(args) => explain::run(&args, &look),
        Command::Faults(args) => faults::run(&args, &look),
        Command::Completions(args) => completions::run(&args),
        Command::Check(args) => check::run(&args, &look),
        Command::Init(args) => init::run(&args, &look),
        Command::Schema(args) => schema::run(&args, &look),
        Command::Man => completions::man(),
    };
    ExitCode::from(code)
}

/// The command as clap knows it.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

fn refuse(error: &clap::Error) -> ExitCode {
    // help and version are no errors; a pipe that nobody reads is none either
    let _ = error.print();
    ExitCode::from(if error.use_stderr() {
        exit::USAGE
    } else {
        exit::PASSED
    })
}

/// The exit codes for `--help`.
fn exit_codes() -> String {
    let mut text = String::from("Exit codes:\n");
    for (code, _, meaning) in exit::CODES {
        text.push_str(&format!("  {code:>3}  {meaning}\n"));
    }
    text.push_str("Where several apply: 130, 1, 4, 3, 0. `doubletap explain 3` says more.");
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }

    #[test]
    fn help_names_every_exit_code() {
        let help = super::command().render_long_help().to_string();
        for (code, _, _) in crate::exit::CODES {
            assert!(
                help.contains(&format!("{code:>3}  ")),
                "{code} is missing in\n{help}"
            );
        }
    }
}
