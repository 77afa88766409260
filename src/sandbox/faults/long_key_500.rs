//! The key goes to the database as it came, and the error of the database goes out.
//! Must not change a key that fits.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::{Malformed, Reading};

pub(super) const FAULT: Fault = Fault {
    name: "long-key-500",
    summary: "Does not check the length of a key: one that the column cannot take fails with 500.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(LongKey500)),
};

struct LongKey500;

impl Defect for LongKey500 {
    fn key(&self, lines: &[Vec<u8>], right: Reading) -> Reading {
        match (right, lines) {
            (Err(Malformed::TooLong), [line]) => {
                Ok(Some(String::from_utf8_lossy(line).trim().to_owned()))
            }
            (other, _) => other,
        }
    }
}
