//! Keys as they come over the wire: forms, lengths, characters, and a header that was sent twice.

use super::api::{Api, payment};
use super::stage::{on_right_designs, on_right_designs_with, with_fault};

#[tokio::test]
async fn quoted_and_bare_are_one_key() {
    let story = async |api: &Api| {
        let first = api.pay("abc", "r").send().await;
        let quoted = api.pay("\"abc\"", "r").send().await;
        assert_eq!((first.status, quoted.status), (201, 201));
        (first.is_replayed_by(&quoted), api.count("r").await)
    };
    on_right_designs(async |api| {
        assert_eq!(story(api).await, (true, 1));
        let listed = api.call("GET", "/payments?key=abc").send().await;
        assert_eq!(listed.json()["count"], 1);
    })
    .await;
    with_fault("quoted-and-bare-differ", async |api| {
        assert_eq!(story(api).await, (false, 2));
        assert!(api.pay("\"abc\"", "r").send().await.is_replay());
    })
    .await;
}

#[tokio::test]
async fn what_is_no_key_is_refused_before_any_work() {
    on_right_designs(async |api| {
        let long = "k".repeat(256);
        let latin = "schl\u{fc}ssel".as_bytes();
        let keys = [
            &b""[..],
            b"\"\"",
            b"\" \"",
            b"a,b",
            b"a b",
            b"a\tb",
            b"\"a",
            long.as_bytes(),
            latin,
        ];
        for key in keys {
            let call = api.post("/payments").raw_header("Idempotency-Key", key);
            let seen = call.json(payment("r")).send().await;
            assert_eq!(seen.status, 400, "{}", String::from_utf8_lossy(key));
            assert_eq!(
                seen.header("content-type"),
                Some("application/problem+json")
            );
        }
        assert_eq!(api.pay("a", "r").key("a").send().await.status, 400);
        assert_eq!(api.count("r").await, 0);
        for key in ["k", &"k".repeat(255)] {
            let first = api.pay(key, "good").send().await;
            assert!(first.is_replayed_by(&api.pay(key, "good").send().await));
        }
    })
    .await;
}

#[tokio::test]
async fn without_a_key_every_request_runs_unless_one_is_required() {
    on_right_designs(async |api| {
        for _ in 0..2 {
            assert_eq!(
                api.post("/payments").json(payment("r")).send().await.status,
                201
            );
        }
        assert_eq!(api.count("r").await, 2);
    })
    .await;
    on_right_designs_with(
        |options| options.require_key = true,
        async |api| {
            assert_eq!(
                api.post("/payments").json(payment("r")).send().await.status,
                400
            );
            assert_eq!(api.count("r").await, 0);
            assert_eq!(api.pay("k", "r").send().await.status, 201);
        },
    )
    .await;
}

#[tokio::test]
async fn key_truncated_takes_two_keys_with_one_beginning_for_one() {
    let story = async |api: &Api| {
        let beginning = "k".repeat(32);
        let first = api.pay(&format!("{beginning}-1"), "r").send().await;
        let second = api.pay(&format!("{beginning}-2"), "r").send().await;
        assert!(first.is_replayed_by(&api.pay(&format!("{beginning}-1"), "r").send().await));
        (first.is_replayed_by(&second), api.count("r").await)
    };
    with_fault("key-truncated", async |api| {
        assert_eq!(story(api).await, (true, 1))
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (false, 2))).await;
}

#[tokio::test]
async fn long_key_truncated_takes_two_long_keys_with_one_beginning_for_one() {
    let (a, b) = (
        format!("{}a", "k".repeat(255)),
        format!("{}b", "k".repeat(255)),
    );
    with_fault("long-key-truncated", async |api| {
        let first = api.pay(&a, "r").send().await;
        assert!(first.is_replayed_by(&api.pay(&b, "r").send().await));
        assert!(first.is_replayed_by(&api.pay(&format!("\"{b}\""), "r").send().await));
        // what fits is kept whole
        assert_eq!(api.pay(&a[..254], "r").send().await.status, 201);
        assert_eq!(api.count("r").await, 2);
    })
    .await;
    on_right_designs(async |api| {
        for key in [&a, &b] {
            assert_eq!(api.pay(key, "r").send().await.status, 400);
        }
        assert_eq!(api.count("r").await, 0);
    })
    .await;
}

#[tokio::test]
async fn key_lower_cased_takes_two_keys_that_differ_in_case_for_one() {
    let story = async |api: &Api| {
        let (first, second) = (
            api.pay("Key", "r").send().await,
            api.pay("kEY", "r").send().await,
        );
        (first.is_replayed_by(&second), api.count("r").await)
    };
    with_fault("key-lower-cased", async |api| {
        assert_eq!(story(api).await, (true, 1))
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (false, 2))).await;
}

#[tokio::test]
async fn duplicate_header_joined_pays_again_for_a_header_sent_twice() {
    let story = async |api: &Api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        let twice = api.pay("k", "r").key("k").send().await;
        (twice.status, twice.is_replay(), api.count("r").await)
    };
    with_fault("duplicate-header-joined", async |api| {
        assert_eq!(story(api).await, (201, false, 2));
        let list = api.pay("k, k", "r").send().await;
        assert_eq!((list.status, list.is_replay()), (201, true));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (400, false, 1))).await;
}

#[tokio::test]
async fn empty_key_shared_bucket_gives_one_reply_to_all_empty_keys() {
    with_fault("empty-key-shared-bucket", async |api| {
        let first = api.pay("", "r").send().await;
        assert_eq!(first.status, 201);
        assert!(first.is_replayed_by(&api.pay("\"\"", "r").send().await));
        assert_eq!(api.pay("", "other").send().await.status, 422);
        assert_eq!(api.pay("k", "other").send().await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn empty_key_everybodys_gives_one_accounts_reply_to_another() {
    with_fault("empty-key-everybodys", async |api| {
        let first = api.pay("", "r").send().await;
        assert_eq!(first.status, 201);
        let other = api.pay("", "other").account("acct-b").send().await;
        assert!(first.is_replayed_by(&other));
        // a key that says something is the account's own
        let mine = api.pay("k", "s").send().await;
        let theirs = api.pay("k", "s").account("acct-b").send().await;
        assert_eq!((mine.status, theirs.status), (201, 201));
        assert_ne!(mine.id(), theirs.id());
        assert_eq!(api.pay("k", "t").send().await.status, 422);
    })
    .await;
    on_right_designs(async |api| {
        for account in ["acct-a", "acct-b"] {
            assert_eq!(api.pay("", "r").account(account).send().await.status, 400);
        }
    })
    .await;
}

#[tokio::test]
async fn long_key_500_fails_where_the_column_ends() {
    with_fault("long-key-500", async |api| {
        assert_eq!(api.pay(&"k".repeat(255), "r").send().await.status, 201);
        for length in [256, 3000] {
            assert_eq!(api.pay(&"k".repeat(length), "r").send().await.status, 500);
        }
        assert_eq!(api.count("r").await, 1);
        assert_eq!(api.pay("", "r").send().await.status, 400);
    })
    .await;
}
