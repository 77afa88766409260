//! Stories of a provider that lets another body run under a taken key, in all situations that send one; each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Marker};
use crate::judge::Verdict::{Fail, Pass};

const ID: &str = "pay_7f3a9c21";
const OTHER: &str = "pay_b5e0d11f";
const THIRD: &str = "pay_c0ffee42";

fn runs(c: &mut Contract) {
    c.mismatch.value = Answer::Run;
    c.marker.value = Marker::None;
    c.in_progress.value = Answer::Unspecified;
}

#[test]
fn the_other_body_adds_one_effect_and_the_first_none() {
    let story = |changed: Got, between: i64, original: Got, end: i64| {
        Story::of("mismatch")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("changed", changed)
            .count("effects", &[("k", between)])
            .send("original", original)
            .count("end", &[("k", end)])
            .contract(runs)
            .verdict()
    };
    assert_eq!(story(ran(OTHER), 2, ran(ID), 2), Pass);
    // the first ran again, seen or unseen
    assert_eq!(story(ran(OTHER), 2, ran(THIRD), 3), Fail);
    assert_eq!(story(ran(OTHER), 2, ran(ID), 3), Fail);
    // the other body did more than one thing
    assert_eq!(story(ran(OTHER), 3, ran(ID), 3), Fail);
    // the first's result, and an effect all the same
    assert_eq!(story(ran(ID), 2, ran(ID), 2), Fail);
}

#[test]
fn while_the_first_is_in_progress_the_other_body_may_run_and_the_duplicate_may_not() {
    let story = |duplicate: Got, different: Got, effects: i64| {
        Story::of("in-progress")
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 310, duplicate)
            .during("different", 21, 40, different)
            .wait_ms(400)
            .count("effects", &[("k", effects)])
            .send("after", ran(ID))
            .count("end", &[("k", effects)])
            .contract(runs)
            .verdict()
    };
    assert_eq!(story(ran(ID), ran(OTHER), 2), Pass);
    assert_eq!(story(got(409, "{}"), ran(OTHER), 2), Pass);
    assert_eq!(story(ran(ID), ran(OTHER), 3), Fail);
    assert_eq!(story(ran(THIRD), ran(OTHER), 3), Fail);
    assert_eq!(story(ran(ID), got(409, "{}"), 2), Fail);
}

#[test]
fn of_two_bodies_in_a_race_one_has_one_result_and_there_are_no_more_effects_than_results() {
    let story = |copies: &[Got], one: &str, other: &str, effects: i64| {
        Story::of("races/mixed-bodies")
            .burst("one,other", copies)
            .send("one-later", ran(one))
            .send("other-later", ran(other))
            .count("effects", &[("k", effects)])
            .contract(runs)
            .check("concurrent:one")
            .verdict
    };
    let (fourth, fifth) = ("pay_d00d0004", "pay_d00d0005");
    // the key protects `one`; each `other` runs
    let copies = || [ran(ID), ran(OTHER), ran(ID), ran(THIRD)];
    assert_eq!(story(&copies(), ID, fourth, 4), Pass);
    assert_eq!(story(&copies(), ID, fourth, 5), Fail);
    // the key protects `other`, and `one` ran first to answer
    let copies = || [ran(OTHER), ran(ID), ran(THIRD), ran(ID)];
    assert_eq!(story(&copies(), fourth, ID, 4), Pass);
    // the key protects nothing
    let copies = || [ran(ID), ran(OTHER), ran(THIRD), ran(fourth)];
    assert_eq!(story(&copies(), ID, fifth, 5), Fail);
    // nor does it where only the repeats show that
    assert_eq!(story(&[ran(ID), ran(OTHER)], THIRD, fourth, 4), Fail);
    assert_eq!(story(&[ran(ID), replayed(OTHER)], ID, OTHER, 2), Pass);
}

/// The first, another body under its key, the first again; what was counted at the end.
fn original(changed: Got, again: Got, end: i64) -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", changed)
        .count("effects", &[("k", 2)])
        .send("original", again)
        .count("end", &[("k", end)])
        .contract(runs)
}

#[test]
fn the_effect_of_the_other_body_is_not_held_against_the_first() {
    let verdict = |story: Story| story.check("replay:original").verdict;
    let nameless = || got(201, "{}");
    assert_eq!(verdict(original(nameless(), ran(ID), 2)), Pass);
    assert_eq!(verdict(original(nameless(), ran(ID), 3)), Fail);
    // whether it ran is unknown: it may have
    assert_eq!(verdict(original(Got::Nothing, ran(ID), 2)), Pass);
    assert_eq!(verdict(original(got(422, "{}"), ran(ID), 2)), Fail);
    // the first again is no other body, whatever its reply says
    assert_eq!(verdict(original(ran(OTHER), ran(THIRD), 3)), Fail);
    let silent = original(ran(OTHER), nameless(), 3).check("replay:original");
    assert!(silent.violated.contains(&"one-effect".to_owned()));
    // what says that it is a replay had no effect of its own
    let marked = |c: &mut Contract| c.marker.value = super::story::contract().marker.value;
    let replay = super::story::with(nameless(), "idempotent-replayed", "true");
    let story = original(replay, replayed(ID), 2).contract(marked);
    assert_eq!(verdict(story), Fail);
    // where another body must not run, its effect is one too many for the key
    let never = original(ran(OTHER), ran(ID), 2).contract(|c| c.mismatch.value = refuse(422));
    assert_eq!(verdict(never), Fail);
}

#[test]
fn what_may_run_or_be_refused_may_run() {
    let either = |c: &mut Contract| {
        runs(c);
        c.mismatch.value = Answer::AnyOf(vec![refuse(422), Answer::Run]);
    };
    let story = |changed: Got, effects: i64| {
        Story::of("mismatch")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("changed", changed)
            .count("effects", &[("k", effects)])
            .send("original", ran(ID))
            .count("end", &[("k", effects)])
            .contract(either)
            .verdict()
    };
    assert_eq!(story(ran(OTHER), 2), Pass);
    assert_eq!(story(got(422, "{}"), 1), Pass);
    assert_eq!(story(ran(OTHER), 3), Fail);
}

#[test]
fn copies_of_one_body_have_one_result_whatever_another_body_may_do() {
    let story = |copies: &[Got], effects: i64| {
        Story::of("concurrent")
            .burst("copies", copies)
            .send("later", ran(ID))
            .count("effects", &[("k", effects)])
            .contract(runs)
            .check("concurrent:copies")
    };
    assert_eq!(story(&[ran(ID), ran(ID), ran(ID)], 1).verdict, Pass);
    let twice = story(&[ran(ID), ran(OTHER), ran(ID)], 1);
    assert_eq!(twice.violated, ["one-effect"]);
    // a copy without an identity is no second result
    let nameless = story(&[ran(ID), got(201, "{}"), ran(ID)], 2);
    assert!(nameless.violated.contains(&"one-effect".to_owned()));
}
