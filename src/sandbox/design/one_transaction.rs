//! Insert the key, work, save the reply, commit: one transaction. A duplicate waits on the row, then replays;
//! if the first failed, the row is gone and the duplicate runs. Must not know how a store makes it wait.

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::store::record::Claim;
use crate::sandbox::work::work;

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut session = machine.session().await?;
    session.begin().await?;
    let claiming = machine.claiming(keyed, None);
    let held = match machine.claim(&mut session, &claiming).await? {
        Claim::Mine(held) => held,
        Claim::Theirs(found) => {
            session.rollback().await?;
            return machine.meet(&mut session, keyed, found).await;
        }
    };
    session.savepoint().await?;
    let finished = work(machine, &mut session, &keyed.request, Some(&held)).await;
    let kept = match machine.ending(&finished) {
        Ending::Store => {
            let reply = machine.remembered(&finished.reply);
            session.complete(&held, &reply).await?;
            session.commit().await?;
            true
        }
        Ending::Free { keep_effect: true } => {
            session.remove(&held.claiming.id, None).await?;
            session.commit().await?;
            true
        }
        Ending::Stick { keep_effect } => {
            if !keep_effect {
                session.back_to_savepoint().await?;
            }
            session.stick(&held).await?;
            session.commit().await?;
            keep_effect
        }
        Ending::Leave { keep_effect: true } => {
            session.commit().await?;
            true
        }
        Ending::Free { keep_effect: false } | Ending::Leave { keep_effect: false } => {
            session.rollback().await?;
            false
        }
    };
    Ok(machine.first(finished, kept))
}
