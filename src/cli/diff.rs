//! `doubletap diff`: what changed between two saved runs.
//! It must not know how runs are compared.

use clap::Args;

use super::deliver::refuse;
use super::faults::{list, say, text_of};
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
  doubletap diff before.jsonl last --all           drills that only one of them has, too
")]
pub struct DiffArgs {
    /// The earlier run: its journal's path, its id, or `last`
    before: String,

    /// The later run, in the same way
    now: String,

    /// Also every drill that only one of the two runs has
    #[arg(long)]
    all: bool,
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
        (Ok(before), Ok(now)) => compare(&before, &now, args.all, look),
        (Err(code), _) | (_, Err(code)) => code,
    }
}

fn compare(before: &Document, now: &Document, all: bool, look: &Look) -> u8 {
    let changed = between(before, now);
    if changed.is_empty() {
        return say("nothing changed, and nothing is violated\n");
    }
    let mut table = list(look, &["change", "drill", "before", "now", "evidence"]);
    let (left_out, told): (Vec<_>, Vec<_>) = changed
        .iter()
        .partition(|one| !all && one.is_only_missing());
    for one in &told {
        table.add_row([
            word(one.change).to_owned(),
            text::line(one.id()),
            verdict(one.before).to_owned(),
            verdict(one.now).to_owned(),
            text::line(one.now.or(one.before).map_or("", |drill| &drill.reason)),
        ]);
    }
    let mut text = if told.is_empty() {
        "nothing changed in the drills that both runs have, and nothing is violated\n".to_owned()
    } else {
        text_of(&table)
    };
    text.push_str(&counted(&left_out));
    let code = say(&text);
    let new = changed
        .iter()
        .any(|one: &Changed<'_>| one.change == Change::New);
    if new {
        exit::worst(exit::VIOLATED, code)
    } else {
        code
    }
}

/// What is not listed, by number.
fn counted(left_out: &[&Changed<'_>]) -> String {
    let number = |wanted: Change| {
        let number = left_out.iter().filter(|one| one.change == wanted).count();
        (number > 0).then(|| format!("{} {}", text::counted(number as u64, "drill"), word(wanted)))
    };
    let told: Vec<String> = [Change::Added, Change::Gone]
        .into_iter()
        .filter_map(number)
        .collect();
    if told.is_empty() {
        String::new()
    } else {
        format!("and {} (--all lists them)\n", told.join(", "))
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
