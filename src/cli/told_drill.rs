//! One drill in words, whole or one of its cases, for `explain`.
//! It must not know where the drill was asked for, nor judge anything.

use super::words;
use crate::config::suite::{Case, Drill};
use crate::selftest::Model;

/// The drill of an id, which may be a report's: `drill/case@operation`.
pub(super) fn drill(id: &str, drills: &[Drill]) -> Option<String> {
    // a report's id may be given whole: drill/case@operation
    let id = id.split('@').next().unwrap_or(id);
    let (name, case) = id
        .split_once('/')
        .map_or((id, None), |(name, case)| (name, Some(case)));
    let drill = drills.iter().find(|drill| drill.id == name)?;
    if case.is_some_and(|case| !drill.case.iter().any(|known| known.id == case)) {
        return None;
    }
    let mut text = format!(
        "{}: {}\n\n  why       {}\n",
        drill.id, drill.title, drill.why
    );
    text.push_str("  steps     ");
    let steps: Vec<String> = drill.step.iter().map(words::step).collect();
    text.push_str(&steps.join("\n            "));
    text.push('\n');
    if drill.rounds {
        text.push_str("            all of it again with fresh keys (--rounds says how often)\n");
    }
    let mut cases = drill
        .case
        .iter()
        .filter(|known| case.is_none_or(|case| known.id == case));
    let listed: Vec<String> = cases.by_ref().map(told_case).collect();
    if !listed.is_empty() {
        text.push_str(&format!("  cases     {}\n", listed.join("\n            ")));
    }
    for (at, check) in drill.check.iter().enumerate() {
        let label = if at == 0 { "checks" } else { "" };
        let told = words::SITUATIONS
            .iter()
            .find(|(name, _, _)| *name == check.situation());
        let (said, clauses) = told.map_or(("", &[][..]), |(_, said, clauses)| (*said, *clauses));
        let by = if clauses.is_empty() {
            String::new()
        } else {
            format!(" (by {})", clauses.join(", "))
        };
        text.push_str(&format!("  {label:<9} {}: {said}{by}\n", check.situation()));
    }
    let needs = words::needs(drill);
    if !needs.is_empty() {
        text.push_str(&format!("  needs     {}\n", needs.join(", ")));
    }
    text.push_str(&format!("  look for  {}\n", drill.hint));
    let found = Model::bundled().map(|model| {
        let found: Vec<String> = model
            .found_by(name)
            .into_iter()
            .map(str::to_owned)
            .collect();
        found.join(", ")
    });
    if let Ok(found) = found
        && !found.is_empty()
    {
        text.push_str(&format!("  finds     {found}\n"));
    }
    if !drill.sources.is_empty() {
        text.push_str(&format!(
            "  source    {}\n",
            drill.sources.join("\n            ")
        ));
    }
    Some(text)
}

fn told_case(case: &Case) -> String {
    let spelled = |value: &serde_json::Value| value.to_string().replace('"', "");
    let mut parts = Vec::new();
    for (name, shape) in &case.keys {
        if let Ok(shape) = serde_json::to_value(shape) {
            parts.push(format!("key {name} = {}", spelled(&shape)));
        }
    }
    for (step, fields) in &case.with {
        if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(fields) {
            parts.extend(
                fields
                    .iter()
                    .map(|(field, value)| format!("{step}.{field} = {}", spelled(value))),
            );
        }
    }
    if parts.is_empty() {
        case.id.clone()
    } else {
        format!("{}: {}", case.id, parts.join(", "))
    }
}
