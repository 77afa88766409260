//! Which keys are valid, and what each kind of other key gets.

use super::stage::with_clauses;
use crate::sandbox::api::Api;

#[tokio::test]
async fn lengths_characters_and_formats_are_as_declared() {
    let clauses = [
        "key.least=3",
        "key.most=5",
        "key.charset=a-c_-",
        "malformed.too-short.refuse.status=[411]",
        "malformed.too-long.refuse.status=[413]",
        "malformed.charset.refuse.status=[415]",
        "malformed.empty.refuse.status=[416]",
        "malformed.twice.refuse.status=[417]",
        "malformed.form.refuse.status=[418]",
    ];
    with_clauses("plain", &clauses, async |api| {
        for (key, status) in [
            ("abc", 201),
            ("a-_bc", 201),
            ("ab", 411),
            ("abcabc", 413),
            ("abd", 415),
            ("", 416),
            ("abc, abc", 417),
            ("\"abc\"", 418),
        ] {
            assert_eq!(
                api.pay(key, key.trim()).send().await.status,
                status,
                "{key}"
            );
        }
    })
    .await;
    let clauses = ["key.format=uuid-v4", "malformed.form.refuse.status=[418]"];
    with_clauses("plain", &clauses, async |api| {
        for (key, status) in [
            ("7f3f4b1e-6a0f-4c63-9d0b-0f6f0f1d2a11", 201),
            ("01890a5d-ac96-774b-bcce-b302099a8057", 418),
            ("7f3f4b1e6a0f4c639d0b0f6f0f1d2a11", 418),
        ] {
            assert_eq!(api.pay(key, "r").send().await.status, status, "{key}");
        }
    })
    .await;
}

/// The statuses of two equal requests under a long key, and how often they ran.
async fn twice(api: &Api) -> (u16, u16, u64) {
    let key = "k".repeat(300);
    let (one, other) = (
        api.pay(&key, "r").send().await,
        api.pay(&key, "r").send().await,
    );
    (one.status, other.status, api.count("r").await)
}

#[tokio::test]
async fn a_key_that_is_not_valid_is_taken_ignored_or_refused() {
    for (answer, expected) in [
        ("malformed.too-long=accept", (201, 201, 1)),
        ("malformed.too-long=run", (201, 201, 2)),
        ("malformed.too-long=unspecified", (400, 400, 0)),
        ("malformed.too-long.refuse.status=[\"4xx\"]", (400, 400, 0)),
    ] {
        let clauses = ["key.most=64", answer];
        with_clauses("plain", &clauses, async |api| {
            assert_eq!(twice(api).await, expected, "{answer}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_greatest_length_beyond_the_usual_one_holds() {
    with_clauses("plain", &["key.most=1000"], async |api| {
        assert_eq!(twice(api).await, (201, 201, 1));
        assert_eq!(api.expire("acct-a", &"k".repeat(300)).await, 1);
        assert_eq!(twice(api).await, (201, 201, 2));
    })
    .await;
}

#[tokio::test]
async fn case_matters_unless_it_is_said_otherwise() {
    for (clause, replayed) in [
        ("key.case-sensitive=true", false),
        ("key.case-sensitive=false", true),
    ] {
        with_clauses("plain", &[clause], async |api| {
            assert_eq!(api.pay("Key", "r").send().await.status, 201);
            assert_eq!(api.pay("kEY", "r").send().await.is_replay(), replayed);
        })
        .await;
    }
}
