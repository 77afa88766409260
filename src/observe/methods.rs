//! What a key does on methods that need none: GET, PUT, DELETE, and a PATCH whose precondition is stale.
//! It must not know what a key does on POST.

use super::answered::got;
use super::field::{Field, Trial};
use super::meeting::added;
use super::{Book, Question, refusal};
use crate::config::suite::Vary;
use crate::contract::{Answer, Clause};
use crate::judge::effects;
use crate::judge::fidelity::same_bytes;
use crate::judge::keyed_write::{Written, written};

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("keyed-method") {
        let Some(second) = trial.second() else {
            continue;
        };
        if second.attempt.sent.vary == Some(Vary::StaleIfMatch) {
            stale(&trial, book);
            continue;
        }
        match second.attempt.sent.method.as_str() {
            "GET" | "HEAD" => get(&trial, book),
            "PUT" | "DELETE" if trial.steps.probe.is_some() => other(&trial, book),
            "PUT" | "DELETE" if trial.case == "with-key" => twice(&trial, book),
            _ => {}
        }
    }
    preflight(field, book);
}

fn get(trial: &Trial<'_>, book: &mut Book) {
    let (Some((first, second)), Some(write)) = (trial.both(), trial.probe()) else {
        return;
    };
    let fine = |status: Option<u16>| status.is_some_and(|s| s / 100 == 2);
    let (Some(a), Some(b)) = (first.reply(), second.reply()) else {
        return;
    };
    if !(fine(first.status()) && fine(second.status()) && fine(write.status())) {
        return;
    }
    let by = [first.n(), write.n(), second.n()];
    if same_bytes(&a.body, &b.body) {
        book.contract.methods.get.value = Answer::Replay;
        let words =
            "a GET with a used key gets the old reply again: a reader sees what is no longer true";
        book.saw(Question::Operations, "methods.get", words, &by);
    } else {
        book.contract.methods.get.value = Answer::Run;
        book.saw(
            Question::Operations,
            "methods.get",
            "a key on a GET changes nothing",
            &by,
        );
    }
}

fn twice(trial: &Trial<'_>, book: &mut Book) {
    let Some((first, second)) = trial.both().filter(|(first, _)| first.is_success()) else {
        return;
    };
    let method = second.attempt.sent.method.clone();
    let by = [first.n(), second.n()];
    let gone = matches!(second.status(), Some(404 | 410));
    if !second.is_success() && !gone {
        let words = format!("a {method} sent twice with one key: {}", got(&second));
        book.note(Question::Operations, words, &by);
        return;
    }
    let clause: &mut Clause<Answer> = if method == "PUT" {
        &mut book.contract.methods.put
    } else {
        &mut book.contract.methods.delete
    };
    clause.value = Answer::Run;
    let name = clause.name.clone();
    let again = added(trial, &second).is_some_and(|n| n > 0);
    let words = if again {
        format!("a {method} sent twice with one key is carried out twice")
    } else {
        format!("a {method} sent twice with one key leaves one state")
    };
    book.saw(Question::Operations, &name, words, &by);
}

/// Another write under a used key: a stored reply in its place is a lost write.
fn other(trial: &Trial<'_>, book: &mut Book) {
    let (Some((first, second)), Some(probe)) = (trial.both(), trial.probe()) else {
        return;
    };
    let scene = &trial.scene;
    let back = trial.steps.later.first().and_then(|step| scene.last(step));
    let wrote = [Some(first), Some(probe), back, Some(second)];
    if wrote.iter().flatten().any(|seen| !seen.is_success()) {
        return;
    }
    let counted = trial.steps.counted.as_deref();
    let before = trial.steps.before.as_deref();
    let change =
        counted.map(|counted| effects::change(scene, &second.attempt.sent, before, counted));
    if written(scene, trial.steps, change.as_ref()) != Written::Lost {
        return;
    }
    let method = second.attempt.sent.method.clone();
    let clause = if method == "PUT" {
        &mut book.contract.methods.put
    } else {
        &mut book.contract.methods.delete
    };
    clause.value = Answer::Unspecified;
    let name = clause.name.clone();
    let what = if second.attempt.sent.vary == Some(Vary::Resource) {
        "of another resource"
    } else {
        "of another body"
    };
    let words = format!(
        "a {method} {what} under a used key is answered with success, and nothing is written"
    );
    let by = [first.n(), probe.n(), second.n()];
    book.alarm(Question::Operations, Some(&name), words, &by);
}

fn stale(trial: &Trial<'_>, book: &mut Book) {
    let Some(second) = trial.second() else { return };
    let by = [second.n()];
    let answer = if second.is_success() {
        Answer::Run
    } else if second.status().is_some_and(|s| s / 100 == 4) {
        refusal::of(&[second])
    } else {
        return;
    };
    let words = format!("a PATCH with a key and a stale If-Match: {}", got(&second));
    book.contract.methods.stale_if_match.value = answer;
    book.saw(Question::Operations, "methods.stale-if-match", words, &by);
}

/// Whether browsers may send the key.
fn preflight(field: &Field<'_>, book: &mut Book) {
    for trial in field.trials("preflight") {
        let Some(first) = trial.first() else { continue };
        let allowed = first.received().map(|reply| {
            let lists: Vec<&str> = reply.header("access-control-allow-headers").collect();
            lists.join(", ")
        });
        let words = match allowed.filter(|list| !list.is_empty()) {
            Some(list) => format!("a browser's preflight is told that it may send: {list}"),
            None => "a browser's preflight is not told that it may send the key".to_owned(),
        };
        book.note(Question::Operations, words, &[first.n()]);
    }
}
