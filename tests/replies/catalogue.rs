//! The catalogue of policies as a whole: each says where its facts come from, and has a typed reply for everything it declares.
//! It must not know what any policy says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use doubletap::bundled;
use doubletap::config::{Source, parse_policy};
use doubletap::contract::reading::refusals_of;
use doubletap::contract::{Answer, Contract, Origin, Replay};

use super::exchange::{contracts, folders};
use super::listed;
use super::situation::{CLAUSES, clause};

/// Policies of this project's own: they repeat nobody's text.
const OWN: [&str; 4] = ["floor", "plain", "one-transaction", "claim-first"];

fn id(name: &str) -> &str {
    name.strip_prefix("policies/")
        .unwrap()
        .strip_suffix(".toml")
        .unwrap()
}

#[test]
fn every_policy_is_valid_is_called_like_its_file_and_names_its_sources_and_their_date() {
    for (name, text) in bundled::policies() {
        let policy = parse_policy(&Source::new(*name, *text))
            .unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
        assert_eq!(policy.file.id, id(name));
        assert!(policy.file.title.len() > 3, "{name}");
        // resolves against the floor and whatever it extends
        let resolved = contracts(&policy.file.id, "[operation.any]\nrequest = \"POST /any\"");
        assert!(
            resolved[0].1.one_effect.origin.is_some(),
            "{name} does not stand on the floor"
        );
        if OWN.contains(&id(name)) {
            continue;
        }
        assert!(!policy.file.sources.is_empty(), "{name} has no sources");
        let seen = policy.file.seen.unwrap_or_default();
        let date: Vec<&str> = seen.split('-').collect();
        let is_date = date.iter().map(|part| part.len()).eq([4, 2, 2])
            && date.iter().all(|part| part.parse::<u16>().is_ok());
        assert!(is_date, "{name} was seen on `{seen}`");
    }
}

#[test]
fn the_table_of_policies_has_a_row_for_each() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/policies.md");
    let table = fs::read_to_string(path).unwrap();
    for (name, _) in bundled::policies() {
        let row = format!("| `{}` |", id(name));
        let named = if OWN.contains(&id(name)) {
            &row[2..row.len() - 2]
        } else {
            &row
        };
        assert!(
            table.contains(named),
            "docs/policies.md does not speak of {name}"
        );
    }
}

#[test]
fn every_route_of_a_policy_fits_a_request() {
    for (name, text) in bundled::policies() {
        let policy = parse_policy(&Source::new(*name, *text)).unwrap();
        for route in &policy.file.route {
            assert!(!route.on.is_empty(), "{name} has a route on nothing");
            for on in &route.on {
                let request = on.replace("* ", "POST ").replace('{', "x").replace('}', "");
                let body = route.when.as_ref().map_or(String::new(), |when| {
                    format!("json = {{ {} = 1 }}", when.body_has.trim_start_matches('/'))
                });
                let contract = &contracts(
                    id(name),
                    &format!("[operation.any]\nrequest = \"{request}\"\n{body}"),
                )[0]
                .1;
                let from_here = origins(contract);
                let line = policy.source.text[..policy.source.text.find(on).unwrap()]
                    .lines()
                    .count();
                assert!(
                    from_here
                        .iter()
                        .any(|o| o.file == *name && o.line as usize >= line),
                    "{name}: {on} changes nothing"
                );
            }
        }
    }
}

fn origins(contract: &Contract) -> Vec<Origin> {
    let clauses = CLAUSES
        .iter()
        .filter_map(|name| clause(contract, name)?.origin.clone());
    let others = [
        &contract.key.origin,
        &contract.replay.origin,
        &contract.retention.origin,
    ];
    clauses
        .chain(others.into_iter().flatten().cloned())
        .collect()
}

/// What a file declares and what a reply can show: its line -> the situation.
fn declared(name: &str, contract: &Contract) -> BTreeMap<u32, &'static str> {
    let mut lines = BTreeMap::new();
    for situation in CLAUSES {
        let clause = clause(contract, situation).unwrap();
        // that a request without a key runs is seen by its effect, not by its reply
        let shows = match situation {
            "mismatch" | "after-retention" => clause.value != Answer::Unspecified,
            _ => !refusals_of(&clause.value).is_empty(),
        };
        if let Some(origin) = clause
            .origin
            .as_ref()
            .filter(|origin| shows && origin.file == name)
        {
            lines.insert(origin.line, situation);
        }
    }
    let origin = contract
        .replay
        .origin
        .as_ref()
        .filter(|origin| origin.file == name);
    if let Some(origin) = origin.filter(|_| contract.replay.value != Replay::Unspecified) {
        lines.insert(origin.line, "replay");
    }
    lines
}

#[test]
fn every_declared_situation_has_a_typed_reply() {
    // (policy's file, line) -> the situations declared there that no reply shows
    let mut open: BTreeMap<(String, u32), &str> = BTreeMap::new();
    let mut shown: BTreeSet<(String, u32)> = BTreeSet::new();
    for (name, _) in bundled::policies() {
        if OWN.contains(&id(name)) {
            continue;
        }
        let contract = &contracts(id(name), "[operation.any]\nrequest = \"POST /any\"")[0].1;
        for (line, situation) in declared(name, contract) {
            open.insert(((*name).to_owned(), line), situation);
        }
    }
    for folder in folders() {
        for name in bundled::policies().iter().map(|(name, _)| *name) {
            for (line, situation) in declared(name, &folder.contract) {
                open.insert((name.to_owned(), line), situation);
                if folder
                    .replies
                    .keys()
                    .any(|file| listed(file).contains(&situation))
                {
                    shown.insert((name.to_owned(), line));
                }
            }
        }
    }
    open.retain(|place, _| !shown.contains(place) && !OWN.contains(&id(&place.0)));
    assert!(
        open.is_empty(),
        "declared, and no reply shows it: {open:#?}"
    );
}
