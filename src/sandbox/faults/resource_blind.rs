//! The fingerprint has the pattern of the route instead of the path: with an empty body two captures look the same.
//! Must not leave out the route.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "resource-blind",
    summary: "Leaves the ids in the path out of the fingerprint: the same request for another payment gets the reply for the first.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ResourceBlind)),
};

struct ResourceBlind;

impl Defect for ResourceBlind {
    fn fingerprint(&self, _: &Request, parts: &mut Parts) {
        parts.resource.clear();
    }
}
