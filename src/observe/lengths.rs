//! Which lengths of keys are taken: the longest that protects, the shortest, and what others get.
//! It must not know what a key is made of otherwise.

use super::field::Field;
use super::key::became;
use super::{Book, Guard, Question};
use crate::contract::Answer;

/// One length that was tried.
struct Tried {
    length: u32,
    answer: Answer,
    words: String,
    attempts: Vec<u64>,
}

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    let mut tried: Vec<Tried> = Vec::new();
    for trial in field.trials("key-syntax") {
        let lengths = trial.drill == "observe.key-lengths"
            || trial.drill == "syntax.key-shapes"
                && matches!(
                    trial.case,
                    "at-maximum"
                        | "over-maximum"
                        | "high-entropy"
                        | "ten-thousand"
                        | "one-character"
                );
        let length = trial
            .first()
            .and_then(|seen| seen.attempt.sent.key.as_ref())
            .and_then(|key| u32::try_from(key.chars().count()).ok());
        if let (true, Some(length), Some((answer, words, attempts))) =
            (lengths, length, became(&trial))
        {
            tried.push(Tried {
                length,
                answer,
                words,
                attempts,
            });
        }
    }
    // an ordinary key protected in the drills of replays
    let ordinary = field.trials("replay").iter().find_map(|trial| {
        let first = trial.first().filter(|seen| seen.is_success())?;
        let key = first.attempt.sent.key.as_ref()?;
        u32::try_from(key.chars().count()).ok()
    });
    let Some(middle) = ordinary.filter(|_| !tried.is_empty()) else {
        return;
    };
    // no length protects where none does
    if book.guard != Guard::Holds {
        return;
    }
    tried.sort_by_key(|t| t.length);
    long(&tried, middle, book);
    short(&tried, middle, book);
}

fn long(tried: &[Tried], middle: u32, book: &mut Book) {
    let above: Vec<&Tried> = tried.iter().filter(|t| t.length >= middle).collect();
    let Some(first_bad) = above.iter().position(|t| t.answer != Answer::Accept) else {
        if let Some(longest) = above.last() {
            let words = format!(
                "keys of up to {} characters protect; longer ones were not tried",
                longest.length
            );
            book.saw(Question::Key, "key", words, &longest.attempts);
        }
        return;
    };
    let bad = above[first_bad];
    let good = first_bad.checked_sub(1).map_or(middle, |i| above[i].length);
    let exactly = bad.length == good + 1;
    let most = if exactly {
        format!(
            "keys of up to {good} characters protect, one of {} does not",
            bad.length
        )
    } else {
        format!(
            "keys of {good} characters protect, one of {} does not; between them nothing was tried",
            bad.length
        )
    };
    book.saw(Question::Key, "key", most, &bad.attempts);
    let later = &above[first_bad..];
    let one = later.iter().all(|t| t.answer == bad.answer);
    let telling = later
        .iter()
        .find(|t| matches!(t.answer, Answer::Refuse(_)))
        .unwrap_or(&bad);
    book.saw(
        Question::Key,
        "malformed.too-long",
        format!("longer keys: {}", telling.words),
        &telling.attempts,
    );
    // keys beyond what a server's own limit on heads allows get an answer of their own
    let usual = matches!(bad.answer, Answer::Refuse(_) | Answer::Run);
    if exactly && usual {
        book.contract.key.value.most = Some(good);
        let answers: Vec<Answer> = if one {
            vec![bad.answer.clone()]
        } else {
            later.iter().map(|t| t.answer.clone()).collect()
        };
        book.contract.malformed.too_long.value = super::either(answers);
    } else if bad.answer == Answer::Run {
        let words = format!(
            "a key of {} characters is taken and protects nothing",
            bad.length
        );
        book.alarm(Question::Key, Some("one-effect"), words, &bad.attempts);
    }
}

fn short(tried: &[Tried], middle: u32, book: &mut Book) {
    let below: Vec<&Tried> = tried.iter().filter(|t| t.length < middle).collect();
    let good = below
        .iter()
        .rev()
        .take_while(|t| t.answer == Answer::Accept)
        .last();
    let bad = below.iter().rev().find(|t| t.answer != Answer::Accept);
    if let Some(good) = good {
        let words = format!(
            "keys of {} protect",
            if good.length == 1 {
                "one character".to_owned()
            } else {
                format!("{} characters", good.length)
            }
        );
        book.saw(Question::Key, "key", words, &good.attempts);
    }
    let Some(bad) = bad else {
        if let Some(good) = good.filter(|good| good.length == 1) {
            book.contract.key.value.least = Some(good.length);
        }
        return;
    };
    let words = match bad.length {
        1 => format!("a key of one character: {}", bad.words),
        length => format!("a key of {length} characters: {}", bad.words),
    };
    book.saw(Question::Key, "malformed.too-short", words, &bad.attempts);
    if let Some(good) = good.filter(|good| good.length == bad.length + 1)
        && matches!(bad.answer, Answer::Refuse(_) | Answer::Run)
    {
        book.contract.key.value.least = Some(good.length);
        book.contract.malformed.too_short.value = bad.answer.clone();
    }
}
