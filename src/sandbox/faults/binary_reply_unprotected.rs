//! What goes out as a stream passes by the place where replies are caught, so receipts are made again for every repeat.
//! Must not touch JSON replies.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "binary-reply-unprotected",
    summary: "Cannot store a streamed reply: such a request runs again each time.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(BinaryReplyUnprotected)),
};

struct BinaryReplyUnprotected;

impl Defect for BinaryReplyUnprotected {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        let streamed = finished.reply.header("Content-Type") == Some("application/octet-stream");
        if right == Ending::Store && streamed {
            Ending::Free { keep_effect: true }
        } else {
            right
        }
    }
}
