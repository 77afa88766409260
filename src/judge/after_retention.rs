//! after-retention: the same request after its key expired gets what is promised.
//!
//! Read: the proof that the key expired as declared, the first reply, the last reply to the reuse, and the change of the
//! count from just before the reuse (by key or by reference: the change is the same).
//! Pass: a run has a new identity and one more effect; a declared refusal has none; a declared replay has the first identity.
//! Fail: a reply from the grave where a run or refusal is declared, a refusal where a run is declared, more effects than
//! the answer has, a 5xx other than 502, 503, 504 (`no-server-error`).
//! Inconclusive: the expiry was not carried out as declared, a success without effect, an unknown outcome.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::refusal::{Fit, allows, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::Answer;
use crate::contract::reading::{Identities, Situation};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("after-retention:{second}"),
        evidence.instance.plan.rounds,
    );
    let Some(op) = evidence.op() else {
        return tally;
    };
    let cited = Cited::of(&op.contract.after_retention);
    let words = cited.reference.declared.clone();
    tally.expect(cited, words);
    if op.contract.after_retention.value.is_open() {
        tally.leave_open();
    }
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    // a request that was made to fail leaves a key that expires too
    if !first.is_success() && first.attempt.sent.body_name == "base" {
        tally.doubt(format!("no first success: {}", first.words()), &[first.n()]);
        return;
    }
    match scene.round.expired.last() {
        None => {
            tally.doubt(
                format!("the expiry was {}", scene.evidence.not_reached()),
                &[first.n()],
            );
            return;
        }
        Some(expiry) if !expiry.done => {
            tally.doubt(
                format!(
                    "the key was not made to expire as declared ({}): {}",
                    expiry.how, expiry.detail
                ),
                &[first.n()],
            );
            return;
        }
        Some(expiry) => tally.prove(format!(
            "the key was made to expire ({}): {}",
            expiry.how, expiry.detail
        )),
    }
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    answer(&first, &second, tally);
    let Some(counted) = &steps.counted else {
        return;
    };
    let sent = &second.attempt.sent;
    let before = steps.before.as_deref();
    let change = effects::change(
        scene,
        &sent.intent,
        &sent.operation,
        &sent.account,
        before,
        counted,
    );
    let declared = &second.op.contract.after_retention;
    let (least, most) = effects::allowed(&declared.value);
    effects::judge(
        tally,
        &change,
        Expected {
            // a replay or refusal was judged by the answer
            least: if second.is_success() && second.identities(&first) != Identities::Same {
                least
            } else {
                0
            },
            most,
            cited: Cited::of(declared),
            meaning: "The reuse of an expired key did more than is promised.".to_owned(),
            attempts: vec![second.n(), first.n()],
            success_seen: second.is_success(),
            words: if most == 0 {
                "no new effect".to_owned()
            } else {
                "one new effect".to_owned()
            },
        },
    );
}

fn answer(first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let declared = &contract.after_retention.value;
    let attempts = [second.n(), first.n()];
    let told = second.words();
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(told, &attempts);
        return;
    };
    let violated = |cited, part, observed: String, meaning: &str| Violation {
        cited,
        part,
        expected: declared.to_string(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                None,
                told,
                "What is left of the expired key makes the server fail: a late retry can never succeed.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    if reading.is_success() {
        let run = allows(declared, |a| matches!(a, Answer::Run | Answer::Accept));
        let replay = allows(declared, |a| *a == Answer::Replay);
        let again = match second.identities(first) {
            Identities::Same => true,
            Identities::Other => false,
            Identities::Unknown => second.marked() == Some(true),
        };
        if again && !replay {
            tally.violated(violated(
                Cited::of(&contract.after_retention),
                None,
                format!("{told} with the first request's result, from before the expiry"),
                "The sender of a new request is told that it succeeded, and nothing was done.",
            ));
        } else if !again && !run {
            tally.violated(violated(
                Cited::of(&contract.after_retention),
                None,
                format!("{told} with a new result"),
                "A late retry runs again: the customer pays twice.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    match fit(declared, second) {
        Fit::Fits(_) => tally.saw(format!("{told}, refused as declared"), &attempts),
        _ if reading.is_unknown() => {
            tally.doubt(format!("{told}: whether it ran is unknown"), &attempts)
        }
        _ if declared.is_open() => tally.saw(format!("{told}: refused"), &attempts),
        near => {
            let part = if let Fit::Near(part) = near {
                Some(part)
            } else {
                None
            };
            let waiting = reading.is_only(Situation::InProgress);
            tally.violated(violated(
                Cited::of(&contract.after_retention),
                part,
                if waiting {
                    format!("{told}: the expired key is \"in progress\"")
                } else {
                    format!("{told}: refused, which is not the declared answer")
                },
                "A late retry gets neither a result nor the declared refusal.",
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict::{Fail, Inconclusive, Observed, Pass};
    use super::super::story::{Got, Story, got, ran, refuse, replayed};
    use crate::contract::{Answer, Contract};

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
}
