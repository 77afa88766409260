//! key-syntax: every shape of key is protected, refused or ignored, as declared.
//!
//! Read: the key as it stood on the wire (the judge classes it by the contract: no case names a clause), both replies, the
//! counts. A valid key must protect: one effect, and the repeat gets it. What is not valid gets what `missing` or `malformed.*`
//! declares: `refuse` (both, no effect), `accept` (it protects), `run` (no protection). The same key written otherwise on
//! the repeat (twice, the other form): `accept` means the same key, `run` another one.
//! A long key where no greatest length is declared: one effect or a refusal, and a server failure is warned of (`no-server-error`;
//! failed where the first request succeeded).
//! Fail: another outcome. Observed: the clause is open. Inconclusive: a key without room for a run id that was used before.

use super::evidence::{Evidence, Scene, Seen};
use super::outcome::{self, Outcome};
use super::replay;
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::key_check::{KeyClass, classify};
use crate::contract::reading::Situation;
use crate::contract::{Answer, Carrier, Clause, Contract, KeyRule};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("key-syntax:{second}"),
        evidence.instance.plan.rounds,
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// What the key that was sent is by the contract.
#[must_use]
pub fn class_of(seen: &Seen<'_>) -> KeyClass {
    let rule = &seen.op.contract.key.value;
    let lines = lines_of(rule, seen);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    classify(rule, &lines)
}

fn lines_of(rule: &KeyRule, seen: &Seen<'_>) -> Vec<String> {
    let sent = &seen.attempt.sent;
    if let Carrier::Header(name) = &rule.carrier {
        let lines = sent
            .headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name));
        return lines.map(|(_, value)| value.clone()).collect();
    }
    sent.wire_key.iter().cloned().collect()
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    let contract = second.op.contract;
    let (class, again) = (class_of(&first), class_of(&second));
    if let Some(why) = used_before(scene, &first) {
        tally.expect(Cited::of(&contract.key), again.words());
        tally.doubt(why, &[first.n()]);
        return;
    }
    let outcome = outcome::of(scene, steps, &first, &second);
    if outcome == Outcome::SecondRefused && told_to_wait(&second) {
        tally.expect(
            Cited::of(&contract.in_progress_for),
            "the outcome of a finished request",
        );
        replay::still_in_progress(scene, &first, &second, &second.words(), tally);
        return;
    }
    if matches!(class, KeyClass::Valid | KeyClass::LongUndeclared) && again != class {
        written_otherwise(&outcome, again, &first, &second, tally);
        return;
    }
    match class
        .clause(contract)
        .filter(|_| class != KeyClass::LongUndeclared)
    {
        Some(clause) => {
            tally.expect(
                Cited::of(clause),
                format!("{}: {}", class.words(), clause.value),
            );
            if clause.value.is_open() {
                tally.leave_open();
            }
            let meaning = match outcome {
                Outcome::RanTwice => {
                    "The key is taken without a word and protects nothing: a retry pays twice."
                }
                Outcome::Failed(_) => "A key of this shape makes the server fail.",
                _ => "Clients cannot rely on what is declared for keys of this shape.",
            };
            outcome::judge(&outcome, clause, &first, &second, meaning, tally);
        }
        None => valid(&outcome, class, &first, &second, tally),
    }
}

/// Whether the last reply is the declared word for "in progress", and for nothing else.
fn told_to_wait(seen: &Seen<'_>) -> bool {
    seen.may_be_in_progress()
        && seen
            .reading(None)
            .is_some_and(|r| r.is_only(Situation::InProgress))
}

/// A valid key protects. A long one, where no greatest length is declared, may be refused too.
fn valid(
    outcome: &Outcome,
    class: KeyClass,
    first: &Seen<'_>,
    second: &Seen<'_>,
    tally: &mut Tally,
) {
    let contract = second.op.contract;
    let attempts = vec![second.n(), first.n()];
    let long = class == KeyClass::LongUndeclared;
    tally.expect(
        Cited::of(&contract.key),
        if long {
            "one effect, or a refusal"
        } else {
            "one effect: the key is valid"
        },
    );
    let told = format!(
        "{}: {}",
        class.words(),
        outcome::told(outcome, first, second)
    );
    let mut violated = |cited, meaning: &str| {
        tally.violated(Violation {
            cited,
            part: None,
            expected: if long {
                "one effect, or a refusal"
            } else {
                "one effect"
            }
            .to_owned(),
            observed: told.clone(),
            meaning: meaning.to_owned(),
            attempts: attempts.clone(),
        });
    };
    match outcome {
        Outcome::Protected => tally.saw(told, &attempts),
        Outcome::RanTwice if contract.one_effect.value => violated(
            Cited::of(&contract.one_effect),
            "The key is taken without a word and protects nothing: a retry pays twice.",
        ),
        Outcome::Unclear(why) => tally.doubt(why.clone(), &attempts),
        Outcome::Failed(n) if long && contract.no_server_error.value => {
            let cited = failure(contract, *n == second.n() && first.is_success());
            violated(
                cited,
                "A long key makes the server fail, where it should be refused or kept.",
            );
        }
        // the policy names no greatest length: whether a longer key is refused is only observed
        Outcome::Refused | Outcome::Failed(_) if long => {
            tally.leave_open();
            tally.saw(told, &attempts);
        }
        Outcome::Failed(_) => violated(
            Cited::of(&contract.key),
            "A valid key makes the server fail.",
        ),
        Outcome::RanTwice => tally.saw(told, &attempts),
        Outcome::Refused | Outcome::SecondRefused => {
            violated(
                Cited::of(&contract.key),
                "A valid key is refused: the request can never be made safe.",
            );
        }
    }
}

/// The clause that a server failure offends: the repeat of a success is promised none, and for a key that nobody uses yet it is advice.
fn failure(contract: &Contract, repeat: bool) -> Cited {
    let clause = &contract.no_server_error;
    if repeat {
        return Cited::of(clause);
    }
    let says = "a key of any length is refused or protects, and makes no server fail";
    Cited::advice(&clause.name, says, clause.origin.clone())
}

/// The first had a valid key, and the repeat the same one in another writing.
fn written_otherwise(
    outcome: &Outcome,
    again: KeyClass,
    first: &Seen<'_>,
    second: &Seen<'_>,
    tally: &mut Tally,
) {
    let contract = second.op.contract;
    let Some(clause) = again.clause(contract) else {
        tally.doubt(
            "the first key is not valid and the second is: the drill is not made for that",
            &[],
        );
        return;
    };
    let attempts = vec![second.n(), first.n()];
    tally.expect(
        Cited::of(clause),
        format!("{}: {}", again.words(), clause.value),
    );
    if clause.value.is_open() {
        tally.leave_open();
    }
    let told = format!(
        "{}: {}",
        again.words(),
        outcome::told(outcome, first, second)
    );
    let allows = |what: &dyn Fn(&Answer) -> bool| clause.value.alternatives().into_iter().any(what);
    let mut part = None;
    let right = clause.value.is_open()
        || match outcome {
            Outcome::Protected => {
                allows(&|a| matches!(a, Answer::Accept | Answer::Replay | Answer::Wait))
            }
            Outcome::RanTwice => second.is_success() && allows(&|a| *a == Answer::Run),
            Outcome::SecondRefused => {
                if let super::refusal::Fit::Near(p) = super::refusal::fit(&clause.value, second) {
                    part = Some(p);
                }
                part.is_none() && allows(&|a| matches!(a, Answer::Refuse(_)))
            }
            Outcome::Refused | Outcome::Failed(_) | Outcome::Unclear(_) => false,
        };
    match outcome {
        Outcome::Unclear(why) => tally.doubt(why.clone(), &attempts),
        Outcome::Refused => tally.doubt(format!("no first success: {}", first.words()), &attempts),
        _ if right => tally.saw(told, &attempts),
        _ => tally.violated(violation(clause, part, told, outcome, attempts)),
    }
}

fn violation(
    clause: &Clause<Answer>,
    part: Option<&'static str>,
    observed: String,
    outcome: &Outcome,
    attempts: Vec<u64>,
) -> Violation {
    Violation {
        cited: Cited::of(clause),
        part,
        expected: clause.value.to_string(),
        observed,
        meaning: match outcome {
            Outcome::RanTwice => {
                "The same key in another writing is taken for another key: a retry that was rewritten on its way pays twice."
            }
            _ => "A client whose key is rewritten on its way does not get what is declared.",
        }
        .to_owned(),
        attempts,
    }
}

/// Why a key that has no room for the run's own text proves nothing: somebody used it before.
#[must_use]
pub fn used_before(scene: &Scene<'_>, first: &Seen<'_>) -> Option<String> {
    let sent = &first.attempt.sent;
    let key = sent.key.as_deref()?;
    if key.trim().len() >= 8 {
        return None;
    }
    let told = |why: String| Some(format!("the key `{key}` was used before: {why}"));
    if first.marked() == Some(true) {
        return told(format!("{} as a replay", first.words()));
    }
    if let Some(earlier) = earlier(scene, first) {
        let same = earlier.identity().is_some() && earlier.identity() == first.identity();
        if same || !first.is_success() && earlier.is_success() {
            return told(format!(
                "{} in this run, and {}",
                earlier.words(),
                first.words()
            ));
        }
    }
    if let Some(other) = elsewhere(scene, first).filter(|_| !first.is_success()) {
        return told(format!(
            "{} in this run for `{}`, and {}",
            other.words(),
            other.attempt.sent.operation,
            first.words()
        ));
    }
    None
}

/// An earlier request of this run with the same short key for something else.
#[must_use]
pub fn earlier<'a>(scene: &Scene<'a>, first: &Seen<'a>) -> Option<Seen<'a>> {
    let sent = &first.attempt.sent;
    let attempts = scene.evidence.journal.attempts();
    let mut earlier = attempts.filter(|other| {
        let other = &other.sent;
        other.n < sent.n
            && other.key.is_some()
            && other.key == sent.key
            && other.account == sent.account
            && other.operation == sent.operation
            && other.reference != sent.reference
    });
    earlier.find_map(|attempt| scene.see(attempt).filter(Seen::is_success))
}

/// A success of another operation under the same short key, where keys may be shared among routes.
fn elsewhere<'a>(scene: &Scene<'a>, first: &Seen<'a>) -> Option<Seen<'a>> {
    if first.op.contract.scope.route.value == Answer::Run {
        return None;
    }
    let sent = &first.attempt.sent;
    let attempts = scene.evidence.journal.attempts();
    let mut others = attempts.filter(|other| {
        let other = &other.sent;
        other.n < sent.n
            && other.key.is_some()
            && other.key == sent.key
            && other.account == sent.account
            && other.operation != sent.operation
    });
    others.find_map(|attempt| scene.see(attempt).filter(Seen::is_success))
}
