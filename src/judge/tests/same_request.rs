//! Stories of the situation same-request, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Covers, Replay, Sameness};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip};

const ID: &str = "pay_7f3a9c21";

fn told(case: &str, second: Got, effects: i64, probe: Got) -> Story {
    Story::of("fingerprint/written-otherwise")
        .case(case)
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("second", second)
        .count("effects", &[("k", effects)])
        .send("probe", probe)
}

fn whitespace(second: Got, effects: i64, sameness: Sameness) -> crate::judge::Verdict {
    let story = told("whitespace", second, effects, ran("pay_probe"));
    story
        .contract(|c| c.fingerprint.whitespace.value = sameness)
        .verdict()
}

#[test]
fn declared_the_same_it_is_replayed() {
    assert_eq!(whitespace(replayed(ID), 1, Sameness::Same), Pass);
    assert_eq!(whitespace(got(422, "{}"), 1, Sameness::Same), Fail);
    assert_eq!(whitespace(ran("pay_b5e0d11f"), 2, Sameness::Same), Fail);
    assert_eq!(whitespace(replayed(ID), 2, Sameness::Same), Fail);
}

#[test]
fn declared_different_it_gets_the_mismatch_answer() {
    assert_eq!(whitespace(got(422, "{}"), 1, Sameness::Different), Pass);
    assert_eq!(whitespace(replayed(ID), 1, Sameness::Different), Fail);
    assert_eq!(
        whitespace(ran("pay_b5e0d11f"), 2, Sameness::Different),
        Fail
    );
}

#[test]
fn left_open_it_is_observed_and_must_not_run_again() {
    for second in [replayed(ID), got(422, "{}"), got(400, "{}")] {
        assert_eq!(whitespace(second, 1, Sameness::Unspecified), Observed);
    }
    assert_eq!(
        whitespace(ran("pay_b5e0d11f"), 2, Sameness::Unspecified),
        Fail
    );
    assert_eq!(whitespace(replayed(ID), 2, Sameness::Unspecified), Fail);
    assert_eq!(whitespace(got(500, ""), 1, Sameness::Unspecified), Fail);
    let runs = |c: &mut Contract| c.mismatch.value = Answer::Run;
    let story = told("whitespace", ran("pay_b5e0d11f"), 2, ran("pay_probe")).contract(runs);
    assert_eq!(story.verdict(), Observed);
}

#[test]
fn what_is_compared_decides_where_the_difference_has_no_clause() {
    let covers = |covers: Covers| move |c: &mut Contract| c.fingerprint.covers.value = covers;
    let story = |second: Got| told("unicode-escapes", second, 1, ran("pay_probe"));
    assert_eq!(
        story(replayed(ID)).contract(covers(Covers::Json)).verdict(),
        Pass
    );
    assert_eq!(
        story(got(422, "{}"))
            .contract(covers(Covers::Json))
            .verdict(),
        Fail
    );
    assert_eq!(
        story(got(422, "{}"))
            .contract(covers(Covers::Bytes))
            .verdict(),
        Pass
    );
    assert_eq!(
        story(replayed(ID))
            .contract(covers(Covers::Bytes))
            .verdict(),
        Fail
    );
}

#[test]
fn a_writing_that_the_service_does_not_take_at_all_says_nothing() {
    let same = |c: &mut Contract| c.fingerprint.null_member.value = Sameness::Same;
    let story = |probe: Got| told("null-member", got(422, "{}"), 1, probe).contract(same);
    assert_eq!(story(got(422, "{}")).verdict(), Skip);
    assert_eq!(story(got(400, "{}")).verdict(), Skip);
    assert_eq!(story(got(429, "{}")).verdict(), Inconclusive);
    assert_eq!(story(got(500, "{}")).verdict(), Inconclusive);
    assert_eq!(story(ran("pay_probe")).verdict(), Fail);
    // a second effect is wrong whatever the service says
    let twice = told("null-member", got(422, "{}"), 2, got(400, "{}")).contract(same);
    assert_eq!(twice.verdict(), Fail);
}

#[test]
fn where_a_repeat_is_refused_as_one_so_is_its_other_writing() {
    let refuses = |c: &mut Contract| {
        c.fingerprint.whitespace.value = Sameness::Same;
        if let Answer::Refuse(how) = refuse(409) {
            c.replay.value = Replay::Refuse(how);
        }
        c.in_progress.value = Answer::Unspecified;
    };
    let story = |second: Got, effects: i64| {
        told("whitespace", second, effects, ran("pay_probe")).contract(refuses)
    };
    assert_eq!(story(got(409, "{}"), 1).verdict(), Pass);
    assert_eq!(story(got(409, "{}"), 2).verdict(), Fail);
    assert_eq!(story(got(422, "{}"), 1).verdict(), Fail);
}
