//! The length of a key is not checked, and the column cuts without a word what it cannot hold.
//! Must not change a key that fits.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::key::{Malformed, Reading};
use crate::sandbox::store::record::KEY_WIDTH;

pub(super) const FAULT: Fault = Fault {
    name: "long-key-truncated",
    summary: "Does not check the length of a key, and cuts it after 255 characters: two long keys with one beginning are the same.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(LongKeyTruncated)),
};

struct LongKeyTruncated;

impl Defect for LongKeyTruncated {
    fn key(&self, lines: &[Vec<u8>], right: Reading) -> Reading {
        match (right, lines) {
            (Err(Malformed::TooLong), [line]) => {
                let key = String::from_utf8_lossy(line);
                let bare = key.trim().trim_matches('"');
                Ok(Some(bare.chars().take(KEY_WIDTH).collect()))
            }
            (other, _) => other,
        }
    }
}
