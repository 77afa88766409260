//! A request with a key: claim it and work, or answer by the record that is there, waiting for it where that is declared.
//! Must not know how keys are read, nor what the work is.

use std::time::{Duration, Instant};

use uuid::Uuid;

use super::choice::{Choice, chosen};
use super::classes::kept;
use super::meeting::{Outcome, meet};
use super::perform::Asked;
use super::precondition;
use super::print::Print;
use super::refusal::{Usual, refuse};
use super::replays::{marked_first, remembered};
use super::scope::scope;
use super::strangers;
use super::syntax;
use crate::contract::Contract;
use crate::sandbox::design;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::record::{Claim, Claiming, Found, Held, RecordId};
use crate::sandbox::store::{Session, Stored};
use crate::sandbox::work::work;

/// How often a request that waits looks again.
const LOOK: Duration = Duration::from_millis(5);

/// Answers it.
pub(super) async fn run(machine: &Machine, asked: &Asked, key: &str) -> Stored<Reply> {
    let print = Print::of(asked);
    let claiming = claiming(machine, asked, &print, key);
    let until = Instant::now() + asked.contract.in_progress_for.value.0;
    loop {
        match turn(machine, asked, &print, &claiming).await? {
            Outcome::Answer(reply) => return Ok(reply),
            Outcome::Run => return design::run_without_key(machine, &asked.request).await,
            Outcome::Wait if Instant::now() < until => tokio::time::sleep(LOOK).await,
            Outcome::Wait => return Ok(machine.in_progress()),
        }
    }
}

/// One look at the key, with a session of its own: who waits holds none.
async fn turn(
    machine: &Machine,
    asked: &Asked,
    print: &Print,
    claiming: &Claiming,
) -> Stored<Outcome> {
    let mut session = machine.store.session(true).await?;
    if let Some(expired) = session.look_expired(&claiming.id).await?
        && let Some(outcome) = after_retention(&mut session, asked, print, &expired).await?
    {
        return Ok(outcome);
    }
    if let Some(reply) = strangers::stored(&mut session, asked, claiming).await? {
        return Ok(Outcome::Answer(reply));
    }
    match session.claim(claiming).await? {
        Claim::Mine(held) => {
            let reply = work_under(machine, &mut session, asked, &held).await?;
            Ok(Outcome::Answer(reply))
        }
        Claim::Theirs(found) => meet(&mut session, asked, print, &found).await,
    }
}

/// What an expired record still says.
async fn after_retention(
    session: &mut Session,
    asked: &Asked,
    print: &Print,
    expired: &Found,
) -> Stored<Option<Outcome>> {
    match chosen(&asked.contract.after_retention.value) {
        Choice::Replay if expired.reply.is_some() => {
            meet(session, asked, print, expired).await.map(Some)
        }
        Choice::Refuse(how) => {
            let usual = Usual {
                status: 412,
                detail: "this idempotency key has expired",
                identity: None,
            };
            Ok(Some(Outcome::Answer(refuse(how, usual))))
        }
        _ => Ok(None),
    }
}

async fn work_under(
    machine: &Machine,
    session: &mut Session,
    asked: &Asked,
    held: &Held,
) -> Stored<Reply> {
    session.begin().await?;
    let mut finished = work(machine, session, &asked.request, Some(held)).await;
    finished.reply = precondition::refused(asked, finished.reply);
    let kept = kept(&asked.contract, &finished);
    if !kept.effect {
        session.rollback().await?;
    }
    let owner = Some(held.claiming.owner.as_str());
    if kept.reply {
        let reply = remembered(machine, &asked.contract, &finished.reply);
        if !session.complete(held, &reply).await? && kept.effect {
            // The record expired while the work ran, and another request has it now.
            session.rollback().await?;
            return Ok(machine.in_progress());
        }
    } else {
        session.remove(&held.claiming.id, owner).await?;
    }
    if kept.effect {
        session.commit().await?;
    }
    let reply = machine.first(finished, kept.effect);
    Ok(marked_first(asked, reply))
}

/// What is written when the key is free.
pub(super) fn claiming(machine: &Machine, asked: &Asked, print: &Print, key: &str) -> Claiming {
    Claiming {
        id: RecordId {
            scope: scope(&asked.contract, print),
            key: syntax::stored(&asked.contract, key),
            slot: String::new(),
        },
        account: asked.request.account.clone(),
        fingerprint: print.to_text(),
        life: Uuid::new_v4().simple().to_string(),
        owner: Uuid::new_v4().simple().to_string(),
        lease: None,
        retention: retention(machine, &asked.contract),
    }
}

/// How long the record is kept: what the sandbox was told, else what is declared.
fn retention(machine: &Machine, contract: &Contract) -> Duration {
    let declared = contract.retention.value;
    let told = machine.policy.as_ref().and_then(|policy| policy.retention);
    let declared = declared
        .at_least
        .or(declared.at_most)
        .map(|length| length.0);
    told.or(declared).unwrap_or(machine.settings.retention)
}
