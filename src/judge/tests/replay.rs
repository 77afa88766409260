//! Stories of the situation replay, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed, with};
use crate::contract::{BodyFidelity, Marker, Replay, Same};
use crate::judge::Verdict::{Fail, Inconclusive, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn told(repeat: Got, again: Got, effects: i64) -> Story {
    Story::of("replay")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("repeat", repeat)
        .send("again", again)
        .count("effects", &[("k", effects)])
}

#[test]
fn the_same_reply_marked_and_one_effect_pass() {
    assert_eq!(told(replayed(ID), replayed(ID), 1).verdict(), Pass);
}

#[test]
fn a_perfect_replay_with_a_second_effect_fails_by_the_count_alone() {
    let story = told(replayed(ID), replayed(ID), 2);
    let check = story.clone().check("replay:repeat");
    assert_eq!(check.verdict, Fail);
    assert_eq!(check.clause.unwrap().name, "one-effect");
    assert!(check.observed.contains("2 effects"), "{}", check.observed);
    let meaning = check.meaning.unwrap();
    assert!(meaning.contains("a perfect replay"), "{meaning}");
    // without the counter nobody can know, and the finding says what decided
    let blind = story.uncounted().finding();
    assert_eq!(blind.verdict, Pass);
    assert!(
        blind.proof.iter().any(|p| p.contains("identity")),
        "{:?}",
        blind.proof
    );
}

#[test]
fn another_identity_fails_with_and_without_a_counter() {
    for story in [
        told(ran("pay_other_1"), replayed(ID), 2),
        told(ran("pay_other_1"), replayed(ID), 2).uncounted(),
    ] {
        let check = story.check("replay:repeat");
        assert_eq!(check.verdict, Fail);
        assert!(check.attempts.contains(&6), "{:?}", check.attempts);
    }
}

#[test]
fn a_success_without_any_effect_is_inconclusive() {
    assert_eq!(told(replayed(ID), replayed(ID), 0).verdict(), Inconclusive);
}

#[test]
fn an_effect_that_comes_late_is_seen_by_the_recount() {
    let late = told(replayed(ID), replayed(ID), 1).count("final", &[("k", 2)]);
    let check = late.check("replay:again");
    assert_eq!(check.verdict, Fail);
    assert!(check.observed.contains("late"), "{}", check.observed);
    assert_eq!(
        told(replayed(ID), replayed(ID), 1)
            .count("final", &[("k", 1)])
            .verdict(),
        Pass
    );
}

#[test]
fn the_marker_belongs_on_the_replay_and_not_on_the_first() {
    assert_eq!(
        told(ran(ID), replayed(ID), 1)
            .check("replay:repeat")
            .clause
            .unwrap()
            .name,
        "marker"
    );
    let undeclared = |c: &mut crate::contract::Contract| c.marker.value = Marker::Unspecified;
    assert_eq!(
        told(ran(ID), ran(ID), 1).contract(undeclared).verdict(),
        Pass
    );
    let on_first = Story::of("replay")
        .send("first", replayed(ID))
        .send("repeat", replayed(ID))
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(on_first.verdict(), Fail);
}

#[test]
fn the_body_is_compared_as_declared() {
    let spaced = || {
        let body = format!("{{ \"amount\": 49900.0, \"id\": \"{ID}\" }}");
        with(got(201, &body), "idempotent-replayed", "true")
    };
    assert_eq!(told(spaced(), spaced(), 1).verdict(), Pass);
    let bytes = |c: &mut crate::contract::Contract| {
        c.replay.value = Replay::Same(Same {
            body: BodyFidelity::Bytes,
            ..Same::default()
        });
    };
    assert_eq!(told(spaced(), spaced(), 1).contract(bytes).verdict(), Fail);
    assert_eq!(
        told(replayed(ID), replayed(ID), 1)
            .contract(bytes)
            .verdict(),
        Pass
    );
    let big = |n: &str| {
        let body = format!(r#"{{"id":"{ID}","amount":49900,"n":{n}}}"#);
        with(got(201, &body), "idempotent-replayed", "true")
    };
    let first = with(
        got(
            201,
            &format!(r#"{{"id":"{ID}","amount":49900,"n":9007199254740993}}"#),
        ),
        "x",
        "y",
    );
    let story = |n: &str| {
        Story::of("replay")
            .send("first", first.clone())
            .send("repeat", big(n))
            .send("again", big(n))
            .count("effects", &[("k", 1)])
    };
    assert_eq!(story("9007199254740993").verdict(), Pass);
    assert_eq!(story("9007199254740992").verdict(), Fail);
    let volatile = |c: &mut crate::contract::Contract| {
        c.replay.value = Replay::Same(Same {
            volatile: vec!["/n".into()],
            ..Same::default()
        });
    };
    assert_eq!(story("1").contract(volatile).verdict(), Pass);
}

#[test]
fn a_201_replayed_as_200_fails_unless_the_status_map_says_so() {
    let ok = || {
        with(
            got(200, &format!(r#"{{"id":"{ID}","amount":49900}}"#)),
            "idempotent-replayed",
            "true",
        )
    };
    assert_eq!(told(ok(), ok(), 1).verdict(), Fail);
    let mapped = |c: &mut crate::contract::Contract| {
        let status = std::collections::BTreeMap::from([("201".to_owned(), vec![200])]);
        c.replay.value = Replay::Same(Same {
            status,
            ..Same::default()
        });
    };
    assert_eq!(told(ok(), ok(), 1).contract(mapped).verdict(), Pass);
    assert_eq!(
        told(replayed(ID), replayed(ID), 1)
            .contract(mapped)
            .verdict(),
        Fail
    );
}

#[test]
fn a_should_part_only_warns_and_strict_makes_it_fail() {
    let ok = || {
        with(
            got(200, &format!(r#"{{"id":"{ID}","amount":49900}}"#)),
            "idempotent-replayed",
            "true",
        )
    };
    let story = told(ok(), ok(), 1).contract(|c| c.replay.should_parts = vec!["status".into()]);
    assert_eq!(story.clone().verdict(), Warn);
    let journal = story.end().journal();
    let strict = crate::judge::judge(&journal, &journal.start.contracts, true, &[]);
    assert_eq!(strict.findings.last().unwrap().verdict, Fail);
}

#[test]
fn declared_headers_come_back() {
    let at = |to: &str| with(replayed(ID), "location", to);
    let story = |to: &str| {
        Story::of("replay")
            .send("first", with(ran(ID), "location", "/payments/1"))
            .send("repeat", at(to))
            .send("again", at(to))
            .count("effects", &[("k", 1)])
            .contract(|c| {
                c.replay.value = Replay::Same(Same {
                    headers: vec!["Location".into()],
                    ..Same::default()
                });
            })
    };
    assert_eq!(story("/payments/1").verdict(), Pass);
    assert_eq!(story("/payments/2").verdict(), Fail);
}

#[test]
fn in_progress_past_its_bound_was_never_completed() {
    let busy = || got(409, "{}");
    let stuck = Story::of("replay")
        .send("first", ran(ID))
        .retry(
            "repeat",
            3000,
            &[
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
                busy(),
            ],
        )
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    let check = stuck.check("replay:repeat");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "in-progress-for")
    );
    assert!(check.observed.contains("30.0 s"), "{}", check.observed);
    let soon = Story::of("replay")
        .send("first", ran(ID))
        .retry("repeat", 1000, &[busy(), busy(), replayed(ID)])
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    let check = soon.check("replay:repeat");
    assert_eq!(check.verdict, Pass);
    assert!(
        check.observed.contains("2 earlier tries"),
        "{}",
        check.observed
    );
    let at_once = told(replayed(ID), replayed(ID), 1).check("replay:repeat");
    assert!(!at_once.observed.contains("tries"), "{}", at_once.observed);
    let given_up = Story::of("replay")
        .send("first", ran(ID))
        .retry("repeat", 1000, &[busy(), busy()])
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    assert_eq!(given_up.check("replay:repeat").verdict, Inconclusive);
}

#[test]
fn unknown_outcomes_and_gateways_are_no_failures_and_a_500_is_one() {
    for unknown in [
        Got::Nothing,
        got(502, ""),
        got(503, ""),
        got(504, ""),
        got(429, ""),
        Got::NotSent,
    ] {
        assert_eq!(
            told(unknown, replayed(ID), 1)
                .check("replay:repeat")
                .verdict,
            Inconclusive
        );
    }
    let check = told(got(500, ""), replayed(ID), 1).check("replay:repeat");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "no-server-error")
    );
}

#[test]
fn a_finished_duplicate_is_refused_only_where_that_is_declared() {
    let refused = || got(400, "{}");
    assert_eq!(told(refused(), refused(), 1).verdict(), Fail);
    let declared = |c: &mut crate::contract::Contract| {
        c.replay.value = Replay::Refuse(crate::contract::Match::default())
    };
    assert_eq!(
        told(refused(), refused(), 1).contract(declared).verdict(),
        Pass
    );
    assert_eq!(
        told(refused(), refused(), 2).contract(declared).verdict(),
        Fail
    );
    let open = |c: &mut crate::contract::Contract| c.replay.value = Replay::Unspecified;
    assert_eq!(told(refused(), refused(), 1).contract(open).verdict(), Pass);
}

#[test]
fn a_cookie_made_anew_for_each_reply_must_not_be_replayed() {
    let set =
        |answer: Got, value: &str| with(answer, "set-cookie", &format!("sid={value}; Path=/"));
    let story = |again: &str, fresh: [&str; 2]| {
        Story::bare("replay")
            .count("none", &[("k1", 0), ("k2", 0)])
            .send("first", set(ran("ctl_1"), fresh[0]))
            .count("one", &[("k1", 1), ("k2", 0)])
            .send("fresh", set(ran("ctl_2"), fresh[1]))
            .send("changed", ran("ctl_3"))
            .send("second-account", ran("ctl_4"))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)])
            .end()
            .send("first", set(ran(ID), "v3"))
            .send("repeat", set(replayed(ID), again))
            .send("again", replayed(ID))
            .count("effects", &[("k", 1)])
    };
    assert_eq!(story("v3", ["v1", "v2"]).verdict(), Fail);
    assert_eq!(story("v4", ["v1", "v2"]).verdict(), Pass);
    // a constant cookie is no replayed one
    assert_eq!(story("v3", ["v3", "v3"]).verdict(), Pass);
}

#[test]
fn told_to_wait_is_no_refusal_where_the_policy_names_it_or_promises_a_replay() {
    let busy = || got(409, "{}");
    let story = |tries: usize| {
        Story::of("replay")
            .send("first", ran(ID))
            .retry("repeat", 3000, &vec![busy(); tries])
            .send("again", replayed(ID))
            .count("effects", &[("k", 1)])
    };
    let check = |story: Story| {
        let check = story.check("replay:repeat");
        (check.verdict, check.clause.unwrap().name)
    };
    let promised = |c: &mut crate::contract::Contract| {
        c.in_progress.value = crate::contract::Answer::Unspecified;
    };
    let named = |c: &mut crate::contract::Contract| c.replay.value = Replay::Unspecified;
    let stuck = (Fail, "in-progress-for".to_owned());
    assert_eq!(check(story(11).contract(promised)), stuck);
    assert_eq!(check(story(11).contract(named)), stuck);
    assert_eq!(check(story(2).contract(promised)).0, Inconclusive);
    assert_eq!(check(story(2).contract(named)).0, Inconclusive);
    // a client that waits in steps tries for the last time a little before the bound
    assert_eq!(check(story(10)), stuck);
    assert_eq!(check(story(9)).0, Inconclusive);
}

#[test]
fn a_header_that_is_declared_for_every_reply_is_on_every_reply() {
    let on = |value: &str| with(ran(ID), "x-idempotent", value);
    let story = |is: &[&str], first: Got, repeat: Got| {
        let is: Vec<String> = is.iter().map(|value| (*value).to_owned()).collect();
        Story::of("replay")
            .send("first", first)
            .send("repeat", repeat.clone())
            .send("again", repeat)
            .count("effects", &[("k", 1)])
            .contract(|c| {
                c.marker.value = Marker::Always {
                    name: "X-Idempotent".into(),
                    is,
                };
            })
            .verdict()
    };
    assert_eq!(story(&["yes"], on("yes"), on("YES")), Pass);
    assert_eq!(story(&["yes"], on("yes"), ran(ID)), Fail);
    assert_eq!(story(&["yes"], on("yes"), on("no")), Fail);
    assert_eq!(story(&["yes"], ran(ID), on("yes")), Fail);
    assert_eq!(story(&[], on("any"), on("other")), Pass);
    assert_eq!(story(&[], on("any"), ran(ID)), Fail);
}
