//! The fingerprint is over the body, so two operations with one body look the same.
//! Must not leave out the ids in the path; that is another fault.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "route-blind",
    summary: "Leaves the route out of the fingerprint: the same body on another route gets the reply of the first.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(RouteBlind)),
};

struct RouteBlind;

impl Defect for RouteBlind {
    fn fingerprint(&self, _: &Request, parts: &mut Parts) {
        parts.route.clear();
    }
}
