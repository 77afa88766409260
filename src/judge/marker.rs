//! The header that tells a replay from a first reply: where it must be, and where it must not.
//! It must not know how a reply was read otherwise.

use super::evidence::Seen;
use super::other_body;
use super::tally::{Cited, Tally, Violation};
use crate::contract::{Contract, Marker};

/// The marker, where one is declared, is on the repeat.
pub fn on_replay(second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    let name = match &contract.marker.value {
        Marker::Header { name, .. } => name,
        Marker::Always { .. } => return always(second, tally),
        Marker::Unspecified | Marker::None => return,
    };
    if second.marked() == Some(false) {
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            expected: format!("{name} on the replay"),
            observed: format!(
                "the replay is not marked: {} without {name} of a replay",
                second.words()
            ),
            meaning: "A client cannot tell a replay from a new result.".to_owned(),
            attempts: vec![second.n()],
        });
    }
}

/// The first reply is not marked as a replay, and carries what a first reply is declared to carry.
pub fn on_first(first: &Seen<'_>, tally: &mut Tally) {
    let contract = first.op.contract;
    let (name, values) = match &contract.marker.value {
        Marker::Header { name, first, .. } => (name, first),
        Marker::Always { .. } => return always(first, tally),
        Marker::Unspecified | Marker::None => return,
    };
    let right = match values.as_slice() {
        [] => first.marked() != Some(true),
        values => first.received().is_some_and(|reply| {
            let fits = |v: &str| {
                values
                    .iter()
                    .any(|want| want.eq_ignore_ascii_case(v.trim()))
            };
            reply.header(name).any(fits)
        }),
    };
    if !right {
        let expected = match values.as_slice() {
            [] => format!("no {name} of a replay on the first reply"),
            values => format!("{name}: {} on the first reply", values.join(" or ")),
        };
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            observed: format!(
                "the first reply is marked as a replay, or not as a first one: {}",
                first.words()
            ),
            expected,
            meaning: "A client that reads the marker takes the first result for a replay."
                .to_owned(),
            attempts: vec![first.n()],
        });
    }
}

/// The header that every reply to a keyed request carries is there.
fn always(seen: &Seen<'_>, tally: &mut Tally) {
    let contract = seen.op.contract;
    let Marker::Always { name, is } = &contract.marker.value else {
        return;
    };
    let fits = |value: &str| {
        is.is_empty()
            || is
                .iter()
                .any(|want| want.eq_ignore_ascii_case(value.trim()))
    };
    if !seen
        .received()
        .is_some_and(|reply| reply.header(name).any(fits))
    {
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            expected: format!("{name} on every reply"),
            observed: format!("{} without {name}, or with another value", seen.words()),
            meaning: "A client cannot see that its key was taken notice of.".to_owned(),
            attempts: vec![seen.n()],
        });
    }
}

/// Of the replies read as run or replay exactly one lacks the marker.
pub fn among(contract: &Contract, copies: &[Seen<'_>], successes: &[&Seen<'_>], tally: &mut Tally) {
    let Marker::Header { name, .. } = &contract.marker.value else {
        return;
    };
    let unmarked: Vec<u64> = successes
        .iter()
        .filter(|s| s.marked() == Some(false))
        .map(|s| s.n())
        .collect();
    // the winner's own reply may be the one that was lost
    let lost = copies.iter().any(Seen::is_unknown);
    let wrong = match unmarked.len() {
        0 => !successes.is_empty() && !lost,
        1 => false,
        _ => !other_body::is_among(contract, successes),
    };
    if wrong {
        let mut attempts = unmarked.clone();
        attempts.extend(
            successes
                .iter()
                .map(|s| s.n())
                .filter(|n| !unmarked.contains(n)),
        );
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            expected: format!("exactly one success without {name}"),
            observed: format!(
                "{} of {} successes are not marked as replays",
                unmarked.len(),
                successes.len()
            ),
            meaning: if unmarked.is_empty() {
                "No copy says that it ran.".to_owned()
            } else {
                "Several copies say that they ran.".to_owned()
            },
            attempts,
        });
    }
}
