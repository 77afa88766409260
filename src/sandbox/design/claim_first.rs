//! Commit a claim with a lease, work, then commit effect and reply together if the claim is still ours.
//! A duplicate is refused while the claim stands. Must not know how a store keeps the claim.

use std::time::Duration;

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::record::{Claim, Claiming, Found, Held};
use crate::sandbox::store::{Session, Stored};
use crate::sandbox::work::work;

/// How long a claim stands unless the options say otherwise.
const LEASE: Duration = Duration::from_secs(30);

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut session = machine.session().await?;
    let lease = machine.settings.lease.unwrap_or(LEASE);
    let claiming = machine.claiming(keyed, Some(lease));
    match machine.claim(&mut session, &claiming).await? {
        Claim::Mine(held) => work_under(machine, &mut session, keyed, &held).await,
        Claim::Theirs(found) => match recover(&mut session, keyed, &found, claiming).await? {
            Some(held) => work_under(machine, &mut session, keyed, &held).await,
            None => machine.meet(&mut session, keyed, found).await,
        },
    }
}

/// Takes over what a request that never ended has left behind. The life stays, so the safety net still holds.
async fn recover(
    session: &mut Session,
    keyed: &Keyed,
    found: &Found,
    claiming: Claiming,
) -> Stored<Option<Held>> {
    if !found.lapsed || found.fingerprint != keyed.fingerprint {
        return Ok(None);
    }
    let claiming = Claiming {
        life: found.life.clone(),
        ..claiming
    };
    let taken = session.take_over(found, &claiming).await?;
    Ok(taken.then_some(Held {
        claiming,
        owned: true,
    }))
}

async fn work_under(
    machine: &Machine,
    session: &mut Session,
    keyed: &Keyed,
    held: &Held,
) -> Stored<Reply> {
    session.begin().await?;
    let finished = work(machine, session, &keyed.request, Some(held)).await;
    let id = &held.claiming.id;
    let owner = Some(held.claiming.owner.as_str());
    let kept = match machine.ending(&finished) {
        Ending::Store => {
            let reply = machine.remembered(&finished.reply);
            if !session.complete(held, &reply).await? {
                // Another request has taken the claim over; what we did must not count.
                session.rollback().await?;
                return lost(machine, session, keyed).await;
            }
            session.commit().await?;
            true
        }
        Ending::Free { keep_effect: true } => {
            session.remove(id, owner).await?;
            session.commit().await?;
            true
        }
        Ending::Free { keep_effect: false } => {
            session.rollback().await?;
            if held.owned && !still_ours(session, held).await? {
                // Perhaps it failed because the other request has had the effect already.
                return lost(machine, session, keyed).await;
            }
            session.remove(id, owner).await?;
            false
        }
        Ending::Stick { keep_effect } => {
            end(session, keep_effect).await?;
            session.stick(held).await?;
            keep_effect
        }
        Ending::Leave { keep_effect } => {
            end(session, keep_effect).await?;
            keep_effect
        }
    };
    Ok(machine.first(finished, kept))
}

async fn end(session: &mut Session, keep_effect: bool) -> Stored<()> {
    if keep_effect {
        session.commit().await
    } else {
        session.rollback().await
    }
}

async fn still_ours(session: &mut Session, held: &Held) -> Stored<bool> {
    let found = session.look(&held.claiming.id).await?;
    Ok(found.is_none_or(|found| found.owner == held.claiming.owner))
}

/// Another request has the claim now: this one is answered as its duplicate.
async fn lost(machine: &Machine, session: &mut Session, keyed: &Keyed) -> Stored<Reply> {
    match session.look(&keyed.id).await? {
        Some(found) => machine.meet(session, keyed, found).await,
        None => Ok(machine.in_progress()),
    }
}
