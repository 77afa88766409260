//! Duplicates read the record from a replica that is behind, so what was completed a moment ago looks unfinished.
//! Must not change the record itself.

use std::time::Duration;

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::options::parse_duration;
use crate::sandbox::store::record::Found;

pub(super) const FAULT: Fault = Fault {
    name: "in-progress-after-completion",
    summary: "Reads the state of a key from a copy that lags (=1s): a request that was answered is still called in progress.",
    designs: RIGHT,
    default: Some("1s"),
    make: |value| Ok(Box::new(InProgressAfterCompletion(parse_duration(value)?))),
};

struct InProgressAfterCompletion(Duration);

impl Defect for InProgressAfterCompletion {
    fn seen(&self, found: &mut Found) {
        if found.completed_ago.is_some_and(|ago| ago < self.0) {
            found.reply = None;
        }
    }
}
