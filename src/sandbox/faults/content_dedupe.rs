//! Requests are told apart by what they say, so two intents that look the same are taken for one.
//! Must not refuse the repeat of a key.

use serde_json::json;

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::fingerprint;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::request::{Keyed, Request};
use crate::sandbox::machine::Machine;
use crate::sandbox::store::effect::Filter;

pub(super) const FAULT: Fault = Fault {
    name: "content-dedupe",
    summary: "Takes an equal body for a duplicate: a second request with another key, or with none, is refused with 409.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(ContentDedupe)),
};

struct ContentDedupe;

impl Defect for ContentDedupe {
    fn before<'a>(
        &'a self,
        machine: &'a Machine,
        request: &'a Request,
        _: Option<&'a Keyed>,
    ) -> Pending<'a, Option<Reply>> {
        Box::pin(async move {
            let same = Filter {
                body_hash: Some(fingerprint::hash(&request.canonical_body())),
                payment: request.operation.resource().map(str::to_owned),
                ..Filter::default()
            };
            let mut session = machine.session().await?;
            let earlier = session
                .list(request.operation.kind(), &request.account, &same)
                .await?;
            let other = |key: &Option<String>| key.is_none() || *key != request.key;
            Ok(earlier.iter().any(|effect| other(&effect.key)).then(|| {
                let detail = "an equal request was made before";
                Reply::problem_with(409, detail, json!({ "code": "duplicate-content" }))
            }))
        })
    }
}
