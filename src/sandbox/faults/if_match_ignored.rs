//! Nobody reads the precondition, so a client that has an old version in mind writes over the new one.
//! Must not touch requests without one.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;

pub(super) const FAULT: Fault = Fault {
    name: "if-match-ignored",
    summary: "Ignores If-Match: a PATCH or PUT with a stale one goes through.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(IfMatchIgnored)),
};

struct IfMatchIgnored;

impl Defect for IfMatchIgnored {
    fn precondition(&self, _: Option<String>) -> Option<String> {
        None
    }
}
