//! The fingerprint is over the path without its query, so a trial run and the real thing look the same.
//! Must not leave out the path.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "query-blind",
    summary: "Leaves the query out of the fingerprint: the same body with another query gets the reply of the first.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(QueryBlind)),
};

struct QueryBlind;

impl Defect for QueryBlind {
    fn fingerprint(&self, _: &Request, parts: &mut Parts) {
        parts.query.clear();
    }
}
