//! Where the key travels: another header, the body, a form, the query, the path; and the headers that go with it.

use serde_json::json;

use super::stage::with_clauses;
use crate::sandbox::api::{Api, payment};

#[tokio::test]
async fn another_header_is_read_and_the_usual_one_is_not() {
    with_clauses("plain", &["key.in.header=X-Request-Id"], async |api| {
        let call = |name: &str, key: &str| {
            let call = api.post("/payments").header(name, key);
            call.json(payment("r"))
        };
        let first = call("X-Request-Id", "k").send().await;
        assert!(first.is_replayed_by(&call("x-request-id", "k").send().await));
        assert!(!call("Idempotency-Key", "k").send().await.is_replay());
        assert!(!call("Idempotency-Key", "k").send().await.is_replay());
        let preflight = api
            .call("OPTIONS", "/payments")
            .header("Origin", "https://a.example");
        let preflight = preflight.send().await;
        let allowed = preflight.header("access-control-allow-headers").unwrap();
        assert!(allowed.contains("X-Request-Id"), "{allowed}");
        assert!(!allowed.contains("Idempotency-Key"), "{allowed}");
    })
    .await;
}

/// Two requests under one key and one under another.
async fn told_apart(api: &Api, call: impl Fn(&str) -> crate::sandbox::api::Call) {
    let first = call("k").send().await;
    assert_eq!(first.status, 201, "{}", first.text());
    assert!(first.is_replayed_by(&call("k").send().await));
    assert!(!call("j").send().await.is_replay());
    assert_eq!(api.count("r").await, 2);
}

#[tokio::test]
async fn a_member_of_the_body_a_form_field_and_the_query_carry_keys() {
    with_clauses("plain", &[r#"key.in.json="/meta/id""#], async |api| {
        told_apart(api, |key| {
            let mut body = payment("r");
            body["meta"] = json!({ "id": key });
            api.post("/payments").json(body)
        })
        .await;
    })
    .await;
    with_clauses("plain", &["key.in.form=token"], async |api| {
        told_apart(api, |key| {
            let call = api
                .post("/payments")
                .header("Content-Type", "application/x-www-form-urlencoded");
            call.text(&format!("amount=1&currency=EUR&reference=r&token={key}"))
        })
        .await;
    })
    .await;
    with_clauses("plain", &["key.in.query=ClientToken"], async |api| {
        told_apart(api, |key| {
            let path = format!("/payments?ClientToken={key}");
            api.post(&path).json(payment("r"))
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_key_may_be_part_of_the_path() {
    with_clauses(
        "plain",
        &[r#"key.in.path="/transfers/{{key}}""#],
        async |api| {
            told_apart(api, |key| {
                let path = format!("/transfers/{key}");
                api.call("PUT", &path).json(payment("r"))
            })
            .await;
        },
    )
    .await;
}

#[tokio::test]
async fn a_key_in_the_body_that_is_null_is_none() {
    let clauses = [r#"key.in.json="/id""#, "missing.refuse.status=[418]"];
    with_clauses("plain", &clauses, async |api| {
        let mut body = payment("r");
        body["id"] = json!(null);
        let call = api.post("/payments").json(body);
        assert_eq!(call.send().await.status, 418);
    })
    .await;
}

#[tokio::test]
async fn a_header_that_must_go_with_the_key_is_asked_for() {
    with_clauses("netsuite", &["missing=run"], async |api| {
        let call = || {
            let call = api.post("/payments").json(payment("r"));
            call.header("X-NetSuite-Idempotency-Key", "k")
        };
        let refused = call().send().await;
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains("Prefer"), "{}", refused.text());
        let sent = call().header("Prefer", "respond-async").send().await;
        assert_eq!(sent.status, 201);
        // Without the key it is not needed.
        let without = api.post("/payments").json(payment("s"));
        assert_eq!(without.send().await.status, 201);
    })
    .await;
}
