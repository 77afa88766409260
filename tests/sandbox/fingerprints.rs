//! Fingerprints: which requests under one key are the same, and what happens to one that is not.

use serde_json::json;

use super::api::{Api, payment};
use super::stage::{on_right_designs, with_fault};

#[tokio::test]
async fn the_same_meaning_in_other_bytes_is_the_same_request() {
    on_right_designs(async |api| {
        let text = |body: &str| api.post("/payments").key("k").text(body);
        let first = text(r#"{"amount":100,"currency":"INR","reference":"é","x":[1,2]}"#)
            .send()
            .await;
        for same in [
            r#"{ "x" : [1, 2], "reference": "é", "currency": "INR", "amount": 100 }"#,
            r#"{"amount":100.0,"currency":"INR","reference":"\u00e9","x":[1.0,2]}"#,
        ] {
            assert!(first.is_replayed_by(&text(same).send().await), "{same}");
        }
        for other in [
            r#"{"amount":100,"currency":"INR","reference":"é","x":[2,1]}"#,
            r#"{"amount":100,"currency":"INR","reference":"é","x":[1,2],"y":null}"#,
            r#"{"amount":"100","currency":"INR","reference":"é","x":[1,2]}"#,
            r#"{"amount":101,"currency":"INR","reference":"é","x":[1,2]}"#,
            "{",
            "",
        ] {
            assert_eq!(text(other).send().await.status, 422, "{other}");
        }
        assert_eq!(api.count("é").await, 1);
    })
    .await;
}

/// A payment, then a different one under its key.
async fn mismatch(api: &Api) -> (super::api::Seen, super::api::Seen) {
    (
        api.pay("k", "r").send().await,
        api.pay("k", "other").send().await,
    )
}

#[tokio::test]
async fn a_different_request_is_refused_and_told_nothing() {
    on_right_designs(async |api| {
        let (first, other) = mismatch(api).await;
        assert_eq!(other.status, 422);
        assert!(!other.text().contains(&first.id()));
        assert!(!other.text().contains("49900"));
        assert_eq!(api.count("other").await, 0);
    })
    .await;
}

#[tokio::test]
async fn no_fingerprint_gives_the_old_reply_to_another_body() {
    with_fault("no-fingerprint", async |api| {
        let (first, other) = mismatch(api).await;
        assert!(first.is_replayed_by(&other));
        assert_eq!(api.count("other").await, 0);
    })
    .await;
}

#[tokio::test]
async fn run_mismatch_runs_another_body() {
    with_fault("run-mismatch", async |api| {
        let (first, other) = mismatch(api).await;
        assert_eq!(other.status, 201);
        assert_ne!(first.id(), other.id());
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        assert!(other.is_replayed_by(&api.pay("k", "other").send().await));
        assert_eq!((api.count("r").await, api.count("other").await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn mismatch_reveals_names_what_the_first_request_made() {
    with_fault("mismatch-reveals", async |api| {
        let (first, other) = mismatch(api).await;
        assert_eq!(other.status, 422);
        assert!(
            other.json()["detail"]
                .as_str()
                .unwrap()
                .contains(&first.id())
        );
        assert_eq!(api.count("other").await, 0);
    })
    .await;
}

#[tokio::test]
async fn route_blind_gives_the_reply_of_another_route() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        let refund = api
            .post("/refunds")
            .key("k")
            .json(payment("r"))
            .send()
            .await;
        assert_eq!(api.count_as("acct-a", "refunds", "r").await, 0);
        (first, refund)
    };
    with_fault("route-blind", async |api| {
        let (first, refund) = story(api).await;
        assert!(first.is_replayed_by(&refund));
        // The body is still looked at, and so is the payment in the path.
        assert_eq!(api.pay("k", "other").send().await.status, 422);
        let (one, two) = (api.payment("1").await, api.payment("2").await);
        let cancel = |id: &str| api.post(&format!("/payments/{id}/cancel")).key("c");
        assert_eq!(cancel(&one).send().await.status, 204);
        assert_eq!(cancel(&two).send().await.status, 422);
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await.1.status, 422)).await;
}

#[tokio::test]
async fn resource_blind_gives_the_reply_for_another_payment() {
    let story = async |api: &Api| {
        let (one, two) = (api.payment("1").await, api.payment("2").await);
        let cancel = |id: &str| api.post(&format!("/payments/{id}/cancel")).key("k");
        assert_eq!(cancel(&one).send().await.status, 204);
        let second = cancel(&two).send().await;
        let state = api.call("GET", &format!("/payments/{two}")).send().await;
        assert_eq!(state.json()["status"], "succeeded");
        second
    };
    with_fault("resource-blind", async |api| {
        let second = story(api).await;
        assert_eq!((second.status, second.is_replay()), (204, true));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await.status, 422)).await;
}

#[tokio::test]
async fn query_blind_gives_the_reply_for_another_query() {
    let story = async |api: &Api| {
        let pay = |query: &str| {
            api.post(&format!("/payments{query}"))
                .key("k")
                .json(payment("r"))
        };
        (pay("?trial=yes").send().await, pay("").send().await)
    };
    with_fault("query-blind", async |api| {
        let (first, other) = story(api).await;
        assert!(first.is_replayed_by(&other));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await.1.status, 422)).await;
}

#[tokio::test]
async fn member_order_sensitive_refuses_reordered_members_and_nothing_else() {
    with_fault("member-order-sensitive", async |api| {
        let text = |body: &str| api.post("/payments").key("k").text(body);
        let first = text(r#"{"amount":100,"currency":"INR","reference":"é"}"#)
            .send()
            .await;
        let reordered = text(r#"{"currency":"INR","amount":100,"reference":"é"}"#)
            .send()
            .await;
        assert_eq!(reordered.status, 422);
        let spaced = text(r#"{ "amount": 100.0, "currency": "INR", "reference": "\u00e9" }"#);
        assert!(first.is_replayed_by(&spaced.send().await));
    })
    .await;
}

#[tokio::test]
async fn raw_byte_fingerprint_refuses_one_more_blank() {
    with_fault("raw-byte-fingerprint", async |api| {
        let text = |body: &str| api.post("/payments").key("k").text(body);
        let body = r#"{"amount":100,"currency":"INR","reference":"r"}"#;
        let first = text(body).send().await;
        assert!(first.is_replayed_by(&text(body).send().await));
        assert_eq!(text(&format!("{body} ")).send().await.status, 422);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn forms_are_protected_as_json_is() {
    on_right_designs(async |api| {
        let form = |body: &str| {
            let post = api.post("/payments").key("k");
            post.header("Content-Type", "application/x-www-form-urlencoded")
                .text(body)
        };
        let first = form("amount=100&currency=INR&reference=r").send().await;
        assert_eq!(first.status, 201);
        assert_eq!(first.json()["amount"], json!(100));
        assert!(first.is_replayed_by(&form("reference=r&currency=INR&amount=100").send().await));
        assert_eq!(
            form("amount=101&currency=INR&reference=r")
                .send()
                .await
                .status,
            422
        );
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}
