//! The marker is set for every request that has a key, so it says nothing.
//! Must not touch replays.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::{MARKER, Reply};

pub(super) const FAULT: Fault = Fault {
    name: "marker-on-first",
    summary: "Marks the first reply as a replay as well.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(MarkerOnFirst)),
};

struct MarkerOnFirst;

impl Defect for MarkerOnFirst {
    fn first(&self, reply: &mut Reply) {
        if (200..300).contains(&reply.status) {
            reply.headers.push((MARKER.to_owned(), "true".to_owned()));
        }
    }
}
