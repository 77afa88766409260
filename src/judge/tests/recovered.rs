//! Stories of the situation recovered, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Replay};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

const ID: &str = "pay_7f3a9c21";

fn told(lost: Got, retry: Got, effects: i64) -> Story {
    Story::of("recovery/reply-lost")
        .case("after-last-byte")
        .send("lost", lost)
        .send("retry", retry)
        .send("again", replayed(ID))
        .count("effects", &[("k", effects)])
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("recovered:retry").verdict
}

#[test]
fn the_retry_tells_the_outcome_and_there_is_one_effect() {
    assert_eq!(verdict(told(Got::Nothing, replayed(ID), 1)), Pass);
    // a server that gave up with its client runs the retry: one effect all the same
    assert_eq!(verdict(told(Got::Nothing, ran(ID), 1)), Pass);
    assert_eq!(verdict(told(Got::Nothing, ran(ID), 2)), Fail);
    assert_eq!(verdict(told(Got::Nothing, replayed(ID), 2)), Fail);
    assert_eq!(verdict(told(Got::Nothing, replayed(ID), 0)), Inconclusive);
}

#[test]
fn a_retry_that_is_a_replay_is_no_first_reply_that_is_marked_wrongly() {
    assert_eq!(told(Got::Nothing, replayed(ID), 1).verdict(), Pass);
    assert_eq!(told(Got::Nothing, ran(ID), 1).verdict(), Pass);
}

#[test]
fn a_refusal_or_a_500_hides_the_outcome() {
    assert_eq!(verdict(told(Got::Nothing, got(400, "{}"), 1)), Fail);
    assert_eq!(verdict(told(Got::Nothing, got(422, "{}"), 1)), Fail);
    assert_eq!(verdict(told(Got::Nothing, got(500, ""), 1)), Fail);
    assert_eq!(verdict(told(Got::Nothing, got(504, ""), 1)), Inconclusive);
    assert_eq!(verdict(told(Got::Nothing, Got::Nothing, 1)), Inconclusive);
}

#[test]
fn in_progress_for_ever_after_a_lost_reply_fails() {
    let busy = || got(409, "{}");
    let story = |tries: usize| {
        Story::of("recovery/reply-lost")
            .case("while-working")
            .send("lost", Got::Nothing)
            .retry("retry", 3000, &vec![busy(); tries])
            .send("again", busy())
            .count("effects", &[("k", 1)])
    };
    assert_eq!(verdict(story(11)), Fail);
    assert_eq!(verdict(story(3)), Inconclusive);
}

#[test]
fn a_reply_that_was_not_lost_proves_nothing_and_two_effects_are_two() {
    assert_eq!(verdict(told(ran(ID), replayed(ID), 1)), Inconclusive);
    assert_eq!(verdict(told(ran(ID), replayed(ID), 2)), Fail);
}

#[test]
fn where_a_repeat_is_refused_as_one_the_lost_request_is_known_by_that() {
    let refuses = |c: &mut Contract| {
        if let Answer::Refuse(how) = refuse(409) {
            c.replay.value = Replay::Refuse(how);
        }
        c.in_progress.value = Answer::Unspecified;
    };
    let story = |again: Got, effects: i64| {
        Story::of("recovery/reply-lost")
            .case("after-last-byte")
            .send("lost", Got::Nothing)
            .send("retry", got(409, r#"{"code":"exists"}"#))
            .send("again", again)
            .count("effects", &[("k", effects)])
            .contract(refuses)
            .verdict()
    };
    let exists = || got(409, r#"{"code":"exists"}"#);
    assert_eq!(story(exists(), 1), Pass);
    assert_eq!(story(exists(), 2), Fail);
    assert_eq!(story(ran(ID), 1), Fail);
    // it is said to be there, and is not
    assert_eq!(story(exists(), 0), Inconclusive);
}
