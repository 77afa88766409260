//! Stories of the situation mismatch, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, BodyMatch, Contract};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn told(changed: Got, effects: i64) -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", changed)
        .count("effects", &[("k", effects)])
        .send("original", replayed(ID))
        .count("end", &[("k", effects)])
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("mismatch:changed").verdict
}

#[test]
fn the_declared_refusal_without_a_new_effect_passes() {
    assert_eq!(verdict(told(got(422, "{}"), 1)), Pass);
}

#[test]
fn the_declared_refusal_with_a_new_effect_fails() {
    assert_eq!(verdict(told(got(422, "{}"), 2)), Fail);
}

#[test]
fn the_first_reply_for_another_body_fails_and_so_does_a_new_result() {
    assert_eq!(verdict(told(replayed(ID), 1)), Fail);
    assert_eq!(verdict(told(ran("pay_other_1"), 2)), Fail);
    assert_eq!(verdict(told(ran("pay_other_1"), 2).uncounted()), Fail);
    let replay = |c: &mut Contract| c.mismatch.value = Answer::Replay;
    assert_eq!(verdict(told(replayed(ID), 1).contract(replay)), Pass);
    let run = |c: &mut Contract| c.mismatch.value = Answer::Run;
    assert_eq!(verdict(told(ran("pay_other_1"), 2).contract(run)), Pass);
    assert_eq!(verdict(told(ran("pay_other_1"), 3).contract(run)), Fail);
}

#[test]
fn another_status_fails_or_warns_as_the_part_is_declared() {
    assert_eq!(verdict(told(got(400, "{}"), 1)), Fail);
    let should = |c: &mut Contract| c.mismatch.should_parts = vec!["status".into()];
    assert_eq!(verdict(told(got(400, "{}"), 1).contract(should)), Warn);
    // the effect stays a must
    assert_eq!(verdict(told(got(400, "{}"), 2).contract(should)), Fail);
    assert_eq!(verdict(told(replayed(ID), 1).contract(should)), Fail);
}

#[test]
fn a_declared_code_must_be_there() {
    let coded = |c: &mut Contract| {
        let Answer::Refuse(mut how) = refuse(422) else {
            unreachable!()
        };
        how.body = vec![BodyMatch {
            at: "/code".into(),
            is: vec!["reused".into()],
            has: vec![],
        }];
        c.mismatch.value = Answer::Refuse(how);
    };
    assert_eq!(
        verdict(told(got(422, r#"{"code":"reused"}"#), 1).contract(coded)),
        Pass
    );
    assert_eq!(
        verdict(told(got(422, r#"{"code":"invalid"}"#), 1).contract(coded)),
        Fail
    );
}

#[test]
fn a_body_that_is_refused_under_a_fresh_key_too_may_be_plain_validation() {
    let story = |changed: Got| {
        Story::bare("mismatch")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0)])
            .send("first", ran("one"))
            .count("one", &[("k1", 1), ("k2", 0), ("kc", 0)])
            .send("fresh", ran("two"))
            .send("changed", got(422, "{}"))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 0)])
            .end()
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("changed", changed)
            .count("effects", &[("k", 1)])
            .send("original", replayed(ID))
            .count("end", &[("k", 1)])
    };
    assert_eq!(verdict(story(got(422, "{}"))), Inconclusive);
    assert_eq!(verdict(story(replayed(ID))), Fail);
    assert_eq!(verdict(story(ran("pay_other_1"))), Fail);
}

#[test]
fn a_500_fails_and_a_gateway_is_unknown() {
    assert_eq!(verdict(told(got(500, ""), 1)), Fail);
    assert_eq!(verdict(told(got(502, ""), 1)), Inconclusive);
    assert_eq!(verdict(told(Got::Nothing, 1)), Inconclusive);
}

#[test]
fn an_open_clause_is_observed_only() {
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    let check = told(ran("pay_other_1"), 2)
        .contract(open)
        .check("mismatch:changed");
    assert_eq!(check.verdict, Observed);
    assert!(check.observed.contains("new result"), "{}", check.observed);
}

#[test]
fn a_refusal_names_the_first_result_only_where_it_may() {
    let names = || got(422, &format!(r#"{{"existing":"{ID}"}}"#));
    let reveals = |may: Option<bool>| {
        move |c: &mut Contract| {
            if let Answer::Refuse(how) = &mut c.mismatch.value {
                how.reveals = may;
            }
        }
    };
    let leaks = |story: Story| story.check("nothing-leaks:changed").verdict;
    assert_eq!(
        verdict(told(names(), 1).contract(reveals(Some(false)))),
        Fail
    );
    assert_eq!(leaks(told(names(), 1).contract(reveals(Some(false)))), Fail);
    assert_eq!(
        verdict(told(names(), 1).contract(reveals(Some(true)))),
        Pass
    );
    assert_eq!(leaks(told(names(), 1).contract(reveals(Some(true)))), Pass);
    assert_eq!(leaks(told(names(), 1)), Observed);
    assert_eq!(
        leaks(told(got(422, "{}"), 1).contract(reveals(Some(false)))),
        Pass
    );
}

#[test]
fn what_a_drill_is_for_is_observed_and_its_other_checks_make_no_pass_of_it() {
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    for (changed, effects) in [(replayed(ID), 1), (got(422, "{}"), 1)] {
        let story = told(changed, effects).contract(open);
        assert_eq!(story.verdict(), Observed);
    }
    assert_eq!(told(got(422, "{}"), 1).verdict(), Pass);
}
