//! What a report says that a clause declares, in the words of its reader.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::contract::{Contract, Covers, Sameness, Storage};
use crate::judge::CheckResult;

const ID: &str = "pay_7f3a9c21";

fn declared(check: CheckResult) -> (String, String) {
    let clause = check.clause.unwrap();
    (clause.name, clause.declared)
}

fn replay(second: Got, effects: i64) -> CheckResult {
    Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", second)
        .send("again", replayed(ID))
        .count("effects", &[("k", effects)])
        .check("replay:repeat")
}

fn written(case: &str, change: fn(&mut Contract)) -> CheckResult {
    Story::of("fingerprint/written-otherwise")
        .case(case)
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("second", got(422, "{}"))
        .count("effects", &[("k", 1)])
        .send("probe", ran("pay_probe"))
        .contract(change)
        .check("same-request:second")
}

fn refused(storage: Storage) -> CheckResult {
    Story::of("storage/validation")
        .send("refused", got(400, "{}"))
        .count("before", &[("k", 0)])
        .send("corrected", got(422, "{}"))
        .count("effects", &[("k", 0)])
        .contract(move |c| c.stored.validation.value = storage)
        .check("stored:corrected")
}

fn other_account() -> CheckResult {
    Story::of("other-account")
        .case("b-first")
        .send("first", ran(ID))
        .count("before", &[("k@b", 1), ("k", 0)])
        .send("second", replayed(ID))
        .count("effects", &[("k@b", 1), ("k", 0)])
        .send("probe", ran("pay_probe"))
        .check("nothing-leaks:second")
}

fn near_keys() -> CheckResult {
    Story::of("syntax/near-keys")
        .case("prefix")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("j", 0)])
        .send("second", replayed(ID))
        .count("effects", &[("k", 1), ("j", 0)])
        .check("distinct-keys:second")
}

#[test]
fn a_violated_clause_is_told_in_words() {
    for (check, name, words) in [
        (replay(got(400, "{}"), 1), "replay", "the first reply again"),
        (
            replay(ran(ID), 1),
            "marker",
            "Idempotent-Replayed: true on replays",
        ),
        (
            replay(replayed(ID), 2),
            "one-effect",
            "one key has one effect",
        ),
        (
            replay(got(500, ""), 1),
            "no-server-error",
            "a duplicate never gets a 5xx other than 502, 503 and 504",
        ),
        (
            other_account(),
            "isolation",
            "nothing made for one account reaches another",
        ),
        (near_keys(), "key", "keys that differ are different keys"),
        (
            written("whitespace", |c| {
                c.fingerprint.whitespace.value = Sameness::Same
            }),
            "fingerprint.whitespace",
            "the same request",
        ),
        (
            written("whitespace", |c| {
                c.fingerprint.whitespace.value = Sameness::Different
            }),
            "fingerprint.whitespace",
            "another request",
        ),
        (
            written("whitespace", |_| {}),
            "fingerprint.covers",
            "unspecified",
        ),
        (
            written("unicode-escapes", |c| {
                c.fingerprint.covers.value = Covers::Json
            }),
            "fingerprint.covers",
            "the meaning of the JSON body is compared",
        ),
        (
            written("unicode-escapes", |c| {
                c.fingerprint.covers.value = Covers::Bytes
            }),
            "fingerprint.covers",
            "the bytes of the body are compared",
        ),
        (
            written("ignored-member", |c| {
                c.fingerprint.ignores.value = vec!["/sent_at".into(), "/trace".into()];
            }),
            "fingerprint.ignores",
            "/sent_at, /trace",
        ),
        (
            refused(Storage::NotStored),
            "stored.validation",
            "not stored",
        ),
        (
            refused(Storage::Unspecified),
            "stored.validation",
            "unspecified",
        ),
        (refused(Storage::Stored), "stored.validation", "stored"),
    ] {
        assert_eq!(declared(check), (name.to_owned(), words.to_owned()));
    }
}

#[test]
fn a_marker_without_declared_values_is_told_by_its_name() {
    let check = Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", ran(ID))
        .send("again", ran(ID))
        .count("effects", &[("k", 1)])
        .contract(|c| {
            if let crate::contract::Marker::Header { replay, .. } = &mut c.marker.value {
                replay.clear();
            }
        })
        .check("replay:repeat");
    assert_eq!(
        declared(check),
        ("marker".into(), "Idempotent-Replayed on replays".into())
    );
}
