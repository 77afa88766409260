//! recovered: the reply was lost; the retry tells the outcome and does nothing again.
//!
//! Read: the attempt whose reply was cut, the last reply to the retry, the count of the intent.
//! Pass: the retry succeeds and there is one effect. Fail: more effects (`one-effect`), a refusal that hides the outcome (`replay`),
//! "in progress" past the declared bound, a 5xx. Inconclusive: the reply was not lost after all, the retry's outcome is
//! unknown, a success without effect.

use super::evidence::{Evidence, Scene, Seen};
use super::replay;
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::Replay;
use crate::contract::reading::Situation;

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let retry = steps.retry.as_deref().unwrap_or("retry");
    let mut tally = Tally::new(format!("recovered:{retry}"), evidence.instance.plan.rounds);
    let Some(op) = evidence.op() else {
        return tally;
    };
    tally.expect(
        Cited::of(&op.contract.one_effect),
        "one effect, and its outcome",
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(lost) = scene.need(steps.lost.as_ref(), tally) else {
        return;
    };
    let Some(retry) = scene.need(steps.retry.as_ref(), tally) else {
        return;
    };
    let attempts = [retry.n(), lost.n()];
    if let Some(counted) = &steps.counted {
        replay::one_effect(scene, &lost, Some(&retry), counted, tally);
    }
    if lost.reply().is_some() || !lost.attempt.left() {
        tally.doubt(
            format!("the reply was not lost: {}", lost.words()),
            &attempts,
        );
    }
    answer(scene, &lost, &retry, tally);
}

fn answer(scene: &Scene<'_>, lost: &Seen<'_>, retry: &Seen<'_>, tally: &mut Tally) {
    let contract = retry.op.contract;
    let attempts = [retry.n(), lost.n()];
    let told = retry.words();
    let Some(reading) = retry.reading(None) else {
        tally.doubt(told, &attempts);
        return;
    };
    let violated = |cited, expected: &str, observed: String, meaning: &str| Violation {
        cited,
        part: None,
        expected: expected.to_owned(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    if reading.is_success() {
        tally.saw(format!("{told}: the outcome can be learnt"), &attempts);
    } else if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                "the outcome",
                told,
                "After a lost reply the client cannot learn whether it has paid.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
    } else if retry.may_be_in_progress() {
        replay::still_in_progress(scene, lost, retry, &told, tally);
    } else if reading.is_unknown() {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
    } else {
        match contract.replay.value {
            Replay::Refuse(_) if reading.may_be(Situation::Duplicate) => {
                tally.saw(
                    format!("{told}: refused as a duplicate, as declared"),
                    &attempts,
                );
            }
            Replay::Unspecified => tally.saw(format!("{told}: refused"), &attempts),
            _ => tally.violated(violated(
                Cited::of(&contract.replay),
                "the first reply",
                format!("{told}: the retry was refused"),
                "After a lost reply the client can never learn whether it has paid.",
            )),
        }
    }
}
