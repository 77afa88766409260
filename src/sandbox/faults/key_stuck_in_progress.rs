//! Only the good end of a request touches the record; every other way out leaves it claimed.
//! Must not touch successes.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "key-stuck-in-progress",
    summary: "Never releases the key of a request that failed: its repeats are told for ever that it is in progress.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(KeyStuckInProgress)),
};

struct KeyStuckInProgress;

impl Defect for KeyStuckInProgress {
    fn ending(&self, _: &Finished, right: Ending) -> Ending {
        match right {
            Ending::Free { keep_effect } => Ending::Stick { keep_effect },
            other => other,
        }
    }
}
