//! What is stored, for how long, how it comes back, and by which header that is told.

use std::time::Duration;

use doubletap::cli::sandbox_policy::declared;
use doubletap::sandbox::Options;
use serde_json::json;

use super::stage::{let_expire, meanwhile, with_clauses};
use crate::sandbox::api::{Api, Call, payment};

/// Whether the repeat of a request is a replay.
async fn repeats(clause: &str, call: impl Fn(&Api) -> Call) -> (u16, bool) {
    let seen = std::sync::Mutex::new((0, false));
    with_clauses("plain", &[clause], async |api| {
        let first = call(api).send().await;
        *seen.lock().unwrap() = (first.status, call(api).send().await.is_replay());
    })
    .await;
    seen.into_inner().unwrap()
}

#[tokio::test]
async fn each_class_of_results_is_stored_as_declared() {
    type Class = (&'static str, u16, bool, fn(&Api) -> Call);
    let classes: [Class; 5] = [
        ("success", 201, true, |api| api.pay("k", "r")),
        ("validation", 400, false, |api| {
            api.post("/payments").key("k").json(json!({ "amount": 0 }))
        }),
        ("business", 402, true, |api| {
            api.pay("k", "r").simulating("declined")
        }),
        ("rate-limited", 429, false, |api| {
            api.pay("k", "r").simulating("rate-limited-once")
        }),
        ("server-error", 500, false, |api| {
            api.pay("k", "r").simulating("fail-after-once")
        }),
    ];
    for (class, status, usual, call) in classes {
        for (word, stored) in [
            ("stored", true),
            ("not-stored", false),
            ("unspecified", usual),
        ] {
            let clause = format!("stored.{class}={word}");
            assert_eq!(repeats(&clause, call).await, (status, stored), "{clause}");
        }
    }
}

#[tokio::test]
async fn a_refusal_of_bad_credentials_burns_the_key_only_where_that_is_declared() {
    for (clause, status) in [("stored.auth=stored", 401), ("stored.auth=not-stored", 201)] {
        with_clauses("plain", &[clause], async |api| {
            let bad = api.pay("k", "r").account("acct-x").send().await;
            assert_eq!(bad.status, 401);
            assert_eq!(api.pay("k", "r").send().await.status, status, "{clause}");
            // Who has a record already keeps it.
            let first = api.pay("j", "r").send().await;
            assert_eq!(api.pay("j", "r").account("acct-x").send().await.status, 401);
            assert!(first.is_replayed_by(&api.pay("j", "r").send().await));
        })
        .await;
    }
}

#[tokio::test]
async fn an_expired_key_runs_is_refused_or_replays_for_ever() {
    for (clause, status, replay) in [
        ("after-retention=run", 201, false),
        ("after-retention=unspecified", 201, false),
        ("after-retention=replay", 201, true),
        ("after-retention.refuse.status=[418]", 418, false),
    ] {
        with_clauses("plain", &[clause], async |api| {
            assert_eq!(api.pay("k", "r").send().await.status, 201);
            assert_eq!(api.expire("acct-a", "k").await, 1);
            let again = api.pay("k", "r").send().await;
            assert_eq!(
                (again.status, again.is_replay()),
                (status, replay),
                "{clause}"
            );
        })
        .await;
    }
}

#[tokio::test]
async fn a_key_is_kept_as_long_as_declared_unless_the_sandbox_is_told_otherwise() {
    let replays = async |api: &Api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        let_expire().await;
        api.pay("k", "r").send().await.is_replay()
    };
    for (clause, kept) in [
        ("retention.at-least=300ms", false),
        ("retention.at-most=300ms", false),
        ("retention.at-least=1h", true),
    ] {
        with_clauses("plain", &[clause], async |api| {
            assert_eq!(replays(api).await, kept, "{clause}");
        })
        .await;
    }
    let short = Some(Duration::from_millis(300));
    let options = Options {
        policy: Some(declared("stripe", &[], short).unwrap()),
        ..Options::default()
    };
    let api = Api::start(options).await;
    assert!(!replays(&api).await);
}

#[tokio::test]
async fn the_marker_is_the_declared_one_on_replays_and_on_first_replies() {
    for (clause, name, first, replay) in [
        ("marker=none", "idempotent-replayed", None, None),
        (
            "marker.header={ name = \"X-Cache\" }",
            "x-cache",
            None,
            Some("true"),
        ),
        (
            "marker.header={ name = \"X-Cache\", replay = [\"HIT\"], first = [\"MISS\"] }",
            "x-cache",
            Some("MISS"),
            Some("HIT"),
        ),
        (
            "marker.always={ name = \"X-Key\" }",
            "x-key",
            Some("k"),
            Some("k"),
        ),
    ] {
        with_clauses("plain", &[clause], async |api| {
            let (one, other) = (
                api.pay("k", "r").send().await,
                api.pay("k", "r").send().await,
            );
            assert_eq!(
                (one.header(name), other.header(name)),
                (first, replay),
                "{clause}"
            );
            assert_eq!(one.id(), other.id());
            let without = api.post("/payments").json(payment("r")).send().await;
            assert_eq!(without.header(name), None);
        })
        .await;
    }
}

#[tokio::test]
async fn a_duplicate_may_run_while_the_first_is_in_progress_and_another_body_at_any_time() {
    with_clauses("plain", &["in-progress=run"], async |api| {
        let (first, second) = meanwhile(api, "k", api.pay("k", "slow")).await;
        assert_eq!((first.status, second.status), (201, 201));
        assert_ne!(first.id(), second.id());
        assert!(first.is_replayed_by(&api.pay("k", "slow").send().await));
    })
    .await;
    with_clauses("plain", &["mismatch=run"], async |api| {
        let first = api.pay("k", "r").send().await;
        assert_eq!(api.pay("k", "other").send().await.status, 201);
        assert_eq!(api.count("other").await, 1);
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
    })
    .await;
}

#[tokio::test]
async fn a_wait_ends_at_the_declared_bound() {
    with_clauses(
        "plain",
        &["in-progress=wait", "in-progress-for=300ms"],
        async |api| {
            let (first, second) = meanwhile(api, "k", api.pay("k", "slow")).await;
            assert_eq!((first.status, second.status), (201, 409));
        },
    )
    .await;
}
