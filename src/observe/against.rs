//! What was seen beside what a policy declares, clause by clause. What differs is said by the judge, from the same record.
//! It must not know how a reply is read.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Observed, Sight, card, draft};
use crate::contract::Contract;
use crate::journal::Journal;
use crate::judge::{self, Judged, Verdict};
use crate::report::declared::clauses;

/// How documentation and behaviour stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// What is declared was seen.
    Agrees,
    /// Something else was seen.
    Differs,
    /// Nothing was seen of it.
    NotSeen,
    /// Seen, and not declared.
    Undocumented,
}

/// One clause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The operation.
    pub operation: String,
    /// The clause.
    pub clause: String,
    /// What the policy says.
    pub documented: String,
    /// What was seen.
    pub seen: String,
    /// How the two stand.
    pub standing: Standing,
    /// The attempts behind it.
    pub attempts: Vec<u64>,
}

impl Row {
    /// The keys were sent in another way than the policy says: only that can be told.
    fn sent_otherwise(&mut self, sent: &str) {
        if self.clause == "key" {
            self.standing = Standing::Differs;
            self.seen = format!("sent in {sent}");
        } else {
            self.standing = Standing::NotSeen;
            self.seen = format!("keys were sent in {sent}: observe with this policy's key");
        }
        self.attempts.clear();
    }
}

/// Clauses that say how a request is sent or how long a client is patient: nothing to be seen there.
const PREMISES: [&str; 4] = [
    "in-progress-for",
    "errors-at",
    "isolation",
    "no-server-error",
];

/// Lays them side by side.
#[must_use]
pub fn against(
    journal: &Journal,
    observed: &Observed,
    contracts: &BTreeMap<String, Contract>,
) -> Vec<Row> {
    let judged = judge::judge(journal, contracts, false, &[]);
    let mut rows = Vec::new();
    for operation in &observed.operations {
        let Some(contract) = contracts.get(&operation.name) else {
            continue;
        };
        // the judge judges nothing of keys that travelled otherwise than this policy says, so nothing would seem to differ
        let otherwise = journal
            .contract(&operation.name)
            .map(|sent| sent.key.value.travels())
            .filter(|sent| *sent != contract.key.value.travels());
        let declared = clauses(contract);
        let mut names: Vec<String> = declared.iter().map(|record| record.name.clone()).collect();
        for name in operation
            .sights
            .iter()
            .filter_map(|sight| sight.clause.clone())
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names
            .into_iter()
            .filter(|name| !PREMISES.contains(&name.as_str()))
        {
            let sights: Vec<&Sight> = operation
                .sights
                .iter()
                .filter(|sight| sight.clause.as_deref() == Some(&name))
                .collect();
            let documented = declared
                .iter()
                .find(|record| record.name == name)
                .map(|record| record.declared.clone())
                .filter(|text| text != "unspecified" && text != "{}");
            let seen = draft::value(operation, &name);
            let mut row = row(&operation.name, name, (documented, seen), &sights, &judged);
            if let Some(sent) = &otherwise {
                row.sent_otherwise(sent);
            }
            rows.push(row);
        }
    }
    rows
}

fn row(
    operation: &str,
    clause: String,
    (documented, value): (Option<String>, Option<String>),
    sights: &[&Sight],
    judged: &Judged,
) -> Row {
    let violated = judged
        .findings
        .iter()
        .filter(|finding| finding.operation == operation)
        .flat_map(|finding| &finding.checks)
        .find(|check| {
            let cited = check
                .clause
                .as_ref()
                .is_some_and(|cited| cited.name == clause);
            cited && matches!(check.verdict, Verdict::Fail | Verdict::Warn)
        });
    // a policy may declare even that: a replay across routes is one provider's documented way
    let declared = documented.as_deref().zip(value.as_deref());
    let meant = declared.is_some_and(|(said, seen)| said == seen.trim_matches('"'));
    let alarming = !meant && sights.iter().any(|sight| sight.alarm);
    let told: Vec<String> = sights
        .iter()
        .filter(|sight| sight.alarm || !alarming)
        .map(|sight| card::with_attempts(sight))
        .collect();
    // the value where there is one, in the words of a policy file; else what was seen
    let told = value.unwrap_or_else(|| told.join("; "));
    let (standing, seen, attempts) = match (&violated, sights) {
        // two effects, or another's result: no document allows it
        (None, sights) if alarming => {
            let standing = if documented.is_some() {
                Standing::Differs
            } else {
                Standing::Undocumented
            };
            let alarms = sights.iter().filter(|sight| sight.alarm);
            let attempts = alarms.flat_map(|sight| sight.attempts.clone()).collect();
            (standing, told, attempts)
        }
        (Some(check), sights) => {
            // a clause may be violated where something else was tried than what its sights tell of
            let told_of = |n: &u64| sights.iter().any(|sight| sight.attempts.contains(n));
            let words = if check.attempts.iter().any(told_of) {
                told
            } else {
                check.observed.clone()
            };
            let standing = if documented.is_some() {
                Standing::Differs
            } else {
                Standing::Undocumented
            };
            (standing, words, check.attempts.clone())
        }
        (None, []) => (Standing::NotSeen, String::new(), Vec::new()),
        (None, sights) => {
            let standing = if documented.is_some() {
                Standing::Agrees
            } else {
                Standing::Undocumented
            };
            let attempts = sights
                .iter()
                .flat_map(|sight| sight.attempts.clone())
                .collect();
            (standing, told, attempts)
        }
    };
    Row {
        operation: operation.to_owned(),
        clause,
        documented: documented.unwrap_or_else(|| "open".to_owned()),
        seen,
        standing,
        attempts,
    }
}
