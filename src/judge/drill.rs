//! One drill: each of its checks judged by its situation's file, the control respected, and the worst taken.
//! It must not know what a situation reads.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::control::Control;
use super::evidence::Evidence;
use super::tally::Tally;
use super::{
    CheckResult, Finding, Verdict, after_retention, concurrent, control, distinct_keys, hint,
    in_progress, key_syntax, keyed_method, mismatch, nothing_leaks, order, other_account,
    other_scope, preflight, recovered, replay, same_request, stored, unkeyed,
};
use crate::config::suite::Check;
use crate::contract::{Contract, KeyRule, Level};
use crate::journal::{InstanceHistory, Journal};

/// Runs something that must not take the whole run with it.
pub fn guarded<T>(what: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(what)).ok()
}

/// Judges one drill.
#[must_use]
pub fn judge(
    journal: &Journal,
    contracts: &BTreeMap<String, Contract>,
    controls: &BTreeMap<String, Control>,
    instance: &InstanceHistory,
    strict: bool,
) -> Finding {
    let drill = &instance.plan.drill;
    let mut finding = Finding {
        id: instance.plan.id.clone(),
        suite: drill.suite().to_owned(),
        operation: instance.plan.operation.clone(),
        title: drill.title.clone(),
        why: drill.why.clone(),
        hint: drill.hint.clone(),
        sources: drill.sources.clone(),
        verdict: Verdict::Skip,
        reason: String::new(),
        checks: Vec::new(),
        proof: Vec::new(),
    };
    if let Some(why) = &instance.skip {
        finding.reason.clone_from(why);
        return finding;
    }
    let evidence = Evidence {
        journal,
        contracts,
        instance,
        controls: Some(controls),
        replies_only: false,
    };
    let blocked = blocked(evidence);
    for check in &drill.check {
        let judged = match &blocked {
            Some(why) => Err(why.clone()),
            None => guarded(|| one(evidence, check, strict))
                .ok_or_else(|| "the check itself broke: this is a defect of doubletap".to_owned()),
        };
        let (result, proof) = judged.unwrap_or_else(|why| (unjudged(check, why), Vec::new()));
        for line in proof {
            if !finding.proof.contains(&line) {
                finding.proof.push(line);
            }
        }
        finding.checks.push(result);
    }
    for line in &instance.plan.left_out {
        finding.proof.push(format!("left out: {line}"));
    }
    finding.verdict = of_checks(&finding.checks);
    let decisive = finding.checks.iter().find(|c| c.verdict == finding.verdict);
    finding.hint = hint::of(&finding.id, drill, decisive);
    finding.reason = decisive.map_or_else(|| "it has no checks".to_owned(), |c| c.observed.clone());
    finding
}

/// The worst of the checks. The first is what the drill is for: where that was only observed, or could not be tried, the others
/// make no pass of it.
fn of_checks(checks: &[CheckResult]) -> Verdict {
    let worst = order::worst(checks.iter().map(|c| c.verdict));
    match checks.first().map(|c| c.verdict) {
        Some(first @ (Verdict::Observed | Verdict::Skip)) if worst == Verdict::Pass => first,
        _ => worst,
    }
}

/// How the keys of an operation were sent and how a policy wants them, where these differ: what was sent says nothing about it.
#[must_use]
pub fn another_key<'a>(
    journal: &'a Journal,
    contracts: &'a BTreeMap<String, Contract>,
    operation: &str,
) -> Option<(&'a KeyRule, &'a KeyRule)> {
    let sent = &journal.contract(operation)?.key.value;
    let judged = &contracts.get(operation)?.key.value;
    (sent.carrier != judged.carrier || sent.form != judged.form).then_some((sent, judged))
}

/// Why nothing of the drill can be judged.
fn blocked(evidence: Evidence<'_>) -> Option<String> {
    let plan = &evidence.instance.plan;
    if evidence.op().is_none() {
        return Some(format!(
            "there is no contract of the operation `{}`",
            plan.operation
        ));
    }
    let key = operations(evidence)
        .into_iter()
        .find_map(|operation| another_key(evidence.journal, evidence.contracts, operation));
    if let Some((sent, judged)) = key {
        return Some(format!(
            "keys were sent in {}, and this policy wants them in {}",
            sent.travels(),
            judged.travels()
        ));
    }
    if evidence.instance.rounds.is_empty() {
        return Some(evidence.not_reached());
    }
    None
}

fn one(evidence: Evidence<'_>, check: &Check, strict: bool) -> (CheckResult, Vec<String>) {
    if let Check::Control(steps) = check {
        let (result, _, proof) = control::judge(evidence, steps, strict);
        return (result, proof);
    }
    let mut tally = situation(evidence, check);
    rest_on_control(evidence, check, &mut tally);
    if let Some(ended) = &evidence.instance.ended
        && let Some(why) = &ended.broken
    {
        tally.prove(format!("the drill broke off: {why}"));
    }
    let proof = std::mem::take(&mut tally.proof);
    (tally.finish(strict), proof)
}

fn situation(evidence: Evidence<'_>, check: &Check) -> Tally {
    match check {
        Check::Replay(steps) => replay::judge(evidence, steps),
        Check::Concurrent(steps) => concurrent::judge(evidence, steps),
        Check::InProgress(steps) => in_progress::judge(evidence, steps),
        Check::Mismatch(steps) => mismatch::judge(evidence, steps),
        Check::OtherAccount(steps) => other_account::judge(evidence, steps),
        Check::AfterRetention(steps) => after_retention::judge(evidence, steps),
        Check::NothingLeaks(steps) => nothing_leaks::judge(evidence, steps),
        Check::OtherScope(steps) => other_scope::judge(evidence, steps),
        Check::SameRequest(steps) => same_request::judge(evidence, steps),
        Check::KeySyntax(steps) => key_syntax::judge(evidence, steps),
        Check::DistinctKeys(steps) => distinct_keys::judge(evidence, steps),
        Check::Stored(steps) => stored::judge(evidence, steps),
        Check::Recovered(steps) => recovered::judge(evidence, steps),
        Check::Unkeyed(steps) => unkeyed::judge(evidence, steps),
        Check::KeyedMethod(steps) => keyed_method::judge(evidence, steps),
        Check::Preflight(steps) => preflight::judge(evidence, steps),
        // its own path: it has facts to hand on
        Check::Control(steps) => Tally::new(
            format!("control:{}", steps.second.as_deref().unwrap_or("second")),
            1,
        ),
    }
}

/// What rests on a control that did not pass cannot pass. A violation that replies show stays.
fn rest_on_control(evidence: Evidence<'_>, check: &Check, tally: &mut Tally) {
    let plan = &evidence.instance.plan;
    let mut doubts: Vec<String> = Vec::new();
    for operation in operations(evidence) {
        let Some(control) = evidence.control(operation) else {
            doubts.push(format!("the control of `{operation}` was not carried out"));
            continue;
        };
        doubts.extend(control.base.doubt("this operation"));
        if operation != plan.operation {
            continue;
        }
        let used: Vec<&str> = accounts(evidence, check);
        for (account, standing) in control
            .accounts
            .iter()
            .filter(|(a, _)| used.contains(&a.as_str()))
        {
            doubts.extend(standing.doubt(&format!("account {account}")));
        }
        let known = |account: &&str| control.accounts.contains_key(*account) || *account == "a";
        for account in used.iter().filter(|a| !known(a)) {
            let second = evidence.journal.start.accounts.iter();
            // a second credential of an account is no account of its own
            if !second
                .into_iter()
                .any(|a| a.name == **account && a.same_as.is_some())
            {
                doubts.push(format!(
                    "the control of account {account} was not carried out"
                ));
            }
        }
        if matches!(check, Check::Mismatch(_)) {
            doubts.extend(control.changed.doubt("the changed body"));
        }
    }
    if let Some(why) = doubts.into_iter().next() {
        tally.doubt(why, &[]);
    }
}

/// The operation under test, and others that the drill sends.
fn operations<'a>(evidence: Evidence<'a>) -> Vec<&'a str> {
    let mut operations = vec![evidence.instance.plan.operation.as_str()];
    let attempts = evidence.instance.rounds.values().flat_map(|r| &r.attempts);
    for attempt in attempts.filter(|a| a.sent.step != "setup") {
        let operation = attempt.sent.operation.as_str();
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations
}

/// The accounts that send in the steps of a check.
fn accounts<'a>(evidence: Evidence<'a>, check: &Check) -> Vec<&'a str> {
    let steps = check.steps();
    let named: Vec<&String> = [&steps.first, &steps.second, &steps.lost, &steps.retry]
        .into_iter()
        .flatten()
        .chain(&steps.of)
        .chain(&steps.later)
        .chain(&steps.between)
        .collect();
    let attempts = evidence.instance.rounds.values().flat_map(|r| &r.attempts);
    let mut accounts: Vec<&str> = attempts
        .filter(|a| named.iter().any(|step| **step == a.sent.step))
        .map(|a| a.sent.account.as_str())
        .collect();
    accounts.sort_unstable();
    accounts.dedup();
    accounts
}

fn unjudged(check: &Check, why: String) -> CheckResult {
    let steps = check.steps();
    let step = [&steps.second, &steps.retry, &steps.first]
        .into_iter()
        .flatten()
        .next();
    let step = step.or(steps.of.first()).or(steps.between.last());
    CheckResult {
        id: format!(
            "{}:{}",
            check.situation(),
            step.map_or("all", String::as_str)
        ),
        clause: None,
        level: Level::Must,
        verdict: Verdict::Inconclusive,
        expected: "a verdict".to_owned(),
        observed: why,
        meaning: Some("Nothing can be said for or against the API here.".to_owned()),
        attempts: Vec::new(),
        violated: Vec::new(),
        part: None,
        known: None,
    }
}

/// Whether the replies alone show a must violated.
#[must_use]
pub fn replies_violate(
    journal: &Journal,
    contracts: &BTreeMap<String, Contract>,
    instance: &InstanceHistory,
) -> bool {
    let evidence = Evidence {
        journal,
        contracts,
        instance,
        controls: None,
        replies_only: true,
    };
    let checks = instance.plan.drill.check.iter();
    checks
        .filter(|check| !matches!(check, Check::Control(_)))
        .any(|check| guarded(|| situation(evidence, check).fails()).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_breaks_takes_nothing_with_it_and_is_never_a_pass() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let broken: Option<u8> = guarded(|| panic!("a defect"));
        std::panic::set_hook(hook);
        assert_eq!((broken, guarded(|| 1)), (None, Some(1)));
        let check = Check::Replay(crate::config::suite::Steps {
            second: Some("again".into()),
            ..Default::default()
        });
        let result = unjudged(&check, "the check itself broke".to_owned());
        assert_eq!(
            (result.id.as_str(), result.verdict),
            ("replay:again", Verdict::Inconclusive)
        );
    }
}
