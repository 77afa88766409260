//! The work is committed and the last step is cancelled with the request, so exactly the client that lost its reply pays twice.
//! Must not touch requests whose client waits.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Ending};
use crate::sandbox::work::Finished;

pub(super) const FAULT: Fault = Fault {
    name: "cancel-on-disconnect",
    summary: "Ties the storing of the reply to the connection: if the client has gone, the effect stays and the key is free.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(CancelOnDisconnect)),
};

struct CancelOnDisconnect;

impl Defect for CancelOnDisconnect {
    fn ending(&self, finished: &Finished, right: Ending) -> Ending {
        if right == Ending::Store && finished.client_gone {
            Ending::Free { keep_effect: true }
        } else {
            right
        }
    }
}
