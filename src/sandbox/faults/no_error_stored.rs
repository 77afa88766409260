//! Only successes are stored, so a business refusal is a new decision each time.
//! Must not touch successes.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "no-error-stored",
    summary: "Stores no error: a declined payment is tried again by every repeat.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(NoErrorStored)),
};

struct NoErrorStored;

impl Defect for NoErrorStored {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.reply.status >= 400 && right == Ending::Store {
            Ending::Free { keep_effect: false }
        } else {
            right
        }
    }
}
