//! in-progress: a duplicate, or another body, while the first request is running.
//!
//! Read: the reply to the one sent meanwhile, the proof that the first was held (or the times that show that both were open
//! at once), the count of the intent.
//! Pass: the declared refusal (with its headers, and a sane `Retry-After` where one is declared), or the declared wait and
//! then the first's result; for another body also the mismatch answer; one effect.
//! What was refused and sent again while the first was held is judged by its effect, its result and a 5xx alone.
//! Fail: another result or a second effect (`one-effect`), the first's reply for another body (`mismatch`), another answer
//! than declared (`in-progress`, by part), a 5xx. Where the claim itself was blocked by the tool's database lock, the
//! duplicate cannot be answered before the release: then only effects and identities are judged.
//! Inconclusive: no proof that the first was in progress, an unknown outcome.

use super::beside::{another_result, server_error, still_held};
use super::evidence::{Evidence, Scene, Seen};
use super::refusal::{Fit, allows, amiss, fit};
use super::tally::{Cited, Tally, Violation};
use super::{mismatch, other_body, replay};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation, retry_after_is_sane};
use crate::contract::relation::relation;
use crate::contract::{Answer, BodyFidelity, Replay, Sameness};
use crate::journal::HeldProof;

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("in-progress:{second}"),
        evidence.instance.plan.rounds,
    );
    let Some(op) = evidence.op() else {
        return tally;
    };
    let contract = op.contract;
    if contract.in_progress.value == Answer::Unspecified {
        tally.expect(
            Cited::of(&contract.one_effect),
            "one effect; the answer is left open",
        );
        if !contract.one_effect.value {
            tally.leave_open();
        }
    } else {
        let cited = Cited::of(&contract.in_progress);
        let words = cited.reference.declared.clone();
        tally.expect(cited, words);
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
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    let mut repeats = scene.all(&second.attempt.sent.step);
    repeats.retain(|repeat| repeat.n() > second.n());
    let attempts = [second.n(), first.n()];
    if let Some(counted) = &steps.counted {
        let ran = repeats.iter().rev().find(|repeat| repeat.is_success());
        replay::one_effect(scene, &first, Some(ran.unwrap_or(&second)), counted, tally);
    }
    let held = scene.round.held.last();
    let proven = proof(&first, &second, held);
    if let Some(winner) = overtaken(scene, &first) {
        let told = if repeats.iter().any(|repeat| repeat.n() == winner.n()) {
            "what was sent again while the first was open has the result, and the first has none: its claim was lost, or it failed"
        } else {
            "one overtook the other on the way, so the first was not the one in progress"
        };
        let words = (first.words(), winner.words());
        tally.doubt(format!("{} and {}: {told}", words.0, words.1), &attempts);
        return;
    }
    still_held(&first, &repeats, tally);
    match &proven {
        Some(proof) => tally.prove(proof.clone()),
        None if first.op.facts.stall.is_none() => {
            tally.skip(NOT_HELD);
        }
        None => {
            let detail = held.map_or_else(String::new, |h| format!(" ({}: {})", h.how, h.detail));
            tally.doubt(
                format!("no proof that the first request was in progress when the other was sent{detail}"),
                &attempts,
            );
        }
    }
    let different =
        relation(second.op.contract, first.asked(), second.asked()).sameness == Sameness::Different;
    let blocked = held.is_some_and(|h| {
        h.how == "postgres"
            && h.released_us
                .is_some_and(|released| second.answered_us() >= released)
    });
    answer(
        scene,
        &first,
        &second,
        Facts {
            proven: proven.is_some(),
            different,
            blocked,
        },
        tally,
    );
}

/// A request under the first's key that was sent while it was open and succeeded where the first did not: it came first.
fn overtaken<'a>(scene: &Scene<'a>, first: &Seen<'_>) -> Option<Seen<'a>> {
    if first.is_success() {
        return None;
    }
    let key = &first.attempt.sent.key;
    let others = scene.round.attempts.iter().filter(|other| {
        other.sent.key == *key && other.sent.n != first.n() && other.sent.at_us < first.ended_us()
    });
    others
        .filter_map(|other| scene.see(other))
        .find(Seen::is_success)
}

/// Why nothing was tried where the target declares no way to hold a request.
const NOT_HELD: &str = "no way to hold a request in progress is declared (stall, --slow), and by luck the first was over too soon";

/// A duplicate that was open so long beside the first did not meet its end by chance, in microseconds.
const WAITED_US: u64 = 50_000;

#[derive(Clone, Copy)]
struct Facts {
    proven: bool,
    different: bool,
    blocked: bool,
}

/// What shows that the first was open when the other was sent or answered.
fn proof(first: &Seen<'_>, second: &Seen<'_>, held: Option<&HeldProof>) -> Option<String> {
    if let Some(held) = held.filter(|h| h.proven) {
        return Some(format!(
            "the first request was held ({}): {}",
            held.how, held.detail
        ));
    }
    let sent = second.attempt.sent.at_us;
    let early = second.answered_us() < first.answered_us();
    let long = first.answered_us().saturating_sub(second.began_us()) >= WAITED_US;
    // a hold that was declared and not seen proves nothing; a short overlap by luck may be the end of the first
    let open = first.attempt.sent.at_us <= sent
        && sent < first.answered_us()
        && held.is_none_or(|held| held.how == "luck")
        && (early || long);
    (open && second.attempt.left() && first.attempt.left()).then(|| {
        let early = if early {
            ", and answered before it"
        } else {
            ""
        };
        format!("the other request was sent while the first was open{early}")
    })
}

fn answer(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>, facts: Facts, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    let told = second.words();
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(told, &attempts);
        return;
    };
    let declared = &contract.in_progress.value;
    let violated = |cited, part, observed: String, meaning: &str| Violation {
        cited,
        part,
        expected: declared.to_string(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    if reading.may_be(Situation::ServerError) {
        if first.is_success() || facts.proven {
            server_error(first, second, tally);
        }
        return;
    }
    if reading.is_success() {
        success(first, second, facts, &told, tally);
        return;
    }
    if facts.blocked {
        tally.saw(
            format!("{told}, after the tool's lock was released: only effects are judged"),
            &attempts,
        );
        return;
    }
    if facts.different {
        let busy = matches!(fit(declared, second), Fit::Fits(_));
        let either = busy || matches!(fit(&contract.mismatch.value, second), Fit::Fits(_));
        let open = allows(declared, |_| false) || allows(&contract.mismatch.value, |_| false);
        if !busy && let Some(why) = mismatch::plain_validation(scene, second) {
            tally.doubt(
                format!("{told}, and {why}: this may be plain validation"),
                &attempts,
            );
        } else if either || open {
            tally.saw(told, &attempts);
        } else if reading.is_unknown() {
            tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        } else {
            let part = if let Fit::Near(part) = fit(&contract.mismatch.value, second) {
                Some(part)
            } else {
                None
            };
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                part,
                format!("{told}, neither the in-progress nor the mismatch answer"),
                "A client that handles the declared answers does not recognise this one.",
            ));
        }
        return;
    }
    match fit(declared, second) {
        Fit::Fits(how) => {
            tally.saw(format!("{told}, refused as declared"), &attempts);
            if how
                .header
                .iter()
                .any(|h| h.name.eq_ignore_ascii_case("retry-after"))
            {
                retry_after(second, tally);
            }
        }
        _ if reading.is_unknown() => {
            tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        }
        _ if allows(declared, |_| false) || reading.may_be(Situation::Duplicate) => {
            tally.saw(told, &attempts);
        }
        near => {
            if !facts.proven {
                tally.saw(told, &attempts);
                return;
            }
            let part = if let Fit::Near(part) = near {
                Some(part)
            } else {
                None
            };
            tally.violated(violated(
                Cited::of(&contract.in_progress),
                part,
                format!("{told}, {}", amiss(part)),
                "A client that knows the declared answer does not wait and retry on this one.",
            ));
        }
    }
}

fn success(first: &Seen<'_>, second: &Seen<'_>, facts: Facts, told: &str, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = vec![second.n(), first.n()];
    let declared = &contract.in_progress.value;
    if second.identities(first) == Identities::Other {
        if facts.different && other_body::may_run(contract) {
            tally.saw(
                format!("{told} with a result of its own, as another request"),
                &attempts,
            );
        } else {
            another_result(first, second, told, tally);
        }
        return;
    }
    if facts.different {
        // which of the two ran is not said; that both are told "success" with one result is wrong for one of them
        let both = second.identities(first) == Identities::Same;
        if both && !allows(&contract.mismatch.value, |a| *a == Answer::Replay) {
            tally.violated(Violation {
                cited: Cited::of(&contract.mismatch),
                part: None,
                expected: contract.mismatch.value.to_string(),
                observed: format!("{told} with the first request's result, for another body"),
                meaning: "The client is told that its request succeeded, and another one did."
                    .to_owned(),
                attempts,
            });
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    if told_too_soon(first, second, facts) {
        // left open, it is told and not judged
        if allows(declared, |a| matches!(a, Answer::Run | Answer::Accept)) {
            tally.saw(format!("{told}, before the first had a result"), &attempts);
        } else {
            tally.violated(Violation {
                cited: Cited::of(&contract.in_progress),
                part: None,
                expected: declared.to_string(),
                observed: format!("{told}, before the first had a result, and without it"),
                meaning: "The client is told that its request succeeded while nobody knows yet whether it will; it stops asking, and \
                          never learns the result."
                    .to_owned(),
                attempts,
            });
        }
        return;
    }
    let waits = |a: &Answer| {
        matches!(
            a,
            Answer::Wait | Answer::Replay | Answer::Run | Answer::Accept
        )
    };
    if allows(declared, waits) || facts.blocked {
        tally.saw(
            format!("{told}, waited and got the first's result"),
            &attempts,
        );
    } else if first.answered_us().saturating_sub(second.began_us()) >= WAITED_US {
        tally.violated(Violation {
            cited: Cited::of(&contract.in_progress),
            part: None,
            expected: declared.to_string(),
            observed: format!("{told}: it waited and got the first's result, where a refusal is declared"),
            meaning: "No money is lost, but a client that counts on an immediate refusal holds its connection until the first \
                      request is done."
                .to_owned(),
            attempts,
        });
    } else if first.op.facts.stall.is_none() {
        // whether luck was on our side must not decide how a run ends
        tally.skip(NOT_HELD);
    } else {
        tally.doubt(
            format!("{told} with the first's result: it may have arrived after the first was done"),
            &attempts,
        );
    }
}

/// Whether a success came that long before the first's that it cannot be its result, and does not look like it either.
fn told_too_soon(first: &Seen<'_>, second: &Seen<'_>, facts: Facts) -> bool {
    let lead = first.answered_us().saturating_sub(second.answered_us());
    let body = |seen: &Seen<'_>| seen.reply().map(|reply| reply.body.hmac.clone());
    // a replay that need not look like the first reply may be given as soon as the work is done
    let alike = match &second.op.contract.replay.value {
        Replay::Same(same) | Replay::Current(same) => same.body != BodyFidelity::Ignore,
        Replay::Unspecified | Replay::Refuse(_) => true,
    };
    alike
        && facts.proven
        && !facts.blocked
        && first.is_success()
        && first.identity().is_some()
        && lead >= WAITED_US
        && second.identities(first) == Identities::Unknown
        && body(first) != body(second)
}

fn retry_after(second: &Seen<'_>, tally: &mut Tally) {
    const DAY: u64 = 86_400;
    let contract = second.op.contract;
    let most = contract.in_progress_for.value.0.as_secs().clamp(1, DAY);
    let Some(reply) = second.received() else {
        return;
    };
    for value in reply.header("retry-after") {
        if !retry_after_is_sane(value, most) {
            tally.violated(Violation {
                cited: Cited::of(&contract.in_progress),
                part: Some("header"),
                expected: format!("Retry-After: whole seconds, at most {most}, or an HTTP date"),
                observed: format!("{} with Retry-After: {value}", second.words()),
                meaning: "A client that obeys waits far too long, or not at all.".to_owned(),
                attempts: vec![second.n()],
            });
        }
    }
}
