//! Stories of the situation stored, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed, with};
use crate::contract::{Contract, Storage};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass};

fn no(status: u16) -> Got {
    got(status, r#"{"code":"no"}"#)
}

fn again(status: u16) -> Got {
    with(no(status), "idempotent-replayed", "true")
}

fn told(drill: &str, names: [&str; 2], answers: [Got; 2], effects: [i64; 2]) -> Story {
    let [first, second] = answers;
    Story::of(drill)
        .send(names[0], first)
        .count("before", &[("k", effects[0])])
        .send(names[1], second)
        .count("effects", &[("k", effects[1])])
}

fn all(storage: Storage) -> impl FnOnce(&mut Contract) {
    move |c| {
        let s = &mut c.stored;
        for clause in [
            &mut s.validation,
            &mut s.business,
            &mut s.auth,
            &mut s.rate_limited,
            &mut s.server_error,
        ] {
            clause.value = storage;
        }
    }
}

use Storage::{NotStored, Stored, Unspecified};

#[test]
fn a_business_error_comes_again_or_runs_again() {
    let story = |storage: Storage, second: Got, effects: i64| {
        told(
            "storage/business-error",
            ["refused", "repeat"],
            [no(402), second],
            [0, effects],
        )
        .contract(all(storage))
        .verdict()
    };
    assert_eq!(story(Stored, again(402), 0), Pass);
    assert_eq!(story(Stored, no(402), 0), Fail); // without the marker
    assert_eq!(story(Stored, ran("pay_1"), 1), Fail);
    assert_eq!(story(Stored, again(402), 1), Fail); // the work was done behind it
    assert_eq!(story(NotStored, ran("pay_1"), 1), Pass);
    assert_eq!(story(NotStored, no(402), 0), Pass);
    assert_eq!(story(NotStored, again(402), 0), Fail);
    assert_eq!(story(Unspecified, ran("pay_1"), 1), Observed);
    assert_eq!(story(Unspecified, ran("pay_1"), 2), Fail);
}

#[test]
fn after_a_validation_error_the_corrected_request_gets_what_is_declared() {
    let story = |storage: Storage, second: Got, effects: i64| {
        told(
            "storage/validation",
            ["refused", "corrected"],
            [no(400), second],
            [0, effects],
        )
        .contract(all(storage))
        .verdict()
    };
    assert_eq!(story(NotStored, ran("pay_1"), 1), Pass);
    assert_eq!(story(NotStored, no(400), 0), Fail);
    assert_eq!(story(NotStored, no(422), 0), Fail);
    assert_eq!(story(NotStored, ran("pay_1"), 0), Inconclusive);
    assert_eq!(story(Stored, no(422), 0), Pass);
    assert_eq!(story(Stored, ran("pay_1"), 1), Fail);
    assert_eq!(story(Stored, again(400), 0), Fail);
    assert_eq!(story(Unspecified, no(422), 0), Observed);
}

#[test]
fn a_401_does_not_burn_the_key_where_that_is_declared() {
    let story = |storage: Storage, second: Got, effects: i64| {
        told(
            "storage/auth-error",
            ["refused", "authorised"],
            [no(401), second],
            [0, effects],
        )
        .contract(all(storage))
        .verdict()
    };
    assert_eq!(story(NotStored, ran("pay_1"), 1), Pass);
    assert_eq!(story(NotStored, no(401), 0), Fail);
    assert_eq!(story(NotStored, no(409), 0), Inconclusive);
    assert_eq!(story(Stored, again(401), 0), Pass);
}

#[test]
fn a_429_is_held_against_the_key_only_once_a_client_has_waited_long() {
    let story = |second: Got, effects: i64| {
        told(
            "storage/rate-limited",
            ["refused", "later"],
            [no(429), second],
            [0, effects],
        )
        .contract(all(NotStored))
        .verdict()
    };
    assert_eq!(story(ran("pay_1"), 1), Pass);
    assert_eq!(story(no(429), 0), Inconclusive);
    assert_eq!(story(again(429), 0), Fail);
}

#[test]
fn a_5xx_leads_to_one_effect_and_to_what_is_declared() {
    let of = |case: &str, storage: Storage, second: Got, effects: [i64; 2]| {
        Story::of("storage/server-error")
            .case(case)
            .send("failed", no(500))
            .count("before", &[("k", effects[0])])
            .send("repeat", second)
            .count("effects", &[("k", effects[1])])
            .contract(all(storage))
            .verdict()
    };
    let story = |storage, second, effects| of("after-effect", storage, second, effects);
    // what fails before its effect has none that could come late
    assert_eq!(of("before-effect", Stored, again(500), [0, 0]), Pass);
    assert_eq!(of("before-effect", Stored, again(500), [0, 1]), Fail);
    assert_eq!(story(Stored, again(500), [0, 1]), Inconclusive);
    assert_eq!(story(Stored, again(500), [1, 1]), Pass);
    assert_eq!(story(Stored, ran("pay_1"), [0, 1]), Fail);
    assert_eq!(story(NotStored, ran("pay_1"), [0, 1]), Pass);
    assert_eq!(story(NotStored, ran("pay_1"), [1, 2]), Fail);
    assert_eq!(story(NotStored, no(500), [1, 2]), Fail);
    assert_eq!(story(NotStored, replayed("pay_1"), [1, 1]), Pass);
    // the record survived and the work did not: a stored success of nothing
    assert_eq!(story(NotStored, replayed("pay_1"), [0, 0]), Fail);
    assert_eq!(story(NotStored, ran("pay_1"), [0, 0]), Inconclusive);
    assert_eq!(story(Unspecified, ran("pay_1"), [1, 2]), Fail);
}

#[test]
fn a_request_that_was_to_fail_and_did_not_says_nothing() {
    let story = told(
        "storage/business-error",
        ["refused", "repeat"],
        [ran("pay_1"), replayed("pay_1")],
        [1, 1],
    );
    assert_eq!(story.contract(all(Stored)).verdict(), Inconclusive);
    let other = told(
        "storage/business-error",
        ["refused", "repeat"],
        [no(400), no(400)],
        [0, 0],
    )
    .start(|s| {
        s.operations[0].expect.insert("declined".into(), vec![402]);
    })
    .contract(all(Stored));
    assert_eq!(other.verdict(), Inconclusive);
}

#[test]
fn a_burnt_key_may_say_so_in_the_words_for_in_progress_where_both_are_declared_alike() {
    let story = |storage: Storage, second: Got, effects: i64| {
        told(
            "storage/validation",
            ["refused", "corrected"],
            [no(400), second],
            [0, effects],
        )
        .contract(all(storage))
        .contract(|c| c.mismatch.value = c.in_progress.value.clone())
        .verdict()
    };
    assert_eq!(story(Stored, no(409), 0), Pass);
    assert_eq!(story(Stored, no(409), 2), Fail);
    assert_eq!(story(Stored, ran("pay_1"), 1), Fail);
    // one that must not be burnt may still be in progress, and is asked again until the bound is over
    assert_eq!(story(NotStored, no(409), 0), Inconclusive);
}

#[test]
fn a_burnt_key_is_burnt_also_where_bodies_are_not_compared() {
    let story = |second: Got, effects: i64| {
        told(
            "storage/validation",
            ["refused", "corrected"],
            [no(400), second],
            [0, effects],
        )
        .contract(all(NotStored))
        .contract(|c| c.fingerprint.covers.value = crate::contract::Covers::None)
        .verdict()
    };
    assert_eq!(story(ran("pay_1"), 1), Pass);
    assert_eq!(story(no(400), 0), Fail);
}

#[test]
fn the_clause_is_that_of_the_class_of_the_first_error() {
    let clause = |drill: &str, names: [&str; 2], status: u16| {
        let story = told(drill, names, [no(status), ran("pay_1")], [0, 1]);
        let check = story
            .contract(all(Stored))
            .check(&format!("stored:{}", names[1]));
        assert_eq!(check.verdict, Fail, "{drill} {status}");
        check.clause.unwrap().name
    };
    let auth = |status| clause("storage/auth-error", ["refused", "authorised"], status);
    let validation = |status| clause("storage/validation", ["refused", "corrected"], status);
    let business = |status| clause("storage/business-error", ["refused", "repeat"], status);
    for status in [401, 403, 400] {
        assert_eq!(auth(status), "stored.auth", "{status}");
    }
    assert_eq!(validation(401), "stored.auth");
    assert_eq!(validation(400), "stored.validation");
    assert_eq!(validation(402), "stored.business");
    assert_eq!(business(409), "stored.business");
    assert_eq!(business(429), "stored.rate-limited");
}

#[test]
fn a_stored_error_comes_back_as_it_was() {
    let story = |first: &str, second: &str| {
        let second = with(got(402, second), "idempotent-replayed", "true");
        told(
            "storage/business-error",
            ["refused", "repeat"],
            [got(402, first), second],
            [0, 0],
        )
        .contract(all(Stored))
        .verdict()
    };
    assert_eq!(story(r#"{"a":1}"#, r#"{ "a": 1 }"#), Pass);
    assert_eq!(story("declined", "declined"), Pass);
    assert_eq!(story(r#"{"a":1}"#, r#"{"a":2}"#), Fail);
    assert_eq!(story("declined", "refused"), Fail);
}

#[test]
fn a_limit_that_lasts_as_long_as_a_request_may_be_in_progress_has_burnt_the_key() {
    let story = |tries: usize| {
        Story::of("storage/rate-limited")
            .send("refused", no(429))
            .count("before", &[("k", 0)])
            .retry("later", 3000, &vec![no(429); tries])
            .count("effects", &[("k", 0)])
            .contract(all(NotStored))
            .verdict()
    };
    assert_eq!(story(9), Inconclusive);
    assert_eq!(story(10), Fail);
}
