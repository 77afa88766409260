//! same-request: the same request written otherwise is the same request, or another one, as declared.
//!
//! Read: both requests (their relation by the fingerprint clauses), both replies, the counts, and a probe: the other writing
//! under a fresh key. Pass: declared the same: the first's result, no second effect; declared different: the mismatch answer.
//! Fail: the opposite, a second effect or result (a floor matter: neither the same nor a different request may run again), a 5xx.
//! Observed: the fingerprint does not say, and nothing ran again. Skip: the probe is refused too, so that the service does not
//! take this writing at all. Inconclusive: unknown outcomes.

use super::evidence::{Evidence, Scene, Seen};
use super::tally::{Cited, Tally, Violation};
use super::{mismatch, replay};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation};
use crate::contract::relation::{Relation, relation};
use crate::contract::{Answer, Clause, Contract, Sameness};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("same-request:{second}"),
        evidence.instance.plan.rounds,
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// The fingerprint clause of a name, as it is cited.
fn cite(contract: &Contract, name: &str) -> Cited {
    let f = &contract.fingerprint;
    let of: [&Clause<Sameness>; 9] = [
        &f.members_reordered,
        &f.whitespace,
        &f.number_form,
        &f.null_member,
        &f.array_reordered,
        &f.unicode_escapes,
        &f.content_type_charset,
        &f.unrelated_header,
        &f.added_member,
    ];
    if let Some(clause) = of.into_iter().find(|c| c.name == name) {
        return Cited::of(clause);
    }
    if f.ignores.name == name {
        Cited::of(&f.ignores)
    } else {
        Cited::of(&f.covers)
    }
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    let contract = second.op.contract;
    let Relation { sameness, clause } = relation(contract, first.asked(), second.asked());
    let cited = cite(contract, &clause);
    let expected = match sameness {
        Sameness::Same => "the same request: its result again, no second effect",
        Sameness::Different => "another request: the mismatch answer",
        Sameness::Unspecified => "no second effect; which of the two it is, is left open",
    };
    tally.expect(cited.clone(), expected);
    if !first.is_success() {
        tally.doubt(
            format!("no first success: {}", first.words()),
            &[first.n(), second.n()],
        );
        return;
    }
    if first.attempt.sent.body.hmac == second.attempt.sent.body.hmac
        && second.attempt.sent.vary.is_none()
    {
        tally.doubt(
            "the other writing has the same bytes",
            &[first.n(), second.n()],
        );
        return;
    }
    let runs = contract
        .mismatch
        .value
        .alternatives()
        .into_iter()
        .any(|a| *a == Answer::Run);
    if let Some(counted) = &steps.counted
        && !(runs && sameness != Sameness::Same)
    {
        replay::one_effect(scene, &first, Some(&second), counted, tally);
    }
    let probe = steps.probe.as_deref().and_then(|step| scene.last(step));
    let Some(reading) = second.reading(Some(&first)) else {
        tally.doubt(second.words(), &[second.n(), first.n()]);
        return;
    };
    let refused = reading.is_refusal();
    if refused && let Some(probe) = probe.filter(|p| p.reply().is_some() && !p.is_success()) {
        let told = format!(
            "{}, and under a fresh key {}: the service does not take this writing",
            second.words(),
            probe.words()
        );
        // a limit or a failure is no word about the writing
        let about_it = probe.reading(None).is_some_and(|r| {
            r.is_refusal() && !r.is_unknown() && !r.may_be(Situation::ServerError)
        });
        if about_it {
            tally.skip(told);
        } else {
            tally.doubt(told, &[second.n(), probe.n(), first.n()]);
        }
        return;
    }
    match sameness {
        // a finished duplicate may be refused by contract: then this is what it gets
        Sameness::Same if reading.may_be(Situation::Duplicate) => {
            replay::repeat(scene, &first, &second, tally);
        }
        Sameness::Same if refused && !second.may_be_in_progress() => tally.violated(Violation {
            cited,
            part: None,
            expected: expected.to_owned(),
            observed: format!("{}: an honest retry is taken for another request", second.words()),
            meaning: "A client whose serialiser writes the same request a little otherwise can never learn its outcome.".to_owned(),
            attempts: vec![second.n(), first.n()],
        }),
        Sameness::Same => replay::repeat(scene, &first, &second, tally),
        Sameness::Different => {
            different(scene, &first, &second, &cited, tally);
        }
        Sameness::Unspecified => open(&first, &second, runs, tally),
    }
}

fn different(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    second: &Seen<'_>,
    cited: &Cited,
    tally: &mut Tally,
) {
    let declared = &second.op.contract.mismatch.value;
    let replay = declared
        .alternatives()
        .into_iter()
        .any(|a| matches!(a, Answer::Replay | Answer::Unspecified));
    if second.is_success() && second.identities(first) == Identities::Same && !replay {
        tally.violated(Violation {
            cited: cited.clone(),
            part: None,
            expected: "another request: the mismatch answer".to_owned(),
            observed: format!(
                "{} with the first's result: taken for the same request",
                second.words()
            ),
            meaning: "Two requests that the API tells apart get one reply.".to_owned(),
            attempts: vec![second.n(), first.n()],
        });
    } else {
        mismatch::answer(scene, first, second, tally);
    }
}

fn open(first: &Seen<'_>, second: &Seen<'_>, runs: bool, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = vec![second.n(), first.n()];
    let told = second.words();
    tally.leave_open();
    let failed = second
        .reading(None)
        .is_some_and(|r| r.may_be(Situation::ServerError));
    if failed && contract.no_server_error.value {
        tally.violated(Violation {
            cited: Cited::of(&contract.no_server_error),
            part: None,
            expected: "a result or a refusal".to_owned(),
            observed: told,
            meaning: "A retry written a little otherwise makes the server fail.".to_owned(),
            attempts,
        });
        return;
    }
    let what = match (second.is_success(), second.identities(first)) {
        (true, Identities::Same) => "the same request",
        (true, Identities::Other) if contract.one_effect.value && !runs => {
            tally.violated(Violation {
                cited: Cited::of(&contract.one_effect),
                part: None,
                expected: "no second result under one key".to_owned(),
                observed: format!("{told} with a result of its own: it ran again"),
                meaning: "A client whose serialiser writes the same request a little otherwise pays twice.".to_owned(),
                attempts,
            });
            return;
        }
        (true, _) => "a success",
        (false, _) => "another request",
    };
    tally.saw(format!("{told}: {what}"), &attempts);
}
