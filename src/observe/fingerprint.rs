//! Which differences in writing make a request another one.
//! It must not know what another request gets (`mismatch`).

use super::field::{Field, Trial};
use super::meeting::{Met, met};
use super::{Book, Guard, Question};
use crate::contract::reading::{self, Situation};
use crate::contract::{Answer, Clause, Contract, Covers, Sameness};
use crate::judge::evidence::Seen;

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    // an equal request runs again, too
    if book.guard == Guard::None {
        return;
    }
    for trial in field.trials("same-request") {
        let Some((first, second)) = trial.both().filter(|(first, _)| first.is_success()) else {
            continue;
        };
        if first.attempt.sent.body.hmac == second.attempt.sent.body.hmac
            && second.attempt.sent.vary.is_none()
        {
            continue;
        }
        let by = [first.n(), second.n()];
        let told = super::key::then(&first, &second);
        let ran = match met(&trial, &first, &second) {
            Met::Replayed => {
                set(
                    book,
                    trial.case,
                    Sameness::Same,
                    "is the same request",
                    &told,
                    &by,
                );
                continue;
            }
            Met::Refused if probe_refused(&trial) => continue,
            // an API that refuses repeats says "duplicate" here, and perhaps of another body, too
            Met::Refused if duplicate(&second) => {
                if !fits_mismatch(book, &second) {
                    set(
                        book,
                        trial.case,
                        Sameness::Same,
                        "is the same request",
                        &told,
                        &by,
                    );
                }
                continue;
            }
            Met::Refused => false,
            Met::Ran | Met::RefusedAndRan => true,
            Met::Failed | Met::Unclear => continue,
        };
        if ran && book.contract.mismatch.value != Answer::Run {
            let words = format!("{}: it ran again ({told})", words(trial.case));
            book.alarm(Question::Fingerprint, Some("one-effect"), words, &by);
            continue;
        }
        let what = if ran {
            "is another request, and runs"
        } else {
            "is another request"
        };
        set(book, trial.case, Sameness::Different, what, &told, &by);
    }
    covers(book);
}

fn duplicate(second: &Seen<'_>) -> bool {
    second
        .reading(None)
        .is_some_and(|reading| reading.may_be(Situation::Duplicate))
}

fn fits_mismatch(book: &Book, second: &Seen<'_>) -> bool {
    let Some(reply) = second.received() else {
        return false;
    };
    reading::refusals_of(&book.contract.mismatch.value)
        .into_iter()
        .any(|how| reading::matches(how, reply))
}

fn probe_refused(trial: &Trial<'_>) -> bool {
    trial
        .probe()
        .is_some_and(|probe: Seen<'_>| !probe.is_success())
}

fn set(book: &mut Book, case: &str, sameness: Sameness, what: &str, told: &str, by: &[u64]) {
    let Some(clause) = clause_of(&mut book.contract, case) else {
        return;
    };
    clause.value = sameness;
    let name = clause.name.clone();
    book.saw(
        Question::Fingerprint,
        &name,
        format!("{} {what} ({told})", words(case)),
        by,
    );
}

/// What is compared: the bytes where mere spaces make a difference, the meaning where they do not.
fn covers(book: &mut Book) {
    let contract = &book.contract;
    let bodies_differ = matches!(
        contract.mismatch.value,
        Answer::Refuse(_) | Answer::Run | Answer::AnyOf(_)
    );
    if !bodies_differ {
        return;
    }
    let fingerprint = &contract.fingerprint;
    let (covers, words) = match (
        fingerprint.whitespace.value,
        fingerprint.members_reordered.value,
    ) {
        (Sameness::Different, _) => (Covers::Bytes, "the bytes of the body are compared"),
        (Sameness::Same, Sameness::Same) => {
            (Covers::Json, "the meaning of the JSON body is compared")
        }
        _ => return,
    };
    book.contract.fingerprint.covers.value = covers;
    book.saw(Question::Fingerprint, "fingerprint.covers", words, &[]);
}

fn clause_of<'c>(contract: &'c mut Contract, case: &str) -> Option<&'c mut Clause<Sameness>> {
    let f = &mut contract.fingerprint;
    Some(match case {
        "members-reordered" => &mut f.members_reordered,
        "whitespace" => &mut f.whitespace,
        "number-form" => &mut f.number_form,
        "null-member" => &mut f.null_member,
        "array-reordered" => &mut f.array_reordered,
        "unicode-escapes" => &mut f.unicode_escapes,
        "added-member" => &mut f.added_member,
        "content-type-charset" => &mut f.content_type_charset,
        "unrelated-header" => &mut f.unrelated_header,
        _ => return None,
    })
}

fn words(case: &str) -> &'static str {
    match case {
        "members-reordered" => "members in another order:",
        "whitespace" => "other white space:",
        "number-form" => "1.0 for 1:",
        "null-member" => "a null member added:",
        "array-reordered" => "an array in another order:",
        "unicode-escapes" => "escapes for letters:",
        "added-member" => "an unknown member added:",
        "content-type-charset" => "a charset after the content type:",
        "unrelated-header" => "an unrelated header:",
        _ => "written otherwise:",
    }
}
