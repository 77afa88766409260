//! mismatch: another request under a used key is answered as declared and does nothing.
//!
//! Read: the first reply, the last reply to the other request, the count of the intent before and after.
//! Pass: the declared refusal (or the declared replay, or run) and as many effects as that answer has.
//! Fail: the first reply given for another request, a new result, a new effect, a refusal of another shape (part `status`,
//! `code` or `header`), the first result named in the refusal where `reveals = false` (part `reveals`), a 5xx.
//! Inconclusive: no first success; the changed body is refused under a fresh key too (the control), so that the refusal may be
//! plain validation; an unknown outcome. Observed: the clause is left open.

use super::effects::{self, Change, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::leak;
use super::refusal::{Fit, allows, amiss, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation};
use crate::contract::relation::relation;
use crate::contract::{Answer, Sameness};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(format!("mismatch:{second}"), evidence.instance.plan.rounds);
    let Some(op) = evidence.op() else {
        return tally;
    };
    let cited = Cited::of(&op.contract.mismatch);
    let words = cited.reference.declared.clone();
    tally.expect(cited, words);
    if op.contract.mismatch.value == Answer::Unspecified {
        tally.leave_open();
    }
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// Judges one round.
pub fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    if !first.is_success() {
        tally.doubt(
            format!("no first success: {}", first.words()),
            &[first.n(), second.n()],
        );
        return;
    }
    answer(scene, &first, &second, tally);
    let Some(counted) = &steps.counted else {
        return;
    };
    let contract = second.op.contract;
    if contract.mismatch.value == Answer::Unspecified {
        observe(scene, &first, steps, tally);
        return;
    }
    let sent = &first.attempt.sent;
    let before = steps.before.as_deref();
    let change = effects::change(scene, sent, before, counted);
    let (least, most) = effects::allowed(&contract.mismatch.value);
    // without a count before, the first request's own effect is in the later one
    let own = i64::from(before.is_none());
    let refused = !second.is_success();
    effects::judge(
        tally,
        &change,
        Expected {
            least: least + own,
            most: most + own,
            cited: Cited::of(&contract.mismatch),
            meaning: if refused {
                "The request was refused and something was done all the same.".to_owned()
            } else {
                "A key that is taken let another request do its work: a client's bug charges another amount.".to_owned()
            },
            attempts: vec![second.n(), first.n()],
            success_seen: second.is_success(),
            words: if most == 0 {
                "no new effect".to_owned()
            } else {
                "one new effect at the most".to_owned()
            },
        },
    );
}

fn observe(scene: &Scene<'_>, first: &Seen<'_>, steps: &Steps, tally: &mut Tally) {
    let sent = &first.attempt.sent;
    let counted = steps.counted.as_deref().unwrap_or_default();
    let before = steps.before.as_deref();
    if let Change::Changed { from, to, .. } = effects::change(scene, sent, before, counted) {
        let told = if from == to {
            "no new effect".to_owned()
        } else {
            format!("the count went from {from} to {to}")
        };
        tally.saw(told, &[]);
    }
}

/// Judges the answer to another request under a key whose first request succeeded.
pub fn answer(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let declared = &contract.mismatch.value;
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
    if *declared == Answer::Unspecified {
        tally.saw(observed(second, first), &attempts);
        return;
    }
    if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                None,
                told,
                "The server fails instead of refusing: the client cannot tell its own mistake from the server's.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    if reading.is_success() {
        // a policy that compares nothing takes the other body for the same request
        let same = relation(contract, first.asked(), second.asked()).sameness == Sameness::Same;
        let replayed = second.identities(first) == Identities::Same
            || second.identities(first) == Identities::Unknown && second.marked() == Some(true);
        let run = second.identities(first) == Identities::Other;
        if replayed && !same && !allows(declared, |a| *a == Answer::Replay) {
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                None,
                format!("{told} with the first request's result, for another body"),
                "The client is told that its request succeeded, and another one did: it ships, or books, what was never paid.",
            ));
        } else if run && !allows(declared, |a| matches!(a, Answer::Run | Answer::Accept)) {
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                None,
                // in a race it need not be new: another copy may have got it first
                format!("{told} with another result ({})", second.identity().unwrap_or_default()),
                "A second request ran under a key that was taken: the customer is charged twice, with two amounts.",
            ));
        } else if !replayed
            && !run
            && !allows(declared, |a| matches!(a, Answer::Run | Answer::Replay))
        {
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                None,
                format!("{told}: accepted"),
                "Another request under a taken key is accepted, and the client cannot see what was done.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    let matched = fit(declared, second);
    if let Fit::Fits(how) = matched {
        if let Some(why) = plain_validation(scene, second) {
            tally.doubt(
                format!("{told}, and {why}: this may be plain validation"),
                &attempts,
            );
            return;
        }
        if how.reveals == Some(false)
            && let Some(id) = first.identity()
            && leak::leaked(first, second, "").contains(&id)
        {
            tally.violated(Violation {
                expected: "a refusal that names nothing of the first result (reveals = false)"
                    .to_owned(),
                ..violated(
                    Cited::of(&contract.mismatch),
                    Some("reveals"),
                    format!("{told}, and the refusal names the first result ({id})"),
                    "Who guesses a key learns what was made with it.",
                )
            });
        }
        tally.saw(format!("{told}, refused as declared"), &attempts);
        return;
    }
    if reading.is_unknown() || reading.is_only(Situation::InProgress) && in_bound(first, second) {
        tally.doubt(
            format!("{told}: no answer to the mismatch itself"),
            &attempts,
        );
        return;
    }
    if allows(declared, |a| matches!(a, Answer::Unspecified)) {
        tally.saw(told, &attempts);
        return;
    }
    if let Some(why) = plain_validation(scene, second) {
        tally.doubt(
            format!("{told}, and {why}: this may be plain validation"),
            &attempts,
        );
        return;
    }
    let part = match matched {
        Fit::Near(part) => Some(part),
        Fit::Fits(_) | Fit::NoneDeclared => None,
    };
    tally.violated(violated(
        Cited::of(&contract.mismatch),
        part,
        format!("{told}, {}", amiss(part)),
        "A client that handles the declared answer does not recognise this one.",
    ));
}

fn in_bound(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let bound = u64::try_from(second.op.contract.in_progress_for.value.0.as_micros());
    let bound = bound.unwrap_or(u64::MAX);
    second.ended_us().saturating_sub(first.began_us()) < bound - bound / 10
}

/// Why a refusal of the other body may have nothing to do with the key: that body did not succeed under a fresh key either.
#[must_use]
pub fn plain_validation(scene: &Scene<'_>, second: &Seen<'_>) -> Option<String> {
    if second.attempt.sent.body_name == "base" {
        return None;
    }
    match scene.evidence.control(&second.attempt.sent.operation) {
        Some(control) => control.changed.doubt("the changed body"),
        // replies alone are asked for: a refusal is never held against anyone then
        None => Some("the control is not known yet".to_owned()),
    }
}

fn observed(second: &Seen<'_>, first: &Seen<'_>) -> String {
    let what = match (second.is_success(), second.identities(first)) {
        (true, Identities::Same) => ", the first request's result",
        (true, Identities::Other) => ", another result",
        (true, Identities::Unknown) => ", a success",
        (false, _) => "",
    };
    format!("{}{what}", second.words())
}
