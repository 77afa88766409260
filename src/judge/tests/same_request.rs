//! Stories of the situation same-request, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Covers, Replay, Sameness};
use crate::journal::Event;
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

/// The clause that the check of a story names.
fn clause(story: Story) -> String {
    story.check("same-request:second").clause.unwrap().name
}

#[test]
fn the_clause_that_is_named_is_the_one_that_speaks_of_this_writing() {
    let story = |case: &str, second: Got| told(case, second, 1, ran("pay_probe"));
    let declared = |c: &mut Contract| {
        c.fingerprint.whitespace.value = Sameness::Same;
        c.fingerprint.number_form.value = Sameness::Different;
        c.fingerprint.covers.value = Covers::Json;
        c.fingerprint.ignores.value = vec!["/sent_at".into()];
    };
    for (case, second, named) in [
        ("whitespace", got(422, "{}"), "fingerprint.whitespace"),
        ("number-form", replayed(ID), "fingerprint.number-form"),
        ("ignored-member", got(422, "{}"), "fingerprint.ignores"),
        ("unicode-escapes", got(422, "{}"), "fingerprint.covers"),
    ] {
        let story = story(case, second).contract(declared);
        assert_eq!(story.clone().verdict(), Fail, "{case}");
        assert_eq!(clause(story), named, "{case}");
    }
    // the writing was taken for another request, rightly: what it then got is the mismatch clause's business
    for second in [ran("pay_b5e0d11f"), got(404, "{}")] {
        let story = story("number-form", second).contract(declared);
        let check = story.check("same-request:second");
        assert_eq!(check.clause.unwrap().name, "mismatch", "{}", check.observed);
    }
}

#[test]
fn another_request_may_get_the_first_result_where_the_policy_replays_it() {
    let story = |answer: Answer| {
        told("whitespace", replayed(ID), 1, ran("pay_probe")).contract(move |c| {
            c.fingerprint.whitespace.value = Sameness::Different;
            c.mismatch.value = answer;
        })
    };
    assert_eq!(story(Answer::Replay).verdict(), Pass);
    let either = Answer::AnyOf(vec![refuse(422), Answer::Replay]);
    assert_eq!(story(either).verdict(), Pass);
    assert_eq!(story(refuse(422)).verdict(), Fail);
}

#[test]
fn left_open_a_second_result_is_wrong_unless_another_body_may_run() {
    let story = |answer: Answer| {
        told("whitespace", ran("pay_b5e0d11f"), 2, ran("pay_probe"))
            .contract(move |c| c.mismatch.value = answer)
    };
    let either = Answer::AnyOf(vec![refuse(422), Answer::Run]);
    assert_eq!(story(either).verdict(), Observed);
    // nothing is counted: the results alone say that it ran again
    let uncounted = story(refuse(422)).uncounted();
    assert_eq!(uncounted.verdict(), Fail);
}

#[test]
fn without_a_first_success_or_another_writing_nothing_is_said() {
    let refused = Story::of("fingerprint/written-otherwise")
        .case("whitespace")
        .send("first", got(400, "{}"))
        .count("before", &[("k", 0)])
        .send("second", got(400, "{}"))
        .count("effects", &[("k", 0)])
        .send("probe", ran("pay_probe"))
        .contract(|c| c.fingerprint.whitespace.value = Sameness::Same);
    assert_eq!(refused.verdict(), Inconclusive);
    // a service's body without spaces to change
    let unchanged = |case: &str| {
        let mut first = None;
        told(case, replayed(ID), 1, ran("pay_probe"))
            .contract(|c| c.fingerprint.covers.value = Covers::Json)
            .edit(move |event| {
                if let Event::Attempt(sent) = event {
                    match sent.step.as_str() {
                        "first" if sent.intent == "k" => first = Some(sent.body.clone()),
                        "second" => sent.body = first.clone().unwrap(),
                        _ => {}
                    }
                }
            })
    };
    assert_eq!(unchanged("whitespace").verdict(), Inconclusive);
    // another header is a difference of its own
    assert_eq!(unchanged("unrelated-header").verdict(), Pass);
}

#[test]
fn a_probe_that_met_a_limit_or_a_gateway_says_nothing_of_the_writing() {
    let same = |c: &mut Contract| c.fingerprint.null_member.value = Sameness::Same;
    let story = |second: Got, probe: Got| told("null-member", second, 1, probe).contract(same);
    for probe in [got(502, ""), got(503, ""), got(504, ""), got(429, "")] {
        assert_eq!(story(got(422, "{}"), probe).verdict(), Inconclusive);
    }
    // what got the first result was taken, whatever became of the probe
    assert_eq!(story(replayed(ID), got(422, "{}")).verdict(), Pass);
    // "in progress" is no word about the writing either
    let waiting = story(got(409, "{}"), ran("pay_probe"));
    assert_eq!(waiting.verdict(), Inconclusive);
}
