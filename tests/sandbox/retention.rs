//! How long a key is kept, and what a request under an expired one does.

use std::time::Duration;

use doubletap::sandbox::Options;

use super::api::Api;
use super::stage::{on_right_designs, on_right_designs_with, with_fault, with_fault_and};

async fn reuse(api: &Api) -> (super::api::Seen, super::api::Seen) {
    let first = api.pay("k", "r").send().await;
    assert_eq!(first.status, 201);
    assert_eq!(api.expire("acct-b", "k").await, 0);
    assert_eq!(api.expire("acct-a", "k").await, 1);
    (first, api.pay("k", "r").send().await)
}

#[tokio::test]
async fn an_expired_key_is_a_new_key_on_the_right_designs() {
    on_right_designs(async |api| {
        let (first, second) = reuse(api).await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert_ne!(first.id(), second.id());
        assert!(second.is_replayed_by(&api.pay("k", "r").send().await));
        assert_eq!(api.count("r").await, 2);
        assert_eq!(api.expire("acct-a", "unknown").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_burst_right_after_expiry_has_one_effect() {
    on_right_designs(async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        assert_eq!(api.expire("acct-a", "k").await, 1);
        let copies: Vec<_> = (0..10)
            .map(|_| tokio::spawn(api.pay("k", "r").send()))
            .collect();
        for copy in copies {
            assert!([201, 409].contains(&copy.await.unwrap().status));
        }
        assert_eq!(api.count("r").await, 2);
    })
    .await;
}

#[tokio::test]
async fn expired_still_replays() {
    with_fault("expired-still-replays", async |api| {
        let (first, second) = reuse(api).await;
        assert!(first.is_replayed_by(&second));
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn safety_net_outlives_key_fails_on_reuse() {
    with_fault("safety-net-outlives-key", async |api| {
        let (_, second) = reuse(api).await;
        assert_eq!(second.status, 500);
        assert_eq!(api.count("r").await, 1);
        // The same key of another account is no reuse.
        assert_eq!(api.pay("k", "r").account("acct-b").send().await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn retention_shorter_forgets_inside_the_promised_time() {
    let twenty_seconds = |options: &mut Options| options.retention = Duration::from_secs(20);
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        tokio::time::sleep(Duration::from_millis(2300)).await;
        (
            first.is_replayed_by(&api.pay("k", "r").send().await),
            api.count("r").await,
        )
    };
    with_fault_and("retention-shorter", twenty_seconds, async |api| {
        assert_eq!(story(api).await, (false, 2));
    })
    .await;
    on_right_designs_with(twenty_seconds, async |api| {
        assert_eq!(story(api).await, (true, 1))
    })
    .await;
}

#[tokio::test]
async fn forgotten_early_forgets_after_a_second_what_is_promised_for_a_day() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        let at_once = first.is_replayed_by(&api.pay("k", "r").send().await);
        tokio::time::sleep(Duration::from_millis(1200)).await;
        let late = first.is_replayed_by(&api.pay("k", "r").send().await);
        (at_once, late, api.count("r").await)
    };
    with_fault("forgotten-early=1", async |api| {
        assert_eq!(story(api).await, (true, false, 2));
    })
    .await;
    on_right_designs(async |api| assert_eq!(story(api).await, (true, true, 1))).await;
}

#[tokio::test]
async fn a_key_expires_by_itself() {
    let short = |options: &mut Options| options.retention = Duration::from_millis(300);
    on_right_designs_with(short, async |api| {
        let first = api.pay("k", "r").send().await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let second = api.pay("k", "r").send().await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert_ne!(first.id(), second.id());
    })
    .await;
}

#[tokio::test]
async fn expired_row_deleted_first_runs_copies_right_after_expiry() {
    with_fault("expired-row-deleted-first=200ms", async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        // Neither a burst on a fresh key nor a single request after the expiry shows it.
        let (one, other) = tokio::join!(api.pay("f", "f").send(), api.pay("f", "f").send());
        assert!([one.status, other.status].contains(&201));
        assert_eq!(api.count("f").await, 1);
        assert_eq!(api.expire("acct-a", "f").await, 1);
        assert_eq!(api.pay("f", "f").send().await.status, 201);
        assert!(api.pay("f", "f").send().await.is_replay());
        assert_eq!(api.count("f").await, 2);

        assert_eq!(api.expire("acct-a", "k").await, 1);
        let (one, other) = tokio::join!(api.pay("k", "r").send(), api.pay("k", "r").send());
        assert_eq!((one.status, other.status), (201, 201));
        assert_ne!(one.id(), other.id());
        assert_eq!(api.count("r").await, 3);
    })
    .await;
}

/// A request that broke off, its expiry, and the same request again.
async fn failed_then_expired(api: &Api) -> (u64, u16) {
    let failing = || api.pay("k", "r").simulating("fail-before-once");
    assert_eq!(failing().send().await.status, 500);
    let expired = api.expire("acct-a", "k").await;
    (expired, failing().send().await.status)
}

#[tokio::test]
async fn expired_stays_in_progress() {
    with_fault("expired-stays-in-progress", async |api| {
        assert_eq!(failed_then_expired(api).await, (1, 409));
        assert_eq!(api.count("r").await, 0);
        // A key whose request ended well expires like any other.
        let (first, second) = {
            let first = api.pay("well", "w").send().await;
            api.expire("acct-a", "well").await;
            (first, api.pay("well", "w").send().await)
        };
        assert_ne!(first.id(), second.id());
    })
    .await;
    on_right_designs(async |api| assert_eq!(failed_then_expired(api).await.1, 201)).await;
    // A row that is stuck is freed by its expiry, as any row.
    with_fault("key-stuck-in-progress", async |api| {
        assert_eq!(failed_then_expired(api).await, (1, 201));
    })
    .await;
}
