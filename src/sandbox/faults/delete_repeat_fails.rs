//! The second DELETE trips over what the first has left.
//! Must not touch the first one.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "delete-repeat-fails",
    summary: "Answers the DELETE of what was deleted before with 500.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(DeleteRepeatFails)),
};

struct DeleteRepeatFails;

impl Defect for DeleteRepeatFails {
    fn deleted_before(&self, reply: &mut Reply) {
        *reply = Reply::problem(500, "the work broke off");
    }
}
