//! A request that broke off leaves its row in progress, and the clean-up looks only at rows that are done.
//! Must not touch requests that ended, well or not.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending, Pending};
use crate::sandbox::store::Session;
use crate::sandbox::store::record::{Claim, Claiming};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "expired-stays-in-progress",
    summary: "Leaves the key of a request that broke off in progress, and its expiry does not free it.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ExpiredStaysInProgress)),
};

struct ExpiredStaysInProgress;

impl Defect for ExpiredStaysInProgress {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        match right {
            Ending::Free { keep_effect } if finished.crash.is_some() => {
                Ending::Stick { keep_effect }
            }
            other => other,
        }
    }

    fn claim<'a>(
        &'a self,
        session: &'a mut Session,
        claiming: &'a Claiming,
    ) -> Option<Pending<'a, Claim>> {
        Some(Box::pin(async move {
            match session.look_expired(&claiming.id).await? {
                Some(found) if found.reply.is_none() => Ok(Claim::Theirs(found)),
                _ => session.claim(claiming).await,
            }
        }))
    }
}
