//! The IETF draft: a quoted key, 422 for another request, and otherwise much that is left open.

use serde_json::json;

use super::stage::{meanwhile, under, with_clauses};
use crate::sandbox::api::payment;

#[tokio::test]
async fn a_quoted_key_is_replayed_and_another_body_gets_422() {
    under("ietf", async |api| {
        let first = api.pay("\"k\"", "r").send().await;
        assert!(first.is_replayed_by(&api.pay("\"k\"", "r").send().await));
        let other = api.post("/payments").key("\"k\"");
        let other = other.json(json!({ "amount": 1, "currency": "EUR" }));
        assert_eq!(other.send().await.status, 422);
        assert_eq!(api.count("r").await, 1);
        // What the key is without its quotes is left open: it is the same key, as usual.
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
    })
    .await;
}

#[tokio::test]
async fn without_a_key_a_request_runs_and_where_one_is_demanded_it_gets_400() {
    under("ietf", async |api| {
        let call = || api.post("/payments").json(payment("r"));
        assert_eq!(call().send().await.status, 201);
        assert_eq!(call().send().await.status, 201);
        assert_eq!(api.count("r").await, 2);
    })
    .await;
    with_clauses("ietf", &["missing.refuse.status=[400]"], async |api| {
        let call = api.post("/payments").json(payment("r"));
        assert_eq!(call.send().await.status, 400);
        assert_eq!(api.count("r").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_waits_and_a_space_is_a_character_like_others() {
    under("ietf", async |api| {
        let again = api.pay("\"a key\"", "slow");
        let (first, second) = meanwhile(api, "\"a key\"", again).await;
        assert!(first.is_replayed_by(&second));
        assert_eq!(api.count("slow").await, 1);
        let umlaut = api
            .post("/payments")
            .raw_header("Idempotency-Key", b"\"k\xc3\xbc\"");
        assert_eq!(umlaut.json(payment("r")).send().await.status, 400);
    })
    .await;
}
