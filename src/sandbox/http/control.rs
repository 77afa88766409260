//! The paths under `/_sandbox`: they move time and look behind the API. No credentials are asked for.
//! Must not be needed by a client of the payments API.

use axum::http::request::Parts;
use serde_json::{Value, json};

use super::reads::query;
use super::reply::Reply;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;

/// `POST /_sandbox/expire {"account", "key"}`: the key's record is past its expiry from now on.
pub(super) async fn expire(machine: &Machine, body: &[u8]) -> Stored<Reply> {
    let asked: Value = serde_json::from_slice(body).unwrap_or_default();
    let member = |name: &str| asked.get(name).and_then(Value::as_str);
    let (Some(account), Some(key)) = (member("account"), member("key")) else {
        return Ok(Reply::problem(
            400,
            "send {\"account\": \"acct-a\", \"key\": \"…\"}",
        ));
    };
    // The key goes the way that it went in its request.
    let key = match machine.read_key(&[key.as_bytes().to_vec()]) {
        Ok(Some(key)) => key,
        Ok(None) | Err(_) => key.to_owned(),
    };
    let key = match &machine.policy {
        Some(policy) => policy.stored_key(&key),
        None => key,
    };
    let shared = machine.session().await?.expire(account, &key).await?;
    let own = machine
        .own_store
        .session(true)
        .await?
        .expire(account, &key)
        .await?;
    Ok(Reply::json(200, &json!({ "expired": shared + own })))
}

/// `GET /_sandbox/downstream?key=K|reference=R`: how often the payment provider behind the API was called.
pub(super) fn downstream(machine: &Machine, parts: &Parts) -> Reply {
    let (key, reference) = (query(parts, "key"), query(parts, "reference"));
    let count = machine
        .ledger
        .provider_calls(key.as_deref(), reference.as_deref());
    Reply::json(200, &json!({ "count": count }))
}
