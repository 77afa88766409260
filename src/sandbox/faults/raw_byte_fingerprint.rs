//! The fingerprint is over what came over the wire, and clients do not promise to write JSON the same way twice.
//! Must not parse the body.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "raw-byte-fingerprint",
    summary: "Hashes the bytes of the body: the same JSON with another blank or escape is called different.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(RawByteFingerprint)),
};

struct RawByteFingerprint;

impl Defect for RawByteFingerprint {
    fn fingerprint(&self, request: &Request, parts: &mut Parts) {
        parts.body = request.body.to_vec();
    }
}
