//! Stories of a request sent twice whose fate counts, identities or the marker tell.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::Answer;
use crate::judge::Verdict::{Fail, Inconclusive, Pass};
use crate::judge::{CheckResult, Verdict};

const ID: &str = "pay_7f3a9c21";

/// Sent twice without a key; `effects` is what was counted of the intent in the end.
fn told(answer: Answer, first: Got, second: Got, effects: i64) -> Story {
    Story::of("control/unkeyed")
        .send("first", first)
        .count("before", &[("k", 1)])
        .send("second", second)
        .count("effects", &[("k", effects)])
        .contract(|c| c.missing.value = answer)
}

fn check(story: Story) -> CheckResult {
    story.check("unkeyed:second")
}

fn verdict(story: Story) -> Verdict {
    check(story).verdict
}

#[test]
fn without_counts_and_identities_the_marker_tells() {
    let nameless = || got(201, "{}");
    let marked = || with(nameless(), "idempotent-replayed", "true");
    let story = |second: Got| told(Answer::Replay, nameless(), second, 1).uncounted();
    assert_eq!(verdict(story(marked())), Pass);
    assert_eq!(verdict(story(nameless())), Inconclusive);
}

#[test]
fn a_counter_by_the_key_alone_says_nothing_of_requests_without_one() {
    let by_key = |s: &mut crate::journal::Start| {
        let counter = s.operations[0].counter.as_mut().unwrap();
        (counter.by_key, counter.by_reference) = (true, false);
    };
    let story = |effects: i64| told(Answer::Replay, ran(ID), replayed(ID), effects);
    assert_eq!(verdict(story(1)), Pass);
    assert_eq!(verdict(story(2)), Fail);
    // everybody's effects without a key, or nobody's
    assert_eq!(verdict(story(7).start(by_key)), Pass);
    assert_eq!(verdict(story(0).start(by_key)), Pass);
    let keyed = |effects: i64| {
        Story::of("syntax/key-shapes")
            .case("at-maximum")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("again", replayed(ID))
            .count("effects", &[("k", effects)])
            .contract(|c| c.key.value.most = Some(255))
            .start(by_key)
            .verdict()
    };
    assert_eq!(keyed(1), Pass);
    assert_eq!(keyed(2), Fail);
}

#[test]
fn a_refused_repeat_that_was_carried_out_is_no_run_that_was_declared() {
    let story = |second: Got| told(Answer::Run, ran(ID), second, 2);
    assert_eq!(verdict(story(ran("pay_b5e0d11f"))), Pass);
    assert_eq!(verdict(story(got(400, "{}"))), Fail);
}

#[test]
fn what_is_no_answer_to_the_request_leaves_its_fate_open() {
    let refused = || refuse(400);
    let twice = |answer: fn() -> Got| verdict(told(refused(), answer(), answer(), 0));
    assert_eq!(twice(|| got(400, "{}")), Pass);
    assert_eq!(twice(|| got(422, "{}")), Fail);
    assert_eq!(twice(|| got(301, "")), Fail);
    assert_eq!(twice(|| got(502, "")), Inconclusive);
}

#[test]
fn effects_are_counted_in_whole_ones_and_told() {
    let story = |effects: i64| {
        Story::bare("control/unkeyed")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", ran("ctl_one_0001"))
            .count("one", &[("k1", 2), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("fresh", ran("ctl_two_0002"))
            .send("changed", ran("ctl_chg_0003"))
            .send("second-account", ran("ctl_acc_0004"))
            .count("all", &[("k1", 2), ("k2", 2), ("kc", 2), ("kb@b", 2)])
            .end()
            .send("first", ran(ID))
            .count("before", &[("k", 2)])
            .send("second", replayed(ID))
            .count("effects", &[("k", effects)])
            .contract(|c| c.missing.value = Answer::Replay)
    };
    let one = check(story(2));
    assert_eq!(one.verdict, Pass);
    assert!(one.observed.contains("one effect"), "{}", one.observed);
    let two = check(story(4));
    assert_eq!(two.verdict, Fail);
    assert!(two.observed.contains("it ran twice"), "{}", two.observed);
}
