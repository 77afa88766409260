//! The refusal says what the first request made, which a stranger with a guessed key would like to know.
//! Must not run anything.

use serde_json::{Value, json};

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::store::record::Found;

pub(super) const FAULT: Fault = Fault {
    name: "mismatch-reveals",
    summary: "Names the first request's result in the refusal of a different one.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(MismatchReveals)),
};

struct MismatchReveals;

impl Defect for MismatchReveals {
    fn mismatch(&self, reply: &mut Reply, found: &Found) {
        let body = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
        let first = found.reply.as_ref().and_then(|first| body(&first.body));
        let id = first.as_ref().and_then(|first| first.get("id")?.as_str());
        if let (Some(id), Some(mut problem)) = (id, body(&reply.body)) {
            let detail =
                format!("this Idempotency-Key was used for a different request, which made {id}");
            problem["detail"] = json!(detail);
            reply.body = problem.to_string().into();
        }
    }
}
