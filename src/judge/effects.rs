//! Judges counts against answers: how many effects an answer allows, how many were seen, and what a count cannot show.
//! It must not know any situation, nor how effects are counted.

use super::evidence::Scene;
use super::tally::{Cited, Tally, Violation};
use crate::contract::Answer;
use crate::journal::{AttemptSent, CountEntry, CountTaken};

/// How the count of one intent changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The target declares no counter.
    NotCounted,
    /// There is a counter, and the control did not prove it.
    Unproven,
    /// It could not be read.
    Unknown(String),
    /// From one count to another.
    Changed {
        /// What the first count said (0 for a fresh intent).
        from: i64,
        /// What the later count said.
        to: i64,
        /// What one effect adds.
        unit: i64,
        /// What the recount at the end said, where it is higher.
        late: Option<i64>,
        /// The counter does not tell accounts apart: this is the sum over all of them.
        mixed: bool,
    },
}

/// How many effects an answer allows: least and most.
#[must_use]
pub fn allowed(answer: &Answer) -> (i64, i64) {
    let one = |answer: &&Answer| match answer {
        Answer::Run | Answer::Accept => (1, 1),
        Answer::Replay | Answer::Wait | Answer::Refuse(_) => (0, 0),
        Answer::Unspecified | Answer::AnyOf(_) => (0, 1),
    };
    let alternatives = answer.alternatives();
    let ranges = alternatives.iter().map(one);
    ranges
        .reduce(|(least, most), (l, m)| (least.min(l), most.max(m)))
        .unwrap_or((0, 1))
}

/// How the count of a request's intent in its account changed between two counts of a round.
#[must_use]
pub fn change(scene: &Scene<'_>, sent: &AttemptSent, before: Option<&str>, after: &str) -> Change {
    let evidence = scene.evidence;
    let (intent, operation) = (&sent.intent, sent.operation.as_str());
    if evidence
        .operation(operation)
        .is_none_or(|op| op.facts.counter.is_none())
    {
        return Change::NotCounted;
    }
    if evidence.replies_only {
        return Change::Unproven;
    }
    let control = evidence.control(operation);
    let Some((unit, mixed)) = control.and_then(|c| c.unit.map(|unit| (unit, c.mixes))) else {
        return Change::Unproven;
    };
    let Some(later) = scene.round.counts.iter().rfind(|c| c.name == after) else {
        return Change::Unknown(format!(
            "the count `{after}` was {}",
            evidence.not_reached()
        ));
    };
    let find = |count: &CountTaken| value(count, sent, mixed);
    let to = match find(later) {
        Some(Ok(value)) => value,
        Some(Err(why)) => return Change::Unknown(why),
        None => return Change::Unknown(format!("the count `{after}` has no entry of `{intent}`")),
    };
    let from = match before {
        None => 0,
        Some(name) => match scene
            .round
            .counts
            .iter()
            .rfind(|c| c.name == name)
            .map(find)
        {
            None => {
                return Change::Unknown(format!(
                    "the count `{name}` was {}",
                    evidence.not_reached()
                ));
            }
            Some(Some(Err(why))) => return Change::Unknown(why),
            Some(Some(Ok(value))) => value,
            // not counted before its first use: 0, as the control proved of an unused key, unless the counter cannot
            // tell it from an intent that was used
            Some(None) => match twin(scene, later, name, sent) {
                Some(Ok(value)) => value,
                Some(Err(why)) => return Change::Unknown(why),
                None => 0,
            },
        },
    };
    let late = late(scene, later, sent, mixed).filter(|late| *late > to);
    Change::Changed {
        from,
        to,
        unit,
        late,
        mixed,
    }
}

/// The value of an entry. A counter that mixes accounts says the same in each: any of them will do.
fn value(count: &CountTaken, sent: &AttemptSent, mixed: bool) -> Option<Result<i64, String>> {
    let of = |e: &&CountEntry| e.intent == sent.intent && e.operation == sent.operation;
    let own = count
        .entries
        .iter()
        .filter(of)
        .find(|e| e.account == sent.account);
    let other = || {
        count
            .entries
            .iter()
            .filter(of)
            .filter(|_| mixed)
            .max_by_key(|e| e.value)
    };
    let entry = own.or_else(other)?;
    Some(entry.value.ok_or_else(|| {
        let why = entry.error.as_deref().unwrap_or("no reason given");
        format!("effects could not be counted: {why}")
    }))
}

/// The earlier value of another intent that the counter takes for this one: the same reference, or the same key.
fn twin(
    scene: &Scene<'_>,
    later: &CountTaken,
    before: &str,
    sent: &AttemptSent,
) -> Option<Result<i64, String>> {
    let counter = scene
        .evidence
        .operation(&sent.operation)?
        .facts
        .counter
        .as_ref()?;
    let own = later
        .entries
        .iter()
        .find(|e| e.intent == sent.intent && e.operation == sent.operation)?;
    let before = scene.round.counts.iter().rfind(|c| c.name == before)?;
    let same = |e: &&CountEntry| {
        e.operation == sent.operation
            && e.account == sent.account
            && (!counter.by_reference || e.reference == own.reference)
            && (!counter.by_key || e.key == own.key)
            && (counter.by_reference || counter.by_key)
    };
    let entry = before.entries.iter().find(same)?;
    Some(
        entry
            .value
            .ok_or_else(|| "effects could not be counted".to_owned()),
    )
}

/// What the recount at the end of the run says, unless later requests of the round may have moved it rightly.
fn late(scene: &Scene<'_>, counted: &CountTaken, sent: &AttemptSent, mixed: bool) -> Option<i64> {
    let last = scene.round.counts.iter().rfind(|c| c.name == "final")?;
    let entry = counted.entries.iter().find(|e| e.intent == sent.intent)?;
    let sent_after = scene.round.attempts.iter().any(|attempt| {
        let sent = &attempt.sent;
        sent.at_us > counted.at_us
            && (sent.reference == entry.reference || sent.key.is_some() && sent.key == entry.key)
    });
    if sent_after {
        return None;
    }
    value(last, sent, mixed)?.ok()
}

/// What effects are expected, and which clause is violated by more.
#[derive(Debug)]
pub struct Expected {
    /// At least so many.
    pub least: i64,
    /// At most so many.
    pub most: i64,
    /// The clause.
    pub cited: Cited,
    /// What more effects mean.
    pub meaning: String,
    /// The attempts that are concerned.
    pub attempts: Vec<u64>,
    /// Replies said that it was done: fewer effects are then a doubt.
    pub success_seen: bool,
    /// In words: `one effect`, `no new effect`.
    pub words: String,
}

/// What a count said of the expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Nothing could be counted: identities decide.
    Uncounted,
    /// As many as expected.
    AsExpected,
    /// More.
    TooMany,
    /// Fewer, or no whole effect, or not readable.
    Doubtful,
}

/// Judges a change. Says what it saw, and what it could not see, in the tally.
pub fn judge(tally: &mut Tally, change: &Change, expected: Expected) -> Counted {
    let (from, to, unit, late) = match change {
        Change::NotCounted => {
            tally.prove("effects are not counted: the identity in the replies decides");
            return Counted::Uncounted;
        }
        // the control says why; whatever rests on it cannot pass
        Change::Unproven => return Counted::Uncounted,
        Change::Unknown(why) => {
            tally.doubt(why.clone(), &expected.attempts);
            return Counted::Doubtful;
        }
        Change::Changed {
            from,
            to,
            unit,
            late,
            // that the counter sums over accounts is said once, of the run
            mixed: _,
        } => (*from, *to, *unit, *late),
    };
    let rise = to.saturating_sub(from);
    let tell = |to: i64, from: i64| {
        let one = if unit == 1 {
            String::new()
        } else {
            format!(" (one effect adds {unit})")
        };
        if from == 0 {
            format!("{} counted{one}", effects(to, unit))
        } else {
            format!("the count went from {from} to {to}{one}")
        }
    };
    let times = |n: i64| n.saturating_mul(unit);
    let (most, least) = (times(expected.most), times(expected.least));
    if rise > most || late.is_some_and(|late| late.saturating_sub(from) > most) {
        let observed = match late {
            Some(late) if rise <= most => format!(
                "{}, and {late} when all keys were counted again at the end: an effect came late",
                tell(to, from)
            ),
            _ => tell(to, from),
        };
        tally.violated(Violation {
            cited: expected.cited,
            part: None,
            expected: expected.words,
            observed,
            meaning: expected.meaning,
            attempts: expected.attempts,
        });
        return Counted::TooMany;
    }
    if rise < 0 {
        tally.doubt(
            format!("the count fell from {from} to {to}: something else changes what is counted"),
            &expected.attempts,
        );
        return Counted::Doubtful;
    }
    if rise % unit != 0 {
        tally.doubt(
            format!("the count rose by {rise}, and one effect adds {unit}: no whole effect"),
            &expected.attempts,
        );
        return Counted::Doubtful;
    }
    if rise < least && expected.success_seen {
        tally.doubt(
            format!(
                "a reply says success, and {}: the counter does not see this effect",
                tell(to, from)
            ),
            &expected.attempts,
        );
        return Counted::Doubtful;
    }
    let told = match (from, rise / unit) {
        _ if least == most && rise == most => expected.words,
        (0, _) => tell(to, from),
        (_, 0) => "no new effect".to_owned(),
        (_, 1) => "one more effect".to_owned(),
        _ => tell(to, from),
    };
    tally.saw(told, &[]);
    Counted::AsExpected
}

fn effects(value: i64, unit: i64) -> String {
    if unit > 1 && value % unit != 0 {
        return format!("{value} rows");
    }
    match value / unit.max(1) {
        1 => "1 effect".to_owned(),
        n => format!("{n} effects"),
    }
}
