//! Only the content type is kept of the headers that matter, so a client that follows Location is lost on a replay.
//! Must not change the first reply.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;

pub(super) const FAULT: Fault = Fault {
    name: "location-lost",
    summary: "Stores the reply without its Location header.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(LocationLost)),
};

struct LocationLost;

impl Defect for LocationLost {
    fn remembers(&self, header: &str, right: bool) -> bool {
        right && !header.eq_ignore_ascii_case("location")
    }
}
