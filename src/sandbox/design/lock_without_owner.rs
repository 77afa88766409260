//! Wrong: a lock beside the stored reply, released at the end of every request, also of one that did not hold it.
//! A refused duplicate so releases the lock of the first, and the next one runs. Must not know faults; it is one by itself.

use std::time::Duration;

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::record::{Claim, Held};
use crate::sandbox::store::{Session, Stored};
use crate::sandbox::work::work;

const LEASE: Duration = Duration::from_secs(30);

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut session = machine.session().await?;
    let lease = machine.settings.lease.unwrap_or(LEASE);
    let claiming = machine.claiming(keyed, Some(lease));
    let claim = machine.claim(&mut session, &claiming).await?;
    let mut held = match claim {
        Claim::Mine(held) => held,
        Claim::Theirs(found) if found.lapsed && session.take_over(&found, &claiming).await? => {
            Held {
                claiming,
                owned: false,
            }
        }
        Claim::Theirs(found) => {
            let in_progress = found.reply.is_none();
            let answer = machine.meet(&mut session, keyed, found).await;
            if in_progress {
                release(&mut session, keyed).await?;
            }
            return answer;
        }
    };
    held.owned = false;
    session.begin().await?;
    let finished = work(machine, &mut session, &keyed.request, None).await;
    let kept = machine.ending(&finished) == Ending::Store;
    if kept {
        session.commit().await?;
        session
            .complete(&held, &machine.remembered(&finished.reply))
            .await?;
    } else {
        session.rollback().await?;
        release(&mut session, keyed).await?;
    }
    Ok(machine.first(finished, kept))
}

/// Takes the lock away, whoever has it. A stored reply stays.
async fn release(session: &mut Session, keyed: &Keyed) -> Stored<()> {
    match session.look(&keyed.id).await? {
        Some(found) if found.reply.is_none() => session.remove(&keyed.id, None).await,
        _ => Ok(()),
    }
}
