//! The column compares without case, as some databases do by default.
//! Must not refuse a key.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::Reading;

pub(super) const FAULT: Fault = Fault {
    name: "key-lower-cased",
    summary: "Lower-cases keys: two keys that differ in case are the same.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(KeyLowerCased)),
};

struct KeyLowerCased;

impl Defect for KeyLowerCased {
    fn key(&self, _: &[Vec<u8>], right: Reading) -> Reading {
        right.map(|key| key.map(|key| key.to_ascii_lowercase()))
    }
}
