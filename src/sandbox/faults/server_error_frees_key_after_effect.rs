//! The handler commits by itself, breaks off afterwards, and the error path gives the key back.
//! Must not touch what broke off before its effect.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::{Crash, Finished};

pub(super) const FAULT: Fault = Fault {
    name: "server-error-frees-key-after-effect",
    summary: "Frees the key after a 5xx although the effect was committed: the retry does it again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ServerErrorFreesKeyAfterEffect)),
};

struct ServerErrorFreesKeyAfterEffect;

impl Defect for ServerErrorFreesKeyAfterEffect {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if finished.crash == Some(Crash::After) {
            Ending::Free { keep_effect: true }
        } else {
            right
        }
    }
}
