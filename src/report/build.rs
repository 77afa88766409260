//! The judge's findings and the run's history put together into one [`Document`].
//! It must not know any format; it decides no verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::declared;
use super::document::{
    AttemptRecord, CheckRecord, ClauseRecord, Document, DrillRecord, OperationRecord, OutcomeWord,
    RequestRecord, RunFacts, SCHEMA_VERSION, Tool,
};
use crate::config::target::Identity;
use crate::contract::place::Received;
use crate::contract::reading::marked;
use crate::journal::{
    Attempt, AttemptSent, InstanceHistory, Journal, OperationFacts, Outcome, Reply,
};
use crate::judge::evidence::identity_in;
use crate::judge::{CheckResult, Finding, Judged, Verdict};

/// Puts findings and history together. `kept_at` is where the journal is, as the user knows it.
#[must_use]
pub fn build(judged: &Judged, journal: &Journal, kept_at: Option<&str>) -> Document {
    let start = &journal.start;
    let told = told(judged, journal);
    Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        run: RunFacts {
            id: start.run.clone(),
            seed: start.seed,
            started_at: start.started_at.clone(),
            duration_us: journal.end.as_ref().map(|end| end.at_us),
            requests: journal.end.as_ref().map(|end| end.requests),
            interrupted: judged.interrupted,
            urls: start.urls.clone(),
            command: start.command.clone(),
            journal: kept_at.map(str::to_owned),
            stage: start.stage.clone(),
        },
        verdict: judged.verdict,
        counts: judged.counts,
        policy: start.policy.clone(),
        operations: start
            .operations
            .iter()
            .map(|facts| operation(facts, journal))
            .collect(),
        contract: start
            .contracts
            .iter()
            .map(|(name, contract)| (name.clone(), declared::clauses(contract)))
            .collect(),
        stopped: journal.stopped.clone(),
        notes: judged.notes.clone(),
        power: judged.power.clone(),
        baseline: judged.baseline.clone(),
        drills: judged
            .findings
            .iter()
            .map(|finding| drill(finding, journal.instance(&finding.id)))
            .collect(),
        attempts_left_out: journal.attempts().count() - told.len(),
        attempts: told,
    }
}

/// Rounds of a drill that are told whatever happened in them. A race of a thousand rounds would make a report of hundreds of
/// megabytes that says a thousand times that nothing was found.
const TOLD_ROUNDS: u32 = 20;

/// The attempts of the first rounds, and of every round that a check names which did not pass.
fn told(judged: &Judged, journal: &Journal) -> Vec<AttemptRecord> {
    let named: BTreeSet<(&str, u32)> = judged
        .findings
        .iter()
        .flat_map(|finding| &finding.checks)
        // a race that passed names all of its copies
        .filter(|check| check.verdict != Verdict::Pass)
        .flat_map(|check| &check.attempts)
        .filter_map(|n| journal.attempt(*n))
        .map(|attempt| (attempt.sent.instance.as_str(), attempt.sent.round))
        .collect();
    journal
        .attempts()
        .filter(|Attempt { sent, .. }| {
            sent.round < TOLD_ROUNDS || named.contains(&(sent.instance.as_str(), sent.round))
        })
        .map(|attempt| record(attempt, journal))
        .collect()
}

/// What tells results apart: what the preflight found, else what the target declares.
fn identity_of<'j>(journal: &'j Journal, operation: &str) -> Option<&'j Identity> {
    let found = journal.identities.get(operation);
    let declared = || {
        let facts = journal
            .start
            .operations
            .iter()
            .find(|o| o.name == operation)?;
        Some(&facts.identity)
    };
    found.map(|found| &found.identity).or_else(declared)
}

fn operation(facts: &OperationFacts, journal: &Journal) -> OperationRecord {
    OperationRecord {
        name: facts.name.clone(),
        request: format!("{} {}", facts.method, facts.path),
        identity: identity_words(identity_of(journal, &facts.name)),
        identity_detected: journal
            .identities
            .get(&facts.name)
            .is_some_and(|found| found.detected),
        counter: facts.counter.clone(),
    }
}

fn identity_words(identity: Option<&Identity>) -> String {
    match identity {
        Some(Identity::Pointer(pointer)) => format!("the reply's {pointer}"),
        Some(Identity::Header(name)) => format!("the reply's {name} header"),
        Some(Identity::Xml(path)) => format!("the reply's {path}"),
        Some(Identity::None) => "none".to_owned(),
        Some(Identity::Detect) | None => "not known".to_owned(),
    }
}

/// An attempt as reports tell it.
pub(super) fn record(attempt: &Attempt, journal: &Journal) -> AttemptRecord {
    let Attempt { sent, done } = attempt;
    let done = done.as_ref();
    let reply = attempt.reply();
    let identity = identity_of(journal, &sent.operation);
    let contract = journal.contract(&sent.operation);
    let (outcome, why) = match done.map(|done| &done.outcome) {
        Some(Outcome::Replied(_)) => (OutcomeWord::Replied, None),
        Some(Outcome::Unknown { why }) => (OutcomeWord::Unknown, Some(why.clone())),
        Some(Outcome::NotSent { why }) => (OutcomeWord::NotSent, Some(why.clone())),
        None => (
            OutcomeWord::Unknown,
            Some("the journal ends before its outcome".to_owned()),
        ),
    };
    AttemptRecord {
        id: sent.n,
        drill: sent.instance.clone(),
        round: sent.round,
        step: sent.step.clone(),
        copy: sent.copy,
        repeat: sent.repeat,
        operation: sent.operation.clone(),
        account: sent.account.clone(),
        key: sent.key.clone(),
        reference: sent.reference.clone(),
        sent_us: sent.at_us,
        released_us: done.and_then(|done| done.released_us),
        first_byte_us: done.and_then(|done| done.first_byte_us),
        end_us: done.map(|done| done.end_us),
        outcome,
        why,
        status: reply.map(|reply| reply.status),
        headers: reply.map(joined).unwrap_or_default(),
        body: reply.and_then(|reply| reply.body.text.clone()),
        body_truncated: reply.is_some_and(|reply| reply.body.truncated),
        identity: reply.and_then(|reply| identity_in(identity?, received(reply))),
        marked: reply.and_then(|reply| marked(&contract?.marker.value, received(reply))),
        request: RequestRecord {
            method: sent.method.clone(),
            url: sent.url.clone(),
            headers: sent.headers.to_vec(),
            wire_key: sent.wire_key.clone(),
            body_name: sent.body_name.clone(),
            variation: variation(sent),
            body: sent.body.text.clone(),
            body_bytes: sent.body.len,
            body_truncated: sent.body.truncated,
        },
    }
}

fn joined(reply: &Reply) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in &reply.headers {
        headers
            .entry(name.to_ascii_lowercase())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    headers
}

fn received(reply: &Reply) -> Received<'_> {
    Received {
        status: reply.status,
        headers: &reply.headers,
        text: reply.body.text.as_deref(),
    }
}

fn variation(sent: &AttemptSent) -> Option<String> {
    // the vocabulary's own words, as a drill's file spells them
    fn word(value: &impl serde::Serialize) -> String {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::String(word)) => word,
            Ok(other) => other.to_string().replace(['{', '}', '"'], ""),
            Err(_) => String::new(),
        }
    }
    let mut parts = Vec::new();
    if let Some(written) = &sent.written {
        parts.push(format!("written {}", word(written)));
    }
    if let Some(vary) = &sent.vary {
        parts.push(format!("vary {}", word(vary)));
    }
    if let Some(cut) = &sent.cut {
        parts.push(format!("cut {}", word(cut)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn drill(finding: &Finding, history: Option<&InstanceHistory>) -> DrillRecord {
    let rounds = || {
        history
            .into_iter()
            .flat_map(|history| history.rounds.values())
    };
    let attempts = || rounds().flat_map(|round| &round.attempts);
    let gates: Vec<_> = rounds().flat_map(|round| round.gates.clone()).collect();
    let holds: Vec<_> = rounds().flat_map(|round| round.held.clone()).collect();
    DrillRecord {
        id: finding.id.clone(),
        suite: finding.suite.clone(),
        operation: finding.operation.clone(),
        title: finding.title.clone(),
        verdict: finding.verdict,
        reason: finding.reason.clone(),
        checks: finding.checks.iter().map(check).collect(),
        why: finding.why.clone(),
        hint: finding.hint.clone(),
        sources: finding.sources.clone(),
        proof: finding.proof.clone(),
        began_us: attempts().map(|attempt| attempt.sent.at_us).min(),
        timed: !gates.is_empty() || !holds.is_empty(),
        gates,
        holds,
        effects: rounds().flat_map(|round| round.counts.clone()).collect(),
        expired: rounds().flat_map(|round| round.expired.clone()).collect(),
        hooks: rounds().flat_map(|round| round.hooks.clone()).collect(),
    }
}

fn check(result: &CheckResult) -> CheckRecord {
    CheckRecord {
        id: result.id.clone(),
        clause: result.clause.as_ref().map(|clause| ClauseRecord {
            name: clause.name.clone(),
            declared: clause.declared.clone(),
            file: clause.origin.as_ref().map(|origin| origin.file.clone()),
            line: clause
                .origin
                .as_ref()
                .map(|origin| origin.line)
                .filter(|line| *line > 0),
        }),
        level: result.level,
        verdict: result.verdict,
        expected: result.expected.clone(),
        observed: result.observed.clone(),
        meaning: result.meaning.clone(),
        attempts: result.attempts.clone(),
        violated: result.violated.clone(),
        part: result.part.clone(),
        known: result.known.clone(),
    }
}
