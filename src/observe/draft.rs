//! A policy file of what was seen: every clause, `unspecified` where nothing was seen, each with the words and attempts behind it.
//! It must not know whether what was seen is any good: the floor's promises stay, whatever happened.

use serde::Serialize;
use serde_json::Value;

use super::{Observed, Operation, card};
use crate::contract::{Carrier, Contract, Retention};
use crate::report::text::line;

/// One clause as a line of a policy file.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: String,
    value: Option<String>,
    why: String,
}

/// Writes the policy. `id` is its name.
#[must_use]
pub fn draft(observed: &Observed, id: &str) -> String {
    let day = observed.started_at.get(..10).unwrap_or_default();
    let mut out = format!(
        "# A draft, written by `doubletap observe` from what {} did in run {}. It says what was seen, not what is promised: read every\n# line before it becomes a contract. `unspecified` was not seen, or could not be told.\n",
        line(&observed.urls.join(", ")),
        observed.run
    );
    let alarms: Vec<String> = observed
        .operations
        .iter()
        .flat_map(|o| o.sights.iter().filter(|s| s.alarm).map(move |s| (o, s)))
        .map(|(o, s)| {
            format!(
                "#   {}: {} [{}]\n",
                o.name,
                line(&s.words),
                card::attempts(s)
            )
        })
        .collect();
    if !alarms.is_empty() {
        out.push_str(
            "#\n# No contract should say this, and `doubletap run` will not let it pass:\n",
        );
        for alarm in alarms {
            out.push_str(&alarm);
        }
    }
    out.push_str(&format!(
        "id      = {}\ntitle   = {}\nseen    = {}\nsources = [{}]\n\n[contract]\n",
        quoted(id),
        quoted(&format!("Observed at {}", line(&observed.urls.join(", ")))),
        quoted(day),
        quoted(&format!("doubletap observe, run {}", observed.run)),
    ));
    let all: Vec<Vec<Line>> = observed.operations.iter().map(lines).collect();
    let base = base(&all);
    write(&mut out, &base, "");
    for (operation, mine) in observed.operations.iter().zip(&all) {
        let other: Vec<Line> = mine
            .iter()
            .filter(|l| l.value.is_some() && l.name != "key")
            .filter(|l| base.iter().any(|b| b.name == l.name && b.value != l.value))
            .cloned()
            .collect();
        let most = operation.contract.key.value.most;
        let longest = observed.operations[0].contract.key.value.most;
        let length = most.filter(|_| longest.is_some() && most != longest);
        if !other.is_empty() || length.is_some() {
            let path = operation.path.split('?').next().unwrap_or_default();
            let path = path.replace("{{", "{").replace("}}", "}");
            out.push_str(&format!(
                "\n[[route]]\non = [{}]\n",
                quoted(&format!("{} {path}", operation.method))
            ));
            if let Some(most) = length {
                out.push_str(&format!("contract.key = {{ most = {most} }}\n"));
            }
            write(&mut out, &other, "contract.");
        }
    }
    out
}

/// What the first operation that saw it says of each clause.
fn base(all: &[Vec<Line>]) -> Vec<Line> {
    let Some(first) = all.first() else {
        return Vec::new();
    };
    first
        .iter()
        .map(|line| {
            let mut others = all.iter().flatten().filter(|l| l.name == line.name);
            others.find(|l| l.value.is_some()).unwrap_or(line).clone()
        })
        .collect()
}

fn write(out: &mut String, lines: &[Line], prefix: &str) {
    for line in lines {
        let why = if line.why.is_empty() {
            String::new()
        } else {
            format!("   # {}", line.why)
        };
        // a clause of more than one value stays open by being left out
        let Some(value) = line.value.clone().or_else(|| open(&line.name)) else {
            continue;
        };
        let head = format!("{prefix}{} = {value}", line.name);
        out.push_str(&format!("{head:<40}{why}"));
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
}

/// How a clause says that it is open. Those that have no word for it are left out.
fn open(name: &str) -> Option<String> {
    (!matches!(
        name,
        "retention" | "fingerprint.ignores" | "in-progress-for" | "errors-at"
    ))
    .then(|| "\"unspecified\"".to_owned())
}

/// What was seen of a clause, as a policy file spells it.
#[must_use]
pub fn value(operation: &Operation, clause: &str) -> Option<String> {
    let mut lines = lines(operation).into_iter();
    lines.find(|line| line.name == clause)?.value
}

fn lines(operation: &Operation) -> Vec<Line> {
    let contract = &operation.contract;
    let why = |name: &str| {
        let sights = operation.sights.iter();
        let told: Vec<String> = sights
            .filter(|s| s.clause.as_deref() == Some(name))
            .take(1)
            .map(|s| line(&card::with_attempts(s)))
            .collect();
        told.join("; ")
    };
    let mut lines = vec![Line {
        name: "key".to_owned(),
        value: Some(key(contract)),
        why: why("key"),
    }];
    let Ok(Value::Object(members)) = serde_json::to_value(contract) else {
        return lines;
    };
    let mut clauses = Vec::new();
    for (name, member) in &members {
        collect(name, member, &mut clauses);
    }
    for (name, value) in clauses {
        if matches!(
            name.as_str(),
            "key"
                | "one-effect"
                | "isolation"
                | "no-server-error"
                | "in-progress-for"
                | "errors-at"
                | "fingerprint.ignores"
        ) {
            continue;
        }
        let seen = value != Value::String("unspecified".to_owned());
        let value = match name.as_str() {
            "retention" if contract.retention.value == Retention::default() => None,
            _ => seen.then(|| inline(&value)),
        };
        let why = if value.is_some() {
            why(&name)
        } else {
            String::new()
        };
        lines.push(Line { name, value, why });
    }
    lines
}

fn collect(name: &str, member: &Value, found: &mut Vec<(String, Value)>) {
    let Value::Object(parts) = member else { return };
    if let (Some(value), Some(_)) = (parts.get("value"), parts.get("level")) {
        let own = parts.get("name").and_then(Value::as_str).unwrap_or(name);
        found.push((own.to_owned(), value.clone()));
        return;
    }
    for (inner, part) in parts {
        collect(&format!("{name}.{inner}"), part, found);
    }
}

/// The key's table, with what a file calls its members.
fn key(contract: &Contract) -> String {
    #[derive(Serialize)]
    struct In<'k> {
        r#in: &'k Carrier,
    }
    let rule = &contract.key.value;
    let mut members = match serde_json::to_value(In {
        r#in: &rule.carrier,
    }) {
        Ok(Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    if let Ok(Value::Object(all)) = serde_json::to_value(rule) {
        for (name, value) in all {
            let usual = matches!(
                (name.as_str(), value.as_str()),
                ("format", Some("any")) | ("unit", Some("chars"))
            );
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if name != "carrier" && !usual && !empty {
                members.insert(name, value);
            }
        }
    }
    inline(&Value::Object(members))
}

/// A value as an inline value of TOML.
fn inline(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| format!("{} = {}", bare(name), inline(value)))
                .collect();
            if members.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", members.join(", "))
            }
        }
    }
}

fn bare(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if plain { name.to_owned() } else { quoted(name) }
}

/// A text as a basic string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
