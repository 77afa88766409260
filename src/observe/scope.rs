//! What else makes a key another key: the account, the credential, the route, the resource, the query, the method, the replica.
//! It must not know what a key looks like.

use std::collections::BTreeMap;

use super::answered::Answered;
use super::field::{Field, Trial};
use super::{Book, Question};
use crate::config::suite::Vary;
use crate::contract::{Answer, Clause, Contract};
use crate::judge::evidence::Seen;

/// Reads it.
pub fn read(field: &Field<'_>, book: &mut Book) {
    let mut by_clause: BTreeMap<&'static str, Vec<Trial<'_>>> = BTreeMap::new();
    let trials = field.trials("other-account").into_iter();
    for trial in trials.chain(field.trials("other-scope")) {
        let Some((first, second)) = trial.both() else {
            continue;
        };
        let Some(name) = difference(&trial, &first, &second) else {
            continue;
        };
        if refused_anyway(&trial, name, &second) {
            continue;
        }
        by_clause.entry(name).or_default().push(trial);
    }
    for (name, trials) in by_clause {
        let seen = Answered::of(trials);
        if seen.is_empty() {
            continue;
        }
        let answer = seen.answer();
        let by = seen.attempts();
        let clause = clause_of(&mut book.contract, name);
        clause.value = answer.clone();
        let clause_name = clause.name.clone();
        let words = format!("the same key {}: {}", place(name), seen.words());
        let stranger = matches!(name, "account" | "anonymous");
        let open = matches!(name, "anonymous") && !seen.ran.is_empty();
        if stranger && !seen.replayed.is_empty() {
            let told = format!("{words}: whoever knows a key reads another's result");
            book.alarm(Question::Scope, Some(&clause_name), told, &by);
        } else if open || !seen.refused_and_ran.is_empty() {
            book.alarm(Question::Scope, Some(&clause_name), words, &by);
        } else if matches!(name, "route" | "resource") && !seen.replayed.is_empty() {
            let told = format!("{words}: the second request was never carried out");
            book.alarm(Question::Scope, Some(&clause_name), told, &by);
        } else {
            book.saw(Question::Scope, &clause_name, words, &by);
        }
    }
}

/// The dimension in which two requests differ.
fn difference(trial: &Trial<'_>, first: &Seen<'_>, second: &Seen<'_>) -> Option<&'static str> {
    let (mine, theirs) = (&first.attempt.sent, &second.attempt.sent);
    if mine.operation != theirs.operation {
        return Some("route");
    }
    if mine.account != theirs.account {
        let evidence = trial.scene.evidence;
        let same = evidence.one_account(&mine.account, &theirs.account);
        return Some(if same { "credential" } else { "account" });
    }
    match theirs.vary.as_ref()? {
        Vary::NoCredentials | Vary::BadCredentials => Some("anonymous"),
        Vary::Query => Some("query"),
        Vary::Method(_) => Some("method"),
        Vary::Resource => Some("resource"),
        Vary::Replica(_) if mine.vary != theirs.vary => Some("region"),
        _ => None,
    }
}

/// Whether the refusal says nothing of the key: a fresh key there is refused too (without credentials that is as it should be).
fn refused_anyway(trial: &Trial<'_>, name: &str, second: &Seen<'_>) -> bool {
    let Some(probe) = trial.probe() else {
        return false;
    };
    if name == "anonymous" {
        return probe.is_success();
    }
    !probe.is_success() && !second.is_success()
}

fn clause_of<'c>(contract: &'c mut Contract, name: &str) -> &'c mut Clause<Answer> {
    let scope = &mut contract.scope;
    match name {
        "account" => &mut scope.account,
        "credential" => &mut scope.credential,
        "anonymous" => &mut scope.anonymous,
        "route" => &mut scope.route,
        "resource" => &mut scope.resource,
        "query" => &mut scope.query,
        "method" => &mut scope.method,
        _ => &mut scope.region,
    }
}

fn place(name: &str) -> &'static str {
    match name {
        "account" => "from another account",
        "credential" => "from another credential of the account",
        "anonymous" => "without credentials",
        "route" => "on another route",
        "resource" => "on another resource",
        "query" => "with another query",
        "method" => "with another method",
        _ => "at another replica",
    }
}
