//! Wrong: a claim that lapses while the work still runs, an effect committed apart from the record, and no look at
//! whether the claim is still held. A duplicate of a slow request takes over and runs. Must not know faults.

use std::time::Duration;

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::store::record::{Claim, Held};
use crate::sandbox::work::work;

/// Shorter than any request that is called slow.
const LEASE: Duration = Duration::from_millis(20);

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut session = machine.session().await?;
    let lease = machine.settings.lease.unwrap_or(LEASE);
    let claiming = machine.claiming(keyed, Some(lease));
    match machine.claim(&mut session, &claiming).await? {
        Claim::Mine(_) => {}
        Claim::Theirs(found) => {
            let same = found.fingerprint == keyed.fingerprint;
            let taken = same && found.lapsed && session.take_over(&found, &claiming).await?;
            if !taken {
                return machine.meet(&mut session, keyed, found).await;
            }
        }
    }
    let held = Held {
        claiming,
        owned: false,
    };
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
        session.remove(&held.claiming.id, None).await?;
    }
    Ok(machine.first(finished, kept))
}
