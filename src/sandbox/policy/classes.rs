//! Results by class, and whether results of a class are kept.
//! Must not know how they are kept.

use crate::contract::{Contract, Storage};
use crate::sandbox::work::{Crash, Finished};

/// What becomes of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// The reply is stored; otherwise the key is free again.
    pub(super) reply: bool,
    /// The effect stays.
    pub(super) effect: bool,
}

/// Whether reply and effect are kept.
pub(super) fn kept(contract: &Contract, finished: &Finished) -> Kept {
    let stored = &contract.stored;
    let status = finished.reply.status;
    let failed = finished.crash.is_some() || status >= 500;
    let (clause, usual) = match status {
        _ if failed => (stored.server_error.value, false),
        ..=399 => (stored.success.value, true),
        401 | 403 => (stored.auth.value, false),
        402 => (stored.business.value, true),
        429 => (stored.rate_limited.value, false),
        _ => (stored.validation.value, false),
    };
    let reply = match clause {
        Storage::Stored => true,
        Storage::NotStored => false,
        Storage::Unspecified => usual,
    };
    Kept {
        reply,
        // A work that broke off is undone, unless its failure is written down as the last word.
        effect: status < 400 || (reply && finished.crash == Some(Crash::After)),
    }
}
