//! The wrong designs, each with the sequence that shows what is wrong with it, and what they get right all the same.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::time::Duration;

use doubletap::sandbox::{Design, Options};

use super::api::{Api, payment};
use super::stage::{MOMENT, SLOW, on_design, on_right_designs_with};

const WRONG: [Design; 4] = [
    Design::KeyAfterWork,
    Design::KeyInMemory,
    Design::LockWithoutOwner,
    Design::LeaseTooShort,
];

#[tokio::test]
async fn the_wrong_designs_look_right_one_request_at_a_time() {
    for design in WRONG {
        on_design(
            design,
            |_| {},
            async |api| {
                let first = api.pay("k", "r").send().await;
                assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
                assert_eq!(api.pay("k", "other").send().await.status, 422);
                let b = api.pay("k", "r").account("acct-b").send().await;
                assert!(!b.is_replay());
                assert_eq!(api.count("r").await, 1);
                assert_eq!(api.expire("acct-a", "k").await, 1);
                assert_eq!(api.pay("k", "r").send().await.status, 201);
                assert_eq!(api.count("r").await, 2);
                let failing = api.pay("f", "f").simulating("fail-after-once");
                assert_eq!(failing.clone().send().await.status, 500);
                assert_eq!(failing.send().await.status, 201);
                assert_eq!(api.count("f").await, 1);
            },
        )
        .await;
    }
}

/// A slow first request, and another one while it runs.
async fn overlap(api: &Api) -> u64 {
    let first = tokio::spawn(api.pay("k", "r").slowly(SLOW).send());
    tokio::time::sleep(MOMENT).await;
    let second = api.pay("k", "r").slowly(SLOW).send().await;
    assert_eq!(first.await.unwrap().status, 201);
    assert!([201, 409].contains(&second.status));
    api.count("r").await
}

#[tokio::test]
async fn key_after_work_and_lease_too_short_run_what_overlaps() {
    for design in [Design::KeyAfterWork, Design::LeaseTooShort] {
        on_design(
            design,
            |_| {},
            async |api| {
                assert_eq!(overlap(api).await, 2, "{design}");
                assert!(api.pay("k", "r").send().await.is_replay());
            },
        )
        .await;
    }
}

#[tokio::test]
async fn key_in_memory_holds_on_one_replica_and_not_on_two() {
    let two = |options: &mut Options| options.replicas = 2;
    on_design(Design::KeyInMemory, two, async |api| {
        assert_eq!(overlap(api).await, 1);
        let first = api.pay("k2", "r2").send().await;
        let second = api.at_replica(1, api.pay("k2", "r2")).send().await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert_ne!(first.id(), second.id());
        assert_eq!(api.count("r2").await, 2);
    })
    .await;
    on_right_designs_with(two, async |api| {
        let first = api.pay("k", "r").send().await;
        let second = api.at_replica(1, api.pay("k", "r")).send().await;
        assert!(first.is_replayed_by(&second));
        let slow = tokio::spawn(api.pay("k2", "r2").slowly(SLOW).send());
        tokio::time::sleep(MOMENT).await;
        let other = api.at_replica(1, api.pay("k2", "r2")).send().await;
        assert!(other.status == 409 || other.is_replay());
        assert_eq!(slow.await.unwrap().status, 201);
        assert_eq!(api.count("r2").await, 1);
    })
    .await;
}

#[tokio::test]
async fn lock_without_owner_runs_the_third_request() {
    on_design(
        Design::LockWithoutOwner,
        |_| {},
        async |api| {
            let first = tokio::spawn(api.pay("k", "r").slowly(SLOW).send());
            tokio::time::sleep(MOMENT).await;
            assert_eq!(api.pay("k", "r").send().await.status, 409);
            let third = api.pay("k", "r").send().await;
            assert_eq!((third.status, third.is_replay()), (201, false));
            assert_eq!(first.await.unwrap().status, 201);
            assert_eq!(api.count("r").await, 2);
        },
    )
    .await;
}

#[tokio::test]
async fn a_claim_that_nobody_ended_is_taken_over_and_has_one_effect() {
    // The lease ends while the first request still works: it must find that out and undo what it did.
    let short_lease = |options: &mut Options| options.lease = Some(Duration::from_millis(100));
    on_design(Design::ClaimFirst, short_lease, async |api| {
        let late = tokio::spawn(api.pay("k", "r").slowly(SLOW).send());
        tokio::time::sleep(MOMENT).await;
        let second = api.pay("k", "r").send().await;
        assert_eq!((second.status, second.is_replay()), (201, false));
        assert!(second.is_replayed_by(&late.await.unwrap()));
        assert_eq!(api.count("r").await, 1);
        assert_eq!(api.provider_calls("r").await, 1);
        // Another request under an abandoned key takes nothing over.
        let abandoned = tokio::spawn(api.pay("k2", "r2").slowly(SLOW).send());
        tokio::time::sleep(MOMENT).await;
        assert_eq!(
            api.post("/payments")
                .key("k2")
                .json(payment("else"))
                .send()
                .await
                .status,
            422
        );
        assert_eq!(abandoned.await.unwrap().status, 201);
    })
    .await;
}
