//! The status is not kept with the body, and a replay goes out with the one that comes by itself.
//! Must not change headers or body.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "replay-as-200",
    summary: "Replays every success as 200, whatever the first reply said.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ReplayAs200)),
};

struct ReplayAs200;

impl Defect for ReplayAs200 {
    fn replayed(&self, reply: &mut Reply) {
        if (200..300).contains(&reply.status) {
            reply.status = 200;
        }
    }
}
