//! Which results that are no success are stored: the same key again gets the same result, or runs.
//! It must not know how a success is stored (`replay`).

use super::field::{Field, Trial};
use super::meeting::added;
use super::{Book, Question};
use crate::config::suite::Vary;
use crate::contract::{Clause, Contract, Storage};
use crate::judge::evidence::Seen;
use crate::judge::fidelity::same_bytes;
use crate::judge::leak;

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("stored") {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        let Some(class) = class_of(&first) else {
            continue;
        };
        let by = [first.n(), second.n()];
        let told = super::key::then(&first, &second);
        let what = name(class);
        match kept(&first, &second, book) {
            Some((storage, why)) => {
                let clause = clause_of(&mut book.contract, class);
                // two drills of one class that contradict each other leave it open
                clause.value = match clause.value {
                    Storage::Unspecified => storage,
                    known if known == storage => storage,
                    _ => Storage::Unspecified,
                };
                let clause = clause.name.clone();
                let words = format!("{what}: {why} ({told})");
                match done_behind(&trial, &second) {
                    Some(n) => book.alarm(
                        Question::Stored,
                        Some(&clause),
                        format!("{words}, and behind it the work is done ({})", effects(n)),
                        &by,
                    ),
                    None => book.saw(Question::Stored, &clause, words, &by),
                }
            }
            None => {
                book.note(
                    Question::Stored,
                    format!("{what}: whether it is stored cannot be told ({told})"),
                    &by,
                );
            }
        }
    }
}

/// What the second did where the client was told twice that it failed: some list a declined payment, too, and the first made
/// that. A failure after the work is told of elsewhere.
fn done_behind(trial: &Trial<'_>, second: &Seen<'_>) -> Option<i64> {
    if second.is_success() || trial.case == "after-effect" {
        return None;
    }
    added(trial, second).filter(|n| *n > 0)
}

fn effects(n: i64) -> String {
    if n == 1 {
        "one effect".to_owned()
    } else {
        format!("{n} effects")
    }
}

/// Whether the first result was kept, and what shows it.
fn kept(first: &Seen<'_>, second: &Seen<'_>, book: &Book) -> Option<(Storage, String)> {
    if second.is_success() {
        let marked =
            crate::contract::reading::marked(&book.contract.marker.value, second.received()?);
        if marked == Some(true) {
            return None;
        }
        return Some((
            Storage::NotStored,
            "not stored, the same key runs again".to_owned(),
        ));
    }
    let again = first.status() == second.status();
    let same_body = first.attempt.sent.body_name == second.attempt.sent.body_name;
    let credentials = matches!(
        first.attempt.sent.vary,
        Some(Vary::BadCredentials | Vary::NoCredentials)
    );
    if !again {
        let refused = second.status().is_some_and(|s| s / 100 == 4);
        // the corrected request is taken for another one: the key belongs to the first
        return (refused && !same_body).then(|| {
            (
                Storage::Stored,
                format!(
                    "the key is burnt, the corrected request gets {}",
                    second.status().unwrap_or_default()
                ),
            )
        });
    }
    if !same_body || credentials {
        return Some((
            Storage::Stored,
            "stored, and a corrected request gets the old error".to_owned(),
        ));
    }
    let marked = crate::contract::reading::marked(&book.contract.marker.value, second.received()?);
    match marked {
        // by a contract that stores failures this is no replay, and by one that does not it is none either
        Some(true) if !alike(first, second) => Some((
            Storage::Unspecified,
            "stored, marked as a replay, and told in other words".to_owned(),
        )),
        Some(true) => Some((
            Storage::Stored,
            "stored, the same again and marked as a replay".to_owned(),
        )),
        // provoked by something that happens once: whoever gets it again got the record
        _ if once(first) && alike(first, second) => Some((
            Storage::Stored,
            "stored, the same again although the reason was gone".to_owned(),
        )),
        Some(false) => Some((
            Storage::NotStored,
            "not stored, refused anew and not marked".to_owned(),
        )),
        None if alike(first, second) && made(first) => Some((
            Storage::Stored,
            "stored, the same again with the same ids".to_owned(),
        )),
        None if !alike(first, second) => Some((
            Storage::NotStored,
            "not stored, refused anew with another body".to_owned(),
        )),
        None => None,
    }
}

/// Whether the failure was made to happen once.
fn once(first: &Seen<'_>) -> bool {
    matches!(
        first.attempt.sent.body_name.as_str(),
        "failing" | "failing-after" | "rate-limited"
    )
}

fn alike(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    match (first.reply(), second.reply()) {
        (Some(a), Some(b)) => same_bytes(&a.body, &b.body),
        _ => false,
    }
}

/// Whether the body holds something that the server made for this one reply.
fn made(first: &Seen<'_>) -> bool {
    let sent = first.attempt.sent.body.text.clone().unwrap_or_default();
    leak::made_for(first).iter().any(|value| {
        leak::is_unguessable(value)
            && !sent.contains(value.as_str())
            && value.bytes().any(|b| b.is_ascii_digit())
            && !value.contains(' ')
            && !value.contains('/')
    })
}

fn class_of(first: &Seen<'_>) -> Option<&'static str> {
    let sent = &first.attempt.sent;
    let credentials = matches!(sent.vary, Some(Vary::BadCredentials | Vary::NoCredentials));
    Some(match first.status()? {
        401 | 403 => "auth",
        400..=499 if credentials => "auth",
        429 => "rate-limited",
        500..=599 => "server-error",
        402 => "business",
        400..=499 if sent.body_name == "declined" => "business",
        400..=499 => "validation",
        _ => return None,
    })
}

fn clause_of<'c>(contract: &'c mut Contract, class: &str) -> &'c mut Clause<Storage> {
    let stored = &mut contract.stored;
    match class {
        "auth" => &mut stored.auth,
        "rate-limited" => &mut stored.rate_limited,
        "server-error" => &mut stored.server_error,
        "business" => &mut stored.business,
        _ => &mut stored.validation,
    }
}

fn name(class: &str) -> &'static str {
    match class {
        "auth" => "a refusal of credentials",
        "rate-limited" => "429",
        "server-error" => "a server failure",
        "business" => "a refusal by the business",
        _ => "a validation error",
    }
}
