//! Which keys are taken: none, empty, not ASCII, twice, in the other form, in another case.
//! It must not know the lengths that are taken (`lengths`).

use super::field::{Field, Trial};
use super::meeting::{Met, met};
use super::{Book, Guard, Question, refusal};
use crate::contract::{Answer, KeyFormat, WireForm};
use crate::judge::evidence::Seen;
use crate::judge::outcome::{self, Outcome};

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    how_sent(field, book);
    for trial in field.trials("unkeyed") {
        if let Some((answer, words, by)) = became(&trial) {
            let answer = if answer == Answer::Accept {
                Answer::Replay
            } else {
                answer
            };
            let words = match answer {
                Answer::Replay => {
                    format!("without a key equal requests are taken for one: {words}")
                }
                _ => format!("without a key: {words}"),
            };
            book.contract.missing.value = answer;
            book.saw(Question::Operations, "missing", words, &by);
        }
    }
    let mut empty = Vec::new();
    let mut twice = Vec::new();
    let mut form = Vec::new();
    // whether keys in the other form protect as well: then quotes are characters like any other
    let mut text = false;
    let one_format = book.contract.key.value.format != KeyFormat::Any;
    for trial in field.trials("key-syntax") {
        let Some((answer, words, by)) = became(&trial) else {
            continue;
        };
        let told = |what: &str| format!("{what}: {words}");
        match (trial.drill, trial.case) {
            ("syntax.key-shapes", "empty" | "blank") => {
                book.saw(Question::Key, "malformed.empty", told("an empty key"), &by);
                empty.push(answer);
            }
            ("syntax.key-shapes", "not-ascii") => {
                not_ascii(answer, &told("letters outside ASCII"), &by, book)
            }
            ("syntax.key-shapes", "two-lines" | "comma-list") | ("syntax.doubled-later", _) => {
                let what = match trial.case {
                    "two-lines" => "the key in two lines",
                    "comma-list" => "the key twice, joined by a comma",
                    _ => "a repeat whose key was doubled on the way",
                };
                book.saw(Question::Key, "malformed.twice", told(what), &by);
                // who takes a doubled key as any other text says nothing of doubled keys
                twice.push((trial.drill, answer));
            }
            ("syntax.two-forms", _) if book.guard == Guard::None => {}
            ("syntax.two-forms", _) => {
                let other = match field_form(field) {
                    WireForm::Bare => "the key in quotes",
                    WireForm::SfString => "the key without quotes",
                };
                let words = match answer {
                    Answer::Accept => format!("{other} is the same key: {words}"),
                    Answer::Run => format!("{other} is another key: {words}"),
                    _ => format!("{other}: {words}"),
                };
                book.saw(Question::Key, "malformed.form", words, &by);
                form.push(answer);
            }
            // whoever asks for one format takes any other text for the wrong form
            ("syntax.key-shapes", "one-character" | "over-maximum" | "high-entropy")
                if one_format =>
            {
                form.push(answer);
            }
            ("syntax.key-shapes", "other-form") => match answer {
                Answer::Refuse(_) => {
                    book.saw(
                        Question::Key,
                        "malformed.form",
                        told("keys in the other form"),
                        &by,
                    );
                    form.push(answer);
                }
                Answer::Accept => text = true,
                _ => {}
            },
            _ => {}
        }
    }
    book.contract.malformed.empty.value = super::one_of(empty);
    book.contract.malformed.form.value = match super::one_of(form) {
        Answer::Run if text => super::either(vec![Answer::Accept, Answer::Run]),
        one => one,
    };
    let same = twice.iter().all(|(_, answer)| *answer == twice[0].1);
    if let (true, Some((_, answer))) = (same, twice.first()) {
        book.contract.malformed.twice.value = answer.clone();
    }
    near(field, book);
}

fn field_form(field: &Field<'_>) -> WireForm {
    let contract = field.contracts.get(field.operation);
    contract.map_or(WireForm::Bare, |c| c.key.value.form)
}

fn how_sent(field: &Field<'_>, book: &mut Book) {
    let Some(contract) = field.contracts.get(field.operation) else {
        return;
    };
    let travels = contract.key.value.travels();
    book.note(
        Question::Key,
        format!("sent in {travels}, as the target declares"),
        &[],
    );
}

fn not_ascii(answer: Answer, words: &str, by: &[u64], book: &mut Book) {
    book.saw(Question::Key, "malformed.charset", words, by);
    if let Answer::Refuse(_) = answer {
        book.contract.key.value.charset = Some(" -~".to_owned());
    }
    book.contract.malformed.charset.value = answer;
}

/// Keys that differ in case, or in the last character only.
fn near(field: &Field<'_>, book: &mut Book) {
    // what is ignored is not told apart
    if book.guard == Guard::None {
        return;
    }
    for trial in field.trials("distinct-keys") {
        let Some((first, second)) = trial.both().filter(|(first, _)| first.is_success()) else {
            continue;
        };
        let by = [first.n(), second.n()];
        let apart = match met(&trial, &first, &second) {
            Met::Ran => true,
            Met::Replayed => false,
            Met::Refused | Met::RefusedAndRan | Met::Failed | Met::Unclear => continue,
        };
        match (trial.drill, trial.case, apart) {
            ("syntax.near-keys", "case", _) => {
                book.contract.key.value.case_sensitive = Some(apart);
                let words = if apart {
                    "upper and lower case tell keys apart"
                } else {
                    "upper and lower case are one key"
                };
                book.saw(Question::Key, "key", words, &by);
            }
            ("syntax.near-keys", _, false) => {
                let words =
                    "two long keys that differ in the last character are taken for one".to_owned();
                book.alarm(Question::Key, Some("one-effect"), words, &by);
            }
            ("fingerprint.equal-body", _, false) => {
                let words =
                    "an equal request under another key is taken for the same one".to_owned();
                book.alarm(Question::Fingerprint, Some("one-effect"), words, &by);
            }
            ("syntax.shared-bucket", _, false) => {
                let words = "everybody who sends an empty key shares one reply".to_owned();
                book.alarm(Question::Key, Some("one-effect"), words, &by);
            }
            _ => {}
        }
    }
}

/// What became of a request sent twice, as an answer, in words, with the attempts.
pub fn became(trial: &Trial<'_>) -> Option<(Answer, String, Vec<u64>)> {
    let (first, second) = trial.both()?;
    let by = vec![first.n(), second.n()];
    if used_before(trial, &first) {
        return None;
    }
    let outcome = outcome::of(&trial.scene, trial.steps, &first, &second);
    let words = told(&outcome, &first, &second);
    let answer = match outcome {
        Outcome::Refused => refused(&[first, second]),
        Outcome::Protected => Answer::Accept,
        Outcome::RanTwice => Answer::Run,
        // the repeat of a finished request is refused here; that is how such an API protects
        Outcome::SecondRefused if refuses_repeats(&second) => Answer::Accept,
        Outcome::SecondRefused => refused(&[second]),
        Outcome::Failed(_) => Answer::Unspecified,
        Outcome::Unclear(_) => return None,
    };
    Some((answer, words, by))
}

fn refused(seen: &[Seen<'_>]) -> Answer {
    refusal::of(seen)
}

fn refuses_repeats(second: &Seen<'_>) -> bool {
    second
        .reading(None)
        .is_some_and(|reading| reading.may_be(crate::contract::reading::Situation::Duplicate))
}

/// Whether a key without room for a text of its own was sent before: what came of it then is in the way.
fn used_before(trial: &Trial<'_>, first: &Seen<'_>) -> bool {
    let sent = &first.attempt.sent;
    let short = sent
        .key
        .as_deref()
        .is_some_and(|key| (1..8).contains(&key.trim().len()));
    let mut attempts = trial.scene.evidence.journal.attempts();
    short && attempts.any(|other| other.sent.n < sent.n && other.sent.key == sent.key)
}

/// In words, with the statuses.
fn told(outcome: &Outcome, first: &Seen<'_>, second: &Seen<'_>) -> String {
    let statuses = then(first, second);
    match outcome {
        Outcome::Refused => format!("refused ({statuses})"),
        Outcome::Protected => format!("one effect ({statuses})"),
        Outcome::RanTwice => format!("it runs twice ({statuses})"),
        Outcome::SecondRefused => format!("the first runs, the second is refused ({statuses})"),
        Outcome::Failed(_) => format!("the server fails ({statuses})"),
        Outcome::Unclear(why) => why.clone(),
    }
}

/// The two statuses.
pub fn then(first: &Seen<'_>, second: &Seen<'_>) -> String {
    let status = |seen: &Seen<'_>| {
        seen.status()
            .map_or_else(|| "nothing".to_owned(), |s| s.to_string())
    };
    format!("{}, then {}", status(first), status(second))
}
