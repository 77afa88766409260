//! A PUT is written down as a change whatever was there before, so its repeat is another change.
//! Must not touch other methods.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;

pub(super) const FAULT: Fault = Fault {
    name: "put-not-idempotent",
    summary: "Takes every PUT for a change: the same PUT again makes another version.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(PutNotIdempotent)),
};

struct PutNotIdempotent;

impl Defect for PutNotIdempotent {
    fn is_change(&self, _: bool) -> bool {
        true
    }
}
