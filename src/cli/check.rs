//! `doubletap check`: the merged configuration, each value with the place that it comes from. Nothing is sent.
//! It must not decide anything: it shows what was decided.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use serde_json::Value;

use super::draft_text::toml;
use super::faults::{list, say, text_of};
use super::flags::FlagArgs;
use super::look::Look;
use super::target::load_target;
use crate::config::Loaded;
use crate::contract::{Contract, Origin};
use crate::journal::Redactor;
use crate::report::text;

/// How a clause is written that nobody declares.
const OPEN: &str = "unspecified";

/// Where what nobody declares comes from.
const BUILT_IN: &str = "built-in";

/// Show what a target file and flags mean; nothing is sent
///
/// Every setting with the place that it comes from, and what is declared beside the policy.
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    flags: FlagArgs,

    /// Also every clause of each operation's contract, with file and line
    #[arg(long)]
    contract: bool,
}

/// Shows them, and gives the exit code.
#[must_use]
pub fn run(args: &CheckArgs, look: &Look) -> u8 {
    match load_target(&args.flags, look) {
        Ok(loaded) => say(&shown(&loaded, args.contract, look)),
        Err(code) => code,
    }
}

fn shown(loaded: &Loaded, with_contract: bool, look: &Look) -> String {
    let mut table = list(look, &["setting", "value", "from"]);
    // a secret inside a body stands there in another spelling
    let redactor = Redactor::new(&loaded.target.secrets);
    // what somebody declared first: the rest is as it always is
    let (built_in, declared): (Vec<_>, Vec<_>) = loaded
        .origins
        .iter()
        .partition(|(_, _, origin)| origin == BUILT_IN);
    let row = |(name, value, origin): &(String, String, String)| {
        let value = redactor.redact(value);
        [text::line(name), text::line(&value), text::line(origin)]
    };
    for one in declared {
        table.add_row(row(one));
    }
    for [name, declared, _, from] in own_clauses(loaded) {
        table.add_row([format!("contract.{name}"), redactor.redact(&declared), from]);
    }
    for one in built_in {
        table.add_row(row(one));
    }
    let mut out = text_of(&table);
    if !with_contract {
        out.push_str(&in_short(loaded));
    } else {
        for (operation, contract) in &loaded.target.contracts {
            out.push_str(&format!("\nThe contract of {}\n", text::line(operation)));
            let mut table = list(look, &["clause", "declared", "level", "from"]);
            for row in clauses(contract) {
                table.add_row(row);
            }
            out.push_str(&text_of(&table));
        }
    }
    out
}

/// The clauses that the target or a flag declares beside the policy: the same of every operation.
fn own_clauses(loaded: &Loaded) -> Vec<[String; 4]> {
    let file = |from: &str| {
        from.rsplit_once(':')
            .map_or(from, |(file, _)| file)
            .to_owned()
    };
    let mut own: BTreeSet<String> = loaded
        .origins
        .iter()
        .map(|(_, _, from)| file(from))
        .collect();
    own.remove(BUILT_IN);
    let mut rows: Vec<[String; 4]> = Vec::new();
    for row in loaded.target.contracts.values().flat_map(clauses) {
        let is_own = row[3].starts_with("--") || own.contains(&file(&row[3]));
        if is_own && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// How much is declared of each operation: an open clause is observed and never judged.
fn in_short(loaded: &Loaded) -> String {
    let mut told: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for (operation, contract) in &loaded.target.contracts {
        let rows = clauses(contract);
        let open = rows.iter().filter(|row| row[1] == OPEN).count();
        let number = (rows.len() - open, open);
        told.entry(number).or_default().push(text::line(operation));
    }
    let told: Vec<String> = told
        .into_iter()
        .map(|((declared, open), operations)| {
            format!(
                "contract of {}: {declared} clauses declared, {open} left open (observed, never judged)\n",
                operations.join(", ")
            )
        })
        .collect();
    format!("\n{}`--contract` shows each clause\n", told.concat())
}

/// Every clause of a contract: name, value, level, origin.
fn clauses(contract: &Contract) -> Vec<[String; 4]> {
    fn walk(value: &Value, rows: &mut Vec<[String; 4]>) {
        let Value::Object(members) = value else {
            return;
        };
        let Some(Value::String(name)) = members
            .get("name")
            .filter(|_| members.contains_key("level"))
        else {
            members.values().for_each(|inner| walk(inner, rows));
            return;
        };
        let declared = declared(&members["value"]);
        let is_open = declared == OPEN;
        let parts: Vec<&str> = members
            .get("should_parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let level = members["level"].as_str().unwrap_or_default();
        let level = if is_open {
            String::new()
        } else if parts.is_empty() {
            level.to_owned()
        } else {
            format!("{level}, {} should", parts.join(" and "))
        };
        let origin = members
            .get("origin")
            .and_then(|origin| serde_json::from_value::<Origin>(origin.clone()).ok());
        let origin = origin.map_or(BUILT_IN.to_owned(), |origin| origin.to_string());
        rows.push([
            text::line(name),
            text::line(&declared),
            level,
            text::line(&origin),
        ]);
    }
    let mut rows = Vec::new();
    // a contract is plain data: it always serializes
    walk(
        &serde_json::to_value(contract).unwrap_or_default(),
        &mut rows,
    );
    rows
}

/// A value as a policy file would say it.
fn declared(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => toml(&said(other)).map_or_else(
            || other.to_string(),
            |value| value.to_string().trim().to_owned(),
        ),
    }
}

/// A value without what is left open.
fn said(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let is_open =
                |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            members
                .iter()
                .filter(|(_, value)| !is_open(value))
                .map(|(name, value)| (name.clone(), said(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(said).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_target_declares_beside_the_policy_is_shown_without_being_asked_for() {
        let flags = crate::config::Flags {
            set: vec!["in-progress=wait".into()],
            ..Default::default()
        };
        let source = crate::config::Source::new(
            "shop.toml",
            "url = \"http://127.0.0.1:1\"\npolicy = \"ietf\"\ncontract.retention = { at-least = \"24h\" }\n\
             [operation.p]\nrequest = \"POST /p\"\njson = { amount = 1 }\n[operation.q]\nrequest = \"POST /q\"\njson = { amount = 1 }\n",
        );
        let loaded = super::super::target::load_source(Some(source), &flags).unwrap();
        let rows: Vec<(String, String, String)> = own_clauses(&loaded)
            .into_iter()
            .map(|[name, declared, _, from]| (name, declared, from))
            .collect();
        let row = |name: &str, declared: &str, from: &str| {
            (name.to_owned(), declared.to_owned(), from.to_owned())
        };
        assert_eq!(
            rows,
            [
                row("in-progress", "wait", "--set"),
                row("retention", "{ at-least = \"24h\" }", "shop.toml:3"),
            ]
        );
        let short = in_short(&loaded);
        assert!(short.starts_with("\ncontract of p, q: "), "{short}");
    }

    #[test]
    fn what_somebody_declared_comes_before_what_is_built_in() {
        let flags = crate::config::Flags {
            set: vec!["in-progress=wait".into()],
            url: vec!["http://127.0.0.1:1/p".into()],
            copies: Some("4".into()),
            ..Default::default()
        };
        let loaded = super::super::target::load_source(None, &flags).unwrap();
        let text = shown(&loaded, false, &Look::default());
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with(' ')).collect();
        let built_in = |row: &&str| row.trim_end().ends_with(BUILT_IN);
        let first = rows.iter().position(built_in).unwrap();
        for declared in [" contract.in-progress ", " copies ", " url "] {
            let at = rows.iter().position(|row| row.starts_with(declared));
            assert!(at.is_some_and(|at| at < first), "{declared}: {text}");
        }
        assert!(rows[first..].iter().all(built_in), "{text}");
    }

    #[test]
    fn a_contract_is_told_in_the_words_of_a_policy_file() {
        let flags = crate::config::Flags {
            url: vec!["http://127.0.0.1:1/p".into()],
            policy: Some("ietf".into()),
            ..Default::default()
        };
        let loaded = super::super::target::load_source(None, &flags).unwrap();
        let rows = clauses(&loaded.target.contracts["p"]);
        let row = |name: &str| {
            rows.iter()
                .find(|row| row[0] == name)
                .unwrap_or_else(|| panic!("no {name}"))
        };
        assert_eq!(
            row("mismatch")[1..3],
            ["{ refuse = { status = [422] } }", "must, status should"]
        );
        assert_eq!(row("scope.route")[1..], ["unspecified", "", "built-in"]);
        assert!(
            row("key")[1].contains("form = \"sf-string\"") && !row("key")[1].contains("most"),
            "{:?}",
            row("key")
        );
        assert!(row("one-effect")[3].starts_with("policies/floor.toml:"));
        for name in crate::contract::merge::clause_names() {
            row(name);
        }
    }
}
