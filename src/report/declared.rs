//! The contract as a list of declared clauses, each in the words of a policy file.
//! It must not know what a clause means.

use serde_json::Value;

use super::document::ClauseRecord;
use crate::contract::Contract;

/// The clauses that somebody declared, in the contract's order.
#[must_use]
pub fn clauses(contract: &Contract) -> Vec<ClauseRecord> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::to_value(contract) {
        collect(&value, &mut found);
    }
    found
}

fn collect(value: &Value, found: &mut Vec<ClauseRecord>) {
    let Some(members) = value.as_object() else {
        return;
    };
    // a clause is what has a value, a name and a level; anything else is a group of clauses
    let clause = members.get("value").zip(members.get("level"));
    match clause.zip(members.get("name").and_then(Value::as_str)) {
        Some(((declared, _), name)) => {
            let origin = members.get("origin");
            let file = origin.and_then(|origin| origin["file"].as_str());
            let line = origin.and_then(|origin| origin["line"].as_u64());
            if let Some(file) = file {
                found.push(ClauseRecord {
                    name: name.to_owned(),
                    declared: written(declared),
                    file: Some(file.to_owned()),
                    line: line
                        .and_then(|line| u32::try_from(line).ok())
                        .filter(|line| *line > 0),
                });
            }
        }
        None => members.values().for_each(|member| collect(member, found)),
    }
}

/// The value as a policy file spells it.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inner).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .filter(|(_, value)| !value.is_null() && *value != &Value::Array(Vec::new()))
                .map(|(name, value)| format!("{name} = {}", inner(value)))
                .collect();
            if members.is_empty() {
                return "{}".to_owned();
            }
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

fn inner(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{text}\""),
        other => written(other),
    }
}
