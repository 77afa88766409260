//! Policy files: what a provider or standard declares, with its routes.
//! It must not know where policies are kept, nor which operations there are.

use schemars::JsonSchema;
use serde::Deserialize;

use super::diagnostic::Diagnostic;
use super::document::Document;
use super::nearest::nearest;
use super::source::Source;
use crate::contract::ContractPatch;
use crate::contract::merge::{PARTS, clause_names, is_should_name};

/// A policy file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PolicyFile {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The date its facts were seen.
    #[serde(default)]
    pub seen: Option<String>,
    /// Where its facts come from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// The policy that it changes.
    #[serde(default)]
    pub extends: Option<String>,
    /// Clauses, or parts such as `mismatch.status`, that only warn.
    #[serde(default)]
    pub should: Vec<String>,
    /// What it declares.
    #[serde(default)]
    pub contract: ContractPatch,
    /// What it declares of some routes; the later one wins.
    #[serde(default)]
    pub route: Vec<RouteTable>,
}

/// What a policy declares of some routes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RouteTable {
    /// `METHOD /path`; `{name}` stands for one segment, `*` for any method.
    pub on: Vec<String>,
    /// Only where this holds too.
    #[serde(default)]
    pub when: Option<WhenTable>,
    /// What it declares.
    #[serde(default)]
    pub contract: ContractPatch,
}

/// The one predicate there is.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WhenTable {
    /// The base body has something at this JSON Pointer, or a form field of this name.
    pub body_has: String,
}

/// A policy with the text that it was read from.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What it says.
    pub file: PolicyFile,
    /// The text.
    pub source: Source,
}

/// Reads a policy file.
pub fn parse_policy(source: &Source) -> Result<Policy, Vec<Diagnostic>> {
    let document = Document::parse(source)?;
    let file: PolicyFile = document.read()?;
    let mut wrong = Vec::new();
    let at = |path: &[&str], title: String| {
        Diagnostic::new(source, document.value_span(path).unwrap_or(0..0), title)
    };
    for (n, name) in file.should.iter().enumerate() {
        if let Some(error) = should_error(name, |title| at(&["should", &n.to_string()], title)) {
            wrong.push(error);
        }
    }
    for (n, route) in file.route.iter().enumerate() {
        for (m, on) in route.on.iter().enumerate() {
            let fits = on
                .split_once(' ')
                .is_some_and(|(method, path)| is_method(method) && path.starts_with('/'));
            if !fits {
                let error = at(
                    &["route", &n.to_string(), "on", &m.to_string()],
                    "expected METHOD /path".to_owned(),
                );
                wrong.push(error.help(
                    "such as \"POST /v2/orders/{id}/capture\", or \"* /path\" for any method",
                ));
            }
        }
        if let Some(when) = &route.when
            && when.body_has.is_empty()
        {
            let path = ["route", &n.to_string(), "when", "body-has"];
            wrong.push(
                at(&path, "`body-has` names nothing".to_owned())
                    .help("write a JSON Pointer such as \"/payment_source\", or a form field"),
            );
        }
    }
    if wrong.is_empty() {
        Ok(Policy {
            file,
            source: source.clone(),
        })
    } else {
        Err(wrong)
    }
}

/// What is wrong with a name in a `should` list, if anything.
pub fn should_error(name: &str, at: impl Fn(String) -> Diagnostic) -> Option<Diagnostic> {
    if is_should_name(name) {
        return None;
    }
    let known = clause_names();
    let error = match name.rsplit_once('.') {
        Some((clause, part)) if known.contains(&clause) => {
            at(format!("the clause `{clause}` has no part `{part}`"))
                .help(format!("parts are {}", PARTS.join(", ")))
        }
        _ => {
            let error = at(format!("there is no clause `{name}`"))
                .help("write a clause such as \"mismatch\", or its part \"mismatch.status\"");
            match nearest(name, known.iter().copied())
                .or_else(|| nearest(name.rsplit_once('.')?.0, known.iter().copied()))
            {
                Some(near) => error.label(format!("did you mean `{near}`?")),
                None => error,
            }
        }
    };
    Some(error)
}

fn is_method(text: &str) -> bool {
    text == "*" || (!text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c == '-'))
}

/// Whether `METHOD /path/{id}` fits a request. Placeholders of the request (`{{payment}}`) fill one segment.
#[must_use]
pub fn route_fits(on: &str, method: &str, path: &str) -> bool {
    let Some((wanted, pattern)) = on.split_once(' ') else {
        return false;
    };
    if wanted != "*" && !wanted.eq_ignore_ascii_case(method) {
        return false;
    }
    let segments = |text: &str| -> Vec<String> {
        let plain = text.split(['?', '#']).next().unwrap_or_default();
        plain
            .trim_matches('/')
            .split('/')
            .map(str::to_owned)
            .collect()
    };
    let (pattern, path) = (segments(pattern), segments(path));
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(wanted, found)| {
            let is_hole = wanted.starts_with('{') && wanted.ends_with('}');
            if is_hole {
                !found.is_empty()
            } else {
                wanted == found
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_fits_by_method_and_segments() {
        for (on, method, path, fits) in [
            ("POST /v2/orders", "POST", "/v2/orders", true),
            ("POST /v2/orders", "POST", "/v2/orders/?a=b", true),
            ("POST /v2/orders", "GET", "/v2/orders", false),
            ("* /v2/orders", "PATCH", "/v2/orders", true),
            (
                "POST /v2/orders/{id}/capture",
                "POST",
                "/v2/orders/{{order}}/capture",
                true,
            ),
            (
                "POST /v2/orders/{id}/capture",
                "POST",
                "/v2/orders/capture",
                false,
            ),
            ("POST /v2/orders", "POST", "/v3/orders", false),
        ] {
            assert_eq!(
                route_fits(on, method, path),
                fits,
                "{on} for {method} {path}"
            );
        }
    }
}
