//! Stories of the situation in-progress, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, BodyFidelity, Contract, HeaderMatch, Replay, Same};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip, Warn};

pub(super) const ID: &str = "pay_7f3a9c21";

pub(super) fn busy() -> Got {
    got(409, "{}")
}

/// The first takes 300 ms; the duplicate is open from 20 to `until` ms.
fn told(until: u64, duplicate: Got, effects: i64) -> Story {
    Story::of("in-progress")
        .during("first", 0, 300, ran(ID))
        .during("duplicate", 20, until, duplicate)
        .during("different", 21, 25, busy())
        .wait_ms(400)
        .count("effects", &[("k", effects)])
        .send("after", replayed(ID))
        .count("end", &[("k", effects)])
}

pub(super) fn duplicate(story: Story) -> crate::judge::Verdict {
    story.check("in-progress:duplicate").verdict
}

#[test]
fn the_declared_refusal_while_the_first_is_open_passes() {
    assert_eq!(told(25, busy(), 1).verdict(), Pass);
}

#[test]
fn a_second_effect_fails_whatever_was_answered() {
    assert_eq!(duplicate(told(25, busy(), 2)), Fail);
    assert_eq!(duplicate(told(310, ran("pay_other_1"), 2)), Fail);
    assert_eq!(
        duplicate(told(310, ran("pay_other_1"), 2).uncounted()),
        Fail
    );
}

#[test]
fn waiting_is_judged_as_declared() {
    let wait = |c: &mut Contract| c.in_progress.value = Answer::Wait;
    assert_eq!(duplicate(told(310, replayed(ID), 1).contract(wait)), Pass);
    assert_eq!(duplicate(told(310, replayed(ID), 1)), Fail);
    assert_eq!(duplicate(told(25, busy(), 1).contract(wait)), Fail);
    let either = |c: &mut Contract| {
        c.in_progress.value = Answer::AnyOf(vec![Answer::Wait, refuse(409)]);
    };
    assert_eq!(duplicate(told(310, replayed(ID), 1).contract(either)), Pass);
    assert_eq!(duplicate(told(25, busy(), 1).contract(either)), Pass);
}

#[test]
fn a_success_without_the_result_before_there_is_one_is_no_wait() {
    let either = |c: &mut Contract| {
        c.in_progress.value = Answer::AnyOf(vec![Answer::Wait, refuse(409)]);
    };
    for early in [got(202, r#"{"status":"processing"}"#), got(201, "{}")] {
        assert_eq!(duplicate(told(25, early.clone(), 1).contract(either)), Fail);
        let accepts = |c: &mut Contract| c.in_progress.value = Answer::Accept;
        assert_eq!(
            duplicate(told(25, early.clone(), 1).contract(accepts)),
            Pass
        );
        let open = |c: &mut Contract| c.in_progress.value = Answer::Unspecified;
        assert_eq!(duplicate(told(25, early.clone(), 1).contract(open)), Pass);
        // where a replay need not look like the first reply, the work may have been done while the first was still answered
        let bare = |c: &mut Contract| {
            either(c);
            c.replay.value = Replay::Same(Same {
                body: BodyFidelity::Ignore,
                ..Same::default()
            });
        };
        assert_eq!(duplicate(told(25, early, 1).contract(bare)), Pass);
    }
}

#[test]
fn without_proof_that_the_first_was_open_nothing_passes() {
    let late = || {
        Story::of("in-progress")
            .during("first", 0, 10, ran(ID))
            .during("duplicate", 20, 25, busy())
            .during("different", 21, 25, busy())
            .wait_ms(100)
            .send("after", replayed(ID))
    };
    let declared = |start: &mut crate::journal::Start| {
        start.operations[0].stall = Some("slow".to_owned());
    };
    let one = |story: Story| duplicate(story.count("effects", &[("k", 1)]));
    assert_eq!(one(late().start(declared)), Inconclusive);
    assert_eq!(one(late().held("slow", true, 10)), Pass);
    let refused = late().held("postgres", false, 10).start(declared);
    assert_eq!(one(refused), Inconclusive, "a lock that could not be taken");
    // where no way to hold a request is declared, luck is tried and promises nothing
    assert_eq!(one(late()), Skip);
    assert_eq!(one(late().held("luck", false, 10)), Skip);
    assert_eq!(duplicate(late().count("effects", &[("k", 2)])), Fail);
    // a plain replay by luck late says no more than a refusal does
    let replay = |held: fn(Story) -> Story| {
        let story = Story::of("in-progress")
            .during("first", 0, 10, ran(ID))
            .during("duplicate", 9, 25, replayed(ID));
        let story = held(story.during("different", 21, 25, busy()).wait_ms(100));
        one(story.send("after", replayed(ID)))
    };
    assert_eq!(replay(|story| story.held("luck", false, 10)), Skip);
    assert_eq!(replay(|story| story.held("luck", true, 10)), Skip);
    let held = |story: Story| {
        story
            .held("slow", true, 10)
            .start(|start| start.operations[0].stall = Some("slow".to_owned()))
    };
    assert_eq!(replay(held), Inconclusive);
}

#[test]
fn a_replay_at_the_very_end_of_the_first_may_have_come_too_late() {
    let story = || {
        Story::of("in-progress")
            .during("first", 0, 30, ran(ID))
            .during("duplicate", 20, 40, replayed(ID))
            .during("different", 21, 25, busy())
            .wait_ms(100)
            .send("after", replayed(ID))
            .count("effects", &[("k", 1)])
    };
    let declared = |start: &mut crate::journal::Start| {
        start.operations[0].stall = Some("slow".to_owned());
    };
    assert_eq!(duplicate(story().start(declared)), Inconclusive);
    // where nothing is declared that holds a request, whether one is met must not decide how a run ends
    assert_eq!(duplicate(story()), Skip);
}

#[test]
fn where_the_claim_itself_was_blocked_only_effects_are_judged() {
    let story = |effects: i64, answer: Got| {
        Story::of("in-progress")
            .held("postgres", true, 200)
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 310, answer)
            .during("different", 21, 25, busy())
            .wait_ms(400)
            .send("after", replayed(ID))
            .count("effects", &[("k", effects)])
    };
    assert_eq!(duplicate(story(1, replayed(ID))), Pass);
    assert_eq!(duplicate(story(1, got(400, ""))), Pass);
    assert_eq!(duplicate(story(2, replayed(ID))), Fail);
    assert_eq!(duplicate(story(1, ran("pay_other_1"))), Fail);
}

#[test]
fn another_body_may_get_either_answer_and_never_the_first_reply() {
    let story = |different: Got, effects: i64| {
        Story::of("in-progress")
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 25, busy())
            .during("different", 21, 310, different)
            .wait_ms(400)
            .send("after", replayed(ID))
            .count("effects", &[("k", effects)])
            .check("in-progress:different")
            .verdict
    };
    assert_eq!(story(got(422, "{}"), 1), Pass);
    assert_eq!(story(busy(), 1), Pass);
    assert_eq!(story(replayed(ID), 1), Fail);
    assert_eq!(story(ran("pay_other_1"), 2), Fail);
    assert_eq!(story(got(400, "{}"), 1), Fail);
    assert_eq!(story(got(500, ""), 1), Fail);
}

#[test]
fn retry_after_is_asked_for_where_declared_and_must_be_sane() {
    let declared = |c: &mut Contract| {
        let Answer::Refuse(mut how) = refuse(409) else {
            unreachable!()
        };
        how.header = vec![HeaderMatch {
            name: "Retry-After".into(),
            is: vec![],
        }];
        c.in_progress.value = Answer::Refuse(how);
    };
    let after = |value: &str| with(busy(), "retry-after", value);
    assert_eq!(duplicate(told(25, after("1"), 1).contract(declared)), Pass);
    assert_eq!(duplicate(told(25, busy(), 1).contract(declared)), Fail);
    assert_eq!(
        duplicate(told(25, after("86400000"), 1).contract(declared)),
        Fail
    );
    assert_eq!(
        duplicate(told(25, after("soon"), 1).contract(declared)),
        Fail
    );
    assert_eq!(duplicate(told(25, after("86400000"), 1)), Pass);
}

#[test]
fn another_status_fails_or_warns_and_an_open_clause_leaves_the_effects() {
    assert_eq!(duplicate(told(25, got(425, ""), 1)), Fail);
    let should = |c: &mut Contract| c.in_progress.should_parts = vec!["status".into()];
    assert_eq!(duplicate(told(25, got(425, ""), 1).contract(should)), Warn);
    let open = |c: &mut Contract| c.in_progress.value = Answer::Unspecified;
    assert_eq!(duplicate(told(25, got(425, ""), 1).contract(open)), Pass);
    assert_eq!(duplicate(told(25, got(425, ""), 2).contract(open)), Fail);
    let nothing = |c: &mut Contract| {
        c.in_progress.value = Answer::Unspecified;
        c.one_effect.value = false;
    };
    assert_eq!(
        duplicate(told(25, got(425, ""), 2).contract(nothing)),
        Observed
    );
}

#[test]
fn unknown_outcomes_are_no_failures() {
    assert_eq!(duplicate(told(310, Got::Nothing, 1)), Inconclusive);
    assert_eq!(duplicate(told(310, got(504, ""), 1)), Inconclusive);
}

#[test]
fn an_order_swapped_on_the_way_blames_nobody() {
    let story = Story::of("in-progress")
        .during("first", 0, 60, got(422, "{}"))
        .during("duplicate", 20, 61, got(422, "{}"))
        .during("different", 21, 59, ran(ID))
        .held("slow", true, 60)
        .wait_ms(100)
        .send("after", got(422, "{}"))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.verdict(), Inconclusive);
}

/// The first took `held` ms, and the duplicate was open from 20 ms on.
fn short(held: u64, until: u64, answer: Got) -> Story {
    Story::of("in-progress")
        .during("first", 0, held, ran(ID))
        .during("duplicate", 20, until, answer)
        .during("different", 21, 25, busy())
        .wait_ms(400)
        .send("after", replayed(ID))
        .count("effects", &[("k", 1)])
}

#[test]
fn an_answer_before_the_first_ones_proves_that_the_first_was_open_however_short() {
    assert_eq!(duplicate(short(30, 25, busy())), Pass);
    assert_eq!(duplicate(short(30, 25, got(400, ""))), Fail);
    // neither an answer at the same moment nor one that came later does
    assert_eq!(duplicate(short(30, 30, busy())), Skip);
    assert_eq!(duplicate(short(30, 35, busy())), Skip);
    // nor one to a request that was sent before the first
    let before = Story::of("in-progress")
        .during("first", 20, 300, ran(ID))
        .during("duplicate", 0, 15, busy())
        .during("different", 21, 25, busy())
        .wait_ms(400)
        .send("after", replayed(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(duplicate(before), Skip);
}

#[test]
fn a_declared_hold_that_was_not_seen_is_not_made_up_for_by_luck() {
    let declared = |start: &mut crate::journal::Start| {
        start.operations[0].stall = Some("slow".to_owned());
    };
    let story = |how: &str| short(300, 25, busy()).held(how, false, 10);
    assert_eq!(duplicate(story("slow").start(declared)), Inconclusive);
    assert_eq!(duplicate(story("luck")), Pass);
}

#[test]
fn only_the_tools_own_lock_and_only_until_it_is_released_excuses_an_answer() {
    let story = |how: &str, released: u64| {
        Story::of("in-progress")
            .held(how, true, released)
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 210, got(400, ""))
            .during("different", 21, 25, busy())
            .wait_ms(400)
            .send("after", replayed(ID))
            .count("effects", &[("k", 1)])
    };
    assert_eq!(duplicate(story("postgres", 200)), Pass);
    assert_eq!(duplicate(story("postgres", 250)), Fail);
    assert_eq!(duplicate(story("slow", 200)), Fail);
}

#[test]
fn a_500_fails_where_the_first_succeeded_or_was_open_unless_the_policy_says_nothing_of_it() {
    assert_eq!(duplicate(told(25, got(500, ""), 1)), Fail);
    let late = |first: Got| {
        Story::of("in-progress")
            .during("first", 0, 10, first)
            .during("duplicate", 20, 25, got(500, ""))
            .during("different", 21, 25, busy())
            .wait_ms(100)
            .count("effects", &[("k", 1)])
            .send("after", replayed(ID))
    };
    assert_eq!(duplicate(late(ran(ID))), Fail);
    assert_eq!(duplicate(late(got(400, ""))), Skip);
    let silent = |c: &mut Contract| c.no_server_error.value = false;
    assert_eq!(duplicate(told(25, got(500, ""), 1).contract(silent)), Pass);
}

const ASIDE: &str = r#"
    id = "progress.aside"
    title = ""
    why = ""
    hint = ""
    check = [{ in-progress = { first = "first", second = "duplicate" } }]
    step = [
      { overlap = { first = { as = "first", key = "k", body = "base" }, during = [
        { as = "aside", key = "KEY", body = "base" },
        { as = "duplicate", key = "k", body = "base" },
      ] } },
    ]
"#;

#[test]
fn only_a_success_under_the_same_key_while_the_first_was_open_can_have_overtaken_it() {
    let story = |key: &str, aside: u64| {
        Story::text(&ASIDE.replace("KEY", key))
            .during("first", 0, 300, got(400, ""))
            .during("aside", aside, aside + 10, ran(ID))
            .during("duplicate", 20, 25, got(500, ""))
    };
    assert_eq!(story("k", 10).verdict(), Inconclusive);
    assert_eq!(story("j", 10).verdict(), Fail);
    assert_eq!(story("k", 310).verdict(), Fail);
}

#[test]
fn another_body_is_excused_by_a_busy_answer_an_open_clause_or_plain_validation() {
    let story = |changed: Got, different: Got| {
        Story::bare("in-progress")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0)])
            .send("first", ran("ctl_one_0001"))
            .count("one", &[("k1", 1), ("k2", 0), ("kc", 0)])
            .send("fresh", ran("ctl_two_0002"))
            .send("changed", changed)
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1)])
            .end()
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 25, busy())
            .during("different", 21, 25, different)
            .wait_ms(400)
            .count("effects", &[("k", 1)])
    };
    let verdict = |story: Story| story.check("in-progress:different").verdict;
    let taken = || ran("ctl_chg_0003");
    assert_eq!(verdict(story(taken(), got(422, "{}"))), Pass);
    assert_eq!(verdict(story(got(422, "{}"), got(422, "{}"))), Inconclusive);
    assert_eq!(verdict(story(got(422, "{}"), busy())), Pass);
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    assert_eq!(verdict(story(taken(), got(400, "")).contract(open)), Pass);
    let open = |c: &mut Contract| c.in_progress.value = Answer::Unspecified;
    assert_eq!(verdict(story(taken(), got(400, "")).contract(open)), Pass);
    assert_eq!(verdict(story(taken(), got(400, ""))), Fail);
}

#[test]
fn another_body_that_is_told_of_success_is_wrong_only_with_the_first_ones_result() {
    let story = |different: Got| {
        Story::of("in-progress")
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 25, busy())
            .during("different", 21, 310, different)
            .wait_ms(400)
            .count("effects", &[("k", 1)])
    };
    let verdict = |story: Story| story.check("in-progress:different").verdict;
    assert_eq!(verdict(story(replayed(ID))), Fail);
    assert_eq!(verdict(story(got(201, "{}"))), Pass);
    let replays = |c: &mut Contract| c.mismatch.value = Answer::Replay;
    assert_eq!(verdict(story(replayed(ID)).contract(replays)), Pass);
    // that another body may run does not let the same one run again
    let runs = |c: &mut Contract| c.mismatch.value = Answer::Run;
    let twice = told(310, ran("pay_other_1"), 1).uncounted().contract(runs);
    assert_eq!(duplicate(twice), Fail);
}
