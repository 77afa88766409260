//! replay: the repeat of a finished request gets its reply again and does nothing.
//!
//! Read: the first reply, the last reply of the repeat (it is retried as a well-behaved client would), the count of the
//! intent where the check names one.
//! Pass: the same identity; status, body and headers as like as `replay` declares; the marker where one is declared, on the
//! repeat and not on the first; one effect.
//! Fail: another identity or a second effect (`one-effect`), a refusal or another reply where a replay is declared
//! (`replay`), still "in progress" when the declared bound is over (`in-progress-for`), a 5xx (`no-server-error`), the marker
//! missing or on the first (`marker`). Cookies that the server makes anew each time must not be replayed where `replay` is
//! a copy: part `replay.set-cookie`.
//! Inconclusive: no first success, an unknown outcome, a limit or a gateway that never gave way, a success without effect.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::fidelity;
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::{Step, Steps};
use crate::contract::reading::{Identities, Situation, in_progress_is_named};
use crate::contract::{Marker, Replay};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(format!("replay:{second}"), evidence.instance.plan.rounds);
    let Some(op) = evidence.op() else {
        return tally;
    };
    expect(op.contract, &mut tally);
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// What decides: the replay clause, or the floor where that is left open.
pub fn expect(contract: &crate::contract::Contract, tally: &mut Tally) {
    if contract.replay.value == Replay::Unspecified {
        tally.expect(
            Cited::of(&contract.one_effect),
            "no second effect; the reply is left open",
        );
        if !contract.one_effect.value {
            tally.leave_open();
        }
    } else {
        let cited = Cited::of(&contract.replay);
        let words = format!("{}, no second effect", cited.reference.declared);
        tally.expect(cited, words);
    }
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let second = scene.need(steps.second.as_ref(), tally);
    if let Some(counted) = &steps.counted {
        one_effect(scene, &first, second.as_ref(), counted, tally);
    }
    let Some(second) = second else { return };
    if !first.is_success() {
        tally.doubt(
            format!("no first success to repeat: {}", first.words()),
            &[first.n(), second.n()],
        );
        return;
    }
    repeat(scene, &first, &second, tally);
    if second.is_success() && second.identities(&first) != Identities::Other {
        marker_on_first(&first, tally);
    }
}

/// One key, one effect: judges the count of the first request's intent.
pub fn one_effect(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    second: Option<&Seen<'_>>,
    counted: &str,
    tally: &mut Tally,
) {
    let contract = first.op.contract;
    if !contract.one_effect.value {
        return;
    }
    let sent = &first.attempt.sent;
    let change = effects::change(
        scene,
        &sent.intent,
        &sent.operation,
        &sent.account,
        None,
        counted,
    );
    let success = first.is_success() || second.is_some_and(Seen::is_success);
    let mut attempts: Vec<u64> = second.iter().map(|s| s.n()).collect();
    attempts.push(first.n());
    let alike = second.is_some_and(|s| s.identities(first) == Identities::Same);
    let meaning = if alike {
        "The work was done again although the reply looks like a perfect replay: the customer pays twice, and no client can notice."
    } else {
        "The work was done more than once for one key: the customer pays twice."
    };
    effects::judge(
        tally,
        &change,
        Expected {
            least: 1,
            most: 1,
            cited: Cited::of(&contract.one_effect),
            meaning: meaning.to_owned(),
            attempts,
            success_seen: success,
            words: "one effect".to_owned(),
        },
    );
}

/// Judges the reply to a repeat of a request that succeeded.
pub fn repeat(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(second.words(), &attempts);
        return;
    };
    let tries = scene.earlier_tries(&second.attempt.sent.step);
    let after = if tries > 0 {
        format!(" after {tries} earlier tries")
    } else {
        String::new()
    };
    let told = format!("{}{after}", second.words());
    let violated = |cited, part, expected: &str, observed, meaning: &str| Violation {
        cited,
        part,
        expected: expected.to_owned(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                None,
                "no 5xx for the repeat of a success",
                told,
                "The client cannot learn that its first request succeeded, and may do it again under a new key.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    // where neither clause names it, a 409 may as well be the server's word for a finished duplicate
    let named = second
        .received()
        .is_some_and(|r| in_progress_is_named(contract, r));
    let told_to_wait = named
        || reading.may_be(Situation::RateLimited)
        || matches!(contract.replay.value, Replay::Same(_) | Replay::Current(_));
    if told_to_wait && second.may_be_in_progress() && !reading.may_be(Situation::Duplicate) {
        still_in_progress(scene, first, second, &told, tally);
        return;
    }
    if reading.is_unknown() {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        return;
    }
    if reading.is_success() {
        success(scene, first, second, &told, tally);
        return;
    }
    match &contract.replay.value {
        Replay::Unspecified => tally.saw(format!("{told}: refused"), &attempts),
        Replay::Refuse(_) if reading.may_be(Situation::Duplicate) => {
            tally.saw(
                format!("{told}: refused as a duplicate, as declared"),
                &attempts,
            );
        }
        Replay::Refuse(how) => {
            let answer = crate::contract::Answer::Refuse(how.clone());
            let part = match fit(&answer, second) {
                Fit::Near(part) => Some(part),
                Fit::Fits(_) | Fit::NoneDeclared => None,
            };
            tally.violated(violated(
                Cited::of(&contract.replay),
                part,
                &format!("refuse ({how})"),
                told,
                "A client that knows the declared duplicate error does not recognise this one.",
            ));
        }
        Replay::Same(_) | Replay::Current(_) => tally.violated(violated(
            Cited::of(&contract.replay),
            None,
            "the first reply again",
            format!("{told}: the repeat was refused"),
            "A client that lost the first reply can never learn its outcome.",
        )),
    }
}

fn success(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>, told: &str, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    if second.identities(first) == Identities::Other {
        if contract.one_effect.value {
            let ids = (
                first.identity().unwrap_or_default(),
                second.identity().unwrap_or_default(),
            );
            tally.violated(Violation {
                cited: Cited::of(&contract.one_effect),
                part: None,
                expected: "the result of the first request".to_owned(),
                observed: format!("{told} with another result: {} instead of {}", ids.1, ids.0),
                meaning: "The repeat ran as a new request: the customer pays twice.".to_owned(),
                attempts: attempts.to_vec(),
            });
        } else {
            tally.saw(format!("{told} with another result"), &attempts);
        }
        return;
    }
    let (same, whole) = match &contract.replay.value {
        Replay::Same(same) => (same, true),
        Replay::Current(same) => (same, false),
        Replay::Unspecified => {
            tally.saw(format!("{told} with the same result"), &attempts);
            return;
        }
        Replay::Refuse(how) => {
            tally.violated(Violation {
                cited: Cited::of(&contract.replay),
                part: None,
                expected: format!("refuse ({how})"),
                observed: format!("{told}: a success instead of the declared duplicate error"),
                meaning: "A client cannot tell this repeat from a first success.".to_owned(),
                attempts: attempts.to_vec(),
            });
            return;
        }
    };
    let control = scene.evidence.control(&second.attempt.sent.operation);
    let cookies = control.map_or(&[][..], |c| c.cookies.as_slice());
    let compared = fidelity::compare(same, whole, first, second, cookies);
    for doubt in compared.doubts {
        tally.doubt(doubt, &attempts);
    }
    let differs = !compared.differences.is_empty();
    for difference in compared.differences {
        tally.violated(Violation {
            cited: Cited::of(&contract.replay),
            part: Some(difference.part),
            expected: "the first reply again".to_owned(),
            observed: format!("{told}: {}", difference.text),
            meaning: difference.meaning.to_owned(),
            attempts: attempts.to_vec(),
        });
    }
    marker_on_replay(second, tally);
    if !differs {
        tally.saw(format!("{told}, the first reply again"), &attempts);
    }
}

/// The marker, where one is declared, is on the repeat.
pub fn marker_on_replay(second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let Marker::Header { name, .. } = &contract.marker.value else {
        return;
    };
    if second.marked() == Some(false) {
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            expected: format!("{name} on the replay"),
            observed: format!(
                "the replay is not marked: {} without {name} of a replay",
                second.words()
            ),
            meaning: "A client cannot tell a replay from a new result.".to_owned(),
            attempts: vec![second.n()],
        });
    }
}

/// The first reply is not marked as a replay, and carries what a first reply is declared to carry.
pub fn marker_on_first(first: &Seen<'_>, tally: &mut Tally) {
    let contract = first.op.contract;
    let Marker::Header {
        name,
        first: values,
        ..
    } = &contract.marker.value
    else {
        return;
    };
    let right = match values.as_slice() {
        [] => first.marked() != Some(true),
        values => first.received().is_some_and(|reply| {
            let fits = |v: &str| {
                values
                    .iter()
                    .any(|want| want.eq_ignore_ascii_case(v.trim()))
            };
            reply.header(name).any(fits)
        }),
    };
    if !right {
        let expected = match values.as_slice() {
            [] => format!("no {name} of a replay on the first reply"),
            values => format!("{name}: {} on the first reply", values.join(" or ")),
        };
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            observed: format!(
                "the first reply is marked as a replay, or not as a first one: {}",
                first.words()
            ),
            expected,
            meaning: "A client that reads the marker takes the first result for a replay."
                .to_owned(),
            attempts: vec![first.n()],
        });
    }
}

/// The repeat was last told to wait: judged by how long that went on.
pub fn still_in_progress(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    second: &Seen<'_>,
    told: &str,
    tally: &mut Tally,
) {
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    let reading = second.reading(Some(first));
    let limited = reading.is_some_and(|r| r.is_unknown());
    if limited {
        tally.doubt(
            format!("{told}: the target limits requests or is down"),
            &attempts,
        );
        return;
    }
    let waited = second.ended_us().saturating_sub(first.began_us());
    let bound = u64::try_from(contract.in_progress_for.value.0.as_micros()).unwrap_or(u64::MAX);
    let retried = is_retry(scene, &second.attempt.sent.step);
    // the last try of a client that waits in steps comes a little before the bound
    if waited >= bound - bound / 10 {
        tally.violated(Violation {
            cited: Cited::of(&contract.in_progress_for),
            part: None,
            expected: format!("the outcome within {}", contract.in_progress_for.value),
            observed: format!(
                "{told}: still \"in progress\" {:.1} s after the first request, which had long answered",
                seconds(waited)
            ),
            meaning: "The completion was never recorded: until the key expires every retry is told to wait, and the client never \
                      learns its outcome."
                .to_owned(),
            attempts: attempts.to_vec(),
        });
    } else if !retried && first.ended_us() <= second.attempt.sent.at_us {
        tally.violated(Violation {
            cited: Cited::of(&contract.replay),
            part: None,
            expected: "the outcome of a finished request".to_owned(),
            observed: format!("{told}: \"in progress\", although the first request had answered"),
            meaning:
                "The record is completed after the reply: a fast retry is refused without need."
                    .to_owned(),
            attempts: attempts.to_vec(),
        });
    } else {
        tally.doubt(
            format!(
                "{told}: still \"in progress\" after {:.1} s, within the declared bound",
                seconds(waited)
            ),
            &attempts,
        );
    }
}

/// Whether a step is repeated as a well-behaved client repeats it.
fn is_retry(scene: &Scene<'_>, step: &str) -> bool {
    let steps = scene.evidence.instance.plan.drill.step.iter();
    steps
        .into_iter()
        .any(|s| matches!(s, Step::Retry(fields) if fields.name.as_deref() == Some(step)))
}

#[expect(clippy::cast_precision_loss, reason = "seconds for people")]
fn seconds(us: u64) -> f64 {
    us as f64 / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::super::Verdict::{Fail, Inconclusive, Pass, Warn};
    use super::super::story::{Got, Story, got, ran, replayed, with};
    use crate::contract::{BodyFidelity, Marker, Replay, Same};

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
        let strict = super::super::judge(&journal, &journal.start.contracts, true, &[]);
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
}
