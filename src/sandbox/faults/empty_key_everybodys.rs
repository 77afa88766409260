//! Nobody checks that the header says something, and what it says is looked up before anybody asks who sent it.
//! Must not change a key that says something.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::request::Request;
use crate::sandbox::key::{Malformed, Reading};

pub(super) const FAULT: Fault = Fault {
    name: "empty-key-everybodys",
    summary: "Takes an empty key for a key, and for everybody's: all accounts that send one share a record.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(EmptyKeyEverybodys)),
};

struct EmptyKeyEverybodys;

impl Defect for EmptyKeyEverybodys {
    fn key(&self, _: &[Vec<u8>], right: Reading) -> Reading {
        match right {
            Err(Malformed::Empty) => Ok(Some(String::new())),
            other => other,
        }
    }

    fn scope(&self, request: &Request, right: String) -> String {
        if request.key.as_deref() == Some("") {
            "everybody".to_owned()
        } else {
            right
        }
    }

    // the stored reply is given out whatever else is asked
    fn fingerprint(&self, request: &Request, parts: &mut crate::sandbox::fingerprint::Parts) {
        if request.key.as_deref() == Some("") {
            parts.body.clear();
        }
    }
}
