//! How long a key is kept, as far as the run drove it, and what comes after.
//! It must not know how a key was made to expire.

use super::answered::Answered;
use super::answered::got;
use super::field::Field;
use super::meeting::{Met, met};
use super::{Book, Question};
use crate::contract::{Answer, Length, Retention};

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    inside(field, book);
    let mut seen = Answered::default();
    let mut driven: Option<(String, Length)> = None;
    for trial in field.trials("after-retention") {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        let Some(expired) = trial.scene.round.expired.last().filter(|e| e.done) else {
            continue;
        };
        // a request that was made to fail leaves a key that expires, too
        if !first.is_success() {
            let words = format!("a failed request's key after its expiry: {}", got(&second));
            book.note(Question::Retention, words, &[first.n(), second.n()]);
            continue;
        }
        let passed = second.attempt.sent.at_us.saturating_sub(first.ended_us());
        driven = Some((expired.how.clone(), Length::millis(passed / 1000)));
        seen.add(&first, second, met(&trial, &first, &second));
    }
    let Some((how, passed)) = driven.filter(|_| !seen.is_empty()) else {
        if book.contract.retention.value == Retention::default() {
            book.note(
                Question::Retention,
                "not driven: how long a key is kept was not seen",
                &[],
            );
        }
        return;
    };
    let by = seen.attempts();
    let answer = seen.answer();
    if how == "wait" {
        let words = format!("after {}: {}", whole(passed), seen.words());
        let gone = !matches!(answer, Answer::Replay);
        if gone {
            // up to whole seconds: the wait was a little longer than asked
            let seconds = passed.0.as_secs().saturating_add(1);
            book.contract.retention.value.at_most = Some(Length::seconds(seconds));
            book.saw(
                Question::Retention,
                "retention",
                format!("a key is kept at most {seconds} s"),
                &by,
            );
        }
        book.saw(Question::Retention, "after-retention", words, &by);
    } else {
        let words = format!("after the key was made to expire ({how}): {}", seen.words());
        book.saw(Question::Retention, "after-retention", words, &by);
        book.note(
            Question::Retention,
            "how long a key is kept was not seen: it was made to expire",
            &[],
        );
    }
    book.contract.after_retention.value = answer;
}

/// A repeat of a key that grew old: late in the declared window, or while the run lasted.
fn inside(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("replay").into_iter().filter(|t| t.grows_old()) {
        let Some((first, second)) = trial.both().filter(|(first, _)| first.is_success()) else {
            continue;
        };
        let passed =
            Length::millis(second.attempt.sent.at_us.saturating_sub(first.ended_us()) / 1000);
        let by = [first.n(), second.n()];
        let met = met(&trial, &first, &second);
        if met == Met::Replayed {
            let seconds = passed.0.as_secs();
            let words = format!("after {} a repeat is still a repeat", whole(passed));
            // that it was kept while the run lasted says little of how long it is kept
            if trial.rests_until_the_end() {
                book.note(Question::Retention, words, &by);
                continue;
            }
            if seconds > 0 {
                book.contract.retention.value.at_least = Some(Length::seconds(seconds));
            }
            book.saw(Question::Retention, "retention", words, &by);
        } else if matches!(met, Met::Ran | Met::RefusedAndRan) {
            let words = format!(
                "after {} the key is forgotten: {}",
                whole(passed),
                got(&second)
            );
            book.alarm(Question::Retention, Some("retention"), words, &by);
        }
    }
}

fn whole(length: Length) -> String {
    format!("{:.1} s", length.0.as_secs_f64())
}
