//! Wrong as soon as there are two replicas: each keeps its own keys, and only the effects are shared.
//! On one replica it behaves as `one-transaction` does. Must not know how many replicas there are.

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::store::record::Claim;
use crate::sandbox::work::work;

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut keys = machine.own_store.session(true).await?;
    keys.begin().await?;
    let claiming = machine.claiming(keyed, None);
    let held = match machine.claim(&mut keys, &claiming).await? {
        Claim::Mine(held) => held,
        Claim::Theirs(found) => {
            keys.rollback().await?;
            return machine.meet(&mut keys, keyed, found).await;
        }
    };
    let mut session = machine.session().await?;
    session.begin().await?;
    let finished = work(machine, &mut session, &keyed.request, Some(&held)).await;
    let kept = machine.ending(&finished) == Ending::Store;
    if kept {
        session.commit().await?;
        keys.complete(&held, &machine.remembered(&finished.reply))
            .await?;
        keys.commit().await?;
    } else {
        session.rollback().await?;
        keys.rollback().await?;
    }
    Ok(machine.first(finished, kept))
}
