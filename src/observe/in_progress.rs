//! What a duplicate gets while the first request is running: it waits, is refused, or runs beside it.
//! It must not know how many effects a race had (`atomicity`).

use super::answered::got;
use super::answered::statuses;
use super::atomicity::copies;
use super::field::Field;
use super::meeting::effects_of;
use super::{Book, Question, either, refusal};
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Replay};
use crate::judge::evidence::Seen;

#[derive(Default)]
struct Told<'a> {
    waited: Vec<Seen<'a>>,
    refused: Vec<Seen<'a>>,
    ran: Vec<Seen<'a>>,
    failed: Vec<Seen<'a>>,
}

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    let mut told = Told::default();
    held(field, &mut told);
    if told.waited.is_empty() && told.refused.is_empty() && told.ran.is_empty() {
        raced(field, &mut told, true);
    } else {
        raced(field, &mut told, false);
    }
    let mut answers = Vec::new();
    let mut words = Vec::new();
    let mut by: Vec<u64> = Vec::new();
    let mut add = |seen: &[Seen<'_>], what: &str| {
        if !seen.is_empty() {
            words.push(format!("{what} ({})", statuses(seen)));
            by.extend(seen.iter().take(5).map(Seen::n));
        }
    };
    if !told.waited.is_empty() {
        answers.push(Answer::Wait);
        add(&told.waited, "it waits and gets the first's result");
    }
    if !told.refused.is_empty() {
        answers.extend(
            refusal::of(&told.refused)
                .alternatives()
                .into_iter()
                .cloned(),
        );
        let after = retry_after(&told.refused);
        add(&told.refused, &format!("it is refused{after}"));
    }
    if !told.ran.is_empty() {
        answers.push(Answer::Run);
        add(&told.ran, "it runs beside the first");
    }
    add(&told.failed, "the server fails");
    if words.is_empty() {
        return;
    }
    let told_all = format!(
        "a duplicate while the first is running: {}",
        words.join("; or ")
    );
    if told.ran.is_empty() {
        book.saw(Question::Concurrent, "in-progress", told_all, &by);
    } else {
        book.alarm(Question::Concurrent, Some("in-progress"), told_all, &by);
    }
    let answer = either(answers);
    let finished = match &book.contract.replay.value {
        Replay::Refuse(how) => Some(Answer::Refuse(how.clone())),
        _ => None,
    };
    if finished.is_some_and(|finished| answer.alternatives().contains(&&finished)) {
        let words = "nothing tells this refusal from that of a finished request's repeat";
        book.note(Question::Concurrent, words, &by);
    } else {
        book.contract.in_progress.value = answer;
    }
    behind(field, book);
    other_body(field, book);
}

/// More was done than the replies name: the work of a duplicate, hidden behind the first's result.
fn behind(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("in-progress") {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        let counted = trial.steps.counted.as_deref();
        if second.attempt.sent.body_name != "base" || counted.is_none() {
            continue;
        }
        let mut named: Vec<String> = trial
            .scene
            .round
            .attempts
            .iter()
            .filter(|attempt| attempt.sent.key == first.attempt.sent.key)
            .filter_map(|attempt| trial.scene.see(attempt)?.identity())
            .collect();
        named.sort();
        named.dedup();
        let named = i64::try_from(named.len()).unwrap_or(i64::MAX);
        if let Some(n) = effects_of(&trial, &second).filter(|n| named > 0 && *n > named) {
            let words = format!(
                "what came while the first was running was carried out, too: {n} effects, and {}",
                match named {
                    1 => "one result in all replies".to_owned(),
                    named => format!("{named} results in all replies"),
                }
            );
            let by = [first.n(), second.n()];
            book.alarm(Question::Concurrent, Some("one-effect"), words, &by);
        }
    }
}

/// What was answered while the first was proved to be held.
fn held<'a>(field: &Field<'a>, told: &mut Told<'a>) {
    for trial in field.trials("in-progress") {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        if first.attempt.sent.body_name != second.attempt.sent.body_name
            && second.attempt.sent.body_name != "base"
        {
            continue;
        }
        let proven = trial
            .scene
            .round
            .held
            .last()
            .is_some_and(|held| held.proven)
            || first.overlaps(&second);
        if proven {
            sort(told, &first, second, true);
        }
    }
}

/// What copies of a race were told; `all`: their successes count, too.
fn raced<'a>(field: &Field<'a>, told: &mut Told<'a>, all: bool) {
    for trial in field.trials("concurrent") {
        // two bodies are no duplicates, and a key that expired is told of elsewhere
        if matches!(
            trial.drill,
            "races.mixed-bodies" | "retention.burst-after-expiry"
        ) {
            continue;
        }
        let copies = copies(&trial);
        let Some(winner) = copies
            .iter()
            .filter(|c| c.is_success())
            .min_by_key(|c| c.answered_us())
            .copied()
        else {
            continue;
        };
        for copy in copies
            .into_iter()
            .filter(|c| c.n() != winner.n() && c.reply().is_some())
        {
            let other = copy.identities(&winner) == Identities::Other;
            let no = super::meeting::says_no(&winner, &copy);
            if !copy.is_success() || no || other || all && copy.overlaps(&winner) {
                sort(told, &winner, copy, false);
            }
        }
    }
}

fn sort<'a>(told: &mut Told<'a>, first: &Seen<'a>, second: Seen<'a>, held: bool) {
    let Some(reading) = second.reading(Some(first)) else {
        return;
    };
    if super::meeting::says_no(first, &second) {
        told.refused.push(second);
    } else if second.is_success() {
        if second.identities(first) == Identities::Other {
            told.ran.push(second);
        } else if !held || second.answered_us() >= first.answered_us().saturating_sub(20_000) {
            told.waited.push(second);
        }
    } else if reading.may_be(Situation::ServerError) {
        told.failed.push(second);
    } else if !reading.is_unknown() && !super::meeting::is_copy(first, &second) {
        // after the winner's end a copy is a plain repeat, and some refuse those
        let late = second.began_us() >= first.answered_us()
            || reading.may_be(Situation::Duplicate) && !held;
        if !late {
            told.refused.push(second);
        }
    } else if super::meeting::is_copy(first, &second) {
        told.waited.push(second);
    }
}

fn retry_after(refused: &[Seen<'_>]) -> String {
    let value = |seen: &Seen<'_>| {
        let reply = seen.received()?;
        reply.header("retry-after").next().map(str::to_owned)
    };
    match refused.iter().find_map(value) {
        Some(value) => format!(" with Retry-After: {value}"),
        None => ", without Retry-After".to_owned(),
    }
}

/// Another body while the first is running: no clause of its own.
fn other_body(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("in-progress") {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        if second.attempt.sent.body_name == "base" {
            continue;
        }
        let by = [first.n(), second.n()];
        let ran = second.is_success() && second.identities(&first) == Identities::Other;
        let words = format!("another body while the first is running: {}", got(&second));
        if ran && book.contract.mismatch.value != Answer::Run {
            book.alarm(
                Question::Concurrent,
                None,
                format!("{words}, with a result of its own"),
                &by,
            );
        } else {
            book.note(Question::Concurrent, words, &by);
        }
    }
}
