//! Nobody checks that the header says something, so a client with a broken generator gets its own old replies.
//! Must not change a key that says something.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::{Malformed, Reading};

pub(super) const FAULT: Fault = Fault {
    name: "empty-key-shared-bucket",
    summary: "Takes an empty key for a key: all requests of an account that have one share a record.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(EmptyKeySharedBucket)),
};

struct EmptyKeySharedBucket;

impl Defect for EmptyKeySharedBucket {
    fn key(&self, _: &[Vec<u8>], right: Reading) -> Reading {
        match right {
            Err(Malformed::Empty) => Ok(Some(String::new())),
            other => other,
        }
    }
}
