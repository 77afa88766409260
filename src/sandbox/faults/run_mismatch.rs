//! The fingerprint is part of the record's primary key, so another body under the same key is another record.
//! Must not compare anything itself.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;

pub(super) const FAULT: Fault = Fault {
    name: "run-mismatch",
    summary: "Makes the fingerprint part of the key: a different request under a known key runs as a new one.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(RunMismatch)),
};

struct RunMismatch;

impl Defect for RunMismatch {
    fn slot(&self, fingerprint: &str, _: String) -> String {
        fingerprint.to_owned()
    }
}
