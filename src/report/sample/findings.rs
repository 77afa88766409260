//! Findings written by hand.
//! It must not know what was recorded.

use crate::contract::{Level, Origin};
use crate::journal::Journal;
use crate::judge::{CheckResult, ClauseRef, Counts, Finding, Judged, Verdict};

pub fn origin(file: &str, line: u32) -> Origin {
    Origin {
        file: file.into(),
        line,
    }
}

pub fn check(
    id: &str,
    clause: &str,
    line: u32,
    verdict: Verdict,
    observed: &str,
    attempts: &[u64],
) -> CheckResult {
    let kept = verdict == Verdict::Pass;
    CheckResult {
        id: id.into(),
        clause: Some(ClauseRef {
            name: clause.into(),
            declared: format!("what `{clause}` declares"),
            origin: Some(origin("policies/floor.toml", line)),
        }),
        level: if verdict == Verdict::Warn {
            Level::Should
        } else {
            Level::Must
        },
        verdict,
        expected: format!("what {clause} asks for"),
        observed: observed.into(),
        meaning: (!kept).then(|| "a customer who taps twice pays twice".into()),
        attempts: attempts.to_vec(),
        violated: if matches!(verdict, Verdict::Fail | Verdict::Warn) {
            vec![clause.into()]
        } else {
            Vec::new()
        },
        known: None,
    }
}

pub fn finding(
    journal: &Journal,
    id: &str,
    verdict: Verdict,
    reason: &str,
    checks: Vec<CheckResult>,
) -> Finding {
    let plan = &journal.instance(id).unwrap().plan;
    Finding {
        id: id.into(),
        suite: plan.drill.suite().into(),
        operation: plan.operation.clone(),
        title: plan.drill.title.clone(),
        why: plan.drill.why.clone(),
        hint: plan.drill.hint.clone(),
        sources: plan.drill.sources.clone(),
        verdict,
        reason: reason.into(),
        checks,
        proof: Vec::new(),
    }
}

pub fn judged(verdict: Verdict, findings: Vec<Finding>) -> Judged {
    let of = |verdict: Verdict| findings.iter().filter(|f| f.verdict == verdict).count() as u32;
    Judged {
        verdict,
        counts: Counts {
            pass: of(Verdict::Pass),
            fail: of(Verdict::Fail),
            known: of(Verdict::Known),
            warn: of(Verdict::Warn),
            inconclusive: of(Verdict::Inconclusive),
            skip: of(Verdict::Skip),
            observed: of(Verdict::Observed),
        },
        findings,
        notes: Vec::new(),
        power: Some("1 round of 3 copies, released within 0.1 ms: a window of 20 ms or more would have shown itself".into()),
        interrupted: false,
        incomplete: false,
        misconfigured: false,
        baseline: None,
    }
}
