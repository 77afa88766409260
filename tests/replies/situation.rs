//! The situations that a file's name may list, each with the clause that answers it and what a reader must make of the reply.
//! It must not use the judge: this is the second opinion about the same words.

use std::collections::BTreeSet;

use doubletap::config::target::Identity;
use doubletap::contract::reading::{Identities, Situation, matches, refusals_of};
use doubletap::contract::{Answer, BodyFidelity, Clause, Contract, Marker, Replay};

use super::exchange::{Folder, Reply};

/// The clause of a situation other than the first reply and its replay.
pub(crate) fn clause<'c>(contract: &'c Contract, name: &str) -> Option<&'c Clause<Answer>> {
    Some(match name {
        "missing" => &contract.missing,
        "malformed-empty" => &contract.malformed.empty,
        "malformed-too-short" => &contract.malformed.too_short,
        "malformed-too-long" => &contract.malformed.too_long,
        "malformed-charset" => &contract.malformed.charset,
        "malformed-form" => &contract.malformed.form,
        "malformed-twice" => &contract.malformed.twice,
        "mismatch" => &contract.mismatch,
        "in-progress" => &contract.in_progress,
        "after-retention" => &contract.after_retention,
        "other-credential" => &contract.scope.credential,
        "other-route" => &contract.scope.route,
        "other-query" => &contract.scope.query,
        _ => return None,
    })
}

/// All names that `clause` knows.
pub(crate) const CLAUSES: [&str; 13] = [
    "missing",
    "malformed-empty",
    "malformed-too-short",
    "malformed-too-long",
    "malformed-charset",
    "malformed-form",
    "malformed-twice",
    "mismatch",
    "in-progress",
    "after-retention",
    "other-credential",
    "other-route",
    "other-query",
];

/// How a reply's identity stands to the first reply's.
pub(crate) fn identities(folder: &Folder, reply: &Reply) -> Identities {
    let first = folder
        .first()
        .and_then(|first| first.identity(&folder.operation));
    match (first, reply.identity(&folder.operation)) {
        (Some(first), Some(second)) if first == second => Identities::Same,
        (Some(_), Some(_)) => Identities::Other,
        _ => Identities::Unknown,
    }
}

/// What a reader must make of the reply in a situation; an error says why the policy does not allow it there at all.
pub(crate) fn readings(
    folder: &Folder,
    name: &str,
    reply: &Reply,
) -> Result<BTreeSet<Situation>, String> {
    let one = |situation| Ok(BTreeSet::from([situation]));
    // without an identity to compare, a success may be either
    let success = || match identities(folder, reply) {
        Identities::Same => BTreeSet::from([Situation::Replay]),
        Identities::Other => BTreeSet::from([Situation::Run]),
        Identities::Unknown => BTreeSet::from([Situation::Run, Situation::Replay]),
    };
    match name {
        "first" => Ok(BTreeSet::from([Situation::Run, Situation::Replay])),
        "replay" => replay(folder, reply).map(|()| match &folder.contract.replay.value {
            Replay::Refuse(_) => BTreeSet::from([Situation::Duplicate]),
            _ => success(),
        }),
        "refused" => one(Situation::Refused),
        "server-error" => one(Situation::ServerError),
        "rate-limited" => one(Situation::RateLimited),
        "store-unavailable" => Ok(BTreeSet::from([Situation::Gateway, Situation::RateLimited])),
        _ => {
            let clause = clause(&folder.contract, name).ok_or("no such situation")?;
            let refused = refusals_of(&clause.value)
                .into_iter()
                .any(|how| matches(how, reply.received()));
            if refused {
                return Ok(match name {
                    "mismatch" => BTreeSet::from([Situation::Mismatch]),
                    "in-progress" => BTreeSet::from([Situation::InProgress]),
                    // told by what was sent, not by the reply: it is a refusal, or one of those beside it in the name
                    _ => BTreeSet::new(),
                });
            }
            let found = success();
            let allowed = clause
                .value
                .alternatives()
                .into_iter()
                .any(|answer| match answer {
                    Answer::Run | Answer::Accept => found.contains(&Situation::Run),
                    Answer::Replay | Answer::Wait => found.contains(&Situation::Replay),
                    _ => false,
                });
            let has_result = folder.operation.identity == Identity::Detect
                || reply.identity(&folder.operation).is_some();
            if allowed && has_result && reply.received().status < 300 {
                Ok(found)
            } else {
                Err(format!("the clause says: {}", clause.value))
            }
        }
    }
}

/// Whether the reply is what the replay clause and the marker promise, told by the first reply.
fn replay(folder: &Folder, reply: &Reply) -> Result<(), String> {
    let first = folder.first().ok_or("a replay needs its first.http")?;
    let (a, b) = (first.received(), reply.received());
    let (same, whole) = match &folder.contract.replay.value {
        // an error that wraps the first body is a copy under another status, not a refusal
        Replay::Refuse(how) if matches(how, b) && a.text != b.text => return Ok(()),
        Replay::Same(same) => (same, true),
        Replay::Current(same) => (same, false),
        other => return Err(format!("the clause says: {other:?}")),
    };
    let promised = same.status.get(&a.status.to_string());
    if !promised.map_or(a.status == b.status, |list| list.contains(&b.status)) {
        return Err(format!("{} after {}", b.status, a.status));
    }
    // a body that stays whole although the policy speaks of the state of now is a policy that says too little or too much
    let json = |text: Option<&str>| {
        text.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok())
    };
    let alike = match same.body {
        BodyFidelity::Bytes => a.text == b.text,
        BodyFidelity::Json => {
            a.text == b.text || json(a.text).is_some() && json(a.text) == json(b.text)
        }
        BodyFidelity::Identity | BodyFidelity::Ignore => true,
    };
    if whole && !alike {
        return Err("another body, and the policy promises a copy".to_owned());
    }
    for name in &same.headers {
        if !a.header(name).eq(b.header(name)) {
            return Err(format!("another {name}"));
        }
    }
    marker(folder, first, reply)
}

fn marker(folder: &Folder, first: &Reply, reply: &Reply) -> Result<(), String> {
    let has = |reply: &Reply, name: &str, values: &[String]| {
        let reply = reply.received();
        reply
            .header(name)
            .any(|value| values.is_empty() || values.iter().any(|v| v == value))
    };
    match &folder.contract.marker.value {
        Marker::Header { name, replay, .. } if !has(reply, name, replay) => {
            Err(format!("no {name} on the replay"))
        }
        Marker::Header {
            name,
            first: values,
            ..
        } if values.is_empty() && has(first, name, &[]) => {
            Err(format!("{name} on the first reply"))
        }
        Marker::Always { name, is } if !has(first, name, is) || !has(reply, name, is) => {
            Err(format!("{name} must be on both"))
        }
        Marker::None if reply.received().has_header("Idempotent-Replayed") => {
            Err("marked, and the policy says that nothing is".to_owned())
        }
        _ => Ok(()),
    }
}
