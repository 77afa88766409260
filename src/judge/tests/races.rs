//! More stories of the situation concurrent: how many rounds must prove something, which copy won, what came before and after.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Contract, Marker, Replay, Same};
use crate::journal::{Event, GateKind, GateProof};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

const ID: &str = "pay_7f3a9c21";

fn busy() -> Got {
    got(409, "{}")
}

/// Rounds of which some overlapped, and whether the verdict rests on enough of them.
fn rounds_of(planned: u32, overlapped: &[bool]) -> Story {
    let mut story = Story::of("concurrent").rounds(planned);
    for (i, at_once) in overlapped.iter().enumerate() {
        if i > 0 {
            story = story.next_round();
        }
        let copies = [ran(ID), replayed(ID)];
        story = if *at_once {
            story.burst("copies", &copies)
        } else {
            story.queue("copies", &copies)
        };
        story = story
            .send("later", replayed(ID))
            .count("effects", &[("k", 1)]);
    }
    story
}

#[test]
fn half_of_the_rounds_or_as_many_as_were_planned_must_have_overlapped() {
    let verdict = |planned, overlapped: &[bool]| rounds_of(planned, overlapped).verdict();
    assert_eq!(verdict(4, &[true, false, true, false]), Pass);
    assert_eq!(verdict(4, &[true, false, false, false]), Inconclusive);
    assert_eq!(verdict(3, &[true, false, false]), Inconclusive);
    // rounds out of step were repeated until there were as many as planned
    assert_eq!(verdict(2, &[false, false, true, false, true]), Pass);
    assert_eq!(
        verdict(2, &[false, false, false, false, true]),
        Inconclusive
    );
}

#[test]
fn a_pass_says_of_how_many_rounds_it_is_true() {
    let observed = |story: Story| story.check("concurrent:copies").observed;
    assert_eq!(
        observed(rounds_of(3, &[true, true, true])),
        "3 of 3 rounds: one effect, one identity; 6 copies: 3 x 201, 3 x 201 marked as replay"
    );
    // what was not counted is not said
    let blind = observed(rounds_of(2, &[true, true]).uncounted());
    assert!(blind.starts_with("2 of 2 rounds: one identity;"), "{blind}");
}

fn gate(round: u32, all_in_flight: bool) -> Event {
    Event::Gate(GateProof {
        instance: "drill.concurrent@pay".into(),
        round,
        gate: GateKind::Body,
        copies: 3,
        protocol: "HTTP/1.1".into(),
        spread_us: 120,
        gap12_us: 80,
        jitter_us: 0,
        all_in_flight,
        early_answers: 0,
        in_step: true,
        repeated: false,
    })
}

#[test]
fn the_run_says_in_how_many_rounds_copies_were_open_at_once() {
    let story = rounds_of(3, &[true, false])
        .next_round()
        .burst("copies", &[ran(ID)])
        .event(gate(0, false))
        .event(gate(1, false))
        // the other copies of the third round never left
        .event(gate(2, true));
    let power = story.judged().power.unwrap();
    assert!(power.contains("3 copies x 3 rounds"), "{power}");
    assert!(power.contains("open at once in 1 of 3"), "{power}");
}

#[test]
fn a_server_error_after_an_earlier_or_before_a_later_success_fails() {
    let error = || got(500, "");
    let story = |key: &str, later: Got| {
        let text = EARLIER.replace("EARLIER", key);
        Story::text(&text)
            .send("first", ran("pay_earlier"))
            .burst("copies", &[error(), error()])
            .send("later", later)
            .count("effects", &[("k", 1)])
            .verdict()
    };
    assert_eq!(story("k", error()), Fail);
    assert_eq!(story("other", ran(ID)), Fail);
    // a success under another key is none of this one's
    assert_eq!(story("other", error()), Inconclusive);
}

const EARLIER: &str = r#"
    id = "races.earlier"
    title = ""
    why = ""
    hint = ""
    check = [{ concurrent = { of = ["copies"], later = ["later"], counted = "effects" } }]
    step = [
      { send = { as = "first", key = "EARLIER", body = "base" } },
      { burst = { send = [{ as = "copies", key = "k", body = "base" }] } },
      { retry = { as = "later", key = "k", body = "base" } },
      { count = { as = "effects" } },
    ]
"#;

#[test]
fn what_an_expired_key_gets_says_nothing_of_a_key_that_has_not_expired() {
    let refused = |c: &mut Contract| c.after_retention.value = refuse(400);
    let story = Story::of("concurrent")
        .burst("copies", &[ran(ID), replayed(ID), busy()])
        .send("later", replayed(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.contract(refused).verdict(), Pass);
}

#[test]
fn a_success_without_a_counted_effect_is_inconclusive_whoever_was_told_of_it() {
    let text = EARLIER
        .replace(r#", later = ["later"]"#, "")
        .replace("EARLIER", "other");
    let alone = Story::text(&text)
        .send("first", ran("pay_earlier"))
        .burst("copies", &[ran(ID), busy()])
        .count("effects", &[("k", 0)]);
    assert_eq!(alone.verdict(), Inconclusive);
    let later = |effects: i64| {
        Story::of("concurrent")
            .burst("copies", &[Got::Nothing, Got::Nothing])
            .send("later", ran(ID))
            .count("effects", &[("k", effects)])
            .verdict()
    };
    assert_eq!(later(1), Pass);
    assert_eq!(later(0), Inconclusive);
}

/// A first reply of 201 whose replays are 200.
fn mapped(c: &mut Contract) {
    c.replay.value = Replay::Same(Same {
        status: std::collections::BTreeMap::from([("201".to_owned(), vec![200])]),
        ..Same::default()
    });
}

#[test]
fn the_winner_is_the_unmarked_copy_or_the_one_with_the_status_of_a_first() {
    let body = format!(r#"{{"id":"{ID}","amount":49900}}"#);
    let again = || got(200, &body);
    let marked = || with(again(), "idempotent-replayed", "true");
    let story = |copies: &[Got], later: Got| {
        Story::of("concurrent")
            .burst("copies", copies)
            .send("later", later)
            .count("effects", &[("k", 1)])
            .contract(mapped)
    };
    assert_eq!(story(&[marked(), ran(ID)], marked()).verdict(), Pass);
    assert_eq!(story(&[marked(), replayed(ID)], marked()).verdict(), Fail);
    // without a marker the status tells, whoever answered first
    let bare = |c: &mut Contract| c.marker.value = Marker::None;
    let story = |copies: &[Got]| story(copies, again()).contract(bare).verdict();
    assert_eq!(story(&[again(), ran(ID)]), Pass);
    assert_eq!(story(&[ran(ID), again()]), Pass);
    assert_eq!(story(&[ran(ID), ran(ID)]), Fail);
}

#[test]
fn a_success_under_an_expired_key_fails_where_only_a_refusal_is_declared() {
    let story = |refusal: u16, copies: &[Got]| {
        Story::of("retention/burst-after-expiry")
            .send("first", ran(ID))
            .expire(true)
            .count("before", &[("k", 1), ("k2", 0)])
            .burst("copies", copies)
            .send("later", replayed("pay_new_1"))
            .count("effects", &[("k", 1), ("k2", 1)])
            .contract(|c| c.after_retention.value = refuse(refusal))
            .check("concurrent:copies")
    };
    let check = story(412, &[ran("pay_new_1"), busy()]);
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "after-retention")
    );
    let refused = story(412, &[got(412, ""), got(412, "")]);
    assert_eq!(
        (refused.verdict, refused.expected.as_str()),
        (Fail, "no effect")
    );
}

#[test]
fn that_all_copies_were_in_flight_proves_overlap_whatever_the_times_say() {
    let story = |all_in_flight: bool, copies: u32| {
        let mut proof = gate(0, all_in_flight);
        if let Event::Gate(gate) = &mut proof {
            gate.copies = copies;
        }
        rounds_of(1, &[false]).event(proof).verdict()
    };
    assert_eq!(story(true, 2), Pass);
    assert_eq!(story(true, 1), Inconclusive);
    assert_eq!(story(false, 2), Inconclusive);
}

/// A copy that was handed over at `from` ms, let go at `released` and done at 50, beside one that was answered from 5 to 9 ms.
fn beside(from: u64, released: u64, answer: Got) -> Story {
    let mut end = 0;
    Story::of("concurrent")
        .during("copies", from, 50, ran(ID))
        .during("copies", 5, 9, answer)
        .edit(|event| {
            if let Event::Outcome(done) = event
                && done.n == 5
            {
                end = done.end_us;
                done.released_us = Some(end - 50_000 + released * 1000);
            }
        })
        .wait_ms(60)
        .send("later", replayed(ID))
        .count("effects", &[("k", 1)])
}

#[test]
fn a_server_that_says_in_progress_has_seen_the_copy_that_was_not_yet_let_go() {
    assert_eq!(beside(0, 1, busy()).verdict(), Pass);
    assert_eq!(beside(0, 30, busy()).verdict(), Pass);
    // a copy that was handed over only afterwards it has not seen, and another answer says nothing
    assert_eq!(beside(20, 30, busy()).verdict(), Inconclusive);
    let open = |c: &mut Contract| c.in_progress.value = crate::contract::Answer::Unspecified;
    assert_eq!(
        beside(0, 30, got(400, "")).contract(open).verdict(),
        Inconclusive
    );
}

#[test]
fn a_limit_in_one_round_of_several_is_held_against_nobody() {
    let story = |limited: [bool; 3]| {
        let mut story = Story::of("concurrent").rounds(3);
        for (i, limit) in limited.into_iter().enumerate() {
            if i > 0 {
                story = story.next_round();
            }
            let other = if limit { got(429, "") } else { busy() };
            story = story
                .burst("copies", &[ran(ID), other])
                .send("later", replayed(ID))
                .count("effects", &[("k", 1)]);
        }
        story.verdict()
    };
    assert_eq!(story([true, false, false]), Pass);
    assert_eq!(story([true, true, false]), Inconclusive);
    assert_eq!(story([true, true, true]), Fail);
}

#[test]
fn where_a_race_was_lost_nothing_is_said_of_what_went_unseen() {
    let power = |effects: i64| {
        Story::of("concurrent")
            .burst("copies", &[ran(ID), busy()])
            .send("later", replayed(ID))
            .count("effects", &[("k", effects)])
            .event(gate(0, true))
            .judged()
            .power
            .unwrap()
    };
    assert!(power(1).contains("95 %"), "{}", power(1));
    assert!(!power(2).contains("95 %"), "{}", power(2));
}

#[test]
fn a_few_of_many_results_are_named() {
    let observed = |ids: &[&str]| {
        let copies: Vec<Got> = ids.iter().map(|id| ran(id)).collect();
        let story = Story::of("concurrent").burst("copies", &copies);
        story.check("concurrent:copies").observed
    };
    let three = observed(&["pay_a", "pay_b", "pay_c"]);
    assert!(
        three.contains("pay_a, pay_b, pay_c") && !three.contains("..."),
        "{three}"
    );
    let four = observed(&["pay_a", "pay_b", "pay_c", "pay_d"]);
    assert!(
        four.contains("4 results: pay_a, pay_b, pay_c, ..."),
        "{four}"
    );
}
