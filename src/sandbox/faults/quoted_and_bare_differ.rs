//! The quotes of a structured-field string become part of the key, so a client that changes its form pays again.
//! Must not refuse a key that is right.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::Reading;

pub(super) const FAULT: Fault = Fault {
    name: "quoted-and-bare-differ",
    summary: "Takes the header as it stands: \"K\" with quotes is another key than K without.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(QuotedAndBareDiffer)),
};

struct QuotedAndBareDiffer;

impl Defect for QuotedAndBareDiffer {
    fn key(&self, lines: &[Vec<u8>], right: Reading) -> Reading {
        match (right, lines) {
            (Ok(Some(_)), [line]) => Ok(Some(String::from_utf8_lossy(line).trim().to_owned())),
            (other, _) => other,
        }
    }
}
