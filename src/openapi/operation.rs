//! Every POST and PATCH of a document with its path, bodies, statuses and what it needs.
//! It must not know how they are written down.

use serde_json::Value;

use super::body::{self, Body};
use super::document::Document;
use super::name::{Names, plain};
use super::parameter::{self, Parameters};
use super::path::{self, Path};

/// More than this is no file that a person would look through.
const MOST: usize = 2_000;

/// One operation with one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its name in the target.
    pub name: String,
    /// `POST /payments/{{id}}/captures`.
    pub request: String,
    /// Placeholders, and the operations that fill them.
    pub needs: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// Where the tool may put its own text.
    pub reference: Option<String>,
    /// What makes the changed body, as (place, value).
    pub changed: Option<(String, Value)>,
    /// Statuses of a success.
    pub success: Vec<u16>,
    /// Headers that must be there.
    pub headers: Vec<(String, String)>,
    /// The header that carries the key.
    pub key: Option<String>,
    /// Path parameters that only an example fills.
    pub examples: Vec<String>,
}

/// All of them, and what was left out.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// In the document's order.
    pub operations: Vec<Operation>,
    /// The member of bodies that carries the key, where no header does.
    pub key_member: Option<String>,
    /// Why others are not there.
    pub left_out: Vec<String>,
}

/// Reads them; `query` stands behind every path.
pub fn all(document: Document<'_>, query: &[(String, String)]) -> Found {
    let mut found = Found::default();
    let mut names = Names::default();
    let mut paths: Vec<Path> = Vec::new();
    for (path, item) in document.root["paths"].as_object().into_iter().flatten() {
        let item = document.resolve(item);
        for method in ["post", "patch"] {
            let Some(operation) = item.get(method).filter(|one| one.is_object()) else {
                continue;
            };
            if found.operations.len() >= MOST {
                found.left_out.push(format!(
                    "{} {path}: the file holds {MOST} operations already",
                    method.to_uppercase()
                ));
                continue;
            }
            let mut parameters = parameter::all(document, item, operation);
            parameters.query.extend_from_slice(query);
            let line = Path::new(method, path, &parameters);
            let bodies = body::all(document, operation);
            match line.and_then(|line| Ok((line, bodies?))) {
                Err(why) => found
                    .left_out
                    .push(format!("{} {path}: {why}", method.to_uppercase())),
                Ok((line, bodies)) => {
                    if bodies.further > 0 {
                        found.left_out.push(format!(
                            "{} {path}: {} further examples of its body",
                            method.to_uppercase(),
                            bodies.further
                        ));
                    }
                    let wanted = operation["operationId"]
                        .as_str()
                        .map_or_else(|| format!("{method}-{path}"), str::to_owned);
                    let base = names.give(&plain(&wanted));
                    for (n, (variant, body)) in bodies.all.into_iter().enumerate() {
                        let name = match variant.filter(|_| n > 0) {
                            Some(variant) => names.give(&format!("{base}.{}", plain(&variant))),
                            None if n > 0 => names.give(&format!("{base}.{}", n + 1)),
                            None => base.clone(),
                        };
                        found
                            .operations
                            .push(one(name, body, operation, &parameters));
                        paths.push(line.clone());
                    }
                }
            }
        }
    }
    key_member(&mut found);
    path::fill(&mut found.operations, &paths);
    found
}

fn one(name: String, body: Body, operation: &Value, parameters: &Parameters) -> Operation {
    let mut success: Vec<u16> = operation["responses"]
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys())
        .filter_map(|status| status.parse().ok())
        .filter(|status| (200..300).contains(status))
        .collect();
    success.sort_unstable();
    Operation {
        name,
        request: String::new(),
        needs: Vec::new(),
        reference: body.reference(),
        changed: body.changed(),
        body,
        success,
        headers: parameters.headers.clone(),
        key: parameters.key.clone(),
        examples: Vec::new(),
    }
}

/// Where no header carries the key, but a member of most bodies is named after it.
fn key_member(found: &mut Found) {
    if found.operations.iter().any(|one| one.key.is_some()) {
        return;
    }
    let mut counted: Vec<(String, usize)> = Vec::new();
    for member in found
        .operations
        .iter()
        .filter_map(|one| one.body.key_member())
    {
        match counted.iter_mut().find(|(known, _)| *known == member) {
            Some((_, count)) => *count += 1,
            None => counted.push((member, 1)),
        }
    }
    let Some((member, _)) = counted.into_iter().max_by_key(|(_, count)| *count) else {
        return;
    };
    for operation in &mut found.operations {
        operation.body.without(&member);
        operation.reference = operation.body.reference();
        operation.changed = operation.body.changed();
    }
    found.key_member = Some(member);
}
