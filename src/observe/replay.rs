//! What the repeat of a finished request gets: a copy, the state of now, an error; and whether the key protects at all.
//! It must not know which drill sent the repeat.

use std::collections::BTreeMap;

use super::answered::statuses;
use super::field::{Field, Trial};
use super::meeting::{Met, effects_of, met};
use super::{Book, Guard, Question, marker, refusal};
use crate::contract::json::Json;
use crate::contract::{Answer, BodyFidelity, Replay, Same, Storage};
use crate::judge::evidence::Seen;
use crate::judge::fidelity;

/// Headers that a client follows: worth saying whether a repeat has them.
const FOLLOWED: [&str; 4] = ["content-type", "location", "content-location", "link"];

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    let mut replayed: Vec<(Seen<'_>, Seen<'_>)> = Vec::new();
    let mut refused: Vec<Seen<'_>> = Vec::new();
    let mut ran: Vec<u64> = Vec::new();
    let mut doubled: Vec<u64> = Vec::new();
    let mut firsts: Vec<Seen<'_>> = Vec::new();
    let trials = field.trials("replay");
    let named = trials.iter().any(|trial| {
        trial
            .first()
            .is_some_and(|first| first.identity().is_some())
    });
    for trial in trials {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        // how long a key is kept is read elsewhere
        if trial.grows_old() {
            continue;
        }
        // a success that names nothing, where others do, is an error in a 200
        if !first.is_success() || named && first.identity().is_none() {
            continue;
        }
        if trial.scene.is_first_of_its_key(&first) {
            firsts.push(first);
        }
        // one that came before it, and whose reply was lost, may have left an effect of its own
        let begins = trial.scene.is_first_of_its_key(&first);
        let twice =
            begins && alone(&trial, &first) && effects_of(&trial, &first).is_some_and(|n| n > 1);
        match met(&trial, &first, &second) {
            Met::Replayed => replayed.push((first, second)),
            Met::Refused | Met::RefusedAndRan => refused.push(second),
            Met::Ran => ran.extend([second.n(), first.n()]),
            Met::Failed | Met::Unclear => {}
        }
        if twice && !ran.contains(&second.n()) {
            doubled.extend([second.n(), first.n()]);
        }
    }
    let told: Vec<u64> = replayed.iter().map(|(_, second)| second.n()).collect();
    if !replayed.is_empty() {
        let (value, words) = likeness(&replayed);
        book.contract.replay.value = value;
        book.contract.stored.success.value = Storage::Stored;
        let seconds: Vec<Seen<'_>> = replayed.iter().map(|(_, second)| *second).collect();
        let words = format!(
            "a repeat of a finished request gets {words} ({})",
            statuses(&seconds)
        );
        book.saw(Question::Operations, "replay", words, &told);
        let words = if doubled.is_empty() {
            "a success is stored: its repeat does nothing"
        } else {
            "a success is stored: its repeat gets it again, whatever is done behind it"
        };
        book.saw(Question::Stored, "stored.success", words, &told);
        marker::read(&firsts, &replayed, book);
    } else if !refused.is_empty() {
        let answer = refusal::of(&refused);
        if let Some(Answer::Refuse(how)) = answer.alternatives().first() {
            book.contract.replay.value = Replay::Refuse((*how).clone());
        }
        book.contract.stored.success.value = Storage::Stored;
        let by: Vec<u64> = refused.iter().map(Seen::n).collect();
        let words = format!(
            "a repeat of a finished request is refused ({}): it does not learn the result",
            statuses(&refused)
        );
        book.saw(Question::Operations, "replay", words, &by);
        book.saw(
            Question::Stored,
            "stored.success",
            "a success is remembered: its repeat does nothing",
            &by,
        );
    }
    if !ran.is_empty() {
        let how = if replayed.is_empty() && refused.is_empty() {
            book.guard = Guard::None;
            "the key protects nothing: its repeat runs again, with a result of its own"
        } else {
            "some repeats run again, with a result of their own"
        };
        book.alarm(
            Question::Operations,
            Some("one-effect"),
            how.to_owned(),
            &ran,
        );
    }
    if !doubled.is_empty() {
        if book.guard == Guard::Holds {
            book.guard = Guard::Hollow;
        }
        let words = "the work was done again behind a reply that looks like a replay".to_owned();
        book.alarm(Question::Atomicity, Some("one-effect"), words, &doubled);
    }
}

/// Whether nothing but this request was sent under its key: another body may rightly have an effect of its own.
fn alone(trial: &Trial<'_>, first: &Seen<'_>) -> bool {
    let sent = &first.attempt.sent;
    let mut attempts = trial.scene.round.attempts.iter();
    attempts.all(|other| other.sent.key != sent.key || other.sent.body_name == sent.body_name)
}

/// How like the first replies the replays are, as a clause and in words.
fn likeness(pairs: &[(Seen<'_>, Seen<'_>)]) -> (Replay, &'static str) {
    let mut same = Same {
        status: mapped(pairs),
        ..Same::default()
    };
    same.headers = FOLLOWED
        .iter()
        .filter(|name| kept(pairs, name))
        .map(|name| (*name).to_owned())
        .collect();
    let all = |alike: &dyn Fn(&Seen<'_>, &Seen<'_>) -> bool| {
        pairs.iter().all(|(first, second)| alike(first, second))
    };
    if all(&bytes) {
        same.body = BodyFidelity::Bytes;
        return (Replay::Same(same), "the same bytes");
    }
    if all(&|a, b| bytes(a, b) || json(a, b)) {
        same.body = BodyFidelity::Json;
        return (Replay::Same(same), "the same JSON in other bytes");
    }
    same.headers.clear();
    (
        Replay::Current(same),
        "the same identity with another body: the state of now",
    )
}

fn bytes(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    match (first.reply(), second.reply()) {
        (Some(a), Some(b)) => fidelity::same_bytes(&a.body, &b.body),
        _ => false,
    }
}

fn json(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let read = |seen: &Seen<'_>| {
        let body = &seen.reply()?.body;
        let text = body.text.as_deref().filter(|_| !body.truncated)?;
        Json::read(text)
    };
    match (read(first), read(second)) {
        (Some(a), Some(b)) => a.difference(&b).is_none(),
        _ => false,
    }
}

/// Statuses that replace the first one.
fn mapped(pairs: &[(Seen<'_>, Seen<'_>)]) -> BTreeMap<String, Vec<u16>> {
    let mut all: BTreeMap<String, Vec<u16>> = BTreeMap::new();
    for (first, second) in pairs {
        if let (Some(a), Some(b)) = (first.status(), second.status()) {
            let known = all.entry(a.to_string()).or_default();
            if !known.contains(&b) {
                known.push(b);
            }
        }
    }
    all.retain(|first, seconds| seconds.len() > 1 || *first != seconds[0].to_string());
    all
}

/// Whether every first reply has the header, and every repeat the same.
fn kept(pairs: &[(Seen<'_>, Seen<'_>)], name: &str) -> bool {
    let values = |seen: &Seen<'_>| -> Vec<String> {
        let reply = seen.received();
        reply.map_or_else(Vec::new, |r| r.header(name).map(str::to_owned).collect())
    };
    pairs.iter().all(|(first, second)| {
        let before = values(first);
        !before.is_empty() && before == values(second)
    })
}
