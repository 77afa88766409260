//! Stories of duplicates that are sent again while the first is held, each in both directions.
//! They must not know how a verdict is reached.

use super::in_progress::{ID, busy, duplicate};
use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

/// Refused at 20 ms, and sent again from `from` to `until` ms while the first is held until 300 ms.
fn met_again(from: u64, until: u64, again: Got, effects: i64) -> Story {
    Story::of("in-progress")
        .during("first", 0, 300, ran(ID))
        .during("duplicate", 20, 25, busy())
        .during("different", 21, 25, busy())
        .during("duplicate", from, until, again)
        .held("slow", true, 300)
        .wait_ms(800)
        .count("effects", &[("k", effects)])
        .send("after", replayed(ID))
        .count("end", &[("k", effects)])
}

#[test]
fn a_claim_that_lapses_while_the_work_goes_on_is_met_by_a_later_duplicate() {
    let other = || ran("pay_other_1");
    assert_eq!(duplicate(met_again(250, 500, other(), 2)), Fail);
    assert_eq!(duplicate(met_again(250, 500, other(), 2).uncounted()), Fail);
    // hidden behind the first's result
    let hidden = met_again(250, 500, replayed(ID), 2).check("in-progress:duplicate");
    assert_eq!(hidden.verdict, Fail);
    assert_eq!(duplicate(met_again(250, 260, got(500, "{}"), 1)), Fail);
    assert_eq!(duplicate(met_again(250, 260, busy(), 1)), Pass);
}

#[test]
fn what_was_sent_again_at_the_end_of_the_first_blames_nobody() {
    // it left before the first was answered, and came after that
    for late in [replayed(ID), got(422, "{}"), Got::Nothing] {
        assert_eq!(duplicate(met_again(200, 310, late.clone(), 1)), Pass);
        assert_eq!(duplicate(met_again(295, 310, late, 1)), Pass);
    }
    // it left when the first had its answer: whatever it got, drills of repeats are there for that
    for late in [replayed(ID), ran("pay_other_1"), got(500, "{}")] {
        assert_eq!(duplicate(met_again(305, 310, late, 1)), Pass);
    }
    let wait = |c: &mut Contract| c.in_progress.value = Answer::Wait;
    let refused = met_again(250, 260, busy(), 1).contract(wait);
    assert_eq!(duplicate(refused), Fail, "the first of them decides");
}

#[test]
fn the_first_request_again_is_no_other_request() {
    // another body came between, and the key now stands for it
    let policy = |c: &mut Contract| c.mismatch.value = refuse(422);
    let taken = || met_again(250, 260, got(422, "{}"), 1).contract(policy);
    assert_eq!(duplicate(taken()), Fail);
    assert_eq!(
        duplicate(met_again(250, 260, busy(), 1).contract(policy)),
        Pass
    );
    // after the first's answer, and where the answer is left open, nobody is blamed for it here
    let late = met_again(305, 310, got(422, "{}"), 1).contract(policy);
    assert_eq!(duplicate(late), Pass);
    let open = taken().contract(|c| c.in_progress.value = Answer::Unspecified);
    assert_ne!(duplicate(open), Fail);
}

#[test]
fn a_first_that_lost_its_claim_to_a_later_duplicate_is_in_doubt() {
    let lost = Story::of("in-progress")
        .during("first", 0, 300, busy())
        .during("duplicate", 20, 25, busy())
        .during("different", 21, 25, busy())
        .during("duplicate", 250, 500, ran(ID))
        .held("slow", true, 300)
        .wait_ms(800)
        .count("effects", &[("k", 1)])
        .send("after", replayed(ID))
        .count("end", &[("k", 1)])
        .check("in-progress:duplicate");
    assert_eq!(lost.verdict, Inconclusive);
    assert!(
        format!("{lost:?}").contains("its claim was lost"),
        "{lost:?}"
    );
}
