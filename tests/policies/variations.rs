//! A contract with one of the answers that it allows in a situation, each listed status and code in its turn.
//! It must not know how the sandbox chooses among them.

use doubletap::contract::{Answer, Contract, Match, Replay, Same};

use crate::replies::situation::clause;

/// What a policy declares of a situation, one answer of several.
#[derive(Clone)]
pub(crate) enum Declared {
    Refusal(Match),
    Success,
    Replay(Same),
}

/// The contract with one of the answers that it allows in a situation, and that answer; each listed status and code in its turn.
pub(crate) fn variations(contract: &Contract, situation: &str) -> Vec<(Contract, Declared)> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Contract), declared| {
        let mut contract = contract.clone();
        change(&mut contract);
        all.push((contract, declared));
    };
    match situation {
        "first" => with(&|_| {}, Declared::Success),
        "replay" => match &contract.replay.value {
            Replay::Refuse(how) => {
                for how in rotated(how) {
                    let refuse = Replay::Refuse(how.clone());
                    with(&|c| c.replay.value = refuse.clone(), Declared::Refusal(how));
                }
            }
            Replay::Same(same) | Replay::Current(same) => {
                with(&|_| {}, Declared::Replay(same.clone()));
            }
            Replay::Unspecified => {}
        },
        _ => {
            let Some(answer) = clause(contract, situation).map(|clause| &clause.value) else {
                return all;
            };
            for answer in answer.alternatives() {
                match answer {
                    Answer::Unspecified => {}
                    Answer::Refuse(how) => {
                        for how in rotated(how) {
                            let refuse = Answer::Refuse(how.clone());
                            with(&|c| set(c, situation, &refuse), Declared::Refusal(how));
                        }
                    }
                    other => with(&|c| set(c, situation, other), Declared::Success),
                }
            }
        }
    }
    all
}

fn set(contract: &mut Contract, situation: &str, answer: &Answer) {
    let clause = match situation {
        "missing" => &mut contract.missing,
        "malformed-empty" => &mut contract.malformed.empty,
        "malformed-too-short" => &mut contract.malformed.too_short,
        "malformed-too-long" => &mut contract.malformed.too_long,
        "malformed-charset" => &mut contract.malformed.charset,
        "malformed-form" => &mut contract.malformed.form,
        "malformed-twice" => &mut contract.malformed.twice,
        "mismatch" => &mut contract.mismatch,
        "in-progress" => &mut contract.in_progress,
        "after-retention" => &mut contract.after_retention,
        "other-credential" => &mut contract.scope.credential,
        "other-route" => &mut contract.scope.route,
        "other-query" => &mut contract.scope.query,
        _ => panic!("no clause {situation}"),
    };
    clause.value = answer.clone();
}

/// The same refusal with each of its listed values first, once.
fn rotated(how: &Match) -> Vec<Match> {
    let places = how
        .body
        .iter()
        .map(|place| place.is.len().max(place.has.len()));
    let headers = how.header.iter().map(|header| header.is.len());
    let longest = places.chain(headers).chain([how.status.len(), 1]).max();
    let turn = |list: &mut Vec<String>, by: usize| {
        let by = by % list.len().max(1);
        list.rotate_left(by);
    };
    (0..longest.unwrap_or(1))
        .map(|by| {
            let mut how = how.clone();
            let statuses = how.status.len().max(1);
            how.status.rotate_left(by % statuses);
            for place in &mut how.body {
                turn(&mut place.is, by);
                turn(&mut place.has, by);
            }
            for header in &mut how.header {
                turn(&mut header.is, by);
            }
            how
        })
        .collect()
}
