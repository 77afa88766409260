//! `expires_at` is written and never read.
//! Must not change when a record expires.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;

pub(super) const FAULT: Fault = Fault {
    name: "expired-still-replays",
    summary: "Writes the expiry and never reads it: a key replays for ever.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ExpiredStillReplays)),
};

struct ExpiredStillReplays;

impl Defect for ExpiredStillReplays {
    fn reads_expiry(&self) -> bool {
        false
    }
}
