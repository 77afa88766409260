//! What became of one request sent twice: refused, protected, or run twice. Effects decide over replies.
//! It must not know which of them is right.

use super::effects::{self, Change};
use super::evidence::{Scene, Seen};
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Clause};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both were refused.
    Refused,
    /// The first ran, the second did not and got the first's result, or the error that is declared for a finished duplicate.
    Protected,
    /// Both ran.
    RanTwice,
    /// The first ran, the second was refused.
    SecondRefused,
    /// A 5xx that is no gateway's; whose attempt it was.
    Failed(u64),
    /// It cannot be said.
    Unclear(String),
}

/// Decides what became of a request sent twice, by the counts where there are any.
#[must_use]
pub fn of(scene: &Scene<'_>, steps: &Steps, first: &Seen<'_>, second: &Seen<'_>) -> Outcome {
    for seen in [first, second] {
        let Some(reading) = seen.reading(None) else {
            return Outcome::Unclear(seen.words());
        };
        if reading.may_be(Situation::ServerError) {
            return Outcome::Failed(seen.n());
        }
        if reading.is_unknown() && !reading.is_refusal() && !seen.is_success() {
            return Outcome::Unclear(format!("{}: whether it ran is unknown", seen.words()));
        }
    }
    let more = added(scene, steps, first, second);
    match (first.is_success(), second.is_success()) {
        (false, false) => match more {
            Some(more) if more > 0 => Outcome::RanTwice,
            _ => Outcome::Refused,
        },
        (true, false) => match more {
            Some(more) if more > 0 => Outcome::RanTwice,
            _ if told_of_the_first(first, second) => Outcome::Protected,
            _ => Outcome::SecondRefused,
        },
        (false, true) => Outcome::Unclear(format!(
            "the first was refused and the second was not ({}, {})",
            first.words(),
            second.words()
        )),
        (true, true) => match (more, second.identities(first)) {
            (Some(more), _) if more > 0 => Outcome::RanTwice,
            (_, Identities::Other) => Outcome::RanTwice,
            (Some(_), _) | (None, Identities::Same) => Outcome::Protected,
            (None, Identities::Unknown) if second.marked() == Some(true) => Outcome::Protected,
            (None, Identities::Unknown) => Outcome::Unclear(
                "neither counts nor identities tell whether it ran twice".to_owned(),
            ),
        },
    }
}

/// Whether the second was refused with the error that is declared for a finished duplicate.
fn told_of_the_first(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let reading = second.reading(Some(first));
    reading.is_some_and(|reading| reading.may_be(Situation::Duplicate))
}

/// How many effects the second added; `None` where that was not counted, or where the counter cannot tell.
fn added(scene: &Scene<'_>, steps: &Steps, first: &Seen<'_>, second: &Seen<'_>) -> Option<i64> {
    let counted = steps.counted.as_ref()?;
    let sent = &second.attempt.sent;
    // a counter by the key alone sees nothing where none was sent, and everybody's where it was empty
    let by_reference = second
        .op
        .facts
        .counter
        .as_ref()
        .is_some_and(|c| c.by_reference);
    let key = sent.key.as_deref().unwrap_or_default();
    if !by_reference && key.trim().len() < 8 {
        return None;
    }
    // by reference all effects of the intent are seen, also one that a refused first request had
    let before = steps.before.as_deref().filter(|_| !by_reference);
    let own = i64::from(before.is_none() && first.is_success());
    match effects::change(scene, sent, before, counted) {
        Change::Changed {
            from,
            to,
            unit,
            late,
            ..
        } => Some(late.unwrap_or(to).saturating_sub(from) / unit.max(1) - own),
        Change::NotCounted | Change::Unproven | Change::Unknown(_) => None,
    }
}

/// In words.
#[must_use]
pub fn told(outcome: &Outcome, first: &Seen<'_>, second: &Seen<'_>) -> String {
    let both = format!("{}, {}", first.words(), second.words());
    match outcome {
        Outcome::Refused => format!("refused ({both})"),
        Outcome::Protected => format!("one effect ({both})"),
        Outcome::RanTwice => format!("it ran twice ({both})"),
        Outcome::SecondRefused => format!("the first ran, and the second was refused ({both})"),
        Outcome::Failed(n) => format!("attempt {n} met a server failure ({both})"),
        Outcome::Unclear(why) => why.clone(),
    }
}

/// Judges what became of a request sent twice by the answer that a clause declares for it.
pub fn judge(
    outcome: &Outcome,
    clause: &Clause<Answer>,
    first: &Seen<'_>,
    second: &Seen<'_>,
    meaning: &str,
    tally: &mut Tally,
) {
    let attempts = vec![second.n(), first.n()];
    let words = told(outcome, first, second);
    let allows = |what: &dyn Fn(&Answer) -> bool| clause.value.alternatives().into_iter().any(what);
    let mut part = None;
    let right = match outcome {
        Outcome::Unclear(why) => {
            tally.doubt(why.clone(), &attempts);
            return;
        }
        _ if clause.value.is_open() => true,
        Outcome::Refused => {
            let declared = allows(&|a| matches!(a, Answer::Refuse(_)));
            let near = [first, second]
                .into_iter()
                .find_map(|s| match fit(&clause.value, s) {
                    Fit::Near(part) => Some(part),
                    Fit::Fits(_) | Fit::NoneDeclared => None,
                });
            part = near;
            declared && near.is_none()
        }
        Outcome::Protected => {
            allows(&|a| matches!(a, Answer::Accept | Answer::Replay | Answer::Wait))
        }
        Outcome::RanTwice => {
            first.is_success() && second.is_success() && allows(&|a| *a == Answer::Run)
        }
        Outcome::SecondRefused | Outcome::Failed(_) => false,
    };
    if right {
        tally.saw(words, &attempts);
        return;
    }
    tally.violated(Violation {
        cited: Cited::of(clause),
        part,
        expected: clause.value.to_string(),
        observed: words,
        meaning: meaning.to_owned(),
        attempts,
    });
}
