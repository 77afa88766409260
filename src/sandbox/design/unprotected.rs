//! A request whose key nobody looks at, or that has none.
//! Must not know records.

use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Request;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::Stored;
use crate::sandbox::work::work;

pub(super) async fn run(machine: &Machine, request: &Request) -> Stored<Reply> {
    let mut session = machine.session().await?;
    session.begin().await?;
    let finished = work(machine, &mut session, request, None).await;
    let succeeded = finished.crash.is_none();
    if succeeded {
        session.commit().await?;
    } else {
        session.rollback().await?;
    }
    Ok(machine.first(finished, succeeded))
}
