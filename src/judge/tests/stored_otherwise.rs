//! Stories of a stored error that meets the corrected request, or comes back otherwise than it was.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, with};
use crate::contract::{Answer, Contract, Storage};
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

fn error(status: u16, code: &str) -> Got {
    got(status, &format!(r#"{{"code":"{code}"}}"#))
}

/// A validation error, and what the corrected request got under its key.
fn corrected(storage: Storage, first: Got, second: Got, effects: i64) -> Story {
    Story::of("storage/validation")
        .send("refused", first)
        .count("before", &[("k", 0)])
        .send("corrected", second)
        .count("effects", &[("k", effects)])
        .contract(move |c| c.stored.validation.value = storage)
}

fn check(story: Story) -> CheckResult {
    story.check("stored:corrected")
}

#[test]
fn the_first_refusal_again_is_no_answer_to_the_corrected_request() {
    let story = |second: Got| check(corrected(Storage::Stored, error(422, "amount"), second, 0));
    // the word for another request has the same status, and says something else
    assert_eq!(story(error(422, "key-taken")).verdict, Pass);
    let again = story(error(422, "amount"));
    assert_eq!(
        (again.verdict, again.clause.unwrap().name.as_str()),
        (Fail, "mismatch")
    );
    assert!(
        again.observed.contains("the first refusal again"),
        "{}",
        again.observed
    );
}

#[test]
fn a_refusal_that_is_neither_is_held_to_what_is_declared_for_another_request() {
    let story = || corrected(Storage::Stored, error(400, "amount"), error(404, "gone"), 0);
    let neither = check(story());
    assert_eq!(
        (neither.verdict, neither.clause.unwrap().name.as_str()),
        (Fail, "mismatch")
    );
    assert!(
        !neither.observed.contains("again") && !neither.observed.contains("ran"),
        "{}",
        neither.observed
    );
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    assert_eq!(check(story().contract(open)).verdict, Pass);
    let ran = check(corrected(
        Storage::Stored,
        error(400, "amount"),
        ran("pay_7f3a9c21"),
        1,
    ));
    assert_eq!(
        (ran.verdict, ran.clause.unwrap().name.as_str()),
        (Fail, "stored.validation")
    );
    assert!(
        ran.observed.contains("the corrected request ran"),
        "{}",
        ran.observed
    );
}

#[test]
fn a_gateway_says_nothing_of_what_is_stored() {
    for storage in [Storage::Stored, Storage::NotStored] {
        for status in [502, 504] {
            let story = corrected(storage, error(400, "amount"), got(status, ""), 0);
            assert_eq!(check(story).verdict, Inconclusive);
        }
    }
}

#[test]
fn a_burnt_key_is_told_apart_from_the_old_error() {
    let story = |second: Got| {
        check(corrected(
            Storage::NotStored,
            error(400, "amount"),
            second,
            0,
        ))
    };
    let old = story(error(400, "amount"));
    assert_eq!(old.verdict, Fail);
    assert!(
        old.observed.contains("the old error came back"),
        "{}",
        old.observed
    );
    let burnt = story(error(404, "gone"));
    assert_eq!(burnt.verdict, Fail);
    assert!(
        burnt.observed.contains("the key was burnt"),
        "{}",
        burnt.observed
    );
}

#[test]
fn a_stored_decline_comes_again_with_its_status_and_its_body() {
    let story = |second: Got| {
        Story::of("storage/business-error")
            .send("refused", error(402, "declined"))
            .count("before", &[("k", 0)])
            .send("repeat", with(second, "idempotent-replayed", "true"))
            .count("effects", &[("k", 0)])
            .contract(|c| c.stored.business.value = Storage::Stored)
            .check("stored:repeat")
    };
    assert_eq!(story(error(402, "declined")).verdict, Pass);
    let status = story(error(403, "declined"));
    assert_eq!(status.verdict, Fail);
    assert!(
        status.observed.contains("another result"),
        "{}",
        status.observed
    );
    let body = story(error(402, "expired"));
    assert_eq!(body.verdict, Fail);
    assert!(
        body.observed.contains("the same status with another body"),
        "{}",
        body.observed
    );
    assert_eq!(status.expected, "stored: the same again");
}

#[test]
fn how_often_it_ran_is_judged_only_where_one_effect_is_promised() {
    let story = || {
        corrected(
            Storage::NotStored,
            error(400, "amount"),
            ran("pay_7f3a9c21"),
            2,
        )
    };
    assert_eq!(story().verdict(), Fail);
    assert_eq!(
        story().contract(|c| c.one_effect.value = false).verdict(),
        Pass
    );
}
