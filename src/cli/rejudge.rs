//! The contracts of a saved run under another policy.
//! It must not know how policies are merged, nor what is judged by them.

use std::collections::BTreeMap;

use super::look::Look;
use super::target::{find_policy, policy_names, show};
use crate::config::target::PolicyFacts;
use crate::config::{Sketch, contracts_under};
use crate::contract::Contract;
use crate::journal::Journal;

/// The policy and its contracts for the run's operations; or the exit code, after everything wrong was shown.
/// Clauses that the target declared for itself are left out: they belong to the policy that it chose.
pub fn contracts(
    journal: &Journal,
    policy: &str,
    look: &Look,
) -> Result<(PolicyFacts, BTreeMap<String, Contract>), u8> {
    let sketches: Vec<Sketch> = journal
        .start
        .operations
        .iter()
        .map(|facts| Sketch {
            name: facts.name.clone(),
            method: facts.method.clone(),
            path: facts.path.clone(),
            body: sent_body(journal, &facts.name),
        })
        .collect();
    let base = journal
        .start
        .urls
        .first()
        .and_then(|url| url::Url::parse(url).ok());
    let base_path = base.as_ref().map_or("", |url| url.path());
    contracts_under(policy, &find_policy, &policy_names(), base_path, &sketches)
        .map_err(|errors| show(&errors, look))
}

/// The first ordinary body that was sent to an operation.
fn sent_body(journal: &Journal, operation: &str) -> Option<String> {
    journal
        .attempts()
        .find(|attempt| attempt.sent.operation == operation && attempt.sent.body_name == "base")
        .and_then(|attempt| attempt.sent.body.text.clone())
        .filter(|text| text.trim_start().starts_with('{'))
}
