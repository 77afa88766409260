//! A sandbox that breaks one clause of a policy fails exactly the drills that the table names.
//! It must not know why; `fixtures/flips.toml` was written by hand and says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::stage::{Said, run, side_by_side};

/// The table: policy -> its flips.
#[derive(Deserialize)]
struct Table {
    policy: BTreeMap<String, Vec<Flip>>,
    group: BTreeMap<String, Vec<String>>,
}

/// What the sandbox does otherwise, and who notices.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flip {
    /// Clauses, as `--set` takes them.
    set: Vec<String>,
    /// Drills that fail; `group:NAME` stands for those of a group.
    #[serde(default)]
    fails: Vec<String>,
    /// Drills that warn: the clause is a SHOULD.
    #[serde(default)]
    warns: Vec<String>,
    /// Drills that come to no verdict.
    #[serde(default)]
    doubts: Vec<String>,
}

fn table() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/flips.toml");
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

impl Table {
    fn drills(&self, listed: &[String]) -> BTreeSet<String> {
        let each = listed
            .iter()
            .flat_map(|name| match name.strip_prefix("group:") {
                Some(group) => self.group[group].clone(),
                None => vec![name.clone()],
            });
        each.collect()
    }

    /// How far what was said is from what the table says.
    fn differences(&self, policy: &str, flip: &Flip, said: &Said) -> Vec<String> {
        let mut differences = Vec::new();
        for (verdict, listed) in [
            ("fail", &flip.fails),
            ("warn", &flip.warns),
            ("inconclusive", &flip.doubts),
        ] {
            let expected = self.drills(listed);
            let found = said.with(&[verdict]);
            let flip = format!("{policy} with {}", flip.set.join(", "));
            for drill in expected.iter().filter(|d| !found.contains_key(d.as_str())) {
                let instead = said.verdict(drill);
                differences.push(format!("{flip}: {drill} should {verdict} and is {instead}"));
            }
            for (drill, reason) in found.iter().filter(|(d, _)| !expected.contains(**d)) {
                differences.push(format!("{flip}: {drill} is a {verdict} too many: {reason}"));
            }
        }
        differences
    }
}

#[test]
fn each_flipped_clause_fails_exactly_the_drills_of_the_table() {
    let table = table();
    let flips: Vec<(&String, &Flip)> = table
        .policy
        .iter()
        .flat_map(|(policy, flips)| flips.iter().map(move |flip| (policy, flip)))
        .collect();
    let policies: BTreeSet<&&String> = flips.iter().map(|(policy, _)| policy).collect();
    assert!(policies.len() >= 5 && flips.len() >= 50);
    let differences = side_by_side(&flips, |(policy, flip)| {
        table.differences(policy, flip, &run(policy, &flip.set))
    });
    let differences = differences.concat();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn a_difference_from_the_table_is_found_in_both_directions() {
    let table = table();
    let flip = Flip {
        set: vec!["mismatch=run".to_owned()],
        fails: vec!["drill.mismatch".to_owned()],
        warns: Vec::new(),
        doubts: Vec::new(),
    };
    let said = |verdicts: &[(&str, &str)]| Said {
        code: 1,
        drills: verdicts
            .iter()
            .map(|(drill, verdict)| {
                let said = ((*verdict).to_owned(), "so it is".to_owned());
                (format!("{drill}@payment"), said)
            })
            .collect(),
        errors: String::new(),
    };
    let count = |verdicts: &[(&str, &str)]| {
        let said = said(verdicts);
        table.differences("any", &flip, &said).len()
    };
    assert_eq!(
        count(&[("drill.mismatch", "fail"), ("drill.replay", "pass")]),
        0
    );
    assert_eq!(count(&[("drill.mismatch", "pass")]), 1);
    assert_eq!(count(&[("drill.mismatch", "inconclusive")]), 2);
    assert_eq!(
        count(&[("drill.mismatch", "fail"), ("drill.replay", "fail")]),
        1
    );
}
