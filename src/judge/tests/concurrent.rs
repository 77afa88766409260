//! Stories of the situation concurrent, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, Contract, Marker};
use crate::journal::{Event, GateKind, GateProof};
use crate::judge::Verdict::{Fail, Inconclusive, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn told(copies: &[Got], effects: i64) -> Story {
    Story::of("concurrent")
        .burst("copies", copies)
        .send("later", replayed(ID))
        .count("effects", &[("k", effects)])
}

fn busy() -> Got {
    got(409, "{}")
}

#[test]
fn one_runs_and_the_others_replay_or_are_told_to_wait() {
    assert_eq!(told(&[ran(ID), replayed(ID), busy()], 1).verdict(), Pass);
    assert_eq!(told(&[busy(), busy(), ran(ID)], 1).verdict(), Pass);
}

#[test]
fn two_results_or_two_effects_fail_whether_or_not_copies_overlapped() {
    let check = told(&[ran("pay_other_1"), ran(ID), busy()], 2).check("concurrent:copies");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "one-effect")
    );
    assert_eq!(
        told(&[ran(ID), replayed(ID), replayed(ID)], 2).verdict(),
        Fail
    );
    assert_eq!(
        told(&[ran("pay_other_1"), ran(ID), busy()], 2)
            .uncounted()
            .verdict(),
        Fail
    );
    let queued = Story::of("concurrent")
        .queue("copies", &[ran("pay_other_1"), ran(ID)])
        .send("later", replayed(ID))
        .count("effects", &[("k", 2)]);
    assert_eq!(queued.verdict(), Fail);
}

#[test]
fn without_proof_of_overlap_it_is_inconclusive_and_never_a_pass() {
    let queued = Story::of("concurrent")
        .queue("copies", &[ran(ID), replayed(ID), replayed(ID)])
        .send("later", replayed(ID))
        .count("effects", &[("k", 1)]);
    let finding = queued.finding();
    assert_eq!(finding.verdict, Inconclusive);
    assert!(
        finding.reason.contains("open at once"),
        "{}",
        finding.reason
    );
}

#[test]
fn a_declared_in_progress_answer_while_another_is_open_proves_overlap_even_before_the_release() {
    // the second was answered on its head, long before its last byte was let go
    let early = Story::of("concurrent")
        .during("copies", 0, 50, ran(ID))
        .during("copies", 1, 2, busy())
        .wait_ms(60)
        .send("later", replayed(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(early.verdict(), Pass);
}

#[test]
fn exactly_one_success_lacks_the_marker() {
    assert_eq!(told(&[ran(ID), ran(ID), busy()], 1).verdict(), Fail);
    assert_eq!(
        told(&[replayed(ID), replayed(ID), busy()], 1).verdict(),
        Fail
    );
    // the winner's reply may be the one that was lost
    assert_eq!(
        told(&[replayed(ID), replayed(ID), Got::Nothing], 1).verdict(),
        Pass
    );
    let none = |c: &mut Contract| c.marker.value = Marker::Unspecified;
    let same = Story::of("concurrent")
        .burst("copies", &[ran(ID), ran(ID), busy()])
        .send("later", ran(ID))
        .count("effects", &[("k", 1)])
        .contract(none);
    assert_eq!(same.verdict(), Pass);
}

#[test]
fn a_loser_with_a_500_fails_beside_a_success_and_a_gateway_is_unknown() {
    let check = told(&[ran(ID), got(500, ""), busy()], 1).check("concurrent:copies");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "no-server-error")
    );
    assert_eq!(told(&[ran(ID), got(502, ""), busy()], 1).verdict(), Pass);
    assert_eq!(told(&[ran(ID), Got::Nothing, busy()], 1).verdict(), Pass);
    assert_eq!(told(&[ran(ID), Got::Nothing, busy()], 2).verdict(), Fail);
}

#[test]
fn an_answer_that_is_not_declared_fails_and_a_should_part_warns() {
    assert_eq!(told(&[ran(ID), got(423, ""), busy()], 1).verdict(), Fail);
    let should = |c: &mut Contract| c.in_progress.should_parts = vec!["status".into()];
    assert_eq!(
        told(&[ran(ID), got(423, ""), busy()], 1)
            .contract(should)
            .verdict(),
        Warn
    );
    let open = |c: &mut Contract| c.in_progress.value = Answer::Unspecified;
    assert_eq!(
        told(&[ran(ID), got(423, ""), busy()], 1)
            .contract(open)
            .verdict(),
        Pass
    );
    let wait = |c: &mut Contract| c.in_progress.value = Answer::Wait;
    assert_eq!(
        told(&[ran(ID), replayed(ID), busy()], 1)
            .contract(wait)
            .verdict(),
        Fail
    );
    assert_eq!(
        told(&[ran(ID), replayed(ID), replayed(ID)], 1)
            .contract(wait)
            .verdict(),
        Pass
    );
}

#[test]
fn limits_are_judged_only_at_two_copies() {
    assert_eq!(
        told(&[ran(ID), got(429, ""), got(429, "")], 1).verdict(),
        Inconclusive
    );
    assert_eq!(
        told(&[ran(ID), got(503, ""), got(503, "")], 1).verdict(),
        Inconclusive
    );
    assert_eq!(told(&[ran(ID), got(429, "")], 1).verdict(), Fail);
    let declared = |c: &mut Contract| c.in_progress.value = refuse(429);
    assert_eq!(
        told(&[ran(ID), got(429, ""), got(429, "")], 1)
            .contract(declared)
            .verdict(),
        Pass
    );
}

#[test]
fn the_later_repeat_replays_the_winner() {
    let story = |later: Got| {
        Story::of("concurrent")
            .burst("copies", &[ran(ID), busy(), busy()])
            .send("later", later)
            .count("effects", &[("k", 1)])
    };
    assert_eq!(story(replayed(ID)).verdict(), Pass);
    assert_eq!(story(replayed("pay_overwritten")).verdict(), Fail);
    assert_eq!(story(got(500, "")).verdict(), Fail);
}

#[test]
fn a_burst_in_which_nobody_ran_says_nothing() {
    let story = Story::of("concurrent")
        .burst("copies", &[busy(), busy(), busy()])
        .send("later", ran(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.verdict(), Inconclusive);
}

#[test]
fn one_bad_round_among_good_ones_fails_and_is_named() {
    let mut story = Story::of("concurrent").rounds(3);
    for round in 0..3 {
        let effects = if round == 1 { 2 } else { 1 };
        story = story
            .burst("copies", &[ran(ID), busy(), busy()])
            .send("later", replayed(ID))
            .count("effects", &[("k", effects)]);
        if round < 2 {
            story = story.next_round();
        }
    }
    let finding = story.finding();
    assert_eq!(finding.verdict, Fail);
    assert!(
        finding.reason.starts_with("round 2: 2 effects"),
        "{}",
        finding.reason
    );
}

#[test]
fn rounds_that_were_never_reached_leave_it_inconclusive() {
    let story = told(&[ran(ID), busy(), busy()], 1).rounds(5);
    assert_eq!(story.verdict(), Inconclusive);
}

#[test]
fn a_pass_says_what_it_proves() {
    let gate = Event::Gate(GateProof {
        instance: "drill.concurrent@pay".into(),
        round: 0,
        gate: GateKind::Body,
        copies: 3,
        protocol: "HTTP/1.1".into(),
        spread_us: 120,
        gap12_us: 80,
        jitter_us: 0,
        all_in_flight: true,
        early_answers: 1,
        in_step: true,
        repeated: false,
    });
    let finding = told(&[ran(ID), busy(), busy()], 1).event(gate).finding();
    let proof = finding.proof.join("\n");
    for words in [
        "3 copies x 1 round over HTTP/1.1",
        "within 120 us of each other",
        "in step in 1 of 1",
        "1 answer came before",
        "95 %",
    ] {
        assert!(proof.contains(words), "{words} in {proof}");
    }
}

const MIXED: &str = r#"
    id = "races.mixed"
    title = ""
    why = ""
    hint = ""
    check = [{ concurrent = { of = ["one", "other"], later = ["one-later", "other-later"], counted = "effects" } }]
    step = [
      { burst = { send = [{ as = "one", key = "k", body = "base" }, { as = "other", key = "k", body = "changed" }] } },
      { retry = { as = "one-later", key = "k", body = "base" } },
      { retry = { as = "other-later", key = "k", body = "changed" } },
      { count = { as = "effects" } },
    ]
"#;

#[test]
fn of_two_bodies_one_runs_and_the_other_is_the_mismatch() {
    let story = |copies: &[Got], other_later: Got, effects: i64| {
        Story::text(MIXED)
            .burst("one,other", copies)
            .send("one-later", replayed(ID))
            .send("other-later", other_later)
            .count("effects", &[("k", effects)])
    };
    let refused = || got(422, "{}");
    assert_eq!(
        story(&[ran(ID), refused(), replayed(ID), busy()], refused(), 1).verdict(),
        Pass
    );
    assert_eq!(
        story(&[ran(ID), replayed(ID)], refused(), 1).verdict(),
        Fail
    );
    assert_eq!(
        story(&[ran(ID), ran("pay_other_1")], refused(), 2).verdict(),
        Fail
    );
    assert_eq!(
        story(&[ran(ID), refused()], replayed(ID), 1).verdict(),
        Fail
    );
    assert_eq!(
        story(&[ran(ID), refused()], busy(), 1).verdict(),
        Inconclusive
    );
    assert_eq!(
        story(&[ran(ID), with(got(400, ""), "x", "y")], refused(), 1).verdict(),
        Fail
    );
}

#[test]
fn a_pass_says_what_the_copies_got() {
    let story = |copies: &[Got], effects: i64| told(copies, effects).check("concurrent:copies");
    let one = story(&[ran(ID), busy(), replayed(ID)], 1);
    assert_eq!(one.verdict, Pass);
    for words in [
        "one effect, one identity; 3 copies: ",
        "1 x 201, ",
        "1 x 201 marked as replay",
        "1 x 409",
    ] {
        assert!(one.observed.contains(words), "{words} in {}", one.observed);
    }
    assert!(!one.observed.contains("rounds"), "{}", one.observed);
    let uncounted = told(&[ran(ID), busy(), replayed(ID)], 1)
        .uncounted()
        .check("concurrent:copies");
    assert!(
        !uncounted.observed.contains("one effect"),
        "{}",
        uncounted.observed
    );
    let nobody = story(&[busy(), busy(), busy()], 1);
    assert_eq!(nobody.verdict, Inconclusive);
    assert!(
        nobody.observed.contains("no copy ran (3 x 409)"),
        "{}",
        nobody.observed
    );
}
