//! Claims: what happens to requests with one key that overlap, and to repeats of one that is done.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::time::Duration;

use doubletap::sandbox::Design;

use super::api::{Api, Seen};
use super::stage::{MOMENT, SLOW, on_right_designs, with_fault, with_fault_and};

/// Ten copies at once.
async fn burst(api: &Api, key: &str, reference: &str) -> Vec<Seen> {
    let copies: Vec<_> = (0..10)
        .map(|_| tokio::spawn(api.pay(key, reference).send()))
        .collect();
    let mut seen = Vec::new();
    for copy in copies {
        seen.push(copy.await.unwrap());
    }
    seen
}

/// A slow first request, and one that comes while it runs.
async fn overlap(api: &Api, key: &str, reference: &str) -> (Seen, Seen) {
    let first = tokio::spawn(api.pay(key, reference).slowly(SLOW).send());
    tokio::time::sleep(MOMENT).await;
    let second = api.pay(key, reference).send().await;
    (first.await.unwrap(), second)
}

#[tokio::test]
async fn ten_copies_at_once_have_one_effect_on_the_right_designs() {
    on_right_designs(async |api| {
        for round in 0..5 {
            let name = format!("round-{round}");
            let seen = burst(api, &name, &name).await;
            let first: Vec<&Seen> = seen
                .iter()
                .filter(|seen| seen.status == 201 && !seen.is_replay())
                .collect();
            assert_eq!(first.len(), 1);
            for other in seen.iter().filter(|seen| *seen != first[0]) {
                match api.design {
                    Design::OneTransaction => assert!(first[0].is_replayed_by(other)),
                    _ => assert!(other.status == 409 || first[0].is_replayed_by(other)),
                }
            }
            assert!(first[0].is_replayed_by(&api.pay(&name, &name).send().await));
            assert_eq!(api.count(&name).await, 1);
            assert_eq!(api.provider_calls(&name).await, 1);
        }
    })
    .await;
}

#[tokio::test]
async fn a_duplicate_in_progress_waits_or_is_refused_as_the_design_says() {
    on_right_designs(async |api| {
        let (first, second) = overlap(api, "k", "r").await;
        assert_eq!(first.status, 201);
        if api.design == Design::OneTransaction {
            assert!(first.is_replayed_by(&second));
        } else {
            assert_eq!(second.status, 409);
            assert_eq!(second.header("retry-after"), Some("1"));
            assert_eq!(
                second.header("content-type"),
                Some("application/problem+json")
            );
            assert!(!second.is_replay());
        }
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn another_body_in_progress_never_runs_on_the_right_designs() {
    on_right_designs(async |api| {
        let first = tokio::spawn(api.pay("k", "r").slowly(SLOW).send());
        tokio::time::sleep(MOMENT).await;
        let other = api.pay("k", "other").send().await;
        assert_eq!(other.status, 422);
        assert!(
            first
                .await
                .unwrap()
                .is_replayed_by(&api.pay("k", "r").send().await)
        );
        assert_eq!(api.count("other").await, 0);
    })
    .await;
}

#[tokio::test]
async fn check_then_insert_runs_every_copy_that_looks_inside_the_window() {
    with_fault("check-then-insert=200ms", async |api| {
        let seen = burst(api, "k", "r").await;
        let ran = seen
            .iter()
            .filter(|seen| seen.status == 201 && !seen.is_replay())
            .count();
        assert!(ran >= 2, "{ran}");
        assert_eq!(api.count("r").await, u64::try_from(ran).unwrap());
        // Afterwards it looks right.
        assert!(api.pay("k", "r").send().await.is_replay());
        let first = api.pay("later", "later").send().await;
        assert!(first.is_replayed_by(&api.pay("later", "later").send().await));
        assert_eq!(api.pay("later", "other").send().await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn check_then_insert_takes_short_windows_and_windows_on_the_cpu() {
    for window in [
        "check-then-insert=500us",
        "check-then-insert=500us-cpu",
        "check-then-insert",
    ] {
        with_fault(window, async |api| {
            let first = api.pay("k", "r").send().await;
            assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
            assert_eq!(api.count("r").await, 1);
        })
        .await;
    }
}

#[tokio::test]
async fn in_progress_ignored_runs_what_overlaps_and_replays_later() {
    with_fault("in-progress-ignored", async |api| {
        let (first, second) = overlap(api, "k", "r").await;
        assert_eq!((first.status, second.status), (201, 201));
        assert_ne!(first.id(), second.id());
        assert_eq!(api.count("r").await, 2);
        let later = api.pay("k", "r").send().await;
        assert!(first.is_replayed_by(&later) || second.is_replayed_by(&later));
        assert_eq!(api.count("r").await, 2);
        assert_eq!(api.pay("k", "other").send().await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn loser_5xx_runs_once_and_fails_whoever_loses_the_race() {
    with_fault("loser-5xx=200ms", async |api| {
        let seen = burst(api, "k", "r").await;
        assert_eq!(
            seen.iter()
                .filter(|seen| seen.status == 201 && !seen.is_replay())
                .count(),
            1
        );
        assert!(seen.iter().any(|seen| seen.status == 500));
        assert_eq!(api.count("r").await, 1);
        assert!(api.pay("k", "r").send().await.is_replay());
    })
    .await;
}

#[tokio::test]
async fn overwritten_record_refuses_the_first_client_after_a_mismatch() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        let other = api.pay("k", "other").send().await;
        assert_eq!(other.status, 422);
        let repeat = api.pay("k", "r").send().await;
        assert_eq!(api.count("other").await, 0);
        assert_eq!(api.count("r").await, 1);
        (first, repeat)
    };
    with_fault("overwritten-record", async |api| {
        let (first, repeat) = story(api).await;
        assert_eq!(repeat.status, 422);
        // That repeat has taken the record back.
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
    })
    .await;
    on_right_designs(async |api| {
        let (first, repeat) = story(api).await;
        assert!(first.is_replayed_by(&repeat));
    })
    .await;
}

#[tokio::test]
async fn in_progress_after_completion_refuses_repeats_for_a_while() {
    with_fault("in-progress-after-completion=2s", async |api| {
        let first = api.pay("k", "r").send().await;
        assert_eq!(first.status, 201);
        assert_eq!(api.pay("k", "r").send().await.status, 409);
        tokio::time::sleep(Duration::from_millis(2100)).await;
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        assert_eq!(api.count("r").await, 1);
    })
    .await;
    on_right_designs(async |api| {
        let first = api.pay("k", "r").send().await;
        for _ in 0..5 {
            assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        }
    })
    .await;
}

#[tokio::test]
async fn completion_never_recorded_outlasts_every_lease() {
    let short_lease = |options: &mut doubletap::sandbox::Options| {
        options.lease = Some(Duration::from_millis(1));
    };
    with_fault_and("completion-never-recorded", short_lease, async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(5)).await;
            assert_eq!(api.pay("k", "r").send().await.status, 409);
        }
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn key_stuck_in_progress_after_an_error() {
    let story = async |api: &Api| {
        let failed = api
            .pay("k", "r")
            .simulating("fail-before-once")
            .send()
            .await;
        assert_eq!(failed.status, 500);
        assert_eq!(api.count("r").await, 0);
        api.pay("k", "r")
            .simulating("fail-before-once")
            .send()
            .await
    };
    with_fault("key-stuck-in-progress", async |api| {
        assert_eq!(story(api).await.status, 409);
        assert_eq!(api.count("r").await, 0);
        // Also after an error whose effect was undone, and after a refusal.
        assert_eq!(
            api.pay("k2", "r2")
                .simulating("fail-after")
                .send()
                .await
                .status,
            500
        );
        assert_eq!(api.count("r2").await, 0);
        assert_eq!(api.pay("k2", "r2").send().await.status, 409);
        let first = api.pay("good", "good").send().await;
        assert!(first.is_replayed_by(&api.pay("good", "good").send().await));
    })
    .await;
    on_right_designs(async |api| {
        assert_eq!(story(api).await.status, 201);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn retry_after_is_missing_or_absurd() {
    for (fault, expected) in [
        ("retry-after-missing", None),
        ("retry-after-absurd", Some("31536000")),
        ("retry-after-absurd=7", Some("7")),
    ] {
        with_fault(fault, async |api| {
            let (first, second) = overlap(api, "k", "r").await;
            assert_eq!((first.status, second.status), (201, 409));
            assert_eq!(second.header("retry-after"), expected);
        })
        .await;
    }
}

#[tokio::test]
async fn a_duplicate_runs_if_the_first_one_fails() {
    on_right_designs(async |api| {
        let failing = api.pay("k", "r").slowly(SLOW).simulating("fail-after");
        let first = tokio::spawn(failing.send());
        tokio::time::sleep(MOMENT).await;
        let during = api.pay("k", "r").send().await;
        assert_eq!(first.await.unwrap().status, 500);
        let after = api.pay("k", "r").send().await;
        if api.design == Design::OneTransaction {
            assert_eq!((during.status, during.is_replay()), (201, false));
            assert!(during.is_replayed_by(&after));
        } else {
            assert_eq!(during.status, 409);
            assert_eq!((after.status, after.is_replay()), (201, false));
        }
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}
