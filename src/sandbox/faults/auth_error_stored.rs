//! Replies are stored in front of the credentials, under the key alone, and a 401 is a reply like any other.
//! Must not give out what an account has stored.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::{Keyed, Request};
use crate::sandbox::machine::Machine;
use crate::sandbox::store::record::{Claim, RecordId};

pub(super) const FAULT: Fault = Fault {
    name: "auth-error-stored",
    summary: "Stores the refusal of bad credentials: the same request with good ones is refused again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(AuthErrorStored)),
};

struct AuthErrorStored;

impl Defect for AuthErrorStored {
    fn refused<'a>(
        &'a self,
        machine: &'a Machine,
        keyed: &'a Keyed,
        right: &'a Reply,
    ) -> Pending<'a, Option<Reply>> {
        Box::pin(async move {
            let mut claiming = machine.claiming(keyed, None);
            claiming.id = nobodys(keyed);
            let mut session = machine.session().await?;
            Ok(match session.claim(&claiming).await? {
                Claim::Mine(held) => {
                    session.complete(&held, &machine.remembered(right)).await?;
                    None
                }
                Claim::Theirs(found) => found.reply.map(|stored| machine.replay(stored)),
            })
        })
    }

    fn before<'a>(
        &'a self,
        machine: &'a Machine,
        _: &'a Request,
        keyed: Option<&'a Keyed>,
    ) -> Pending<'a, Option<Reply>> {
        Box::pin(async move {
            let Some(keyed) = keyed else { return Ok(None) };
            let found = machine.session().await?.look(&nobodys(keyed)).await?;
            let same = found.filter(|found| found.fingerprint == keyed.fingerprint);
            Ok(same
                .and_then(|found| found.reply)
                .map(|stored| machine.replay(stored)))
        })
    }
}

/// Where refusals lie: in the scope of no account.
fn nobodys(keyed: &Keyed) -> RecordId {
    RecordId {
        scope: String::new(),
        ..keyed.id.clone()
    }
}
