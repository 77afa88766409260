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
        part: None,
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
        power: Some("3 copies x 1 round over HTTP/1.1, released within 100 us of each other (median; worst 100 us), in step in 1 of 1 rounds and open at once in 1 of 1 (all copies before the first answer in 1); only 1 round in step, too few to say which window would have been seen; a fault that shows in more than 95 % of such rounds would have been seen with 95 % probability".into()),
        interrupted: false,
        incomplete: false,
        misconfigured: false,
        baseline: None,
    }
}
