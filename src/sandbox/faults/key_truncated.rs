//! The column is shorter than the keys, and the database cuts without a word.
//! Must not refuse a key.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::Reading;

pub(super) const FAULT: Fault = Fault {
    name: "key-truncated",
    summary: "Cuts keys after 32 characters: two keys with one beginning are the same.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(KeyTruncated)),
};

struct KeyTruncated;

impl Defect for KeyTruncated {
    fn key(&self, _: &[Vec<u8>], right: Reading) -> Reading {
        right.map(|key| key.map(|key| key.chars().take(32).collect()))
    }
}
