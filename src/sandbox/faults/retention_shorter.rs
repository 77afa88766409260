//! A retry that comes inside the promised time, only late, runs again.
//! Must not change what happens after the expiry.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::store::record::Claiming;

pub(super) const FAULT: Fault = Fault {
    name: "retention-shorter",
    summary: "Keeps keys for a tenth (=10) of the promised retention.",
    designs: RIGHT,
    default: Some("10"),
    make: |value| match value.parse() {
        Ok(divisor @ 1..) => Ok(Box::new(RetentionShorter(divisor))),
        _ => Err(format!("`{value}` is no number of at least 1")),
    },
};

struct RetentionShorter(u32);

impl Defect for RetentionShorter {
    fn claiming(&self, claiming: &mut Claiming) {
        claiming.retention /= self.0;
    }
}
