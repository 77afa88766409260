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
use crate::report::{self, Document, script, story, summary, table, text};

/// Show one drill in full, also one that passed
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap show last                              the drills and their verdicts
  doubletap show last drill.concurrent
  doubletap show last drill.mismatch --script      its requests for bash
")]
pub struct ShowArgs {
    /// The saved run: its journal's path, its id, or `last` (- for standard input)
    #[arg(value_name = "RUN")]
    journal: String,

    /// The drill: drill.replay, drill.other-account/b-first, or a whole id; without one, all are listed with their verdicts
    drill: Option<String>,

    /// Print a script for bash that sends its requests again, with secrets as variables
    #[arg(long, requires = "drill")]
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
    let Some(wanted) = &args.drill else {
        return say(&listed(&document, look));
    };
    let meant: Vec<&str> = journal
        .start
        .plan
        .iter()
        .filter(|instance| select::matches(instance, wanted))
        .map(|instance| instance.id.as_str())
        .collect();
    let drills: Vec<_> = document
        .drills
        .iter()
        .filter(|drill| meant.contains(&drill.id.as_str()))
        .collect();
    if drills.is_empty() {
        let near = select::nearest(
            wanted,
            document.drills.iter().map(|drill| drill.id.as_str()),
        );
        let near = if near.is_empty() {
            String::new()
        } else {
            format!("; perhaps {}", near.join(", "))
        };
        return refuse(
            exit::USAGE,
            format!(
                "the run has no drill `{wanted}`{near}; `doubletap show {}` lists what it has",
                args.journal
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

/// The drills with their verdicts, and how to go on.
fn listed(document: &Document, look: &Look) -> String {
    let next = summary::worst_first(document)
        .first()
        .map_or("DRILL", |drill| drill.id.as_str());
    let id = text::line(&document.run.id);
    format!(
        "{}\n`doubletap show {id} {}` tells the whole of one, `--script` repeats it\n",
        table::verdicts(document, &look.stdout()),
        text::line(next)
    )
}
