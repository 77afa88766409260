//! What another body under a used key gets.
//! It must not know which differences make a body another one (`fingerprint`).

use super::answered::Answered;
use super::field::Field;
use super::{Book, Question};
use crate::contract::{Answer, Covers};

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    let trials = field.trials("mismatch");
    let doubt = field
        .control()
        .and_then(|control| control.changed.doubt("the changed body"));
    let mut seen = Answered::of(trials);
    if seen.is_empty() {
        return;
    }
    let by = seen.attempts();
    if let Some(why) = doubt.filter(|_| !seen.refused.is_empty()) {
        let words = format!(
            "another body under a used key: {}, which may be plain validation: {why}",
            seen.words()
        );
        book.note(Question::Fingerprint, words, &by);
        return;
    }
    if !seen.refused_and_ran.is_empty() {
        let words = format!("another body under a used key: {}", seen.words());
        book.alarm(Question::Fingerprint, Some("mismatch"), words, &by);
        seen.refused.append(&mut seen.refused_and_ran);
    }
    let answer = seen.revealing();
    let words = format!("another body under a used key: {}", seen.words());
    match &answer {
        Answer::Replay => {
            book.contract.fingerprint.covers.value = Covers::None;
            let told = format!(
                "{words}: the client is told that its request succeeded, and another one did"
            );
            book.saw(Question::Fingerprint, "mismatch", told, &by);
            book.saw(
                Question::Fingerprint,
                "fingerprint.covers",
                "the body is not compared",
                &by,
            );
        }
        _ => book.saw(Question::Fingerprint, "mismatch", words, &by),
    }
    if let Some(reveals) = seen.reveals {
        let words = if reveals {
            "the refusal names what the first request made"
        } else {
            "the refusal says nothing of what the first request made"
        };
        book.saw(Question::Fingerprint, "mismatch", words, &by);
    }
    book.contract.mismatch.value = answer;
}
