//! The reply to one copy of a burst: the winner's result, the declared in-progress answer, or what the policy does not allow.
//! It must not know of counts, overlap or rounds.

use super::evidence::Seen;
use super::fidelity;
use super::refusal::{Fit, allows, amiss, fit};
use super::tally::{Cited, Tally, Violation};
use crate::contract::reading::{Identities, Situation};
use crate::contract::relation::relation;
use crate::contract::{Answer, Replay, Sameness};

/// Whether 429 or 503 stay where only two copies are sent: in every such round of three, or of all where fewer are planned.
/// One alone is a limit or a moment of weakness, and says nothing of the key.
#[must_use]
pub fn limits_stay(rounds: &[Vec<Seen<'_>>], planned: u32) -> bool {
    let pairs: Vec<&Vec<Seen<'_>>> = rounds.iter().filter(|copies| copies.len() == 2).collect();
    let limited = |copy: &Seen<'_>| {
        let reading = copy.reading(None);
        reading.is_some_and(|reading| reading.may_be(Situation::RateLimited))
    };
    pairs.len() >= planned.clamp(1, 3) as usize
        && pairs.iter().all(|copies| copies.iter().any(limited))
}

/// Judges the reply to one copy. Says whether it was a limit (429, 503) that says nothing of the key.
pub fn judge(
    copy: &Seen<'_>,
    winner: Option<&Seen<'_>>,
    copies: &[Seen<'_>],
    succeeded: bool,
    stays: bool,
    tally: &mut Tally,
) -> bool {
    let contract = copy.op.contract;
    let Some(reading) = copy.reading(winner) else {
        return false;
    };
    let other = winner.is_some_and(|w| {
        relation(contract, w.asked(), copy.asked()).sameness == Sameness::Different
    }) || winner.is_none()
        && copies
            .iter()
            .any(|c| relation(contract, c.asked(), copy.asked()).sameness == Sameness::Different);
    let violated = |cited, part, expected: String, observed: String, meaning: &str| Violation {
        cited,
        part,
        expected,
        observed,
        meaning: meaning.to_owned(),
        attempts: std::iter::once(copy.n())
            .chain(winner.map(|w| w.n()))
            .collect(),
    };
    if reading.is_success() {
        let Some(winner) = winner.filter(|w| w.n() != copy.n()) else {
            return false;
        };
        if copy.identities(winner) == Identities::Other {
            return false;
        }
        if other && !allows(&contract.mismatch.value, |a| *a == Answer::Replay) {
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                None,
                contract.mismatch.value.to_string(),
                format!("{} with the result of another body", copy.words()),
                "The client is told that its request succeeded, and another one did.",
            ));
        } else if let Replay::Same(same) | Replay::Current(same) = &contract.replay.value {
            let whole = matches!(contract.replay.value, Replay::Same(_));
            for difference in fidelity::compare(same, whole, winner, copy, &[]).differences {
                tally.violated(violated(
                    Cited::of(&contract.replay),
                    Some(difference.part),
                    "the winner's reply".to_owned(),
                    format!("{}: {}", copy.words(), difference.text),
                    difference.meaning,
                ));
            }
        }
        return false;
    }
    if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value && (winner.is_some() || succeeded) {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                None,
                format!("no 5xx for a duplicate: {}", contract.in_progress.value),
                format!("{} beside or after a success", copy.words()),
                "A copy that lost the race gets a server failure: the client takes its payment for failed although it succeeded.",
            ));
        }
        return false;
    }
    if reading.may_be(Situation::Gateway) && !reading.may_be(Situation::RateLimited) {
        return false;
    }
    let in_progress = &contract.in_progress.value;
    let fits = matches!(fit(in_progress, copy), Fit::Fits(_))
        || allows(in_progress, |_| false)
        || reading.may_be(Situation::Duplicate)
        || other && matches!(fit(&contract.mismatch.value, copy), Fit::Fits(_))
        || other && allows(&contract.mismatch.value, |_| false);
    if fits && !reading.may_be(Situation::RateLimited) {
        return false;
    }
    let limited = reading.may_be(Situation::RateLimited);
    if limited && (!stays || copies.len() > 2 || allows(in_progress, |_| false)) {
        return true;
    }
    let part = match fit(in_progress, copy) {
        Fit::Near(part) => Some(part),
        Fit::Fits(_) => return limited,
        Fit::NoneDeclared => None,
    };
    tally.violated(violated(
        Cited::of(&contract.in_progress),
        part,
        in_progress.to_string(),
        format!("{}, {}", copy.words(), amiss(part)),
        "A client that handles the declared answer does not recognise this one, and gives up or retries wrongly.",
    ));
    limited
}
