//! A replay cannot be told from a first reply.
//! Must not change anything else of it.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::{MARKER, Reply};

pub(super) const FAULT: Fault = Fault {
    name: "marker-missing",
    summary: "Replays without the marker header.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(MarkerMissing)),
};

struct MarkerMissing;

impl Defect for MarkerMissing {
    fn replayed(&self, reply: &mut Reply) {
        reply.drop_header(MARKER);
    }
}
