//! Nothing of the request is kept beside the key, so whatever comes under a known key gets the old reply.
//! Must not change what is replayed.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::fingerprint::Parts;
use crate::sandbox::http::request::Request;

pub(super) const FAULT: Fault = Fault {
    name: "no-fingerprint",
    summary: "Keeps no fingerprint: a different request under a known key is answered with the old reply.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(NoFingerprint)),
};

struct NoFingerprint;

impl Defect for NoFingerprint {
    fn fingerprint(&self, _: &Request, parts: &mut Parts) {
        *parts = Parts::default();
    }
}
