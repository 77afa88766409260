//! A policy that says something else than the provider must not get past the typed replies: every clause is flipped, one at a time.
//! It must not know which policies there are.

use doubletap::contract::{Answer, Clause, Contract, Marker, Match, Replay, StatusPattern};

use super::exchange::{Folder, folders};
use super::situation::CLAUSES;
use super::{listed, wrong};

type Change = (&'static str, fn(&mut Match));
type Flip = (String, Box<dyn Fn(&mut Contract)>);

fn clause_mut<'c>(contract: &'c mut Contract, name: &str) -> &'c mut Clause<Answer> {
    match name {
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
        _ => panic!("no clause {name}"),
    }
}

/// Every refusal of an answer.
fn refusals(answer: &mut Answer) -> Vec<&mut Match> {
    match answer {
        Answer::Refuse(how) => vec![how],
        Answer::AnyOf(answers) => answers.iter_mut().flat_map(refusals).collect(),
        _ => Vec::new(),
    }
}

fn first_refusal(answer: &Answer) -> Option<Match> {
    refusals(&mut answer.clone())
        .into_iter()
        .next()
        .map(|how| how.clone())
}

/// Ways to say something else of a refusal: nothing but its status, another status, another code, another header.
fn other_matches(how: &Match) -> Vec<Change> {
    let mut ways: Vec<Change> = vec![("another status", |how| {
        how.status = vec![StatusPattern::Exact(418)]
    })];
    if !how.body.is_empty() || !how.header.is_empty() {
        ways.push(("no code", |how| {
            how.body.clear();
            how.header.clear();
        }));
    }
    if !how.body.is_empty() {
        ways.push(("another code", |how| {
            for place in &mut how.body {
                place.has.clear();
                place.is = vec!["something-else".to_owned()];
            }
        }));
    }
    if !how.header.is_empty() {
        ways.push(("another header", |how| {
            for header in &mut how.header {
                header.is = vec!["something-else".to_owned()];
            }
        }));
    }
    ways
}

fn flips(folder: &Folder) -> Vec<Flip> {
    let mut flips: Vec<Flip> = Vec::new();
    let shows = |situation: &str| {
        folder
            .replies
            .keys()
            .any(|file| listed(file).contains(&situation))
    };
    for situation in CLAUSES.into_iter().filter(|situation| shows(situation)) {
        let answer = clause_mut(&mut folder.contract.clone(), situation)
            .value
            .clone();
        let other = match answer {
            Answer::Run => Answer::Refuse(Match::default()),
            _ => Answer::Run,
        };
        let flip =
            move |contract: &mut Contract| clause_mut(contract, situation).value = other.clone();
        flips.push((format!("{situation} the other way"), Box::new(flip)));
        let is_read = ["mismatch", "in-progress"].contains(&situation);
        let Some(how) = first_refusal(&answer) else {
            continue;
        };
        for (name, change) in other_matches(&how) {
            // a reading knows no other situations: of those, a refusal that says less is only wider
            if name == "no code" && !is_read {
                continue;
            }
            let flip = move |contract: &mut Contract| {
                refusals(&mut clause_mut(contract, situation).value)
                    .into_iter()
                    .for_each(change)
            };
            flips.push((format!("{situation}: {name}"), Box::new(flip)));
        }
    }
    if shows("replay") {
        flips.extend(replay_flips(folder));
    }
    flips
}

fn replay_flips(folder: &Folder) -> Vec<Flip> {
    let mut flips: Vec<Flip> = Vec::new();
    match &folder.contract.replay.value {
        Replay::Refuse(how) => {
            let flip =
                |contract: &mut Contract| contract.replay.value = Replay::Same(Default::default());
            flips.push(("replay a copy".to_owned(), Box::new(flip)));
            for (name, change) in other_matches(how) {
                let flip = move |contract: &mut Contract| {
                    if let Replay::Refuse(how) = &mut contract.replay.value {
                        change(how);
                    }
                };
                flips.push((format!("replay: {name}"), Box::new(flip)));
            }
        }
        Replay::Same(same) | Replay::Current(same) => {
            let flip =
                |contract: &mut Contract| contract.replay.value = Replay::Refuse(Match::default());
            flips.push(("replay refused".to_owned(), Box::new(flip)));
            if !same.status.is_empty() {
                let flip = |contract: &mut Contract| {
                    if let Replay::Same(same) | Replay::Current(same) = &mut contract.replay.value {
                        same.status.clear();
                    }
                };
                flips.push(("replay under the same status".to_owned(), Box::new(flip)));
            }
        }
        Replay::Unspecified => {}
    }
    if matches!(
        folder.contract.marker.value,
        Marker::Header { .. } | Marker::Always { .. }
    ) {
        let flip = |contract: &mut Contract| {
            if let Marker::Header { name, .. } | Marker::Always { name, .. } =
                &mut contract.marker.value
            {
                "X-Other".clone_into(name);
            }
        };
        flips.push(("another marker".to_owned(), Box::new(flip)));
    }
    flips
}

#[test]
fn a_policy_that_says_something_else_is_found_out_clause_by_clause() {
    let mut missed = Vec::new();
    let mut count = 0;
    for mut folder in folders() {
        let right = folder.contract.clone();
        for (name, flip) in flips(&folder) {
            count += 1;
            flip(&mut folder.contract);
            if wrong(&folder).is_empty() {
                missed.push(format!(
                    "{}/{}: {name}",
                    folder.policy, folder.operation.name
                ));
            }
            folder.contract = right.clone();
        }
    }
    assert!(
        missed.is_empty(),
        "no reply tells these from the truth:\n{}",
        missed.join("\n")
    );
    assert!(count > 200, "only {count} flips");
}
