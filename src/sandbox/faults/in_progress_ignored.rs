//! The record says who is done and nobody says who is running, so every overlapping duplicate is a first request.
//! Must not touch what comes after the end.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::store::Session;
use crate::sandbox::store::record::{Claim, Claiming, Held};

pub(super) const FAULT: Fault = Fault {
    name: "in-progress-ignored",
    summary: "Looks only for finished requests: duplicates that come while the first is running all run.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(InProgressIgnored)),
};

struct InProgressIgnored;

impl Defect for InProgressIgnored {
    fn claim<'a>(
        &'a self,
        session: &'a mut Session,
        claiming: &'a Claiming,
    ) -> Option<Pending<'a, Claim>> {
        Some(Box::pin(async move {
            let found = session.look(&claiming.id).await?;
            if let Some(done) = found.filter(|found| found.reply.is_some()) {
                return Ok(Claim::Theirs(done));
            }
            Ok(Claim::Mine(Held {
                claiming: claiming.clone(),
                owned: false,
            }))
        }))
    }

    fn safety_net(&self, _: &Claiming, _: Option<String>) -> Option<String> {
        None
    }
}
