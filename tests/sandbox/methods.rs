//! Methods that are idempotent by nature, preconditions, and what browsers are told.

use serde_json::json;

use super::api::{Api, Seen};
use super::stage::{on_right_designs, with_fault};

/// A payment is made, replaced twice and deleted twice; the four replies.
async fn replaced_and_deleted(api: &Api) -> (String, [Seen; 4]) {
    let payment = api.payment("r").await;
    let path = format!("/payments/{payment}");
    let body = json!({ "note": "x", "reference": "p" });
    let put = || api.call("PUT", &path).key("k").json(body.clone());
    let delete = || api.call("DELETE", &format!("{path}?reference=d")).key("k");
    let put = [put().send().await, put().send().await];
    let delete = [delete().send().await, delete().send().await];
    let [one, two] = put;
    let [three, four] = delete;
    (path, [one, two, three, four])
}

#[tokio::test]
async fn put_and_delete_are_idempotent_by_nature() {
    on_right_designs(async |api| {
        let (path, [put, put_again, delete, delete_again]) = replaced_and_deleted(api).await;
        assert_eq!((put.status, &put.body), (200, &put_again.body));
        assert_eq!(put.header("etag"), Some("\"v2\""));
        assert_eq!(put_again.header("etag"), Some("\"v2\""));
        assert!(!put_again.is_replay());
        assert_eq!((delete.status, delete_again.status), (204, 404));
        assert_eq!(api.call("GET", &path).send().await.status, 404);
        assert_eq!(api.count("r").await, 1);
        // Each is one change, found by the reference in the body or the query, and by the key.
        assert_eq!(api.count_as("acct-a", "changes", "p").await, 1);
        assert_eq!(api.count_as("acct-a", "changes", "d").await, 1);
        let by_key = api.call("GET", "/changes?key=k").send().await.json();
        assert_eq!(by_key["count"], 2);
    })
    .await;
}

#[tokio::test]
async fn put_cached_loses_another_write_under_a_used_key() {
    let story = async |api: &Api| {
        let mut paths = Vec::new();
        for reference in ["1", "2"] {
            paths.push(format!("/payments/{}", api.payment(reference).await));
        }
        let mut statuses = Vec::new();
        for note in ["new", "newer"] {
            let put = api.call("PUT", &paths[0]).key("k");
            let put = put.json(json!({ "note": note, "reference": "p" }));
            statuses.push(put.send().await.status);
        }
        let note = api.call("GET", &paths[0]).send().await.json()["note"].clone();
        for path in &paths {
            let delete = api.call("DELETE", &format!("{path}?reference=d")).key("k");
            statuses.push(delete.send().await.status);
        }
        let deleted = api.count_as("acct-a", "changes", "d").await;
        (statuses, note, deleted)
    };
    with_fault("put-cached", async |api| {
        assert_eq!(
            story(api).await,
            (vec![200, 200, 204, 204], json!("new"), 1)
        );
    })
    .await;
    on_right_designs(async |api| {
        let right = (vec![200, 200, 204, 204], json!("newer"), 2);
        assert_eq!(story(api).await, right);
    })
    .await;
}

#[tokio::test]
async fn put_not_idempotent_makes_another_change() {
    with_fault("put-not-idempotent", async |api| {
        let (_, [put, put_again, delete, delete_again]) = replaced_and_deleted(api).await;
        assert_eq!((put.status, put_again.status), (200, 200));
        assert_eq!(put_again.header("etag"), Some("\"v3\""));
        assert_eq!(api.count_as("acct-a", "changes", "p").await, 2);
        assert_eq!((delete.status, delete_again.status), (204, 404));
    })
    .await;
}

#[tokio::test]
async fn delete_repeat_fails_with_500() {
    with_fault("delete-repeat-fails", async |api| {
        let (_, [_, _, delete, delete_again]) = replaced_and_deleted(api).await;
        assert_eq!((delete.status, delete_again.status), (204, 500));
        assert_eq!(api.count_as("acct-a", "changes", "d").await, 1);
        // What never was there is no repeat.
        let never = api.call("DELETE", "/payments/pay_none").send().await;
        assert_eq!(never.status, 404);
    })
    .await;
}

/// A PATCH and a PUT that know an old version.
async fn stale(api: &Api) -> (u16, u16) {
    let path = format!("/payments/{}", api.payment("r").await);
    let stale = async |method| {
        let call = api.call(method, &path).header("If-Match", "\"v0\"");
        let call = call.key("k").json(json!({ "note": "x", "reference": "s" }));
        call.send().await.status
    };
    (stale("PATCH").await, stale("PUT").await)
}

#[tokio::test]
async fn if_match_ignored() {
    with_fault("if-match-ignored", async |api| {
        assert_eq!(stale(api).await, (200, 200));
        assert_eq!(api.count_as("acct-a", "changes", "s").await, 1);
    })
    .await;
    on_right_designs(async |api| {
        assert_eq!(stale(api).await, (412, 412));
        assert_eq!(api.count_as("acct-a", "changes", "s").await, 0);
    })
    .await;
}

/// The headers that a browser may send, and those that it may read.
async fn shared(api: &Api) -> (String, String) {
    let preflight = api
        .call("OPTIONS", "/payments")
        .nobody()
        .header("Origin", "https://shop.example")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "idempotency-key")
        .send()
        .await;
    assert_eq!(preflight.status, 204);
    let paid = api.pay("k", "r").header("Origin", "https://shop.example");
    let paid = paid.send().await;
    let list = |seen: &Seen, name| seen.header(name).unwrap_or_default().to_ascii_lowercase();
    (
        list(&preflight, "access-control-allow-headers"),
        list(&paid, "access-control-expose-headers"),
    )
}

#[tokio::test]
async fn a_browser_may_send_the_key_and_read_the_marker() {
    on_right_designs(async |api| {
        let (allowed, exposed) = shared(api).await;
        assert!(allowed.contains("idempotency-key"), "{allowed}");
        assert!(exposed.contains("idempotent-replayed"), "{exposed}");
    })
    .await;
}

#[tokio::test]
async fn preflight_refuses_key() {
    with_fault("preflight-refuses-key", async |api| {
        let (allowed, exposed) = shared(api).await;
        assert!(!allowed.contains("idempotency-key"), "{allowed}");
        assert!(allowed.contains("content-type"), "{allowed}");
        assert!(!exposed.contains("idempotent-replayed"), "{exposed}");
        assert!(exposed.contains("location"), "{exposed}");
    })
    .await;
}
