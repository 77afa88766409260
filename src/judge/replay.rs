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
//! Where the drill waits so that the key grows old, its age is said; where no retention is declared, that is only observed.
//! Inconclusive: no first success, an unknown outcome, a limit or a gateway that never gave way, a success without effect, a key older than
//! what is promised.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::kept::{self, Age};
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use super::{fidelity, marker, other_body, region};
use crate::config::suite::{Step, Steps};
use crate::contract::Replay;
use crate::contract::reading::{Identities, Situation, in_progress_is_named};

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
    let age = second
        .as_ref()
        .and_then(|second| Age::of(scene, &first, second));
    if let (Some(age), Some(second)) = (age, &second) {
        let why = age.too_old();
        if let Some(why) = why {
            tally.doubt(why, &[second.n(), first.n()]);
            return;
        }
        if age.is_open() && first.is_success() {
            let clause = Cited::of(&first.op.contract.retention);
            tally.expect(clause, "left open: how long a key is kept");
            tally.leave_open();
            kept::observe(scene, &first, second, steps.counted.as_ref(), &age, tally);
            return;
        }
    }
    // of a key that grew old the reply is told first, for it says how old the key was
    if let (Some(counted), None) = (&steps.counted, age) {
        one_effect(scene, &first, second.as_ref(), counted, tally);
    }
    let Some(second) = second else { return };
    judge_repeat(scene, &first, &second, tally);
    if let (Some(counted), Some(age)) = (&steps.counted, age) {
        one_effect(scene, &first, Some(&second), counted, tally);
        let told = second.reading(Some(&first));
        let refused = told.is_some_and(|reading| reading.may_be(Situation::Duplicate));
        if refused || second.is_success() && second.identities(&first) != Identities::Other {
            tally.prove(age.holds());
        }
    }
}

fn judge_repeat(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    // where duplicates are refused, the retry of a lost request is one already, and so is what follows it
    let told_of_it = !scene.is_first_of_its_key(first)
        && first
            .reading(None)
            .is_some_and(|reading| reading.may_be(Situation::Duplicate));
    if !first.is_success() && !told_of_it {
        tally.doubt(
            format!("no first success to repeat: {}", first.words()),
            &[first.n(), second.n()],
        );
        return;
    }
    repeat(scene, first, second, tally);
    let replayed = second.is_success() && second.identities(first) != Identities::Other;
    if replayed && scene.is_first_of_its_key(first) {
        marker::on_first(first, tally);
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
    let change = effects::change(scene, sent, None, counted);
    // to be told that it is a duplicate is to be told that it was done
    let says_done = |seen: &Seen<'_>| {
        seen.is_success()
            || seen
                .reading(None)
                .is_some_and(|r| r.may_be(Situation::Duplicate))
    };
    let success = says_done(first) || second.is_some_and(says_done);
    let mut attempts: Vec<u64> = second.iter().map(|s| s.n()).collect();
    attempts.push(first.n());
    let alike = second.is_some_and(|s| s.identities(first) == Identities::Same);
    let age = second.and_then(|second| Age::of(scene, first, second));
    let meaning = match age {
        _ if alike => {
            let late = age.map_or_else(String::new, |age| format!(", {},", age.after()));
            format!(
                "The work was done again{late} although the reply looks like a perfect replay: the customer pays twice, and no \
                 client can notice."
            )
        }
        Some(age) => age.forgotten(),
        None => "The work was done more than once for one key: the customer pays twice.".to_owned(),
    };
    effects::judge(
        tally,
        &change,
        Expected {
            least: 1,
            most: 1 + other_body::effects(scene, first, counted) + region::effects(scene, first),
            cited: Cited::of(&contract.one_effect),
            meaning,
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
    let age = Age::of(scene, first, second);
    let aged = age.map_or_else(String::new, |age| format!(", {}", age.after()));
    let told = format!("{}{after}{aged}", second.words());
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
                meaning: Age::of(scene, first, second).map_or_else(
                    || "The repeat ran as a new request: the customer pays twice.".to_owned(),
                    |age| age.forgotten(),
                ),
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
    marker::on_replay(second, tally);
    if !differs {
        tally.saw(format!("{told}, the first reply again"), &attempts);
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
