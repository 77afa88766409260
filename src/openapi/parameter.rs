//! Parameters of an operation: path, query and headers with example values, and the header that carries the key.
//! It must not know the body.

use serde_json::Value;

use super::document::Document;
use super::example::Maker;

/// What the parameters of an operation make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Path parameters with an example.
    pub path: Vec<(String, String)>,
    /// Query parameters that must be there.
    pub query: Vec<(String, String)>,
    /// Headers that must be there.
    pub headers: Vec<(String, String)>,
    /// The header that carries the idempotency key.
    pub key: Option<String>,
}

/// Headers that something else decides.
const OTHERS: [&str; 8] = [
    "authorization",
    "content-type",
    "accept",
    "content-length",
    "transfer-encoding",
    "connection",
    "expect",
    "host",
];

/// Reads the parameters of an operation and of its path.
pub fn all<'d>(document: Document<'d>, path: &'d Value, operation: &'d Value) -> Parameters {
    let mut found = Parameters::default();
    for list in [&operation["parameters"], &path["parameters"]] {
        for parameter in list.as_array().into_iter().flatten() {
            one(document, document.resolve(parameter), &mut found);
        }
    }
    found
}

fn one<'d>(document: Document<'d>, parameter: &'d Value, found: &mut Parameters) {
    let Some(name) = parameter["name"].as_str() else {
        return;
    };
    let required = parameter["required"].as_bool() == Some(true);
    let value = value(document, parameter);
    let known = |list: &[(String, String)]| list.iter().any(|(other, _)| other == name);
    match parameter["in"].as_str() {
        Some("path") if !known(&found.path) => found.path.push((name.to_owned(), value)),
        Some("query") if required && !known(&found.query) => {
            found.query.push((name.to_owned(), value));
        }
        Some("header") if !is_header(name) => {}
        Some("header") if is_key(name, parameter) => {
            found.key.get_or_insert_with(|| name.to_owned());
        }
        Some("header") if required && !known(&found.headers) => {
            let lower = name.to_ascii_lowercase();
            if !OTHERS.contains(&lower.as_str()) {
                found.headers.push((name.to_owned(), value));
            }
        }
        _ => {}
    }
}

/// Headers of idempotency whose names do not say so.
const KEYS: [&str; 2] = ["paypal-request-id", "repeatability-request-id"];

/// By its name, or by what is said of it.
fn is_key(name: &str, parameter: &Value) -> bool {
    let name = name.to_lowercase();
    if name.contains("idempoten") || KEYS.contains(&name.as_str()) {
        return true;
    }
    let told = parameter["description"]
        .as_str()
        .unwrap_or_default()
        .to_lowercase();
    told.contains("idempoten")
        && ["request-id", "requestid", "key", "token"]
            .iter()
            .any(|part| name.contains(part))
}

/// Whether HTTP can carry a header of this name.
pub fn is_header(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

fn value<'d>(document: Document<'d>, parameter: &'d Value) -> String {
    let media = parameter["content"]
        .as_object()
        .and_then(|all| all.values().next())
        .unwrap_or(parameter);
    let named = media["examples"]
        .as_object()
        .and_then(|all| document.resolve(all.values().next()?).get("value"));
    let value = match (media.get("example").or(named), media.get("schema")) {
        (Some(example), _) => example.clone(),
        (None, Some(schema)) => Maker::new(document).value(schema),
        (None, None) => Value::Null,
    };
    let text = match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    // what no header can carry is no example of one
    if text.is_empty() || text.chars().any(char::is_control) {
        "doubletap".to_owned()
    } else {
        text
    }
}
