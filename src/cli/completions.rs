//! `doubletap completions` and the hidden `doubletap man`: what shells and packagers want.
//! It must not know any subcommand.

use clap::Args;
use clap_complete::Shell;

use super::deliver::refuse;
use super::faults::say;
use crate::exit;

/// Print the completions of a shell
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints them, and gives the exit code.
#[must_use]
pub fn run(args: &CompletionsArgs) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "doubletap", &mut text);
    say(&String::from_utf8_lossy(&text))
}

/// Prints the manual page, and gives the exit code.
#[must_use]
pub fn man() -> u8 {
    let mut text = Vec::new();
    match clap_mangen::Man::new(super::command()).render(&mut text) {
        Ok(()) => say(&String::from_utf8_lossy(&text)),
        Err(error) => refuse(exit::OUTPUT, error),
    }
}
