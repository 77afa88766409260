//! When two requests are the same one: what is compared, what is left out, and every difference that is declared by itself.

use super::stage::with_clauses;
use crate::sandbox::api::{Api, Seen};

const FIRST: &str = r#"{"amount":1,"currency":"EUR","reference":"r","lines":["a","b"]}"#;

/// Each way to write it, with the clause that is about it.
const WRITTEN: [(&str, &str); 7] = [
    (
        "members-reordered",
        r#"{"currency":"EUR","amount":1,"reference":"r","lines":["a","b"]}"#,
    ),
    (
        "whitespace",
        r#"{"amount": 1,"currency":"EUR","reference":"r","lines":["a","b"]}"#,
    ),
    (
        "number-form",
        r#"{"amount":1.0,"currency":"EUR","reference":"r","lines":["a","b"]}"#,
    ),
    (
        "null-member",
        r#"{"amount":1,"currency":"EUR","reference":"r","lines":["a","b"],"x":null}"#,
    ),
    (
        "array-reordered",
        r#"{"amount":1,"currency":"EUR","reference":"r","lines":["b","a"]}"#,
    ),
    (
        "unicode-escapes",
        r#"{"amount":1,"currency":"EUR","reference":"\u0072","lines":["a","b"]}"#,
    ),
    (
        "added-member",
        r#"{"amount":1,"currency":"EUR","reference":"r","lines":["a","b"],"x":1}"#,
    ),
];

async fn send(api: &Api, body: &str) -> Seen {
    api.post("/payments").key("k").text(body).send().await
}

async fn is_same(clauses: &[&str], body: &str) -> bool {
    let same = std::sync::Mutex::new(false);
    with_clauses("plain", clauses, async |api| {
        let first = send(api, FIRST).await;
        assert_eq!(first.status, 201);
        let second = send(api, body).await;
        assert!(
            second.is_replay() || second.status == 422,
            "{}",
            second.text()
        );
        *same.lock().unwrap() = second.is_replay();
    })
    .await;
    same.into_inner().unwrap()
}

#[tokio::test]
async fn without_a_word_the_meaning_of_the_json_counts() {
    for (how, body) in WRITTEN {
        let expected = matches!(
            how,
            "members-reordered" | "whitespace" | "number-form" | "unicode-escapes"
        );
        assert_eq!(is_same(&[], body).await, expected, "{how}");
        assert_eq!(is_same(&["fingerprint.covers=json"], body).await, expected);
    }
}

#[tokio::test]
async fn bytes_or_nothing_may_count_instead() {
    for (how, body) in WRITTEN {
        assert!(!is_same(&["fingerprint.covers=bytes"], body).await, "{how}");
        assert!(is_same(&["fingerprint.covers=none"], body).await, "{how}");
    }
    let another = r#"{"amount":2,"currency":"EUR"}"#;
    assert!(is_same(&["fingerprint.covers=none"], another).await);
    assert!(is_same(&["fingerprint.covers=bytes"], FIRST).await);
}

#[tokio::test]
async fn each_difference_counts_as_it_is_declared_and_no_other_does() {
    for (how, body) in WRITTEN {
        let (same, different) = (
            format!("fingerprint.{how}=same"),
            format!("fingerprint.{how}=different"),
        );
        assert!(
            is_same(&["fingerprint.covers=bytes", &same], body).await,
            "{how}"
        );
        assert!(
            !is_same(&["fingerprint.covers=json", &different], body).await,
            "{how}"
        );
        for (other, body) in WRITTEN.iter().filter(|(other, _)| *other != how) {
            let clauses = ["fingerprint.covers=bytes", &same];
            assert!(!is_same(&clauses, body).await, "{how} with {other}");
        }
    }
    // A member of the API that changes its value is no writing.
    let changed = FIRST.replace('1', "2");
    assert!(!is_same(&["fingerprint.added-member=same"], &changed).await);
}

#[tokio::test]
async fn members_that_are_ignored_may_change() {
    let clauses = ["fingerprint.ignores=[\"/lines/0\", \"/sent\"]"];
    let changed = FIRST
        .replace("[\"a\"", "[\"z\"")
        .replace('}', ",\"sent\":5}");
    assert!(is_same(&clauses, &changed).await);
    assert!(!is_same(&clauses, &changed.replace("EUR", "USD")).await);
}

#[tokio::test]
async fn headers_count_where_it_is_declared() {
    for (clause, header, value) in [
        (
            "content-type-charset",
            "Content-Type",
            "application/json; charset=utf-8",
        ),
        ("unrelated-header", "X-Trace", "1"),
    ] {
        for (word, same) in [("unspecified", true), ("same", true), ("different", false)] {
            let clause = format!("fingerprint.{clause}={word}");
            with_clauses("plain", &[&clause], async |api| {
                assert_eq!(send(api, FIRST).await.status, 201);
                let call = api.post("/payments").key("k").header(header, value);
                assert_eq!(call.text(FIRST).send().await.is_replay(), same, "{clause}");
            })
            .await;
        }
    }
}
