//! What the repeat of a finished request gets, and the header that tells replays from first replies.
//! Must not know how requests meet.

use super::perform::Asked;
use super::refusal::{Usual, refuse};
use crate::contract::{Contract, Marker, Replay, Same};
use crate::sandbox::http::reads::state;
use crate::sandbox::http::reply::{MARKER, Reply};
use crate::sandbox::machine::Machine;
use crate::sandbox::store::{Session, Stored};

/// The reply as it is stored: what the right designs store, and the headers that a replay must have.
pub(super) fn remembered(machine: &Machine, contract: &Contract, reply: &Reply) -> Reply {
    let mut stored = machine.remembered(reply);
    for name in alike(contract).iter().flat_map(|same| &same.headers) {
        if stored.header(name).is_none()
            && let Some(value) = reply.header(name)
        {
            stored = stored.with(name, value);
        }
    }
    stored
}

/// The answer to a repeat, from the stored reply.
pub(super) async fn replay(
    session: &mut Session,
    asked: &Asked,
    account: &str,
    stored: Reply,
) -> Stored<Reply> {
    let contract = &asked.contract;
    let identity = identity(&stored);
    let mut reply = match &contract.replay.value {
        Replay::Unspecified | Replay::Same(_) => stored,
        Replay::Current(_) => current(session, account, identity.as_deref(), stored).await?,
        Replay::Refuse(how) => {
            return Ok(refuse(
                how,
                Usual {
                    status: 409,
                    detail: "a request with this idempotency key has been made already",
                    identity: identity.as_deref(),
                },
            ));
        }
    };
    if let Some(same) = alike(contract) {
        reply.status = status(same, reply.status);
    }
    Ok(marked_replay(asked, reply))
}

/// What the first request made.
pub(super) fn identity(stored: &Reply) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(&stored.body).ok()?;
    body.get("id")?.as_str().map(str::to_owned)
}

/// A first reply of a request with a key, on its way out.
pub(super) fn marked_first(asked: &Asked, reply: Reply) -> Reply {
    match &asked.contract.marker.value {
        Marker::Always { name, is } => reply.with(name, always(asked, is)),
        Marker::Header { name, first, .. } => match first.first() {
            Some(value) => reply.with(name, value),
            None => reply,
        },
        Marker::Unspecified | Marker::None => reply,
    }
}

fn marked_replay(asked: &Asked, reply: Reply) -> Reply {
    match &asked.contract.marker.value {
        Marker::Always { name, is } => reply.with(name, always(asked, is)),
        Marker::Unspecified => reply.with(MARKER, "true"),
        Marker::None => reply,
        Marker::Header { name, replay, .. } => {
            reply.with(name, replay.first().map_or("true", String::as_str))
        }
    }
}

/// What stands in a header that every reply has: a declared value, or the key once more.
fn always<'a>(asked: &'a Asked, is: &'a [String]) -> &'a str {
    let key = asked.request.key.as_deref();
    is.first().map(String::as_str).or(key).unwrap_or("true")
}

fn alike(contract: &Contract) -> Option<&Same> {
    match &contract.replay.value {
        Replay::Same(same) | Replay::Current(same) => Some(same),
        Replay::Unspecified | Replay::Refuse(_) => None,
    }
}

fn status(same: &Same, first: u16) -> u16 {
    let class = format!("{}xx", first / 100);
    let listed = same.status.get(&first.to_string());
    let listed = listed.or_else(|| same.status.get(&class));
    listed
        .and_then(|statuses| statuses.first())
        .copied()
        .unwrap_or(first)
}

/// The state of now of what the first request made, with its status.
async fn current(
    session: &mut Session,
    account: &str,
    identity: Option<&str>,
    stored: Reply,
) -> Stored<Reply> {
    let now = match identity {
        Some(id) if stored.status < 300 => state(session, account, id).await?,
        _ => None,
    };
    Ok(now.map_or(stored.clone(), |now| stored.containing(now.to_string())))
}
