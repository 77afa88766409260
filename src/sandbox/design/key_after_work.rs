//! Wrong: look for the key, work, and write the key when all is done. Duplicates that overlap all run.
//! Must not know faults; it is one by itself.

use crate::sandbox::defect::Ending;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::store::record::Held;
use crate::sandbox::work::work;

pub(super) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    let mut session = machine.session().await?;
    if let Some(found) = session.look(&keyed.id).await? {
        return machine.meet(&mut session, keyed, found).await;
    }
    session.begin().await?;
    // Without a claim there is no life that a safety net could be scoped to.
    let finished = work(machine, &mut session, &keyed.request, None).await;
    let ending = machine.ending(&finished);
    if ending != Ending::Store {
        session.rollback().await?;
        return Ok(machine.first(finished, false));
    }
    session.commit().await?;
    let held = Held {
        claiming: machine.claiming(keyed, None),
        owned: false,
    };
    session
        .complete(&held, &machine.remembered(&finished.reply))
        .await?;
    Ok(machine.first(finished, true))
}
