//! Keys lie in a cache that drops them after seconds, whatever is promised.
//! Must not change what happens before that.

use std::time::Duration;

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::store::record::Claiming;

pub(super) const FAULT: Fault = Fault {
    name: "forgotten-early",
    summary: "Forgets keys so many seconds (=2) after they came, whatever retention is promised.",
    designs: RIGHT,
    default: Some("2"),
    make: |value| match value.parse() {
        Ok(seconds @ 1..) => Ok(Box::new(ForgottenEarly(Duration::from_secs(seconds)))),
        _ => Err(format!("`{value}` is no number of seconds of at least 1")),
    },
};

struct ForgottenEarly(Duration);

impl Defect for ForgottenEarly {
    fn claiming(&self, claiming: &mut Claiming) {
        claiming.retention = claiming.retention.min(self.0);
    }
}
