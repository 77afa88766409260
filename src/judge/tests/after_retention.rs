//! Stories of the situation after-retention, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Storage};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass};

const ID: &str = "pay_7f3a9c21";

fn told(expired: bool, reuse: Got, before: i64, after: i64) -> Story {
    Story::of("after-retention")
        .send("first", ran(ID))
        .send("inside", replayed(ID))
        .expire(expired)
        .count("before", &[("k", 1), ("k2", before)])
        .send("reuse", reuse)
        .count("effects", &[("k", 1), ("k2", after)])
}

#[test]
fn a_run_is_one_more_effect_and_a_new_identity_however_the_counter_tells_them_apart() {
    // by reference the new life of the key counts from 0, by key from 1
    assert_eq!(told(true, ran("pay_new_0001"), 0, 1).verdict(), Pass);
    assert_eq!(told(true, ran("pay_new_0001"), 1, 2).verdict(), Pass);
    assert_eq!(told(true, ran("pay_new_0001"), 1, 3).verdict(), Fail);
    assert_eq!(
        told(true, ran("pay_new_0001"), 1, 1).verdict(),
        Inconclusive
    );
}

#[test]
fn a_reply_from_the_grave_fails_unless_declared() {
    assert_eq!(told(true, replayed(ID), 1, 1).verdict(), Fail);
    let replay = |c: &mut Contract| c.after_retention.value = Answer::Replay;
    assert_eq!(
        told(true, replayed(ID), 1, 1).contract(replay).verdict(),
        Pass
    );
    assert_eq!(
        told(true, ran("pay_new_0001"), 1, 2)
            .contract(replay)
            .verdict(),
        Fail
    );
}

#[test]
fn a_refusal_passes_only_where_declared_and_without_effect() {
    assert_eq!(told(true, got(412, ""), 1, 1).verdict(), Fail);
    let refused = |c: &mut Contract| c.after_retention.value = refuse(412);
    assert_eq!(
        told(true, got(412, ""), 1, 1).contract(refused).verdict(),
        Pass
    );
    assert_eq!(
        told(true, got(412, ""), 1, 2).contract(refused).verdict(),
        Fail
    );
    assert_eq!(
        told(true, ran("pay_new_0001"), 1, 2)
            .contract(refused)
            .verdict(),
        Fail
    );
}

#[test]
fn a_500_fails_and_a_gateway_is_unknown() {
    assert_eq!(told(true, got(500, ""), 1, 1).verdict(), Fail);
    for status in [502, 503, 504] {
        assert_eq!(told(true, got(status, ""), 1, 1).verdict(), Inconclusive);
    }
}

#[test]
fn an_expiry_that_was_not_carried_out_judges_nothing() {
    assert_eq!(told(false, replayed(ID), 1, 1).verdict(), Inconclusive);
    assert_eq!(
        told(false, ran("pay_new_0001"), 0, 1).verdict(),
        Inconclusive
    );
}

#[test]
fn an_open_clause_is_observed_and_a_500_fails_all_the_same() {
    let open = |c: &mut Contract| c.after_retention.value = Answer::Unspecified;
    let check = told(true, replayed(ID), 1, 1)
        .contract(open)
        .check("after-retention:reuse");
    assert_eq!(check.verdict, Observed);
    assert_eq!(
        told(true, got(500, ""), 1, 1).contract(open).verdict(),
        Fail
    );
}

fn refused(c: &mut Contract) {
    c.after_retention.value = refuse(412);
}

#[test]
fn a_key_of_a_failed_request_that_was_not_stored_may_run_where_expired_keys_are_refused() {
    let story = |storage: Storage, reuse: Got, effects: i64| {
        Story::of("retention/failed-then-expired")
            .send("failed", got(500, "{}"))
            .expire(true)
            .count("before", &[("k", 0), ("k2", 0)])
            .send("reuse", reuse)
            .count("effects", &[("k", 0), ("k2", effects)])
            .contract(refused)
            .contract(move |c| c.stored.server_error.value = storage)
            .verdict()
    };
    for storage in [Storage::NotStored, Storage::Unspecified] {
        assert_eq!(story(storage, ran(ID), 1), Pass);
        assert_eq!(story(storage, got(412, ""), 0), Pass);
        assert_eq!(story(storage, ran(ID), 2), Fail);
        assert_eq!(story(storage, got(412, ""), 1), Fail);
        assert_eq!(story(storage, got(409, "{}"), 0), Fail);
        assert_eq!(story(storage, got(500, ""), 0), Fail);
    }
    assert_eq!(story(Storage::Stored, ran(ID), 1), Fail);
    assert_eq!(story(Storage::Stored, got(412, ""), 0), Pass);
}

#[test]
fn copies_under_an_expired_key_are_all_refused_where_that_is_declared_and_do_nothing() {
    let story = |copies: &[Got], later: Got, effects: i64| {
        Story::of("retention/burst-after-expiry")
            .send("first", ran(ID))
            .expire(true)
            .count("before", &[("k", 1), ("k2", 0)])
            .burst("copies", copies)
            .send("later", later)
            .count("effects", &[("k", 1), ("k2", effects)])
            .contract(refused)
    };
    let gone = || got(412, "");
    assert_eq!(story(&[gone(), gone()], gone(), 0).verdict(), Pass);
    assert_eq!(story(&[gone(), gone()], gone(), 1).verdict(), Fail);
    assert_eq!(
        story(&[ran("pay_new_1"), gone()], gone(), 1).verdict(),
        Fail
    );
    assert_eq!(
        story(&[ran("pay_new_1"), ran("pay_new_2")], gone(), 2).verdict(),
        Fail
    );
    assert_eq!(story(&[gone(), got(400, "")], gone(), 0).verdict(), Fail);
    // where expired keys run, a 412 is no answer to a copy
    let run = |c: &mut Contract| c.after_retention.value = Answer::Run;
    let copies = [ran("pay_new_1"), gone()];
    let runs = story(&copies, replayed("pay_new_1"), 1).contract(run);
    assert_eq!(runs.verdict(), Fail);
}

#[test]
fn where_nothing_is_said_of_expired_keys_a_refusal_is_only_observed() {
    let open = |c: &mut Contract| c.after_retention.value = Answer::Unspecified;
    let check = told(true, got(400, ""), 1, 1)
        .contract(open)
        .check("after-retention:reuse");
    assert_eq!(check.verdict, Observed);
    assert!(check.observed.contains("refused"), "{}", check.observed);
}
