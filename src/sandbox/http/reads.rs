//! GET: lists with a count, and single payments. A key on a GET means nothing.
//! Must not write.

use axum::http::request::Parts;
use serde_json::{Value, json};

use super::reply::Reply;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::effect::{Effect, Filter, Kind};
use crate::sandbox::store::{Session, Stored};
use crate::sandbox::work::plan::{find, shown};

/// `GET /payments` and its sisters, by `?key=`, `?reference=`, `?payment=` or none.
pub(super) async fn list(
    machine: &Machine,
    parts: &Parts,
    account: &str,
    kind: Kind,
) -> Stored<Reply> {
    if let Some(stale) = cached(machine, parts, account) {
        return Ok(stale);
    }
    let filter = Filter {
        key: query(parts, "key"),
        reference: query(parts, "reference"),
        payment: query(parts, "payment"),
        ..Filter::default()
    };
    let mut session = machine.session().await?;
    let effects = session.list(kind, account, &filter).await?;
    let items: Vec<Value> = effects
        .iter()
        .map(|effect| effect.to_json("succeeded"))
        .collect();
    let reply = Reply::json(200, &json!({ "count": items.len(), "items": items }));
    Ok(served(machine, parts, account, reply))
}

/// `GET /payments/ID`.
pub(super) async fn show(
    machine: &Machine,
    parts: &Parts,
    account: &str,
    id: &str,
) -> Stored<Reply> {
    if let Some(stale) = cached(machine, parts, account) {
        return Ok(stale);
    }
    let mut session = machine.session().await?;
    let reply = match find(&mut session, account, id).await? {
        None => Reply::problem(404, "no such payment"),
        Some(payment) => {
            let status = status(&mut session, &payment).await?;
            Reply::json(200, &shown(&payment, status)).with("ETag", payment.etag())
        }
    };
    Ok(served(machine, parts, account, reply))
}

/// The state of now of what an account has made; none if it is gone.
pub(crate) async fn state(session: &mut Session, account: &str, id: &str) -> Stored<Option<Value>> {
    if let Some(payment) = find(session, account, id).await? {
        let status = status(session, &payment).await?;
        return Ok(Some(shown(&payment, status)));
    }
    let of_id = Filter {
        id: Some(id.to_owned()),
        ..Filter::default()
    };
    for kind in [Kind::Refund, Kind::Capture] {
        if let Some(effect) = session.list(kind, account, &of_id).await?.first() {
            return Ok(Some(effect.to_json("succeeded")));
        }
    }
    Ok(None)
}

/// What has happened to a payment since.
async fn status(session: &mut Session, payment: &Effect) -> Stored<&'static str> {
    let of_payment = Filter {
        payment: Some(payment.id.clone()),
        ..Filter::default()
    };
    for (kind, status) in [
        (Kind::Cancellation, "cancelled"),
        (Kind::Capture, "captured"),
    ] {
        let effects = session.list(kind, &payment.account, &of_payment).await?;
        if !effects.is_empty() {
            return Ok(status);
        }
    }
    Ok("succeeded")
}

/// The first value of a query parameter.
pub(super) fn query(parts: &Parts, name: &str) -> Option<String> {
    let query = parts.uri.query()?.as_bytes();
    url::form_urlencoded::parse(query)
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.into_owned())
}

fn key_and_target(parts: &Parts) -> Option<(String, String)> {
    let key = super::text(&parts.headers, "idempotency-key")?;
    Some((key, parts.uri.to_string()))
}

fn cached(machine: &Machine, parts: &Parts, account: &str) -> Option<Reply> {
    let (key, target) = key_and_target(parts)?;
    let mut defects = machine.defects.iter();
    defects.find_map(|defect| defect.read(account, &target, &key))
}

fn served(machine: &Machine, parts: &Parts, account: &str, reply: Reply) -> Reply {
    if let Some((key, target)) = key_and_target(parts) {
        for defect in machine.defects.iter() {
            defect.was_read(account, &target, &key, &reply);
        }
    }
    reply
}
