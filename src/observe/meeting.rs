//! What a second request met: it ran, it got the first's result, it was refused. Effects decide over replies.
//! It must not know in what the second differs from the first.

use super::field::Trial;
use crate::contract::reading::{Identities, Situation};
use crate::judge::effects::{self, Change};
use crate::judge::evidence::Seen;
use crate::judge::{fidelity, leak};

/// What a second request met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// It ran, with a result or an effect of its own.
    Ran,
    /// It got the first's result.
    Replayed,
    /// It was refused, and nothing was done.
    Refused,
    /// It was refused, and something was done all the same.
    RefusedAndRan,
    /// The server failed.
    Failed,
    /// It cannot be said.
    Unclear,
}

/// Tells what the second met.
pub fn met(trial: &Trial<'_>, first: &Seen<'_>, second: &Seen<'_>) -> Met {
    let Some(reading) = second.reading(Some(first)) else {
        return Met::Unclear;
    };
    // a refused request that others of its round explain did nothing
    let added = added(trial, second).map(|n| {
        if second.is_success() {
            n
        } else {
            n - others(trial, first, second)
        }
    });
    if says_no(first, second) {
        return match added {
            Some(n) if n > 0 => Met::RefusedAndRan,
            _ => Met::Refused,
        };
    }
    if second.is_success() {
        return match (second.identities(first), added) {
            (Identities::Other, _) => Met::Ran,
            // numbers that two accounts may both begin with prove nothing: the count does
            (Identities::Same, Some(n)) if n > 0 && guessable(second) => Met::Ran,
            (Identities::Same, _) => Met::Replayed,
            (Identities::Unknown, Some(n)) if n > 0 => Met::Ran,
            (Identities::Unknown, Some(_)) => Met::Replayed,
            (Identities::Unknown, None) if is_copy(first, second) => Met::Replayed,
            (Identities::Unknown, None) => Met::Unclear,
        };
    }
    if reading.may_be(Situation::ServerError) {
        return Met::Failed;
    }
    if first.is_success() && is_copy(first, second) {
        return Met::Replayed;
    }
    if reading.is_unknown() {
        return Met::Unclear;
    }
    match added {
        Some(n) if n > 0 => Met::RefusedAndRan,
        _ => Met::Refused,
    }
}

/// How many later requests of the same intent had a result of their own.
fn others(trial: &Trial<'_>, first: &Seen<'_>, second: &Seen<'_>) -> i64 {
    let attempts = trial.scene.round.attempts.iter();
    let ran = attempts.filter(|attempt| {
        let sent = &attempt.sent;
        let counted = sent.n > first.n() && sent.n != second.n();
        let same = sent.intent == second.attempt.sent.intent
            && sent.operation == second.attempt.sent.operation;
        let other = || {
            let seen = trial.scene.see(attempt)?;
            Some(seen.is_success() && seen.identities(first) == Identities::Other)
        };
        counted && same && other() == Some(true)
    });
    i64::try_from(ran.count()).unwrap_or(i64::MAX)
}

/// A success by its status without what every success names: GraphQL and its like refuse so.
pub fn says_no(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    second.is_success()
        && first.identity().is_some()
        && second.identity().is_none()
        && !is_copy(first, second)
}

fn guessable(seen: &Seen<'_>) -> bool {
    seen.identity().is_some_and(|id| !leak::is_unguessable(&id))
}

/// How many effects came between the two counts, for the second request's own intent.
pub fn added(trial: &Trial<'_>, second: &Seen<'_>) -> Option<i64> {
    let counted = trial.steps.counted.as_deref()?;
    let before = trial.steps.before.as_deref();
    let sent = &second.attempt.sent;
    let change = effects::change(&trial.scene, sent, before, counted);
    match change {
        Change::Changed {
            from,
            to,
            unit,
            late,
            ..
        } => {
            let rise = late.unwrap_or(to).saturating_sub(from) / unit.max(1);
            Some(rise)
        }
        Change::NotCounted | Change::Unproven | Change::Unknown(_) => None,
    }
}

/// The effects of an intent in a round, as counted at the end.
pub fn effects_of(trial: &Trial<'_>, of: &Seen<'_>) -> Option<i64> {
    let counted = trial.steps.counted.as_deref()?;
    let sent = &of.attempt.sent;
    let change = effects::change(&trial.scene, sent, None, counted);
    match change {
        Change::Changed { to, unit, late, .. } => Some(late.unwrap_or(to) / unit.max(1)),
        Change::NotCounted | Change::Unproven | Change::Unknown(_) => None,
    }
}

/// The first's body again, whatever the status: some providers wrap it in an error.
pub fn is_copy(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let (Some(a), Some(b)) = (first.reply(), second.reply()) else {
        return false;
    };
    if a.body.len == 0 {
        return false;
    }
    if fidelity::same_bytes(&a.body, &b.body) {
        return true;
    }
    // the state of now under an error's status: the identity stands where the first has it
    let theirs = second
        .received()
        .and_then(|reply| crate::judge::evidence::identity_in(second.op.identity, reply));
    theirs.is_some()
        && theirs == first.identity()
        && leak::is_unguessable(&theirs.unwrap_or_default())
}
