//! Stripe: refusals that their bodies tell apart, a 500 that is replayed, keys that protect POST alone.

use serde_json::json;

use super::stage::{meanwhile, under};
use crate::sandbox::api::payment;

#[tokio::test]
async fn another_body_or_route_is_an_idempotency_error() {
    under("stripe", async |api| {
        let first = api.pay("k", "r").send().await;
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        let mut changed = payment("r");
        changed["amount"] = json!(1);
        for other in [
            api.post("/payments").json(changed),
            api.post("/refunds").json(payment("r")),
        ] {
            let refused = other.key("k").send().await;
            assert_eq!(refused.status, 400);
            assert_eq!(refused.json()["error"]["type"], "idempotency_error");
            assert_eq!(refused.json()["error"].get("code"), None);
            assert!(!refused.text().contains(&first.id()));
        }
        assert_eq!(api.count("r").await, 1);
        assert_eq!(api.count_as("acct-a", "refunds", "r").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_in_progress_is_refused_with_its_own_code_and_later_replayed() {
    under("stripe", async |api| {
        let (first, second) = meanwhile(api, "k", api.pay("k", "slow")).await;
        assert_eq!((first.status, second.status), (201, 409));
        assert_eq!(second.json()["error"]["code"], "idempotency_key_in_use");
        assert_eq!(second.header("retry-after"), None);
        assert!(first.is_replayed_by(&api.pay("k", "slow").send().await));
        // The other body is refused as such, also meanwhile.
        let (_, other) = meanwhile(api, "k2", api.pay("k2", "other")).await;
        assert_eq!(other.json()["error"]["type"], "idempotency_error");
    })
    .await;
}

#[tokio::test]
async fn a_500_is_the_last_word_and_a_429_is_not() {
    under("stripe", async |api| {
        for (simulation, effects) in [("fail-before-once", 0), ("fail-after-once", 1)] {
            let call = api.pay(simulation, simulation).simulating(simulation);
            let first = call.clone().send().await;
            assert_eq!(first.status, 500);
            assert!(first.is_replayed_by(&call.send().await), "{simulation}");
            assert_eq!(api.count(simulation).await, effects, "{simulation}");
        }
        let call = api.pay("l", "l").simulating("rate-limited-once");
        assert_eq!(call.clone().send().await.status, 429);
        assert_eq!(call.send().await.status, 201);
        let declined = api.pay("d", "d").simulating("declined");
        let first = declined.clone().send().await;
        assert_eq!(first.status, 402);
        assert!(first.is_replayed_by(&declined.send().await));
    })
    .await;
}

#[tokio::test]
async fn a_validation_error_leaves_the_key_free_and_an_expired_key_is_a_new_one() {
    under("stripe", async |api| {
        let mut invalid = payment("r");
        invalid["amount"] = json!(-1);
        let refused = api.post("/payments").key("k").json(invalid).send().await;
        assert_eq!(refused.status, 400);
        let first = api.pay("k", "r").send().await;
        assert_eq!(first.status, 201);
        assert_eq!(api.expire("acct-a", "k").await, 1);
        let second = api.pay("k", "r").send().await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert_eq!(api.count("r").await, 2);
    })
    .await;
}

#[tokio::test]
async fn the_same_key_of_another_account_is_another_key_and_a_get_takes_no_notice_of_keys() {
    under("stripe", async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        let other = api.pay("k", "r").account("acct-b").send().await;
        assert_eq!((other.status, other.is_replay()), (201, false));
        let list = || api.call("GET", "/payments?reference=r").key("k");
        assert_eq!(list().send().await.json()["count"], 1);
        assert_eq!(api.pay("k2", "r").send().await.status, 201);
        assert_eq!(list().send().await.json()["count"], 2);
    })
    .await;
}
