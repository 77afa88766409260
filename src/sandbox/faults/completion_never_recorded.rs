//! The work is done and its record never says so: the key stays in progress.
//! Must not touch requests that failed.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "completion-never-recorded",
    summary: "Never records that a request was completed: its repeats are told for ever that it is in progress.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(CompletionNeverRecorded)),
};

struct CompletionNeverRecorded;

impl Defect for CompletionNeverRecorded {
    fn ending(&self, _: &Finished, right: Ending) -> Ending {
        match right {
            Ending::Store => Ending::Stick { keep_effect: true },
            other => other,
        }
    }
}
