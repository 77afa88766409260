//! Whether claim, work and record are one, as far as it can be seen from outside: races, lost replies, failures after the work.
//! It must not know what a duplicate is told (`in_progress`), nor which failures are stored (`stored`).

use super::answered::got;
use super::field::{Field, Trial};
use super::meeting::effects_of;
use super::{Book, Question};
use crate::contract::Answer;
use crate::judge::evidence::Seen;

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    races(field, book);
    lost(field, book);
    failed(field, book);
    let words = "a server or a database that crashes, a failover and a lost store were not tried";
    book.note(Question::Atomicity, words, &[]);
}

/// Rounds of copies: how many effects each had.
fn races(field: &Field<'_>, book: &mut Book) {
    for (drill, what) in [
        (
            "drill.concurrent",
            "copies of one request released together",
        ),
        (
            "races.mixed-bodies",
            "two bodies released together under one key",
        ),
        (
            "retention.burst-after-expiry",
            "copies released together right after the key expired",
        ),
        (
            "replicas.at-once",
            "copies sent to several replicas at once",
        ),
    ] {
        let (mut rounds, mut overlapped, mut worst, mut failed) = (0_u32, 0_u32, 1_i64, 0_usize);
        let mut by: Vec<u64> = Vec::new();
        for trial in field
            .trials("concurrent")
            .into_iter()
            .filter(|t| t.drill == drill)
        {
            let copies = copies(&trial);
            if copies.len() < 2 {
                continue;
            }
            rounds += 1;
            overlapped += u32::from(open_at_once(&copies));
            let status = |copy: &Seen<'_>| copy.status().is_some_and(|s| s / 100 == 5);
            failed += copies.iter().filter(|copy| status(copy)).count();
            let by_count = copies
                .iter()
                .filter_map(|copy| added_by(&trial, copy))
                .max();
            let effects = by_count.unwrap_or(1).max(results(&copies));
            if effects > worst || by.is_empty() {
                by = copies.iter().map(Seen::n).collect();
                worst = worst.max(effects);
            }
        }
        if rounds == 0 {
            continue;
        }
        let met = match failed {
            0 => String::new(),
            n => format!("; {n} met a server failure"),
        };
        let proof = format!("{overlapped} of {rounds} rounds had copies open at once{met}");
        // where another body runs under a used key, two bodies may both run
        let both = drill == "races.mixed-bodies" && book.contract.mismatch.value == Answer::Run;
        if both {
            book.note(
                Question::Atomicity,
                format!("{what}: both may run here"),
                &by,
            );
        } else if worst > 1 {
            let words = format!("{what} had up to {worst} effects ({proof})");
            book.alarm(Question::Atomicity, Some("one-effect"), words, &by);
        } else if overlapped == 0 {
            book.note(
                Question::Atomicity,
                format!("{what}: nothing is proved, no copies were open at once"),
                &by,
            );
        } else {
            book.saw(
                Question::Atomicity,
                "one-effect",
                format!("{what} had one effect ({proof})"),
                &by,
            );
        }
    }
}

/// All copies of a round that left.
pub fn copies<'a>(trial: &Trial<'a>) -> Vec<Seen<'a>> {
    let all = trial.steps.of.iter().flat_map(|step| trial.scene.all(step));
    all.filter(|seen| seen.attempt.left()).collect()
}

fn open_at_once(copies: &[Seen<'_>]) -> bool {
    copies
        .iter()
        .enumerate()
        .any(|(i, one)| copies[i + 1..].iter().any(|other| one.overlaps(other)))
}

/// Effects of the copies' intent since the count before the burst, where there is one.
fn added_by(trial: &Trial<'_>, copy: &Seen<'_>) -> Option<i64> {
    if trial.steps.before.is_some() {
        super::meeting::added(trial, copy)
    } else {
        effects_of(trial, copy)
    }
}

/// How many results the replies name.
fn results(copies: &[Seen<'_>]) -> i64 {
    let mut ids: Vec<String> = copies.iter().filter_map(Seen::identity).collect();
    ids.sort();
    ids.dedup();
    i64::try_from(ids.len()).unwrap_or(i64::MAX)
}

/// The client is gone before the reply: the retry must not do it again.
fn lost(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("recovered") {
        let Some(retry) = trial
            .steps
            .retry
            .as_deref()
            .and_then(|step| trial.scene.last(step))
        else {
            continue;
        };
        let lost = trial
            .steps
            .lost
            .as_deref()
            .and_then(|step| trial.scene.last(step));
        let mut by = vec![retry.n()];
        by.extend(lost.map(|seen| seen.n()));
        let when = match trial.case {
            "while-working" => "the client vanished while the request was carried out",
            "at-first-byte" => "the client vanished at the reply's first byte",
            "mid-reply" => "the client vanished in the middle of the reply",
            _ => "the reply was lost after its last byte",
        };
        match effects_of(&trial, &retry) {
            Some(n) if n > 1 => {
                let words = format!("{when}: the retry did the work again ({n} effects)");
                book.alarm(Question::Atomicity, Some("one-effect"), words, &by);
            }
            _ if retry.is_success() => {
                book.note(
                    Question::Atomicity,
                    format!("{when}: the retry did nothing again ({})", got(&retry)),
                    &by,
                );
            }
            _ => book.note(Question::Atomicity, format!("{when}: {}", got(&retry)), &by),
        }
    }
}

/// The work is done, and then something fails.
fn failed(field: &Field<'_>, book: &mut Book) {
    for trial in field
        .trials("stored")
        .into_iter()
        .filter(|t| t.case == "after-effect")
    {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        if first.status().is_none_or(|s| s / 100 != 5) {
            continue;
        }
        let by = [first.n(), second.n()];
        match effects_of(&trial, &second) {
            Some(n) if n > 1 => {
                let words = format!(
                    "a failure after the work: the retry does the work again ({n} effects)"
                );
                book.alarm(Question::Atomicity, Some("one-effect"), words, &by);
            }
            Some(1) => {
                let words = format!(
                    "a failure after the work: one effect in all ({}, then {})",
                    got(&first),
                    got(&second)
                );
                book.note(Question::Atomicity, words, &by);
            }
            Some(_) => {
                let words = format!(
                    "a failure after the work undoes it ({}, then {})",
                    got(&first),
                    got(&second)
                );
                book.note(Question::Atomicity, words, &by);
            }
            None => {}
        }
    }
}
