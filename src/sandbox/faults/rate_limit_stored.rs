//! A refusal for the moment becomes one for ever.
//! Must not store other errors.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "rate-limit-stored",
    summary: "Stores 429: the request is refused for as long as its key lives, however long the client waits.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(RateLimitStored)),
};

struct RateLimitStored;

impl Defect for RateLimitStored {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.reply.status == 429 {
            Ending::Store
        } else {
            right
        }
    }
}
