//! The last lines of a report for people: how many of what, what was skipped and why, and what the verdict rests on.
//! It must not know any layout; each line is plain text, safe to show.

use super::Document;
use super::document::DrillRecord;
use super::text;
use crate::judge::{Counts, Verdict};

/// The word of a verdict as people read it; a violation is in capitals, so that it is seen without colour.
#[must_use]
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Fail => "FAIL",
        Verdict::Skip => "skip",
        Verdict::Observed => "observed",
    }
}

/// How bad a verdict is, the worst first.
#[must_use]
pub fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Fail => 0,
        Verdict::Inconclusive => 1,
        Verdict::Warn => 2,
        Verdict::Observed => 3,
        Verdict::Skip => 4,
        Verdict::Pass => 5,
    }
}

/// The drills, the worst first, each verdict's in the plan's order.
#[must_use]
pub fn worst_first(document: &Document) -> Vec<&DrillRecord> {
    let mut drills: Vec<&DrillRecord> = document.drills.iter().collect();
    drills.sort_by_key(|drill| rank(drill.verdict));
    drills
}

/// All lines after the stories.
#[must_use]
pub fn lines(document: &Document) -> Vec<String> {
    let mut lines = vec![counts(document)];
    lines.push(judged(document));
    lines.extend(document.power.as_deref().map(text::line));
    lines.extend(measured(document));
    lines.extend(notes(document).map(|note| format!("note: {}", text::line(note))));
    if let Some(journal) = &document.run.journal {
        lines.push(format!("journal: {}", text::line(journal)));
    }
    lines.push(verdict(document));
    lines
}

/// The notes, but for what is said above them: why the target could not be tested.
fn notes(document: &Document) -> impl Iterator<Item = &String> {
    let stopped = document
        .stopped
        .as_ref()
        .map(|stopped| stopped.why.as_str());
    document
        .notes
        .iter()
        .filter(move |note| stopped.is_none_or(|why| !note.contains(why)))
}

fn counts(document: &Document) -> String {
    let Counts {
        pass,
        fail,
        warn,
        inconclusive,
        skip,
        observed,
    } = document.counts;
    let kinds = [
        (pass, "pass"),
        (fail, "FAIL"),
        (warn, "warn"),
        (inconclusive, "inconclusive"),
        (skip, "skip"),
        (observed, "observed"),
    ];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let requests = match document.run.requests {
        Some(requests) => format!(", {}", text::counted(requests, "request")),
        None => String::new(),
    };
    let drills = text::counted(document.drills.len() as u64, "drill");
    if parts.is_empty() {
        format!("{drills}{requests}")
    } else {
        format!("{drills}: {}{requests}", parts.join(", "))
    }
}

/// `judged 9 of 14; skipped: ...`: nobody should take silence for a pass.
#[must_use]
pub fn judged(document: &Document) -> String {
    let judged = document
        .drills
        .iter()
        .filter(|drill| matches!(drill.verdict, Verdict::Pass | Verdict::Warn | Verdict::Fail))
        .count();
    let mut line = format!("judged {judged} of {}", document.drills.len());
    for (verdict, label) in [
        (Verdict::Inconclusive, "no verdict"),
        (Verdict::Observed, "only observed"),
        (Verdict::Skip, "skipped"),
    ] {
        let groups = by_reason(document, verdict);
        if groups.is_empty() {
            continue;
        }
        let parts: Vec<String> = groups
            .iter()
            .map(|(ids, reason)| match verdict {
                // the others' reasons are told above
                Verdict::Skip => format!("{} ({})", ids.join(", "), text::line(reason)),
                _ => ids.join(", "),
            })
            .collect();
        line.push_str(&format!("; {label}: {}", parts.join(", ")));
    }
    line
}

fn by_reason(document: &Document, verdict: Verdict) -> Vec<(Vec<&str>, &str)> {
    let mut groups: Vec<(Vec<&str>, &str)> = Vec::new();
    for drill in document.with_verdict(verdict) {
        match groups
            .iter_mut()
            .find(|(_, reason)| *reason == drill.reason)
        {
            Some((ids, _)) => ids.push(&drill.id),
            None => groups.push((vec![&drill.id], &drill.reason)),
        }
    }
    groups
}

/// What effects were counted by, one line for each way.
fn measured(document: &Document) -> Vec<String> {
    let tested = |name: &str| {
        let began = |drill: &&DrillRecord| drill.operation == name && drill.began_us.is_some();
        document.drills.iter().any(|drill| began(&drill))
    };
    document
        .operations
        .iter()
        .filter(|operation| tested(&operation.name))
        .map(|operation| {
            let name = text::line(&operation.name);
            match &operation.counter {
                Some(counter) => {
                    let by = match counter.kind.as_str() {
                        "sql" => "rows in the database",
                        "http" => "an HTTP request",
                        "command" => "a command",
                        "sink" => "calls that arrive at the sink",
                        other => other,
                    };
                    format!("effects of {name} are counted by {by}: {}", text::line(&counter.text))
                }
                None => format!(
                    "effects of {name} are not counted: only {} tells one from another, so work done twice behind perfect replies is not seen",
                    text::line(&operation.identity)
                ),
            }
        })
        .collect()
}

fn verdict(document: &Document) -> String {
    let policy = text::line(&document.policy.id);
    match document.verdict {
        _ if document.run.interrupted => {
            "verdict: interrupted; what was recorded is judged above".to_owned()
        }
        Verdict::Fail => format!("verdict: FAIL, the API does not keep the contract `{policy}`"),
        Verdict::Inconclusive => {
            format!(
                "verdict: inconclusive, nothing shows a violation of `{policy}`, but not everything could be judged"
            )
        }
        Verdict::Warn => {
            format!(
                "verdict: warn, every must of the contract `{policy}` was kept; a should was not"
            )
        }
        Verdict::Pass | Verdict::Skip | Verdict::Observed => {
            format!("verdict: pass, every must of the contract `{policy}` that was tried was kept")
        }
    }
}
