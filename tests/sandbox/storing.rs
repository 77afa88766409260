//! Which replies are stored: successes and business refusals; everything else leaves the key free and nothing done.

use serde_json::json;

use super::api::{Api, Seen};
use super::stage::{MOMENT, SLOW, on_right_designs, with_fault};

/// The same request twice, both simulating something.
async fn twice(api: &Api, simulation: &str) -> (Seen, Seen) {
    let call = api.pay("k", "r").simulating(simulation);
    (call.clone().send().await, call.send().await)
}

/// An invalid request, then the corrected one under its key.
async fn corrected(api: &Api) -> Seen {
    let invalid = json!({ "amount": 0, "currency": "INR", "reference": "r" });
    let refused = api.post("/payments").key("k").json(invalid).send().await;
    assert_eq!(refused.status, 400);
    api.pay("k", "r").send().await
}

/// What the right designs do with each kind of error, one after the other.
#[tokio::test]
async fn the_right_designs_store_what_was_decided_and_nothing_else() {
    on_right_designs(async |api| {
        let call = api.pay("declined", "declined").simulating("declined");
        let (first, again) = (call.clone().send().await, call.send().await);
        assert_eq!(first.status, 402);
        assert!(first.json()["decline_id"].as_str().unwrap().len() > 30);
        assert!(first.is_replayed_by(&again));
        assert_eq!(api.count("declined").await, 0);

        for (simulation, status) in [
            ("fail-before-once", 500),
            ("fail-after-once", 500),
            ("rate-limited-once", 429),
        ] {
            let call = api.pay(simulation, simulation).simulating(simulation);
            let first = call.clone().send().await;
            assert_eq!(first.status, status);
            assert_eq!(first.header("retry-after"), (status == 429).then_some("1"));
            assert_eq!(api.count(simulation).await, 0);
            let second = call.clone().send().await;
            assert_eq!((second.status, second.is_replay()), (201, false));
            assert!(second.is_replayed_by(&call.send().await));
            assert_eq!(api.count(simulation).await, 1);
            assert_eq!(api.provider_calls(simulation).await, 1);
        }

        assert_eq!(corrected(api).await.status, 201);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_simulation_may_stand_in_the_body() {
    on_right_designs(async |api| {
        let body =
            json!({ "amount": 1, "currency": "INR", "reference": "r", "simulate": "declined" });
        assert_eq!(
            api.post("/payments")
                .key("k")
                .json(body)
                .send()
                .await
                .status,
            402
        );
    })
    .await;
}

#[tokio::test]
async fn no_error_stored_decides_again() {
    with_fault("no-error-stored", async |api| {
        let (first, again) = twice(api, "declined").await;
        assert_eq!((first.status, again.status), (402, 402));
        assert_ne!(first.json()["decline_id"], again.json()["decline_id"]);
        assert!(!again.is_replay());
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        assert!(api.pay("k", "r").send().await.is_replay());
    })
    .await;
}

#[tokio::test]
async fn every_error_stored_never_gets_over_a_bad_moment() {
    with_fault("every-error-stored", async |api| {
        for (simulation, status) in [
            ("fail-before-once", 500),
            ("rate-limited-once", 429),
            ("declined", 402),
        ] {
            let call = api.pay(simulation, simulation).simulating(simulation);
            let first = call.clone().send().await;
            assert_eq!(first.status, status);
            assert_eq!(call.send().await.body, first.body);
            assert_eq!(api.count(simulation).await, 0);
        }
        assert_eq!(corrected(api).await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn validation_error_stored_refuses_the_corrected_request() {
    with_fault("validation-error-stored", async |api| {
        assert_eq!(corrected(api).await.status, 422);
        assert_eq!(api.count("r").await, 0);
        let (_, again) = twice_with(api, "other", "fail-before-once").await;
        assert_eq!(again.status, 201);
    })
    .await;
}

async fn twice_with(api: &Api, key: &str, simulation: &str) -> (Seen, Seen) {
    let call = api.pay(key, key).simulating(simulation);
    (call.clone().send().await, call.send().await)
}

#[tokio::test]
async fn rate_limit_stored_refuses_for_ever() {
    with_fault("rate-limit-stored", async |api| {
        let (first, again) = twice(api, "rate-limited-once").await;
        assert_eq!((first.status, again.status), (429, 429));
        assert!(again.is_replay());
        assert_eq!(api.count("r").await, 0);
        assert_eq!(
            twice_with(api, "other", "fail-before-once").await.1.status,
            201
        );
    })
    .await;
}

#[tokio::test]
async fn server_error_stored_replays_the_fault_of_a_moment() {
    with_fault("server-error-stored", async |api| {
        let (first, again) = twice(api, "fail-before-once").await;
        assert_eq!((first.status, again.status), (500, 500));
        assert!(first.is_replayed_by(&again));
        assert_eq!(api.count("r").await, 0);
        // With the effect done, the error hides it.
        let (first, again) = twice_with(api, "after", "fail-after-once").await;
        assert_eq!((first.status, again.status), (500, 500));
        assert_eq!(api.count("after").await, 1);
        assert_eq!(
            twice_with(api, "limited", "rate-limited-once")
                .await
                .1
                .status,
            201
        );
    })
    .await;
}

#[tokio::test]
async fn server_error_frees_key_after_effect_pays_again() {
    with_fault("server-error-frees-key-after-effect", async |api| {
        let (first, again) = twice(api, "fail-after-once").await;
        assert_eq!((first.status, again.status), (500, 201));
        assert_eq!(api.count("r").await, 2);
        assert!(api.pay("k", "r").send().await.is_replay());
        assert_eq!(
            twice_with(api, "before", "fail-before-once").await.1.status,
            201
        );
        assert_eq!(api.count("before").await, 1);
    })
    .await;
}

#[tokio::test]
async fn key_outside_transaction_replays_a_success_that_never_was() {
    with_fault("key-outside-transaction", async |api| {
        let (first, again) = twice(api, "fail-before-once").await;
        assert_eq!((first.status, again.status), (500, 201));
        assert!(again.is_replay());
        assert_eq!(api.count("r").await, 0);
        let first = api.pay("good", "good").send().await;
        assert!(first.is_replayed_by(&api.pay("good", "good").send().await));
        assert_eq!(api.count("good").await, 1);
        assert_eq!(api.pay("good", "other").send().await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn cancel_on_disconnect_pays_again_for_the_client_that_lost_its_reply() {
    let story = async |api: &Api| {
        let slow = || api.pay("k", "r").slowly(SLOW);
        slow().send_and_hang_up(MOMENT).await;
        // The work goes on without the client.
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        assert_eq!(api.count("r").await, 1);
        let retry = api.pay("k", "r").send().await;
        assert_eq!(retry.status, 201);
        (retry.is_replay(), api.count("r").await)
    };
    with_fault("cancel-on-disconnect", async |api| {
        assert_eq!(story(api).await, (false, 2));
        let first = api.pay("good", "good").send().await;
        assert!(first.is_replayed_by(&api.pay("good", "good").send().await));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (true, 1))).await;
}
