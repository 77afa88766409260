//! PUT and DELETE: idempotent by nature, so a key on them means nothing.
//! Must not look at keys.

use axum::http::request::Parts;
use bytes::Bytes;
use serde_json::Value;

use super::body;
use super::reply::Reply;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::work::plan::{find, shown};

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
    let Some(before) = find(&mut session, account, id).await? else {
        return Ok(Reply::problem(404, "no such payment"));
    };
    if let Some(wanted) = super::text(&parts.headers, "if-match")
        && wanted != "*"
        && wanted != before.etag()
    {
        return Ok(Reply::problem(412, "the payment has changed since"));
    }
    // Setting what is there already changes nothing, not even the version.
    if before.note.as_deref() != note {
        session.set_note(id, note).await?;
    }
    let after = find(&mut session, account, id).await?.unwrap_or(before);
    Ok(Reply::json(200, &shown(&after, "succeeded")).with("ETag", after.etag()))
}

/// `DELETE /payments/ID`: gone; a repeat finds nothing.
pub(super) async fn delete(machine: &Machine, account: &str, id: &str) -> Stored<Reply> {
    let mut session = machine.session().await?;
    if find(&mut session, account, id).await?.is_none() {
        return Ok(Reply::problem(404, "no such payment"));
    }
    session.delete(id).await?;
    Ok(Reply::empty(204))
}
