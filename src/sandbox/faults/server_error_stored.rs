//! The reply is stored whatever it is, and the effect (if there was time for one) is committed with it.
//! Must not store other errors.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "server-error-stored",
    summary: "Stores 5xx: a fault of a moment is replayed for as long as the key lives.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ServerErrorStored)),
};

struct ServerErrorStored;

impl Defect for ServerErrorStored {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.reply.status >= 500 {
            Ending::Store
        } else {
            right
        }
    }
}
