//! Keys on GET, PUT and DELETE of the sandbox's own paths: without meaning, honoured, or refused.
//! Must not know what these methods do.

use std::future::Future;

use axum::http::request::Parts;
use bytes::Bytes;

use super::choice::{Choice, chosen};
use super::meeting::{Outcome, meet};
use super::perform::{Asked, asked};
use super::print::Print;
use super::refusal::{Usual, refuse};
use super::replays::{marked_first, remembered};
use super::{Policy, run};
use crate::contract::{Answer, Contract};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::route::Operation;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::store::record::Claim;

/// Answers a request of such a method; `done` does it.
pub(crate) async fn by_nature(
    machine: &Machine,
    policy: &Policy,
    parts: &Parts,
    body: Bytes,
    account: &str,
    done: impl Future<Output = Stored<Reply>>,
) -> Stored<Reply> {
    let operation = Operation::Declared {
        path: parts.uri.path().to_owned(),
        resource: String::new(),
    };
    let Ok((asked, Ok(Some(key)))) = asked(machine, policy, parts, body, operation, account) else {
        return done.await;
    };
    match declared(&asked.contract, parts.method.as_str()).map(chosen) {
        Some(Choice::Refuse(how)) => {
            let usual = Usual {
                status: 400,
                detail: "this method takes no idempotency key",
                identity: None,
            };
            Ok(refuse(how, usual))
        }
        Some(Choice::Replay) => honoured(machine, &asked, &key, done).await,
        _ => done.await,
    }
}

/// What is declared of keys on a method.
pub(super) fn declared<'a>(contract: &'a Contract, method: &str) -> Option<&'a Answer> {
    match method {
        "GET" | "HEAD" => Some(&contract.methods.get.value),
        "PUT" => Some(&contract.methods.put.value),
        "DELETE" => Some(&contract.methods.delete.value),
        _ => None,
    }
}

async fn honoured(
    machine: &Machine,
    asked: &Asked,
    key: &str,
    done: impl Future<Output = Stored<Reply>>,
) -> Stored<Reply> {
    let print = Print::of(asked);
    let claiming = run::claiming(machine, asked, &print, key);
    let mut session = machine.store.session(true).await?;
    let held = match session.claim(&claiming).await? {
        Claim::Mine(held) => held,
        Claim::Theirs(found) => {
            return match meet(&mut session, asked, &print, &found).await? {
                Outcome::Answer(reply) => Ok(reply),
                Outcome::Run => done.await,
                Outcome::Wait => Ok(machine.in_progress()),
            };
        }
    };
    let reply = done.await?;
    if reply.status < 400 {
        let stored = remembered(machine, &asked.contract, &reply);
        session.complete(&held, &stored).await?;
    } else {
        session.remove(&claiming.id, Some(&claiming.owner)).await?;
    }
    Ok(marked_first(asked, reply))
}
