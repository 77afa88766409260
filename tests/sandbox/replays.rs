//! Replays: the same status, the same bytes, the stored headers, and the marker.

use doubletap::sandbox::Design;
use serde_json::{Value, json};

use super::api::{Api, MARKER, Seen, payment};
use super::stage::{on_right_designs, options, with_fault};

async fn twice(api: &Api) -> (Seen, Seen) {
    (
        api.pay("k", "r").send().await,
        api.pay("k", "r").send().await,
    )
}

#[tokio::test]
async fn a_replay_is_the_first_reply_with_a_marker() {
    on_right_designs(async |api| {
        let (first, again) = twice(api).await;
        assert!(first.is_replayed_by(&again));
        assert_eq!(first.status, 201);
        assert_eq!(first.header("location").unwrap(), format!("/payments/{}", first.id()));
        assert_eq!(first.header(MARKER), None);
        assert_eq!(first.header("set-cookie"), None);
        let id = first.id();
        assert_eq!(
            first.json(),
            json!({ "id": id, "amount": 49900, "currency": "INR", "reference": "r", "account": "acct-a", "status": "succeeded" })
        );
        assert_eq!(id.len(), "pay_".len() + 32);
    })
    .await;
}

#[tokio::test]
async fn every_operation_is_protected_on_the_right_designs() {
    on_right_designs(async |api| {
        let id = api.payment("base").await;
        let body = payment("r").to_string();
        for (method, path, body, table, status) in [
            ("POST", "/payments".to_owned(), &body[..], "payments", 201),
            ("POST", "/refunds".to_owned(), &body, "refunds", 201),
            (
                "POST",
                format!("/payments/{id}/refunds"),
                r#"{"amount":1,"reference":"r"}"#,
                "refunds",
                201,
            ),
            (
                "POST",
                format!("/payments/{id}/capture?reference=r"),
                "",
                "captures",
                201,
            ),
            (
                "POST",
                format!("/payments/{id}/cancel?reference=r"),
                "",
                "cancellations",
                204,
            ),
            ("POST", "/receipts".to_owned(), &body, "receipts", 201),
            (
                "PATCH",
                format!("/payments/{id}"),
                r#"{"note":"n","reference":"r"}"#,
                "changes",
                200,
            ),
        ] {
            let before = api.count_as("acct-a", table, "r").await;
            let call = api
                .call(method, &path)
                .key(&format!("key {path}").replace([' ', '/', '?'], "-"))
                .text(body);
            let first = call.clone().send().await;
            assert_eq!(first.status, status, "{method} {path}: {}", first.text());
            assert!(first.is_replayed_by(&call.send().await), "{method} {path}");
            assert_eq!(
                api.count_as("acct-a", table, "r").await,
                before + 1,
                "{method} {path}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn body_rebuilt_has_the_same_meaning_and_other_bytes() {
    with_fault("body-rebuilt", async |api| {
        let (first, again) = twice(api).await;
        assert_eq!((first.status, again.status), (201, 201));
        assert!(again.is_replay());
        assert_ne!(first.body, again.body);
        assert_eq!(first.json(), again.json());
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn replay_as_200_changes_the_status_alone() {
    with_fault("replay-as-200", async |api| {
        let (first, again) = twice(api).await;
        assert_eq!((first.status, again.status), (201, 200));
        assert!(again.is_replay());
        assert_eq!(first.body, again.body);
        assert_eq!(first.header("location"), again.header("location"));
    })
    .await;
}

#[tokio::test]
async fn location_lost_replays_without_location() {
    with_fault("location-lost", async |api| {
        let (first, again) = twice(api).await;
        assert!(first.header("location").is_some());
        assert_eq!(again.header("location"), None);
        assert_eq!((first.status, &first.body), (again.status, &again.body));
    })
    .await;
}

#[tokio::test]
async fn set_cookie_replayed_gives_the_first_clients_cookie_again() {
    with_fault("set-cookie-replayed", async |api| {
        let (first, again) = twice(api).await;
        assert!(
            first
                .header("set-cookie")
                .unwrap()
                .starts_with("sandbox_session=")
        );
        assert_eq!(first.header("set-cookie"), again.header("set-cookie"));
        let other = api.pay("other", "other").send().await;
        assert_ne!(first.header("set-cookie"), other.header("set-cookie"));
    })
    .await;
}

#[tokio::test]
async fn marker_missing_and_marker_on_first() {
    with_fault("marker-missing", async |api| {
        let (first, again) = twice(api).await;
        assert_eq!((first.header(MARKER), again.header(MARKER)), (None, None));
        assert_eq!(first.body, again.body);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
    with_fault("marker-on-first", async |api| {
        let (first, again) = twice(api).await;
        assert!(first.is_replay() && again.is_replay());
        assert_eq!(first.body, again.body);
        assert_eq!(again.headers.get_all(MARKER).iter().count(), 1);
    })
    .await;
}

#[tokio::test]
async fn empty_reply_unprotected_cancels_again() {
    let story = async |api: &Api| {
        let path = format!("/payments/{}/cancel?reference=c", api.payment("r").await);
        let call = api.post(&path).key("k");
        let (first, again) = (call.clone().send().await, call.send().await);
        assert_eq!((first.status, again.status), (204, 204));
        assert!(first.body.is_empty() && again.body.is_empty());
        (
            again.is_replay(),
            api.count_as("acct-a", "cancellations", "c").await,
        )
    };
    with_fault("empty-reply-unprotected", async |api| {
        assert_eq!(story(api).await, (false, 2));
        let first = api.pay("p", "p").send().await;
        assert!(first.is_replayed_by(&api.pay("p", "p").send().await));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (true, 1))).await;
}

#[tokio::test]
async fn binary_reply_unprotected_makes_another_receipt() {
    let story = async |api: &Api| {
        let call = api.post("/receipts").key("k").json(payment("r"));
        let (first, again) = (call.clone().send().await, call.send().await);
        assert_eq!((first.status, first.body.len()), (201, 256 * 1024));
        assert_eq!(
            first.header("content-type"),
            Some("application/octet-stream")
        );
        assert!(first.header("x-receipt-id").unwrap().starts_with("rec_"));
        (
            first.is_replayed_by(&again),
            api.count_as("acct-a", "receipts", "r").await,
        )
    };
    with_fault("binary-reply-unprotected", async |api| {
        assert_eq!(story(api).await, (false, 2));
        let first = api.pay("p", "p").send().await;
        assert!(first.is_replayed_by(&api.pay("p", "p").send().await));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (true, 1))).await;
}

#[tokio::test]
async fn get_cached_serves_the_past_to_a_get_with_a_key() {
    let story = async |api: &Api| {
        let path = format!("/payments/{}", api.payment("r").await);
        let get = || api.call("GET", &path).key("k");
        assert_eq!(get().send().await.json().get("note"), None);
        let put = api.call("PUT", &path).json(json!({ "note": "new" }));
        assert_eq!(put.send().await.status, 200);
        let without = api.call("GET", &path).send().await.json();
        assert_eq!(without["note"], "new");
        get().send().await.json().get("note").cloned()
    };
    with_fault("get-cached", async |api| assert_eq!(story(api).await, None)).await;
    on_right_designs(async |api| assert_eq!(story(api).await, Some(Value::from("new")))).await;
}

#[tokio::test]
async fn faults_combine() {
    for design in Design::right() {
        let faults = [
            "marker-missing",
            "location-lost",
            "replay-as-200",
            "global-scope",
        ];
        let api = Api::start(options(*design, false, &faults)).await;
        let (first, again) = twice(&api).await;
        let other = api.pay("k", "r").account("acct-b").send().await;
        assert_eq!((first.status, again.status, other.status), (201, 200, 200));
        assert_eq!(
            (again.header(MARKER), again.header("location")),
            (None, None)
        );
        assert_eq!(first.body, other.body);
    }
}
