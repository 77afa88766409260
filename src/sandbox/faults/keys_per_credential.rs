//! Keys are kept by the credential that sent them, although an account may have several.
//! Must not mix accounts.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "keys-per-credential",
    summary: "Makes the credential part of the key: another credential of the account runs the request again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(KeysPerCredential)),
};

struct KeysPerCredential;

impl Defect for KeysPerCredential {
    fn scope(&self, request: &Request, right: String) -> String {
        format!("{right} {}", request.credential)
    }
}
