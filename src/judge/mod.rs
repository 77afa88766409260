//! From a journal and a policy to findings: pure, without clock, files or the network.
//! It must not know how requests are sent, nor how findings are printed.

pub mod after_retention;
pub mod baseline;
mod beside;
pub mod concurrent;
pub mod control;
mod copy;
mod counter_reach;
pub mod distinct_keys;
mod drill;
pub mod effects;
pub mod evidence;
pub mod fidelity;
pub mod finding;
mod hint;
pub mod in_progress;
mod kept;
pub mod key_syntax;
pub mod keyed_method;
pub mod keyed_write;
pub mod leak;
mod marker;
pub mod mismatch;
pub mod nothing_leaks;
pub mod order;
pub mod other_account;
mod other_body;
pub mod other_scope;
pub mod outcome;
pub mod power;
pub mod preflight;
pub mod recovered;
mod refusal;
mod region;
pub mod replay;
pub mod same_request;
pub mod seen;
pub mod stored;
pub mod tally;
mod together;
pub mod unkeyed;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use finding::*;

use crate::config::suite::Check;
use crate::contract::Contract;
use crate::journal::Journal;

/// Judges a run by the contracts of its operations: those in its start, or those of another policy.
/// `required`: drills (ids, or `all`) whose skipping leaves the run inconclusive.
#[must_use]
pub fn judge(
    journal: &Journal,
    contracts: &BTreeMap<String, Contract>,
    strict: bool,
    required: &[String],
) -> Judged {
    let mut controls = BTreeMap::new();
    for operation in &journal.start.operations {
        let control = drill::guarded(|| control::examine(journal, contracts, &operation.name));
        controls.insert(operation.name.clone(), control.unwrap_or_default());
    }
    let unseen: Vec<String> = controls
        .iter()
        .filter_map(|(name, control)| {
            Some(format!("effects of `{name}`: {}", control.unseen.as_ref()?))
        })
        .collect();
    let mut findings: Vec<Finding> = journal
        .instances
        .iter()
        .map(|instance| drill::judge(journal, contracts, &controls, instance, strict))
        .collect();
    hint::point_to_the_plain(&mut findings);

    let mut notes: Vec<String> = unseen;
    if let Some(stopped) = &journal.stopped {
        notes.push(format!(
            "the target could not be tested: {}; {}",
            stopped.why, stopped.remedy
        ));
    }
    let interrupted = journal.end.as_ref().is_some_and(|end| end.interrupted);
    if journal.end.is_none() {
        notes.push("the record breaks off: the run did not end by itself".to_owned());
    } else if interrupted {
        notes.push("the run was interrupted".to_owned());
    }
    let mut facts = order::RunFacts {
        incomplete: journal.stopped.is_some() || journal.end.is_none() || interrupted,
        ..order::RunFacts::default()
    };
    for (instance, finding) in journal.instances.iter().zip(&findings) {
        let control = instance
            .plan
            .drill
            .check
            .iter()
            .all(|c| matches!(c, Check::Control(_)));
        if !control
            && matches!(
                finding.verdict,
                Verdict::Pass | Verdict::Warn | Verdict::Fail
            )
        {
            facts.judged += 1;
        }
        let wanted = |id: &String| {
            *id == "all" && !control || crate::plan::select::matches(&instance.plan, id)
        };
        if finding.verdict == Verdict::Skip && required.iter().any(wanted) {
            facts.required_skipped += 1;
            notes.push(format!(
                "{} is required and was skipped: {}",
                finding.id, finding.reason
            ));
        }
    }
    if facts.judged == 0 && !facts.incomplete {
        notes.push("nothing beyond the control was judged".to_owned());
    }
    let other_key =
        |operation: &String| drill::another_key(journal, contracts, operation).is_some();
    if journal.start.contracts.keys().any(other_key) {
        notes.push(
            "this policy wants keys that look otherwise than those that were sent, so nothing was judged by it; send a run by it \
             (`doubletap run --policy`), or judge by a file that `extends` it and declares `key` as the run did"
                .to_owned(),
        );
    }
    notes.extend(kept::oldest(journal, contracts, &findings));
    notes.extend(region::not_asked(journal));
    let several = journal.start.accounts.len() > 1;
    for (name, control) in controls.iter().filter(|_| several) {
        if control.unit.is_some() && control.mixes {
            notes.push(sums(journal, name));
        }
    }
    for note in &journal.notes {
        notes.push(match &note.instance {
            Some(instance) => format!("{instance}: {}", note.text),
            None => note.text.clone(),
        });
    }
    let (raced, clean) = races(journal, contracts, &findings);
    let power = power::of_rounds(&raced, clean);
    Judged {
        verdict: order::of_run(&findings, facts.forbid_a_pass()),
        counts: order::count(&findings),
        power,
        findings,
        notes,
        interrupted,
        incomplete: facts.forbid_a_pass(),
        misconfigured: journal
            .stopped
            .as_ref()
            .is_some_and(|stopped| stopped.misconfigured),
        baseline: None,
    }
}

/// What the counts of an operation cannot show where its counter is not asked for one account.
fn sums(journal: &Journal, operation: &str) -> String {
    let facts = journal
        .start
        .operations
        .iter()
        .find(|o| o.name == operation);
    let remedy = match facts
        .and_then(|facts| facts.counter.as_ref())
        .map(|counter| counter.kind.as_str())
    {
        Some("sql") => "; :account in its statement would count each account alone",
        Some("command") => "; $DOUBLETAP_ACCOUNT in its command would count each account alone",
        _ => "",
    };
    format!(
        "the counter of `{operation}` does not tell accounts apart: its counts are sums over all accounts{remedy}"
    )
}

/// The rounds that raced copies, and whether the drills that they belong to show no violation.
fn races<'a>(
    journal: &'a Journal,
    contracts: &'a BTreeMap<String, Contract>,
    findings: &[Finding],
) -> (Vec<power::Raced<'a>>, bool) {
    let (mut raced, mut clean) = (Vec::new(), true);
    for (instance, finding) in journal.instances.iter().zip(findings) {
        let evidence = evidence::Evidence {
            journal,
            contracts,
            instance,
            controls: None,
            replies_only: true,
        };
        for check in &instance.plan.drill.check {
            if let Check::Concurrent(steps) = check {
                raced.extend(concurrent::raced(evidence, steps));
                clean &= finding.verdict != Verdict::Fail;
            }
        }
    }
    (raced, clean)
}

/// Whether the replies of a round of a drill that is still going on show a must violated, whatever is counted later. Rounds
/// are judged one by one: each has keys of its own.
#[must_use]
pub fn violated_in_round(
    journal: &Journal,
    contracts: &BTreeMap<String, Contract>,
    instance: &str,
    round: u32,
) -> bool {
    let Some(whole) = journal.instance(instance) else {
        return false;
    };
    let only = whole.rounds.get(&round).cloned();
    let alone = crate::journal::InstanceHistory {
        plan: whole.plan.clone(),
        begun: whole.begun,
        skip: whole.skip.clone(),
        rounds: only.map(|only| (round, only)).into_iter().collect(),
        ended: None,
    };
    drill::replies_violate(journal, contracts, &alone)
}
