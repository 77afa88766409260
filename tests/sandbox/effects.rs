//! Effects: how often a request is done, whatever its replies say.

use serde_json::json;

use super::api::Api;
use super::stage::{on_right_designs, with_fault};

#[tokio::test]
async fn ignore_key_runs_every_request() {
    with_fault("ignore-key", async |api| {
        let (first, again) = (
            api.pay("k", "r").send().await,
            api.pay("k", "r").send().await,
        );
        assert_eq!((first.status, again.status), (201, 201));
        assert_ne!(first.id(), again.id());
        assert!(!again.is_replay());
        assert_eq!(api.count("r").await, 2);
    })
    .await;
}

#[tokio::test]
async fn double_effect_hidden_replays_perfectly_and_pays_again() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        (api.count("r").await, api.provider_calls("r").await)
    };
    with_fault("double-effect-hidden", async |api| {
        assert_eq!(story(api).await, (2, 2))
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (1, 1))).await;
}

#[tokio::test]
async fn downstream_doubled_calls_the_provider_again_and_keeps_one_row() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        assert_eq!(api.pay("k", "other").send().await.status, 422);
        (api.count("r").await, api.provider_calls("r").await)
    };
    with_fault("downstream-doubled", async |api| {
        assert_eq!(story(api).await, (1, 2))
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (1, 1))).await;
}

#[tokio::test]
async fn content_dedupe_refuses_an_equal_request_with_another_key() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        let other_key = api.pay("k2", "r").send().await;
        let no_key = api
            .post("/payments")
            .json(super::api::payment("r"))
            .send()
            .await;
        assert_eq!(api.pay("k3", "else").send().await.status, 201);
        (other_key.status, no_key.status, api.count("r").await)
    };
    with_fault("content-dedupe", async |api| {
        assert_eq!(story(api).await, (409, 409, 1));
        // Two payments can both be cancelled although the requests look the same.
        for reference in ["a", "b"] {
            let path = format!("/payments/{}/cancel", api.payment(reference).await);
            assert_eq!(api.post(&path).key(reference).send().await.status, 204);
        }
        let again = json!({ "amount": 49900, "currency": "INR", "reference": "r" });
        let other_account = api
            .post("/payments")
            .account("acct-b")
            .json(again)
            .send()
            .await;
        assert_eq!(other_account.status, 201);
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (201, 201, 3))).await;
}
