//! The record of the key has a transaction of its own, and the one with the effect can still fail.
//! Must not free the key; what was committed stays.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending, Pending};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::store::Session;
use crate::sandbox::store::record::Held;
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "key-outside-transaction",
    summary: "Commits key and reply before the effect: if the work breaks off between them, a success is replayed that never was.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(KeyOutsideTransaction)),
};

struct KeyOutsideTransaction;

impl Defect for KeyOutsideTransaction {
    fn before_effect<'a>(
        &'a self,
        session: &'a mut Session,
        held: &'a Held,
        reply: &'a Reply,
    ) -> Pending<'a, ()> {
        Box::pin(async move {
            session.complete(held, reply).await?;
            session.commit().await?;
            session.begin().await
        })
    }

    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.crash.is_some() {
            Ending::Leave { keep_effect: false }
        } else {
            right
        }
    }
}
