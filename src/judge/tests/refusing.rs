//! Stories of a provider that refuses the repeat of a finished request, in all situations that send one; each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Covers, Replay};
use crate::judge::Verdict::{Fail, Pass};

const ID: &str = "pay_7f3a9c21";

/// A finished duplicate gets a 410.
fn refuses(c: &mut Contract) {
    let Answer::Refuse(how) = refuse(410) else {
        unreachable!()
    };
    c.replay.value = Replay::Refuse(how);
}

fn told_of_it() -> Got {
    got(410, r#"{"made":"before"}"#)
}

#[test]
fn a_valid_key_protects_by_the_declared_refusal_and_by_no_other() {
    let story = |again: Got, effects: i64| {
        Story::of("syntax/key-shapes")
            .case("at-maximum")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("again", again)
            .count("effects", &[("k", effects)])
            .contract(|c| c.key.value.most = Some(255))
            .contract(refuses)
            .verdict()
    };
    assert_eq!(story(told_of_it(), 1), Pass);
    assert_eq!(story(told_of_it(), 2), Fail);
    assert_eq!(story(got(400, "{}"), 1), Fail);
    assert_eq!(story(got(500, "{}"), 1), Fail);
    assert_eq!(story(ran("pay_b5e0d11f"), 2), Fail);
}

#[test]
fn after_a_lost_reply_both_repeats_are_told_that_it_was_done() {
    let story = |retry: Got, again: Got, effects: i64| {
        Story::of("recovery/reply-lost")
            .case("after-last-byte")
            .send("lost", Got::Nothing)
            .send("retry", retry)
            .send("again", again)
            .count("effects", &[("k", effects)])
            .contract(refuses)
            .verdict()
    };
    assert_eq!(story(told_of_it(), told_of_it(), 1), Pass);
    // the work was given up with its client: the retry did it
    assert_eq!(story(ran(ID), told_of_it(), 1), Pass);
    assert_eq!(story(told_of_it(), told_of_it(), 2), Fail);
    assert_eq!(story(told_of_it(), ran("pay_b5e0d11f"), 2), Fail);
    assert_eq!(story(told_of_it(), replayed(ID), 1), Fail);
    assert_eq!(story(told_of_it(), got(400, "{}"), 1), Fail);
    assert_eq!(story(told_of_it(), got(500, ""), 1), Fail);
    assert_eq!(story(got(400, "{}"), told_of_it(), 1), Fail);
}

#[test]
fn the_same_request_in_other_bytes_is_refused_as_a_duplicate_and_not_otherwise() {
    let story = |second: Got, effects: i64| {
        Story::of("fingerprint/written-otherwise")
            .case("whitespace")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("second", second)
            .count("effects", &[("k", effects)])
            .send("probe", ran("pay_probe"))
            .contract(|c| c.fingerprint.covers.value = Covers::None)
            .contract(refuses)
            .verdict()
    };
    assert_eq!(story(told_of_it(), 1), Pass);
    assert_eq!(story(told_of_it(), 2), Fail);
    assert_eq!(story(got(422, "{}"), 1), Fail);
    assert_eq!(story(ran("pay_b5e0d11f"), 2), Fail);
    assert_eq!(story(replayed(ID), 1), Fail);
}
