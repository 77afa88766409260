//! Modern Treasury: the key alone counts; its first result comes back whatever is sent, even to another route.

use serde_json::json;

use super::stage::{meanwhile, under};
use crate::sandbox::api::payment;

#[tokio::test]
async fn another_body_and_another_route_get_the_first_reply() {
    under("modern-treasury", async |api| {
        let first = api.pay("k", "r").send().await;
        let other = json!({ "amount": 7, "currency": "EUR", "reference": "other" });
        let changed = api
            .post("/payments")
            .key("k")
            .json(other.clone())
            .send()
            .await;
        assert!(first.is_replayed_by(&changed));
        let elsewhere = api.post("/refunds").key("k").json(other).send().await;
        assert!(first.is_replayed_by(&elsewhere));
        assert_eq!((api.count("r").await, api.count("other").await), (1, 0));
        assert_eq!(api.count_as("acct-a", "refunds", "other").await, 0);
    })
    .await;
}

#[tokio::test]
async fn keys_belong_to_the_credential_and_failures_are_forgotten() {
    under("modern-treasury", async |api| {
        let first = api.pay("k", "r").send().await;
        let second = api.pay("k", "r").account("acct-a2").send().await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert_ne!(first.id(), second.id());
        let declined = api.pay("d", "d").simulating("declined");
        let (one, other) = (declined.clone().send().await, declined.send().await);
        assert_eq!((one.status, other.is_replay()), (402, false));
        assert_ne!(one.json()["decline_id"], other.json()["decline_id"]);
        assert_eq!(api.pay("d", "d").send().await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn in_progress_is_a_409_also_for_another_body() {
    under("modern-treasury", async |api| {
        let mut other = payment("other");
        other["amount"] = json!(1);
        let other = api.post("/payments").key("k").json(other);
        let (first, second) = meanwhile(api, "k", other.clone()).await;
        assert_eq!((first.status, second.status), (201, 409));
        assert!(first.is_replayed_by(&other.send().await));
    })
    .await;
}
