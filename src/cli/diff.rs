//! `doubletap diff`: what changed between two saved runs.
//! It must not know how runs are compared.

use clap::Args;

use super::deliver::refuse;
use super::faults::{list, say, show};
use super::journal_file;
use super::look::Look;
use crate::exit;
use crate::judge;
use crate::report::change::{Change, Changed, between};
use crate::report::document::DrillRecord;
use crate::report::{self, Document, summary, text};

/// Compare two: new, still and fixed violations
///
/// Ends with 1 where a violation is new.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap diff before.jsonl last
")]
pub struct DiffArgs {
    /// The earlier run: its journal's path, its id, or `last`
    before: String,

    /// The later run, in the same way
    now: String,
}

/// Compares them, and gives the exit code.
#[must_use]
pub fn run(args: &DiffArgs, look: &Look) -> u8 {
    let read = |path: &str| -> Result<Document, u8> {
        let (journal, kept_at) =
            journal_file::open(path).map_err(|error| refuse(exit::USAGE, error))?;
        let judged = judge::judge(&journal, &journal.start.contracts, false, &[]);
        Ok(report::build(&judged, &journal, Some(&kept_at)))
    };
    match (read(&args.before), read(&args.now)) {
        (Ok(before), Ok(now)) => compare(&before, &now, look),
        (Err(code), _) | (_, Err(code)) => code,
    }
}

fn compare(before: &Document, now: &Document, look: &Look) -> u8 {
    let changed = between(before, now);
    if changed.is_empty() {
        return say("nothing changed, and nothing is violated\n");
    }
    let mut table = list(look, &["change", "drill", "before", "now", "evidence"]);
    for one in &changed {
        table.add_row([
            word(one.change).to_owned(),
            text::line(one.id()),
            verdict(one.before).to_owned(),
            verdict(one.now).to_owned(),
            text::line(one.now.or(one.before).map_or("", |drill| &drill.reason)),
        ]);
    }
    let code = show(&table);
    let new = changed
        .iter()
        .any(|one: &Changed<'_>| one.change == Change::New);
    if new {
        exit::worst(exit::VIOLATED, code)
    } else {
        code
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::New => "NEW",
        Change::Fixed => "fixed",
        Change::Still => "still",
        Change::Other => "other verdict",
        Change::Gone => "not run now",
        Change::Added => "not run before",
    }
}

fn verdict(drill: Option<&DrillRecord>) -> &'static str {
    drill.map_or("", |drill| summary::word(drill.verdict))
}
