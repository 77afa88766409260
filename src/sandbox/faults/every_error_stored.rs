//! The first reply is the reply, be it a typing error, a limit or a broken database.
//! Must not touch successes.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "every-error-stored",
    summary: "Stores every error that a request with good credentials can get, whatever its cause.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(EveryErrorStored)),
};

struct EveryErrorStored;

impl Defect for EveryErrorStored {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.reply.status >= 400 {
            Ending::Store
        } else {
            right
        }
    }
}
