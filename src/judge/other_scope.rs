//! other-scope: the same key elsewhere: another credential, no credentials, another route, resource, query, method, region.
//!
//! Read: which of these the second request differs in (its operation, account or variation), both replies, the counts of the
//! second request's own intent, and a probe: the same elsewhere under a fresh key.
//! Pass and fail: as `scope.*` of that difference says (see other-account for `run` and `refuse`; `replay` means one key: the first's
//! result, no effect). Without credentials nothing of the first's result may come back (`isolation`), whatever is declared;
//! skipped where a fresh key without credentials succeeds too. A method
//! that the service does not have is skipped. Another replica is another scope only where the target gives both a region, and
//! not the same one; else it is the same service: a plain repeat. Observed: the clause is open; but another operation or resource never gets the first's reply, unless `mismatch` gives
//! it to other requests. Inconclusive: the probe is refused too, unknown outcomes.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::tally::{Cited, Tally, Violation};
use super::{other_account, region, replay};
use crate::config::suite::{Steps, Vary};
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Clause, Contract};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("other-scope:{second}"),
        evidence.instance.plan.rounds,
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// The clause of what differs; `None` where nothing does that a scope could name.
fn clause_of<'c>(
    evidence: Evidence<'_>,
    contract: &'c Contract,
    first: &Seen<'_>,
    second: &Seen<'_>,
) -> Option<&'c Clause<Answer>> {
    let scope = &contract.scope;
    let (mine, theirs) = (&first.attempt.sent, &second.attempt.sent);
    if mine.operation != theirs.operation {
        return Some(&scope.route);
    }
    if mine.account != theirs.account {
        let same = evidence.one_account(&mine.account, &theirs.account);
        return Some(if same {
            &scope.credential
        } else {
            &scope.account
        });
    }
    match theirs.vary.as_ref()? {
        Vary::NoCredentials | Vary::BadCredentials => Some(&scope.anonymous),
        Vary::Query => Some(&scope.query),
        Vary::Method(_) => Some(&scope.method),
        Vary::Resource => Some(&scope.resource),
        Vary::Replica(_) if region::differ(evidence, first, second) => Some(&scope.region),
        _ => None,
    }
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    let contract = first.op.contract;
    let Some(clause) = clause_of(scene.evidence, contract, &first, &second) else {
        repeat(scene, steps, &first, &second, tally);
        return;
    };
    let is_anonymous = clause.name == contract.scope.anonymous.name;
    if is_anonymous && clause.value.is_open() && contract.isolation.value {
        // with which refusal is left open; that nothing is given away is not
        tally.expect(
            Cited::of(&contract.isolation),
            "nothing of the first's result",
        );
    } else {
        other_account::expect(clause, tally);
    }
    if is_anonymous {
        let probe = steps.probe.as_deref().and_then(|step| scene.last(step));
        if let Some(probe) = probe.filter(Seen::is_success) {
            tally.skip(format!(
                "a fresh key without credentials succeeds too: {}; to try whether guests share keys, declare two of them as accounts a and b \
                 (by their cookies, say): drill.other-account",
                probe.words()
            ));
            return;
        }
        if !first.is_success() {
            tally.doubt(format!("no first success: {}", first.words()), &[first.n()]);
            return;
        }
        anonymous(&first, &second, clause, tally);
        nothing_done(scene, steps, &first, tally);
        return;
    }
    let probe = steps.probe.as_deref().and_then(|step| scene.last(step));
    if clause.name == contract.scope.method.name
        && !second.is_success()
        && let Some(probe) = probe.filter(|p| matches!(p.status(), Some(404 | 405 | 501)))
    {
        let method = &second.attempt.sent.method;
        tally.skip(format!(
            "the service takes no {method} here: {}",
            probe.words()
        ));
        return;
    }
    one_key_or_two(scene, steps, (&first, &second), clause, tally);
}

/// Judges a difference that has been announced by its clause.
fn one_key_or_two(
    scene: &Scene<'_>,
    steps: &Steps,
    (first, second): (&Seen<'_>, &Seen<'_>),
    clause: &Clause<Answer>,
    tally: &mut Tally,
) {
    if clause.value == Answer::Replay {
        // one key for both: what comes is a plain repeat
        repeat(scene, steps, first, second, tally);
        tally.expect(
            Cited::of(clause),
            "the same key: the first's result, no second effect",
        );
        return;
    }
    other_account::judge_scene(scene, steps, clause, tally);
}

/// Judges a round by the clause of its difference, for a situation that another clause brought here.
pub fn by_clause(
    scene: &Scene<'_>,
    steps: &Steps,
    both: (&Seen<'_>, &Seen<'_>),
    clause: &Clause<Answer>,
    tally: &mut Tally,
) {
    other_account::expect(clause, tally);
    one_key_or_two(scene, steps, both, clause, tally);
}

/// Nothing tells the two apart: a plain repeat of the first.
fn repeat(
    scene: &Scene<'_>,
    steps: &Steps,
    first: &Seen<'_>,
    second: &Seen<'_>,
    tally: &mut Tally,
) {
    replay::expect(second.op.contract, tally);
    if !first.is_success() {
        tally.doubt(format!("no first success: {}", first.words()), &[first.n()]);
        return;
    }
    if let Some(counted) = &steps.counted {
        replay::one_effect(scene, first, Some(second), counted, tally);
    }
    replay::repeat(scene, first, second, tally);
}

/// A stranger's request has no effect under the account's key.
fn nothing_done(scene: &Scene<'_>, steps: &Steps, first: &Seen<'_>, tally: &mut Tally) {
    let Some(counted) = &steps.counted else {
        return;
    };
    let sent = &first.attempt.sent;
    let before = steps.before.as_deref();
    let change = effects::change(scene, sent, before, counted);
    // repeats with credentials may lie between: then what did it is not known, only that one key had more than one effect
    let one_effect = &first.op.contract.one_effect;
    if !one_effect.value {
        return;
    }
    effects::judge(
        tally,
        &change,
        Expected {
            least: 0,
            most: i64::from(before.is_none()),
            cited: Cited::of(one_effect),
            meaning: "A request without credentials, or the repeat after it, did the work again."
                .to_owned(),
            attempts: vec![first.n()],
            success_seen: false,
            words: "no new effect".to_owned(),
        },
    );
}

/// A stranger with a known key gets nothing of what was made with it.
fn anonymous(first: &Seen<'_>, second: &Seen<'_>, clause: &Clause<Answer>, tally: &mut Tally) {
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    let told = second.words();
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(told, &attempts);
        return;
    };
    let violated = |cited, observed: String, meaning: &str| Violation {
        cited,
        part: None,
        expected: "nothing of the first's result".to_owned(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    let stolen = second.identities(first) == Identities::Same || second.marked() == Some(true);
    if reading.is_success() && stolen {
        let cited = if contract.isolation.value {
            Cited::of(&contract.isolation)
        } else {
            Cited::of(clause)
        };
        tally.violated(violated(
            cited,
            format!("{told} with the first's result, without credentials"),
            "Whoever guesses a key reads what was made with it.",
        ));
    } else if reading.is_success() && !clause.value.is_open() {
        tally.violated(violated(
            Cited::of(clause),
            format!("{told} without credentials"),
            "A known key opens what is closed without one.",
        ));
    } else if reading.is_success() || reading.is_refusal() || reading.may_be(Situation::ServerError)
    {
        match super::refusal::fit(&clause.value, second) {
            super::refusal::Fit::Near(part) if !clause.value.is_open() => {
                tally.violated(Violation {
                    part: Some(part),
                    expected: clause.value.to_string(),
                    ..violated(
                        Cited::of(clause),
                        told,
                        "A request without credentials is not refused as declared.",
                    )
                })
            }
            _ => tally.saw(told, &attempts),
        }
    } else {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
    }
}
