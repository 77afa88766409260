//! The header is accepted and never looked at: every request runs.
//! Must not touch records.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "ignore-key",
    summary: "Accepts the key and takes no notice of it: every request runs, with an identity of its own.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(IgnoreKey)),
};

struct IgnoreKey;

impl Defect for IgnoreKey {
    fn covers(&self, _: &Request) -> bool {
        false
    }
}
