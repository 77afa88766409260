//! Where the policy lets another body run under a taken key: which body the key protects, and how many effects that makes.
//! It must not know any situation, nor how effects are counted.

use std::collections::BTreeSet;

use super::evidence::{Scene, Seen};
use crate::contract::reading::Identities;
use crate::contract::relation::relation;
use crate::contract::{Answer, Contract, Sameness};

/// Whether another body may run under a key that is taken.
#[must_use]
pub fn may_run(contract: &Contract) -> bool {
    let alternatives = contract.mismatch.value.alternatives();
    alternatives.into_iter().any(|a| *a == Answer::Run)
}

/// Whether the policy lets another body run, and there were two bodies.
#[must_use]
pub fn is_among(contract: &Contract, copies: &[&Seen<'_>]) -> bool {
    may_run(contract) && bodies(copies).len() > 1
}

fn bodies<'s>(all: &[&'s Seen<'_>]) -> BTreeSet<&'s str> {
    let names = all.iter().map(|c| c.attempt.sent.body_name.as_str());
    names.collect()
}

/// The bodies that have one result at the most, whoever asked for it: one of them is the one that the key protects.
#[must_use]
pub fn protected<'s>(successes: &[&'s Seen<'_>]) -> Vec<&'s str> {
    let one_result = |body: &&str| {
        let of_body = successes
            .iter()
            .filter(|s| s.attempt.sent.body_name == *body);
        let results: BTreeSet<String> = of_body.filter_map(|s| s.identity()).collect();
        results.len() <= 1
    };
    bodies(successes).into_iter().filter(one_result).collect()
}

/// How many effects these answers tell of: one for each result, and for each that has none, or whose outcome is unknown.
#[must_use]
pub fn results(answers: &[&Seen<'_>]) -> i64 {
    let results: BTreeSet<String> = answers.iter().filter_map(|s| s.identity()).collect();
    let nameless = answers.iter().filter(|s| {
        s.is_success() && s.identity().is_none() && s.marked() != Some(true) || s.is_unknown()
    });
    i64::try_from(results.len() + nameless.count()).unwrap_or(i64::MAX)
}

/// How many effects other requests under the first's key rightly had, before they were counted.
#[must_use]
pub fn effects(scene: &Scene<'_>, first: &Seen<'_>, counted: &str) -> i64 {
    if !may_run(first.op.contract) {
        return 0;
    }
    let counts = scene.round.counts.iter();
    let until = counts
        .filter(|c| c.name == counted)
        .map(|c| c.at_us)
        .next_back();
    let sent = &first.attempt.sent;
    let others = scene.round.attempts.iter().filter(|other| {
        let other = &other.sent;
        other.n != sent.n
            && other.intent == sent.intent
            && other.operation == sent.operation
            && other.account == sent.account
            && until.is_none_or(|until| other.at_us < until)
    });
    let others: Vec<Seen<'_>> = others
        .filter_map(|other| scene.see(other))
        .filter(|other| {
            let sameness = relation(first.op.contract, first.asked(), other.asked()).sameness;
            sameness == Sameness::Different && other.identities(first) != Identities::Same
        })
        .collect();
    results(&others.iter().collect::<Vec<_>>())
}
