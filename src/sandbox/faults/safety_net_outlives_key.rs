//! The unique constraint on the effects is over account and key, and does not end when the key does.
//! Must not touch the record.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::store::record::Claiming;

pub(super) const FAULT: Fault = Fault {
    name: "safety-net-outlives-key",
    summary: "Keeps effects unique by account and key for ever: a key that is used again after its expiry fails with 500.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(SafetyNetOutlivesKey)),
};

struct SafetyNetOutlivesKey;

impl Defect for SafetyNetOutlivesKey {
    fn safety_net(&self, claiming: &Claiming, right: Option<String>) -> Option<String> {
        right.map(|_| format!("{}/{}", claiming.account, claiming.id.key))
    }
}
