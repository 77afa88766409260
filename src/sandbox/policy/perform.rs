//! From an HTTP request with an effect to its reply under the policy: contract, key, credentials, then the record.
//! Must not know what the operation does.

use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use bytes::Bytes;
use serde_json::Value;

use super::choice::{Choice, chosen, refusal};
use super::refusal::{Usual, refuse};
use super::syntax::{Flawed, read};
use super::{Policy, by_nature, carrier, precondition, run, strangers};
use crate::contract::Contract;
use crate::sandbox::design;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Request;
use crate::sandbox::http::route::Operation;
use crate::sandbox::http::{account, body as bodies, detached, request};
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;

/// A request with what is declared of it.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) request: Arc<Request>,
    pub(super) contract: Arc<Contract>,
    pub(super) headers: HeaderMap,
}

/// What the key is.
type Key = Result<Option<String>, Flawed>;

/// Answers a request with an effect.
pub(crate) async fn perform(
    machine: &Arc<Machine>,
    policy: &Policy,
    parts: &Parts,
    body: Bytes,
    operation: Operation,
) -> Stored<Reply> {
    let known = account(&parts.headers);
    let whose = known.unwrap_or_default();
    let (asked, key) = match asked(machine, policy, parts, body, operation, whose) {
        Ok(asked) => asked,
        Err(refusal) => return Ok(refusal),
    };
    let client = asked.request.client.clone();
    let machine = Arc::clone(machine);
    detached(client, async move {
        match known {
            Some(_) => answer(&machine, &asked, key).await,
            // Without credentials nothing is said about the key.
            None => strangers::answer(&machine, &asked, key.ok().flatten().as_deref()).await,
        }
    })
    .await
}

/// Reads a request and its key.
pub(super) fn asked(
    machine: &Machine,
    policy: &Policy,
    parts: &Parts,
    body: Bytes,
    operation: Operation,
    account: &str,
) -> Result<(Asked, Key), Reply> {
    let document = bodies::members(&parts.headers, &body).ok();
    let whole = document.clone().map(Value::Object);
    let has = |place: &str| {
        let members = whole.as_ref();
        members.is_some_and(|whole| whole.pointer(place).is_some() || whole.get(place).is_some())
    };
    let contract = policy.contract(parts.method.as_str(), parts.uri.path(), &has);
    let texts = carrier::texts(&contract, parts, document.as_ref(), &policy.routes);
    let key = read(&contract.key.value, &texts);
    let text = match &key {
        Ok(key) => key.clone(),
        Err(flawed) => flawed.text.clone(),
    };
    let mut request = request(machine, parts, body, operation, account, text)?;
    precondition::minded(&contract, &mut request);
    let asked = Asked {
        request: Arc::new(request),
        contract: Arc::new(contract),
        headers: parts.headers.clone(),
    };
    Ok((asked, key))
}

async fn answer(machine: &Machine, asked: &Asked, key: Key) -> Stored<Reply> {
    let contract = &asked.contract;
    let key = match key {
        Ok(Some(key)) => key,
        Ok(None) => return without_key(machine, asked).await,
        Err(flawed) => {
            let detail = flawed.flaw.detail();
            let usual = Usual {
                status: 400,
                detail,
                identity: None,
            };
            match chosen(flawed.flaw.answer(contract)) {
                Choice::Refuse(how) => return Ok(refuse(how, usual)),
                Choice::Run => return design::run_without_key(machine, &asked.request).await,
                choice => {
                    let taken = flawed.taken_as_usual || !matches!(choice, Choice::AsUsual);
                    match flawed.text.filter(|_| taken) {
                        Some(text) => text,
                        None => return Ok(Reply::problem(400, detail)),
                    }
                }
            }
        }
    };
    // The sandbox's own operations take keys whatever the method; on a route of the policy its word about methods counts.
    let method = by_nature::declared(contract, &asked.request.method)
        .filter(|_| matches!(asked.request.operation, Operation::Declared { .. }));
    if matches!(method.map(chosen), Some(Choice::Run)) {
        return design::run_without_key(machine, &asked.request).await;
    }
    let mut companions = contract.key.value.companions.iter();
    if let Some(missing) = companions.find(|known| !asked.headers.contains_key(&known.header)) {
        let detail = format!("the header {} must go with the key", missing.header);
        return Ok(Reply::problem(400, &detail));
    }
    run::run(machine, asked, &key).await
}

async fn without_key(machine: &Machine, asked: &Asked) -> Stored<Reply> {
    let answer = &asked.contract.missing.value;
    let usual = Usual {
        status: 400,
        detail: "the idempotency key is missing",
        identity: None,
    };
    let demanded = machine.settings.require_key;
    let how = match chosen(answer) {
        Choice::Refuse(how) => Some(how),
        _ if demanded => refusal(answer),
        _ => None,
    };
    match how {
        Some(how) => Ok(refuse(how, usual)),
        None if demanded => Ok(Reply::problem(usual.status, usual.detail)),
        None => design::run_without_key(machine, &asked.request).await,
    }
}
