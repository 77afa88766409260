//! Judged once more beside a baseline: violations that are known do not fail, entries that are over or without a violation do.
//! It must not know how a violation was found, nor what day it is: that is told.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CheckResult, Finding, Judged, Verdict, order};
use crate::config::{Baseline, Known};

/// What became of a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// The file.
    pub file: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// What is known.
    pub known: Known,
    /// What became of it.
    pub standing: Standing,
}

/// What became of an entry of a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The violation was seen, as known: it does not fail.
    Seen,
    /// It was looked for and not seen: the entry must go, and fails.
    Stale,
    /// Its last day is over: whether seen or not, it fails.
    Expired,
    /// This run cannot tell: the drill was not run, was skipped, or got no verdict.
    Untried,
}

impl Settled {
    /// The entries that fail a run.
    pub fn failing(&self) -> impl Iterator<Item = &Entry> {
        let failing =
            |entry: &&Entry| matches!(entry.standing, Standing::Stale | Standing::Expired);
        self.entries.iter().filter(failing)
    }
}

/// Judges a run beside a baseline.
#[must_use]
pub fn settle(mut judged: Judged, baseline: &Baseline, today: Date) -> Judged {
    let entries: Vec<Entry> = baseline
        .known
        .iter()
        .map(|known| Entry {
            standing: standing(&judged.findings, known, today),
            known: known.clone(),
        })
        .collect();
    let valid: Vec<&Known> = baseline.known.iter().filter(|k| k.until >= today).collect();
    for finding in &mut judged.findings {
        accept(finding, &valid);
    }
    judged.counts = order::count(&judged.findings);
    let settled = Settled {
        file: baseline.file.clone(),
        entries,
    };
    judged.verdict = match settled.failing().next() {
        Some(_) => Verdict::Fail,
        None => order::of_run(&judged.findings, judged.incomplete),
    };
    judged.baseline = Some(settled);
    judged
}

fn standing(findings: &[Finding], known: &Known, today: Date) -> Standing {
    if known.until < today {
        return Standing::Expired;
    }
    let Some(finding) = findings.iter().find(|f| f.id == known.drill) else {
        return Standing::Untried;
    };
    let undecided = |verdict| matches!(verdict, Verdict::Skip | Verdict::Inconclusive);
    match finding.checks.iter().find(|c| c.id == known.check) {
        Some(check) if check.violated.contains(&known.clause) => Standing::Seen,
        Some(check) if undecided(check.verdict) => Standing::Untried,
        // what else is violated may hide it, and fails anyway
        Some(check) if !check.violated.is_empty() => Standing::Untried,
        Some(_) => Standing::Stale,
        None if undecided(finding.verdict) => Standing::Untried,
        None => Standing::Stale,
    }
}

/// Makes the violations of a drill known, each check only where all that it violates is known.
fn accept(finding: &mut Finding, valid: &[&Known]) {
    let mut any = false;
    for check in &mut finding.checks {
        if let Some(why) = known(&finding.id, check, valid) {
            check.verdict = Verdict::Known;
            check.known = Some(why);
            any = true;
        }
    }
    if !any {
        return;
    }
    finding.verdict = order::worst(finding.checks.iter().map(|c| c.verdict));
    if let Some(decisive) = finding.checks.iter().find(|c| c.verdict == finding.verdict) {
        finding.reason = match &decisive.known {
            Some(why) => format!("{} ({why})", decisive.observed),
            None => decisive.observed.clone(),
        };
    }
}

/// Why a check's violations may stay; `None` where one of them is not known, or where there are none.
fn known(drill: &str, check: &CheckResult, valid: &[&Known]) -> Option<String> {
    let find = |clause: &String| {
        let of = |k: &&&Known| k.drill == drill && k.check == check.id && k.clause == *clause;
        valid.iter().find(of)
    };
    let entries: Vec<&&Known> = check.violated.iter().map(find).collect::<Option<_>>()?;
    let until = entries.iter().map(|k| k.until).min()?;
    let mut reasons: Vec<&str> = Vec::new();
    for entry in entries {
        if !reasons.contains(&entry.reason.as_str()) {
            reasons.push(&entry.reason);
        }
    }
    Some(format!("known until {until}: {}", reasons.join("; ")))
}
