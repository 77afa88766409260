//! Stories of copies that were not sent, lost, refused for another reason, or of a key that had expired.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::Answer;
use crate::judge::Verdict::{Fail, Inconclusive, Pass};
use crate::judge::{CheckResult, Verdict};

const ID: &str = "pay_7f3a9c21";

fn busy() -> Got {
    got(409, "{}")
}

fn told(copies: &[Got], later: Got, effects: i64) -> Story {
    Story::of("concurrent")
        .burst("copies", copies)
        .send("later", later)
        .count("effects", &[("k", effects)])
}

fn copies(story: Story) -> CheckResult {
    story.check("concurrent:copies")
}

#[test]
fn copies_that_were_never_sent_make_no_race() {
    let story = told(&[ran(ID), Got::NotSent, Got::NotSent], replayed(ID), 1);
    assert_eq!(story.verdict(), Inconclusive);
    let story = told(&[ran(ID), Got::NotSent, busy()], replayed(ID), 1);
    assert_eq!(story.verdict(), Pass);
}

#[test]
fn a_copy_that_was_lost_may_be_the_one_that_ran() {
    let story = |answers: &[Got]| told(answers, replayed(ID), 1).verdict();
    assert_eq!(story(&[Got::Nothing, busy(), busy()]), Pass);
    assert_eq!(story(&[busy(), busy(), busy()]), Inconclusive);
}

#[test]
fn the_word_for_another_body_is_no_answer_among_copies_of_one() {
    let one = told(&[got(422, "{}"), got(422, "{}")], ran(ID), 1);
    assert_eq!(copies(one).verdict, Fail);
    let two = Story::of("races/mixed-bodies")
        .burst("one,other", &[got(422, "{}"), got(422, "{}")])
        .send("one-later", ran(ID))
        .send("other-later", got(422, "{}"))
        .count("effects", &[("k", 1)])
        .check("concurrent:one");
    assert_eq!(two.verdict, Inconclusive, "{}", two.observed);
}

#[test]
fn a_failed_copy_is_held_against_the_service_where_only_one_body_succeeded_later() {
    let story = |later: Got| {
        Story::of("races/mixed-bodies")
            .burst("one,other", &[got(500, ""), busy()])
            .send("one-later", later)
            .send("other-later", got(422, "{}"))
            .count("effects", &[("k", 1)])
            .check("concurrent:one")
            .verdict
    };
    assert_eq!(story(ran(ID)), Fail);
    assert_eq!(story(got(422, "{}")), Inconclusive);
}

#[test]
fn the_copies_that_ran_are_the_evidence_of_a_second_effect() {
    let evidence = |answers: &[Got]| copies(told(answers, replayed(ID), 2)).attempts;
    let all = |n: usize| copies(told(&vec![busy(); n], replayed(ID), 2)).attempts;
    let first = all(3)[0];
    assert_eq!(all(3), [first, first + 1, first + 2]);
    assert_eq!(evidence(&[ran(ID), busy(), busy()]), [first]);
    assert_eq!(
        evidence(&[busy(), ran(ID), replayed(ID)]),
        [first + 1, first + 2]
    );
}

#[test]
fn how_many_effects_there_are_is_judged_only_where_one_is_promised() {
    let story = || told(&[ran(ID), busy(), busy()], replayed(ID), 2);
    assert_eq!(story().verdict(), Fail);
    assert_eq!(
        story().contract(|c| c.one_effect.value = false).verdict(),
        Pass
    );
}

/// Copies of a request whose key had expired.
fn expired(answer: Answer, answers: &[Got], effects: i64) -> Verdict {
    let story = Story::of("retention/burst-after-expiry")
        .send("first", ran(ID))
        .expire(true)
        .count("before", &[("k", 1), ("k2", 0)])
        .burst("copies", answers)
        .send("later", replayed("pay_new_1"))
        .count("effects", &[("k", 1), ("k2", effects)])
        .contract(|c| c.after_retention.value = answer);
    copies(story).verdict
}

#[test]
fn an_expired_key_may_run_where_that_is_one_of_the_declared_answers() {
    let either = || Answer::AnyOf(vec![refuse(412), Answer::Run]);
    let new = || ran("pay_new_1");
    assert_eq!(expired(either(), &[new(), busy(), busy()], 1), Pass);
    assert_eq!(expired(either(), &[new(), got(412, ""), busy()], 1), Pass);
    assert_eq!(expired(either(), &[new(), got(412, ""), busy()], 2), Fail);
    assert_eq!(
        expired(refuse(412), &[new(), got(412, ""), busy()], 1),
        Fail
    );
}
