//! The record is set, not inserted: a request that is refused for its other body has already written its own fingerprint.
//! Must not run anything or change the stored reply.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Encounter, Met, Pending};

pub(super) const FAULT: Fault = Fault {
    name: "overwritten-record",
    summary: "Writes the fingerprint of a refused request over the record: the first client is refused from then on.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(OverwrittenRecord)),
};

struct OverwrittenRecord;

impl Defect for OverwrittenRecord {
    fn met<'a>(&'a self, encounter: Encounter<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            if encounter.met == Met::Mismatch {
                let fingerprint = &encounter.keyed.fingerprint;
                encounter
                    .session
                    .set_fingerprint(&encounter.found.id, fingerprint)
                    .await?;
            }
            Ok(())
        })
    }
}
