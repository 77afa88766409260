//! What makes a key another key, and what is refused elsewhere.

use super::stage::with_clauses;
use crate::sandbox::api::{Api, Call, Seen, payment};

/// The second of two requests under one key, sent from or to another place.
async fn second(clause: &str, elsewhere: impl Fn(&Api, Call) -> Call) -> (Seen, bool) {
    let seen = std::sync::Mutex::new(None);
    with_clauses("plain", &[clause], async |api| {
        let first = api.pay("k", "r").send().await;
        assert_eq!(first.status, 201);
        let second = elsewhere(api, api.pay("k", "r")).send().await;
        let same = second.text().contains(&first.id());
        *seen.lock().unwrap() = Some((second, same));
    })
    .await;
    seen.into_inner().unwrap().unwrap()
}

fn route(api: &Api, _: Call) -> Call {
    api.post("/refunds").key("k").json(payment("r"))
}

fn query(api: &Api, _: Call) -> Call {
    api.post("/payments?x=1").key("k").json(payment("r"))
}

fn method(api: &Api, _: Call) -> Call {
    api.call("PUT", "/payments").key("k").json(payment("r"))
}

#[tokio::test]
async fn each_place_is_another_key_the_same_key_or_refused() {
    type Elsewhere = fn(&Api, Call) -> Call;
    let places: [(&str, Elsewhere); 5] = [
        ("account", |_, call| call.account("acct-b")),
        ("credential", |_, call| call.account("acct-a2")),
        ("route", route),
        ("query", query),
        ("method", method),
    ];
    for (place, elsewhere) in places {
        let (seen, same) = second(&format!("scope.{place}=run"), elsewhere).await;
        assert_eq!((seen.status, same), (201, false), "{place}");
        let (seen, same) = second(&format!("scope.{place}=replay"), elsewhere).await;
        assert_eq!((seen.is_replay(), same), (true, true), "{place}");
        let refuse = format!("scope.{place}.refuse.status=[418]");
        let (seen, same) = second(&refuse, elsewhere).await;
        assert_eq!((seen.status, same), (418, false), "{place}");
        let expected = match place {
            "account" => (201, false),
            "credential" => (201, true),
            _ => (422, false),
        };
        let (seen, same) = second(&format!("scope.{place}=unspecified"), elsewhere).await;
        assert_eq!((seen.status, same), expected, "{place}");
    }
}

#[tokio::test]
async fn another_resource_of_one_route_is_told_apart_as_declared() {
    for (clause, status) in [
        ("scope.resource=run", 204),
        ("scope.resource=replay", 204),
        ("scope.resource.refuse.status=[418]", 418),
        ("scope.resource=unspecified", 422),
    ] {
        with_clauses("plain", &[clause], async |api| {
            let (one, other) = (api.payment("p").await, api.payment("p").await);
            let cancel = |id: &str| api.post(&format!("/payments/{id}/cancel")).key("k");
            assert_eq!(cancel(&one).send().await.status, 204);
            let second = cancel(&other).send().await;
            assert_eq!(second.status, status, "{clause}");
            assert_eq!(second.is_replay(), clause.ends_with("replay"), "{clause}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_stranger_gets_what_is_declared() {
    let stranger = |_: &Api, call: Call| call.nobody();
    for (clause, status, sees_first) in [
        ("scope.anonymous=unspecified", 401, false),
        ("scope.anonymous=run", 201, false),
        ("scope.anonymous=replay", 201, true),
        ("scope.anonymous.refuse.status=[403]", 403, false),
    ] {
        let (seen, same) = second(clause, stranger).await;
        assert_eq!((seen.status, same), (status, sees_first), "{clause}");
    }
}

#[tokio::test]
async fn keys_on_methods_that_need_none_mean_what_is_declared() {
    for (clause, stale) in [("methods.get=run", false), ("methods.get=replay", true)] {
        with_clauses("plain", &[clause], async |api| {
            let list = || api.call("GET", "/payments?reference=r").key("g");
            assert_eq!(list().send().await.json()["count"], 0);
            api.pay("k", "r").send().await;
            assert_eq!(list().send().await.is_replay(), stale, "{clause}");
        })
        .await;
    }
    with_clauses("plain", &["methods.delete=replay"], async |api| {
        let path = format!("/payments/{}", api.payment("r").await);
        let delete = || api.call("DELETE", &path).key("d");
        assert_eq!(delete().send().await.status, 204);
        let again = delete().send().await;
        assert_eq!((again.status, again.is_replay()), (204, true));
    })
    .await;
    with_clauses("plain", &["methods.put.refuse.status=[418]"], async |api| {
        let path = format!("/payments/{}", api.payment("r").await);
        let put = api.call("PUT", &path).json(serde_json::json!({}));
        assert_eq!(put.clone().key("p").send().await.status, 418);
        assert_eq!(put.send().await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_stale_precondition_beside_a_key_is_answered_as_declared() {
    for (clause, status, changes) in [
        ("methods.stale-if-match=unspecified", 412, 0),
        ("methods.stale-if-match.refuse.status=[409]", 409, 0),
        ("methods.stale-if-match=run", 200, 1),
    ] {
        with_clauses("plain", &[clause], async |api| {
            let path = format!("/payments/{}", api.payment("p").await);
            let patch = |tag: &str| {
                let call = api.call("PATCH", &path).key("k").header("If-Match", tag);
                call.json(serde_json::json!({ "note": "x", "reference": "r" }))
            };
            assert_eq!(patch("\"v0\"").send().await.status, status, "{clause}");
            assert_eq!(api.count_as("acct-a", "changes", "r").await, changes);
            // A refusal leaves the key free for the right version.
            assert_eq!(patch("\"v1\"").send().await.status, 200, "{clause}");
        })
        .await;
    }
}
