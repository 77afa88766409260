//! `doubletap show`: one drill's full story, or a script for bash that repeats its requests.
//! It must not know how a story is told.

use clap::Args;

use super::deliver::refuse;
use super::faults::say;
use super::journal_file;
use super::look::Look;
use crate::exit;
use crate::judge;
use crate::plan::select;
use crate::report::{self, script, story, table};

/// Show one drill in full, also one that passed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap show last drill.concurrent
  doubletap show last drill.mismatch --script      its requests for bash
")]
pub struct ShowArgs {
    /// The saved run: its journal's path, its id, or `last` (- for standard input)
    #[arg(value_name = "RUN")]
    journal: String,

    /// The drill: drill.replay, drill.other-account/b-first, or a whole id
    drill: String,

    /// Print a script for bash that sends its requests again, with secrets as variables
    #[arg(long)]
    script: bool,
}

/// Shows it, and gives the exit code.
#[must_use]
pub fn run(args: &ShowArgs, look: &Look) -> u8 {
    let (journal, kept_at) = match journal_file::open(&args.journal) {
        Ok(opened) => opened,
        Err(error) => return refuse(exit::USAGE, error),
    };
    let judged = judge::judge(&journal, &journal.start.contracts, false, &[]);
    let document = report::build(&judged, &journal, Some(&kept_at));
    let meant: Vec<&str> = journal
        .start
        .plan
        .iter()
        .filter(|instance| select::matches(instance, &args.drill))
        .map(|instance| instance.id.as_str())
        .collect();
    let drills: Vec<_> = document
        .drills
        .iter()
        .filter(|drill| meant.contains(&drill.id.as_str()))
        .collect();
    if drills.is_empty() {
        let near = select::nearest(
            &args.drill,
            document.drills.iter().map(|drill| drill.id.as_str()),
        );
        return refuse(
            exit::USAGE,
            format!(
                "the run has no drill `{}`; perhaps {}",
                args.drill,
                near.join(", ")
            ),
        );
    }
    let told: Vec<String> = drills
        .into_iter()
        .map(|drill| {
            if args.script {
                script::render(&document, drill)
            } else {
                table::story(&story::tell(&document, drill), &look.stdout())
            }
        })
        .collect();
    say(&told.join("\n"))
}
