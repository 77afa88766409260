//! The list of headers for browsers was written before there were keys.
//! Must not change what other clients see.

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::{MARKER, Reply};

pub(super) const FAULT: Fault = Fault {
    name: "preflight-refuses-key",
    summary: "Does not let browsers send the key (CORS), nor read the marker.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(PreflightRefusesKey)),
};

struct PreflightRefusesKey;

impl Defect for PreflightRefusesKey {
    fn shared(&self, reply: &mut Reply) {
        for (name, value) in &mut reply.headers {
            if name.starts_with("Access-Control-") {
                let without = |list: &str, word: &str| {
                    let others = list.split(", ").filter(|listed| *listed != word);
                    others.collect::<Vec<_>>().join(", ")
                };
                *value = without(&without(value, "Idempotency-Key"), MARKER);
            }
        }
    }
}
