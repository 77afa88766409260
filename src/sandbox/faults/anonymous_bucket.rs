//! The cache of replies stands in front of the credentials, and without an account it looks at the key alone.
//! Must not run anything for a stranger.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::Keyed;
use crate::sandbox::machine::Machine;

pub(super) const FAULT: Fault = Fault {
    name: "anonymous-bucket",
    summary: "Looks for the key before the credentials: a request without any gets the reply stored under a known key.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(AnonymousBucket)),
};

struct AnonymousBucket;

impl Defect for AnonymousBucket {
    fn refused<'a>(
        &'a self,
        machine: &'a Machine,
        keyed: &'a Keyed,
        _: &'a Reply,
    ) -> Pending<'a, Option<Reply>> {
        Box::pin(async move {
            let mut session = machine.session().await?;
            let found = session.look_in_all_scopes(&keyed.id.key).await?;
            Ok(found
                .and_then(|found| found.reply)
                .map(|reply| machine.replay(reply)))
        })
    }
}
