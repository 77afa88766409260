//! The policy of the sandbox's own first design: duplicates wait, places are part of the request, errors are decided anew.

use serde_json::json;

use super::stage::{meanwhile, under};
use crate::sandbox::api::payment;

#[tokio::test]
async fn a_duplicate_waits_for_the_first_reply_and_replays_it_byte_for_byte() {
    under("one-transaction", async |api| {
        let (first, second) = meanwhile(api, "k", api.pay("k", "slow")).await;
        assert!(first.is_replayed_by(&second));
        assert!(second.header("location").is_some());
        let copies: Vec<_> = (0..10)
            .map(|_| tokio::spawn(api.pay("b", "b").send()))
            .collect();
        for copy in copies {
            assert_eq!(copy.await.unwrap().status, 201);
        }
        assert_eq!(api.count("b").await, 1);
    })
    .await;
}

#[tokio::test]
async fn another_place_is_refused_and_another_credential_of_the_account_is_not() {
    under("one-transaction", async |api| {
        let first = api.pay("k", "r").send().await;
        let query = api.post("/payments?dry-run=1").key("k").json(payment("r"));
        assert_eq!(query.send().await.status, 422);
        let route = api.post("/refunds").key("k").json(payment("r"));
        assert_eq!(route.send().await.status, 422);
        let (one, other) = (api.payment("p").await, api.payment("p").await);
        let cancel = |id: &str| api.post(&format!("/payments/{id}/cancel")).key("c");
        assert_eq!(cancel(&one).send().await.status, 204);
        assert_eq!(cancel(&other).send().await.status, 422);
        assert_eq!(cancel(&one).send().await.status, 204);
        let colleague = api.pay("k", "r").account("acct-a2").send().await;
        assert!(first.is_replayed_by(&colleague));
        let stranger = api.pay("k", "r").nobody().send().await;
        assert_eq!(stranger.status, 401);
        assert!(!stranger.text().contains(&first.id()));
        let other = api.pay("k", "r").account("acct-b").send().await;
        assert_eq!((other.status, other.is_replay()), (201, false));
    })
    .await;
}

#[tokio::test]
async fn the_same_meaning_in_other_bytes_is_a_replay() {
    under("one-transaction", async |api| {
        let first = api.pay("k", "r").send().await;
        let text = "{ \"reference\": \"\\u0072\", \"amount\": 49900.0,\n \"currency\": \"INR\" }";
        let again = api.post("/payments").key("k").text(text).send().await;
        assert!(first.is_replayed_by(&again));
        for change in [json!({ "note": null }), json!({ "unheard-of": 1 })] {
            let mut body = payment("r");
            let members = change.as_object().unwrap().clone();
            body.as_object_mut().unwrap().extend(members);
            let other = api.post("/payments").key("k").json(body).send().await;
            assert_eq!(other.status, 422, "{change}");
        }
    })
    .await;
}

#[tokio::test]
async fn keys_that_are_not_valid_are_refused_and_quotes_do_not_matter() {
    under("one-transaction", async |api| {
        let longest = "k".repeat(255);
        let first = api.pay(&longest, "r").send().await;
        assert!(first.is_replayed_by(&api.pay(&format!("\"{longest}\""), "r").send().await));
        for key in ["", "  ", "\"\"", "a b", &"k".repeat(256), "a, a", "\"a"] {
            assert_eq!(api.pay(key, "bad").send().await.status, 400, "{key}");
        }
        assert_eq!(api.pay("a", "bad").key("a").send().await.status, 400);
        assert_eq!(api.count("bad").await, 0);
    })
    .await;
}

#[tokio::test]
async fn put_and_delete_take_no_notice_of_keys() {
    under("one-transaction", async |api| {
        let path = format!("/payments/{}", api.payment("r").await);
        let put = |note: &str| {
            api.call("PUT", &path)
                .key("k")
                .json(json!({ "note": note }))
        };
        assert_eq!(put("a").send().await.json()["note"], "a");
        assert_eq!(put("b").send().await.json()["note"], "b");
        let delete = || api.call("DELETE", &path).key("k");
        assert_eq!(delete().send().await.status, 204);
        assert_eq!(delete().send().await.status, 404);
    })
    .await;
}
