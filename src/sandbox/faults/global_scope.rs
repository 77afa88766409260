//! All accounts share one space of keys.
//! Must not know who the accounts are.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "global-scope",
    summary: "Looks keys up without the account: another account with the same key gets the first one's reply.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(GlobalScope)),
};

struct GlobalScope;

impl Defect for GlobalScope {
    fn scope(&self, _: &Request, _: String) -> String {
        "everybody".to_owned()
    }
}
