//! The reply is kept as JSON and written anew for each replay: the members are sorted and indented, as a `jsonb` column
//! and a pretty printer would give them. Must not change the meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Fault, RIGHT};
use crate::sandbox::defect::Defect;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "body-rebuilt",
    summary: "Writes a replay's JSON anew from a parsed copy: the same meaning, other bytes.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(BodyRebuilt)),
};

struct BodyRebuilt;

impl Defect for BodyRebuilt {
    fn replayed(&self, reply: &mut Reply) {
        let sorted: Option<BTreeMap<String, Value>> = serde_json::from_slice(&reply.body).ok();
        if let Some(text) = sorted.and_then(|members| serde_json::to_string_pretty(&members).ok()) {
            reply.body = text.into();
        }
    }
}
