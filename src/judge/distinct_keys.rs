//! distinct-keys: two keys that differ are two keys, however alike they or the bodies are.
//!
//! Read: both keys as sent, both replies, the count of the second intent before and after.
//! Pass: the second request has a result and an effect of its own, or its key is refused as malformed where that is declared.
//! Fail: it gets the first's result (keys shortened, in lower case, sharing one bucket, or bodies compared instead of keys),
//! or is refused for what the first did. Where only case differs and the policy says that case does not matter, one key is
//! right; where it does not say, it is observed. Where the body carries the same reference and the target does not declare
//! that references may repeat (`unique-reference = false`), a refusal or the first's result may be about the reference.
//! Inconclusive: that, an unknown outcome, a short key that was used before.

use super::effects::{self, Change, Counted, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::key_syntax;
use super::mismatch;
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::key_check::KeyClass;
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, KeyFormat};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("distinct-keys:{second}"),
        evidence.instance.plan.rounds,
    );
    let Some(op) = evidence.op() else {
        return tally;
    };
    tally.expect(
        Cited::of(&op.contract.key),
        "a result and an effect of its own",
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// How two keys stand to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alike {
    /// They differ.
    No,
    /// They differ in case alone, and the policy does not say whether that matters.
    PerhapsByCase,
    /// They differ in case alone, and the policy says that it does not matter.
    ByCase,
    /// No key at all, or an empty one: nobody's key.
    Nobodys,
}

fn alike(first: &Seen<'_>, second: &Seen<'_>) -> Alike {
    let rule = &second.op.contract.key.value;
    let text = |seen: &Seen<'_>| seen.attempt.sent.key.clone().unwrap_or_default();
    let (a, b) = (text(first), text(second));
    if a.trim().is_empty() && b.trim().is_empty() {
        return Alike::Nobodys;
    }
    if a == b || !a.eq_ignore_ascii_case(&b) {
        return Alike::No;
    }
    match rule.case_sensitive {
        Some(true) => Alike::No,
        Some(false) => Alike::ByCase,
        None => Alike::PerhapsByCase,
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
    let attempts = [second.n(), first.n()];
    let alike = alike(&first, &second);
    let uuid = matches!(
        contract.key.value.format,
        KeyFormat::Uuid | KeyFormat::UuidV4 | KeyFormat::UuidV7 | KeyFormat::Hex32
    );
    if alike == Alike::PerhapsByCase
        || alike == Alike::ByCase
        || uuid && alike == Alike::No && only_case(&first, &second)
    {
        tally.leave_open();
        tally.saw(
            format!(
                "keys that differ in case alone: {}, {}",
                first.words(),
                second.words()
            ),
            &attempts,
        );
        return;
    }
    if refused_as_malformed(&first) {
        tally.saw(
            format!("{}: such a key is refused", first.words()),
            &attempts,
        );
        return;
    }
    if let Some(why) = key_syntax::used_before(scene, &first) {
        // the bucket is shared with an earlier request of this very run: that is what the drill looks for
        match key_syntax::earlier(scene, &first) {
            Some(_) if alike == Alike::Nobodys && refused_and_open(&first) => {
                open_bucket(&first, &attempts, tally);
            }
            Some(earlier) if alike == Alike::Nobodys => {
                let observed = format!(
                    "{} for a request of its own, and {}",
                    first.words(),
                    earlier.words()
                );
                tally.violated(shared(&first, &earlier, observed));
            }
            _ => tally.doubt(why, &attempts),
        }
        return;
    }
    if refused_by_shape(&first) {
        // the same status is declared for a taken key: which of the two it was, an earlier run may know
        if key_syntax::class_of(&first)
            .clause(contract)
            .is_some_and(|clause| clause.value.is_open())
        {
            tally.leave_open();
        }
        tally.saw(
            format!("{}: such a key is refused", first.words()),
            &attempts,
        );
        return;
    }
    if !first.is_success() {
        tally.doubt(format!("no first success: {}", first.words()), &attempts);
        return;
    }
    let sent = &second.attempt.sent;
    let change = match &steps.counted {
        Some(counted) if countable(&first, &second) => {
            effects::change(scene, sent, steps.before.as_deref(), counted)
        }
        _ => Change::Unproven,
    };
    answer(scene, &first, &second, &change, tally);
    let refs = first.attempt.sent.reference == sent.reference;
    let counted = effects::judge(
        tally,
        &change,
        Expected {
            least: i64::from(second.is_success() && second.identities(&first) != Identities::Same),
            most: 1,
            cited: Cited::of(&contract.one_effect),
            meaning: "One request under one key did more than one thing.".to_owned(),
            attempts: attempts.to_vec(),
            success_seen: second.is_success(),
            words: "one effect of its own".to_owned(),
        },
    );
    if counted == Counted::AsExpected && refs {
        tally.prove("both requests carry the same reference");
    }
}

fn only_case(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    match (&first.attempt.sent.key, &second.attempt.sent.key) {
        (Some(a), Some(b)) => a != b && a.eq_ignore_ascii_case(b),
        _ => false,
    }
}

/// Whether the counter can tell the two apart, or at least sees both.
fn countable(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let Some(counter) = &second.op.facts.counter else {
        return true;
    };
    let keys = first.attempt.sent.key != second.attempt.sent.key
        && second
            .attempt
            .sent
            .key
            .as_deref()
            .is_some_and(|k| k.len() >= 8);
    counter.by_reference || counter.by_key && keys
}

/// Whether it was refused as the policy says of such keys, or where the policy says nothing of them.
fn refused_by_shape(seen: &Seen<'_>) -> bool {
    let class = key_syntax::class_of(seen);
    let clause = class
        .clause(seen.op.contract)
        .filter(|_| class != KeyClass::Valid);
    !seen.is_success()
        && seen.reply().is_some()
        && clause.is_some_and(|c| c.value.is_open() || matches!(fit(&c.value, seen), Fit::Fits(_)))
        && seen.status().is_some_and(|s| s / 100 == 4)
}

/// The same, and the reply is not the one for a key that is taken.
fn refused_as_malformed(seen: &Seen<'_>) -> bool {
    refused_by_shape(seen)
        && !seen
            .reading(None)
            .is_some_and(|r| r.is_only(Situation::Mismatch))
}

/// Whether an empty key was taken for a key like any other, where nobody declares what one is: a refusal loses nothing unseen.
fn refused_and_open(seen: &Seen<'_>) -> bool {
    seen.op.contract.malformed.empty.value.is_open()
        && key_syntax::class_of(seen) != KeyClass::Missing
        && seen
            .reading(None)
            .is_some_and(|reading| reading.may_be(Situation::Mismatch))
}

fn open_bucket(seen: &Seen<'_>, attempts: &[u64], tally: &mut Tally) {
    tally.leave_open();
    tally.saw(
        format!(
            "{}: an empty key is a key like any other here, and another request under it is refused",
            seen.words()
        ),
        attempts,
    );
}

fn shared(second: &Seen<'_>, first: &Seen<'_>, observed: String) -> Violation {
    let contract = second.op.contract;
    let meaning = if alike(first, second) == Alike::Nobodys {
        "Requests that name no key share one record: the second customer's order is lost, or gets the first's reply."
    } else {
        "Two requests with different keys are taken for one: the second customer's order is lost, or gets the first's reply."
    };
    Violation {
        cited: Cited::of(&contract.key),
        part: None,
        expected: "a result and an effect of its own".to_owned(),
        observed,
        meaning: meaning.to_owned(),
        attempts: vec![second.n(), first.n()],
    }
}

fn answer(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    second: &Seen<'_>,
    change: &Change,
    tally: &mut Tally,
) {
    let attempts = [second.n(), first.n()];
    let told = second.words();
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(told, &attempts);
        return;
    };
    if reading.is_unknown() && !second.is_success() {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        return;
    }
    // the refusal, or the first's result, may be about a reference that must not repeat
    let facts = second.op.facts;
    let repeats =
        first.attempt.sent.reference == second.attempt.sent.reference && facts.carries_reference;
    let by_reference = match facts.unique_reference {
        Some(unique) => repeats && unique,
        None => repeats,
    };
    let remedy = "both requests carry one reference, and the target does not say that references may repeat (unique-reference = false)";
    if second.is_success() {
        let own = matches!(change, Change::Changed { from, to, .. } if to > from);
        match second.identities(first) {
            Identities::Same
                if own && !super::leak::is_unguessable(&second.identity().unwrap_or_default()) =>
            {
                tally.saw(format!("{told} with an effect of its own"), &attempts);
            }
            Identities::Same if by_reference => tally.doubt(
                format!("{told} with the first's result: {remedy}"),
                &attempts,
            ),
            Identities::Same => tally.violated(shared(
                second,
                first,
                format!(
                    "{told} with the first's result ({})",
                    second.identity().unwrap_or_default()
                ),
            )),
            Identities::Unknown if second.marked() == Some(true) => {
                tally.violated(shared(second, first, format!("{told}, marked as a replay")));
            }
            Identities::Other | Identities::Unknown => {
                tally.saw(format!("{told} with a result of its own"), &attempts);
            }
        }
        return;
    }
    // where nobody says how long a key may be, and the first long one was taken, its length is no reason to refuse the second
    let undeclared = |seen: &Seen<'_>| key_syntax::class_of(seen) == KeyClass::LongUndeclared;
    if refused_as_malformed(second) && !(undeclared(first) && undeclared(second)) {
        tally.saw(format!("{told}: such a key is refused"), &attempts);
        return;
    }
    if by_reference {
        tally.doubt(format!("{told}: {remedy}"), &attempts);
        return;
    }
    if let Some(why) = mismatch::plain_validation(scene, second) {
        tally.doubt(
            format!("{told}, and {why}: this may be plain validation"),
            &attempts,
        );
        return;
    }
    let refuses = |a: &&Answer| matches!(a, Answer::Refuse(_));
    let missing = key_syntax::class_of(second) == KeyClass::Missing
        && second
            .op
            .contract
            .missing
            .value
            .alternatives()
            .iter()
            .any(refuses);
    if missing {
        tally.saw(told, &attempts);
        return;
    }
    if alike(first, second) == Alike::Nobodys && refused_and_open(second) {
        open_bucket(second, &attempts, tally);
        return;
    }
    tally.violated(shared(
        second,
        first,
        format!("{told}: refused for what the first did"),
    ));
}
