//! The fingerprint does not know the method.
//! Must not leave out the route; that is another fault.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "method-blind",
    summary: "Leaves the method out of the fingerprint: a PUT gets the reply of the POST that had its key.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(MethodBlind)),
};

struct MethodBlind;

impl Defect for MethodBlind {
    fn fingerprint(&self, _: &Request, parts: &mut Parts) {
        parts.method.clear();
    }
}
