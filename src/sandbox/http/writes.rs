//! PUT and DELETE: idempotent by nature, so a key on them means nothing. What they changed is listed under `/changes`.
//! Must not let a key decide anything.

use std::future::Future;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use bytes::Bytes;
use serde_json::{Map, Value};

use super::body;
use super::reads::query;
use super::reply::Reply;
use crate::sandbox::fingerprint;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::effect::{Effect, Filter, Kind};
use crate::sandbox::store::{Session, Stored};
use crate::sandbox::work::plan::{find, shown};

/// Does it, unless a defect has another answer for its key.
pub(super) async fn kept(
    machine: &Machine,
    parts: &Parts,
    account: &str,
    done: impl Future<Output = Stored<Reply>>,
) -> Stored<Reply> {
    let Some(key) = super::text(&parts.headers, "idempotency-key") else {
        return done.await;
    };
    let method = parts.method.as_str();
    let mut defects = machine.defects.iter();
    if let Some(stored) = defects.find_map(|defect| defect.written(account, method, &key)) {
        return Ok(stored);
    }
    let reply = done.await?;
    for defect in machine.defects.iter() {
        defect.was_written(account, method, &key, &reply);
    }
    Ok(reply)
}

/// `PUT /payments/ID {"note"}`: the note is this from now on.
pub(super) async fn replace(
    machine: &Machine,
    parts: &Parts,
    body: Bytes,
    account: &str,
    id: &str,
) -> Stored<Reply> {
    let members = match body::members(&parts.headers, &body) {
        Ok(members) => members,
        Err(why) => return Ok(Reply::problem(400, &why)),
    };
    let note = match members.get("note") {
        None | Some(Value::Null) => None,
        Some(Value::String(note)) => Some(note.as_str()),
        Some(_) => return Ok(Reply::problem(400, "note must be a text")),
    };
    let mut session = machine.session().await?;
    session.begin().await?;
    let Some(before) = find(&mut session, account, id).await? else {
        return Ok(Reply::problem(404, "no such payment"));
    };
    if let Some(wanted) = machine.precondition(&parts.headers)
        && wanted != "*"
        && wanted != before.etag()
    {
        return Ok(Reply::problem(412, "the payment has changed since"));
    }
    // Setting what is there already changes nothing, not even the version.
    if machine.is_change(before.note.as_deref() != note) {
        session.set_note(id, note).await?;
        let change = change(machine, parts, &members, &body, &before);
        session.insert(&change).await?;
    }
    session.commit().await?;
    let after = find(&mut session, account, id).await?.unwrap_or(before);
    Ok(Reply::json(200, &shown(&after, "succeeded")).with("ETag", after.etag()))
}

/// `DELETE /payments/ID`: gone; a repeat finds nothing.
pub(super) async fn delete(
    machine: &Machine,
    parts: &Parts,
    account: &str,
    id: &str,
) -> Stored<Reply> {
    let mut session = machine.session().await?;
    session.begin().await?;
    let Some(payment) = find(&mut session, account, id).await? else {
        let mut reply = Reply::problem(404, "no such payment");
        if was_there(&mut session, account, id).await? {
            for defect in machine.defects.iter() {
                defect.deleted_before(&mut reply);
            }
        }
        return Ok(reply);
    };
    session.delete(id).await?;
    let change = change(machine, parts, &Map::new(), &[], &payment);
    session.insert(&change).await?;
    session.commit().await?;
    Ok(Reply::empty(204))
}

async fn was_there(session: &mut Session, account: &str, id: &str) -> Stored<bool> {
    let filter = Filter {
        id: Some(id.to_owned()),
        ..Filter::default()
    };
    let found = session.list(Kind::Payment, account, &filter).await?;
    Ok(!found.is_empty())
}

/// The row that says that something was changed, with the key that the request happened to carry.
fn change(
    machine: &Machine,
    parts: &Parts,
    members: &Map<String, Value>,
    body: &[u8],
    payment: &Effect,
) -> Effect {
    let reference = members.get("reference").and_then(Value::as_str);
    Effect {
        kind: Kind::Change,
        id: Kind::Change.fresh_id(),
        key: key(machine, &parts.headers),
        reference: reference
            .map(str::to_owned)
            .or_else(|| query(parts, "reference")),
        payment: Some(payment.id.clone()),
        note: members
            .get("note")
            .and_then(Value::as_str)
            .map(str::to_owned),
        version: 1,
        deleted: false,
        safety_net: None,
        body_hash: fingerprint::hash(body),
        ..payment.clone()
    }
}

fn key(machine: &Machine, headers: &HeaderMap) -> Option<String> {
    let lines = super::lines(headers);
    machine.read_key(&lines).ok().flatten()
}
