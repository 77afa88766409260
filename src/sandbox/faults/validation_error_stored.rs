//! The reply is stored before anybody asks whether something was tried at all.
//! Must not store other errors.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "validation-error-stored",
    summary: "Stores the refusal of an invalid request: the corrected one is refused under the same key.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ValidationErrorStored)),
};

struct ValidationErrorStored;

impl Defect for ValidationErrorStored {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.reply.status == 400 {
            Ending::Store
        } else {
            right
        }
    }
}
