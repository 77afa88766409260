//! GoCardless: a finished duplicate is refused, and told which resource there is already.

use serde_json::json;

use super::stage::{meanwhile, under};
use crate::sandbox::api::{Seen, payment};

fn names(refused: &Seen, first: &Seen) {
    assert_eq!(refused.status, 409);
    let error = &refused.json()["error"]["errors"][0];
    assert_eq!(error["reason"], "idempotent_creation_conflict");
    assert_eq!(error["links"]["conflicting_resource_id"], first.id());
    assert!(!refused.is_replay());
}

#[tokio::test]
async fn a_repeat_and_another_body_are_told_what_there_is() {
    under("gocardless", async |api| {
        let first = api.pay("k", "r").send().await;
        assert_eq!(first.status, 201);
        names(&api.pay("k", "r").send().await, &first);
        let mut changed = payment("r");
        changed["amount"] = json!(1);
        let changed = api.post("/payments").key("k").json(changed).send().await;
        names(&changed, &first);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_request_that_failed_may_be_sent_again() {
    under("gocardless", async |api| {
        for simulation in ["fail-before-once", "fail-after-once", "rate-limited-once"] {
            let call = api.pay(simulation, simulation).simulating(simulation);
            assert!(call.clone().send().await.status >= 429);
            assert_eq!(call.send().await.status, 201);
            assert_eq!(api.count(simulation).await, 1);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_left_open_in_progress_is_to_wait_and_then_to_be_refused() {
    under("gocardless", async |api| {
        let (first, second) = meanwhile(api, "k", api.pay("k", "slow")).await;
        names(&second, &first);
        assert_eq!(api.count("slow").await, 1);
    })
    .await;
}
