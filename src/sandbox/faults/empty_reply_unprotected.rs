//! An empty body looks like nothing to store, so 204 is done once more for every repeat.
//! Must not touch replies with a body.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "empty-reply-unprotected",
    summary: "Cannot store a reply without a body: such a request runs again each time.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(EmptyReplyUnprotected)),
};

struct EmptyReplyUnprotected;

impl Defect for EmptyReplyUnprotected {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if right == Ending::Store && finished.reply.body.is_empty() {
            Ending::Free { keep_effect: true }
        } else {
            right
        }
    }
}
