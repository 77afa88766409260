//! The framework hands out one text for several lines, and the server takes it as it comes.
//! Must not change a key that was sent once.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::{Malformed, Reading};

pub(super) const FAULT: Fault = Fault {
    name: "duplicate-header-joined",
    summary: "Joins the lines of a header that was sent twice: \"K, K\" is a key of its own, and the payment is made again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(DuplicateHeaderJoined)),
};

struct DuplicateHeaderJoined;

impl Defect for DuplicateHeaderJoined {
    fn key(&self, lines: &[Vec<u8>], right: Reading) -> Reading {
        match right {
            Err(Malformed::Twice | Malformed::Comma) => {
                let joined = lines.join(&b", "[..]);
                Ok(Some(String::from_utf8_lossy(&joined).into_owned()))
            }
            other => other,
        }
    }
}
