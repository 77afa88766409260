//! after-retention: the same request after its key expired gets what is promised.
//!
//! Read: the proof that the key expired as declared, the first reply, the last reply to the reuse, and the change of the
//! count from just before the reuse (by key or by reference: the change is the same).
//! Pass: a run has a new identity and one more effect; a declared refusal has none; a declared replay has the first identity.
//! After a first request that failed and is not declared to be stored, a run is right whatever is declared.
//! Fail: a reply from the grave where a run or refusal is declared, a refusal where a run is declared, more effects than
//! the answer has, a 5xx other than 502, 503, 504 (`no-server-error`).
//! Inconclusive: the expiry was not carried out as declared, a success without effect, an unknown outcome.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::refusal::{Fit, allows, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Storage};

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
    let change = effects::change(scene, sent, before, counted);
    let declared = &second.op.contract.after_retention;
    let (least, most) = match fit(&declared.value, &second) {
        // whatever else is allowed: who is refused has no effect
        Fit::Fits(_) => (0, 0),
        _ => effects::allowed(&allowed(&first, &second)),
    };
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

/// What is declared; and after a request that failed without being stored a run, too: nobody knows its key any more.
fn allowed(first: &Seen<'_>, second: &Seen<'_>) -> Answer {
    let contract = second.op.contract;
    let declared = contract.after_retention.value.clone();
    let kept = first.is_success() || contract.stored.server_error.value == Storage::Stored;
    if kept || declared.is_open() {
        declared
    } else {
        Answer::AnyOf(vec![declared, Answer::Run])
    }
}

fn answer(first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let declared = &allowed(first, second);
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
                if second.identities(first) == Identities::Other {
                    format!("{told} with another result")
                } else {
                    format!("{told}, accepted")
                },
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
