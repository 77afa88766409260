//! The last lines of a report for people: how many of what, what was skipped and why, and what the verdict rests on.
//! It must not know any layout; each line is plain text, safe to show.

use super::Document;
use super::document::DrillRecord;
use super::text;
use crate::judge::baseline::{Entry, Standing};
use crate::judge::{Counts, Verdict};

/// The word of a verdict as people read it; a violation is in capitals, so that it is seen without colour.
#[must_use]
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Known => "known",
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
        Verdict::Known => 3,
        Verdict::Observed => 4,
        Verdict::Skip => 5,
        Verdict::Pass => 6,
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
    lines.extend(observed(document));
    lines.extend(
        document
            .power
            .as_deref()
            .map(|power| format!("races: {}", text::line(power))),
    );
    lines.extend(measured(document));
    lines.extend(baseline(document));
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
        known,
        warn,
        inconclusive,
        skip,
        observed,
    } = document.counts;
    let kinds = [
        (pass, "pass"),
        (fail, "FAIL"),
        (known, "known"),
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
        .filter(|drill| {
            matches!(
                drill.verdict,
                Verdict::Pass | Verdict::Known | Verdict::Warn | Verdict::Fail
            )
        })
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

/// What was sent and seen, and is judged by nobody: how many checks, of which drills, and how to see what came.
fn observed(document: &Document) -> Option<String> {
    const SHOWN: usize = 4;
    let checks: Vec<String> = document
        .drills
        .iter()
        .flat_map(|drill| {
            let open = drill
                .checks
                .iter()
                .filter(|check| check.verdict == Verdict::Observed);
            open.map(|check| format!("{} of {}", text::line(&check.id), text::line(&drill.id)))
        })
        .collect();
    let first = document
        .drills
        .iter()
        .find(|drill| drill.checks.iter().any(|c| c.verdict == Verdict::Observed))?;
    let mut shown = checks
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if checks.len() > SHOWN {
        shown.push_str(&format!(" and {} more", checks.len() - SHOWN));
    }
    let how = run_name(document).map_or_else(String::new, |run| {
        format!(
            "; `doubletap show {run} {}` tells what came, and why",
            text::line(&first.id)
        )
    });
    Some(format!(
        "observed and not judged: {} ({shown}){how}",
        text::counted(checks.len() as u64, "check")
    ))
}

/// How other subcommands are told of this run: by its id where it is kept in the usual place, else by its journal's path.
fn run_name(document: &Document) -> Option<String> {
    let journal = document
        .run
        .journal
        .as_deref()
        .filter(|path| *path != "-")?;
    let usual = format!("doubletap/runs/{}.jsonl", document.run.id);
    Some(if journal.ends_with(&usual) {
        text::line(&document.run.id)
    } else {
        super::bash::word(&text::line(journal))
    })
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

/// An entry of the baseline that fails the run: what it is about, and what to do.
pub struct Outdated {
    /// `drill.mismatch@payment, mismatch:changed`.
    pub of: String,
    /// Why it fails, and what to do.
    pub why: String,
}

/// The entries of the baseline that fail the run.
#[must_use]
pub fn outdated(document: &Document) -> Vec<Outdated> {
    let Some(settled) = &document.baseline else {
        return Vec::new();
    };
    let told = |entry: &Entry| {
        let known = &entry.known;
        let why = match entry.standing {
            Standing::Expired => format!(
                "expired: its last day was {}, so it fails again (reason: {}); mend the API, or give it a new day",
                known.until, known.reason
            ),
            _ => format!(
                "stale: a violation of `{}` was looked for and not seen any more; take the entry out of {}",
                known.clause, settled.file
            ),
        };
        Outdated {
            of: text::line(&format!("{}, {}", known.drill, known.check)),
            why: text::line(&why),
        }
    };
    settled.failing().map(told).collect()
}

fn baseline(document: &Document) -> Vec<String> {
    let Some(settled) = &document.baseline else {
        return Vec::new();
    };
    let number = |standing| {
        settled
            .entries
            .iter()
            .filter(|e| e.standing == standing)
            .count()
    };
    let kinds = [
        (Standing::Seen, "seen as known"),
        (Standing::Stale, "stale"),
        (Standing::Expired, "expired"),
        (Standing::Untried, "not judged in this run"),
    ];
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(standing, words)| (number(standing), words))
        .filter(|(number, _)| *number > 0)
        .map(|(number, words)| format!("{number} {words}"))
        .collect();
    let said = if kinds.is_empty() {
        "no entries".to_owned()
    } else {
        kinds.join(", ")
    };
    let mut lines = vec![format!("baseline {}: {said}", text::line(&settled.file))];
    let entries = outdated(document);
    lines.extend(
        entries
            .iter()
            .map(|entry| format!("BASELINE {}: {}", entry.of, entry.why)),
    );
    lines
}

fn verdict(document: &Document) -> String {
    let policy = text::line(&document.policy.id);
    match document.verdict {
        _ if document.run.interrupted => {
            "verdict: interrupted; what was recorded is judged above".to_owned()
        }
        Verdict::Fail if document.counts.fail == 0 => {
            "verdict: FAIL, the API violates nothing new, but the baseline is out of date"
                .to_owned()
        }
        Verdict::Known => {
            format!(
                "verdict: known, everything that violates the contract `{policy}` is in the baseline"
            )
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
