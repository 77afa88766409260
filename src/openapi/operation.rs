//! Every POST and PATCH of a document with its path, body, statuses and what it needs.
//! It must not know how they are written down.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::document::Document;
use super::example;
use super::parameter::{self, Parameters};

/// What may stand in a path or query as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// JSON, with its content type where that is not the usual one.
    Json(Value, Option<String>),
    /// Fields of a form.
    Form(Vec<(String, String)>),
}

/// One operation.
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
    /// Why others are not there.
    pub left_out: Vec<String>,
}

/// Reads them.
pub fn all(document: &Document<'_>) -> Found {
    let mut found = Found::default();
    let mut paths: Vec<String> = Vec::new();
    for (path, item) in document.root["paths"].as_object().into_iter().flatten() {
        let item = document.resolve(item);
        for method in ["post", "patch"] {
            let Some(operation) = item.get(method) else {
                continue;
            };
            match one(document, path, method, item, operation, &found) {
                Ok(made) => {
                    found.operations.push(made);
                    paths.push(path.clone());
                }
                Err(why) => found
                    .left_out
                    .push(format!("{} {path}: {why}", method.to_uppercase())),
            }
        }
    }
    needs(&mut found.operations, &paths);
    found
}

fn one<'d>(
    document: &Document<'d>,
    path: &str,
    method: &str,
    item: &'d Value,
    operation: &'d Value,
    found: &Found,
) -> Result<Operation, String> {
    let parameters = parameter::all(document, item, operation);
    let body = body(document, operation)?;
    let mut success: Vec<u16> = operation["responses"]
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys())
        .filter_map(|status| status.parse().ok())
        .filter(|status| (200..300).contains(status))
        .collect();
    success.sort_unstable();
    let wanted = operation["operationId"]
        .as_str()
        .map_or_else(|| format!("{method}-{path}"), str::to_owned);
    let (reference, changed) = (reference(&body), changed(&body));
    Ok(Operation {
        name: unique(&named(&wanted), found),
        request: format!("{} {path}{}", method.to_uppercase(), query(&parameters)),
        needs: Vec::new(),
        body,
        reference,
        changed,
        success,
        headers: parameters.headers.clone(),
        key: parameters.key.clone(),
        examples: parameters
            .path
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
    })
}

fn query(parameters: &Parameters) -> String {
    let pairs: Vec<String> = parameters
        .query
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    if pairs.is_empty() {
        String::new()
    } else {
        format!("?{}", pairs.join("&"))
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Path parameters: filled by the POST that makes what stands before them, else by their examples.
fn needs(operations: &mut [Operation], paths: &[String]) {
    let makers: Vec<(String, String)> = operations
        .iter()
        .zip(paths)
        .filter(|(operation, path)| operation.request.starts_with("POST ") && !path.contains('{'))
        .map(|(operation, path)| (path.clone(), operation.name.clone()))
        .collect();
    for operation in operations {
        let examples = std::mem::take(&mut operation.examples);
        for example in examples {
            let (name, value) = example.split_once('=').unwrap_or((&example, ""));
            let hole = format!("{{{name}}}");
            let Some(at) = operation.request.find(&hole) else {
                continue;
            };
            let before = operation.request[..at].trim_end_matches('/');
            let before = before.split_once(' ').map_or("", |(_, path)| path);
            let maker = makers
                .iter()
                .find(|(path, _)| path.trim_end_matches('/') == before);
            match maker.filter(|(_, made_by)| *made_by != operation.name) {
                Some((_, made_by)) => {
                    let placeholder = placeholder(name);
                    operation.request = operation
                        .request
                        .replace(&hole, &format!("{{{{{placeholder}}}}}"));
                    operation.needs.push((placeholder, made_by.clone()));
                }
                None => {
                    operation.request = operation.request.replace(&hole, &encoded(value));
                    operation.examples.push(name.to_owned());
                }
            }
        }
    }
}

/// A name that a placeholder may have, and that none of the tool's own has.
fn placeholder(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect();
    let taken = [
        "ref",
        "uuid",
        "n",
        "key",
        "wire_key",
        "run",
        "account",
        "account_id",
    ];
    if taken.contains(&plain.as_str()) {
        format!("the_{plain}")
    } else {
        plain
    }
}

fn body<'d>(document: &Document<'d>, operation: &'d Value) -> Result<Body, String> {
    let Some(asked) = operation.get("requestBody") else {
        return Ok(Body::Empty);
    };
    let content = document.resolve(asked)["content"].as_object();
    let Some(content) = content.filter(|all| !all.is_empty()) else {
        return Ok(Body::Empty);
    };
    let plain = |kind: &str| kind.split(';').next().unwrap_or(kind).trim().to_lowercase();
    let json = content.iter().find(|(kind, _)| {
        let kind = plain(kind);
        kind == "application/json" || kind.ends_with("+json")
    });
    if let Some((kind, media)) = json {
        let value =
            example::of_media(document, media).unwrap_or(Value::Object(serde_json::Map::new()));
        // documents hold examples as JSON in a text, too
        let value = match value {
            Value::String(text) => serde_json::from_str(&text)
                .map_err(|_| "its JSON example cannot be read".to_owned())?,
            other => other,
        };
        if !value.is_object() && !value.is_array() {
            return Err("its body is no JSON object".to_owned());
        }
        let usual = plain(kind) == "application/json";
        return Ok(Body::Json(value, (!usual).then(|| kind.clone())));
    }
    let form = content
        .iter()
        .find(|(kind, _)| plain(kind) == "application/x-www-form-urlencoded");
    if let Some((_, media)) = form {
        let value = example::of_media(document, media).unwrap_or(Value::Null);
        let mut fields = Vec::new();
        for (name, value) in value.as_object().into_iter().flatten() {
            flat(name, value, &mut fields);
        }
        return Ok(Body::Form(fields));
    }
    let kinds: Vec<&str> = content.keys().map(String::as_str).collect();
    Err(format!(
        "its body is neither JSON nor a form ({})",
        kinds.join(", ")
    ))
}

/// Fields of a form as most services nest them: `a[b]`, `a[0]`.
fn flat(name: &str, value: &Value, fields: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (inner, member) in members {
                flat(&format!("{name}[{inner}]"), member, fields);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                flat(&format!("{name}[{n}]"), item, fields);
            }
        }
        Value::Null => {}
        Value::String(text) => fields.push((name.to_owned(), text.clone())),
        other => fields.push((name.to_owned(), other.to_string())),
    }
}

/// Members in which services keep a text of the client's.
const REFERENCES: [&str; 12] = [
    "reference",
    "merchantreference",
    "merchant_reference",
    "externalreference",
    "external_reference",
    "externalid",
    "external_id",
    "clientreferenceid",
    "client_reference_id",
    "description",
    "note",
    "memo",
];

fn reference(body: &Body) -> Option<String> {
    let named = |name: &str| {
        REFERENCES
            .iter()
            .position(|known| *known == name.to_lowercase())
    };
    let best = |names: Vec<&String>| {
        names
            .into_iter()
            .filter(|n| named(n).is_some())
            .min_by_key(|n| named(n))
            .cloned()
    };
    match body {
        Body::Json(Value::Object(members), _) => {
            let texts = members
                .iter()
                .filter(|(_, v)| v.is_string())
                .map(|(name, _)| name);
            best(texts.collect()).map(|name| format!("/{}", escaped(&name)))
        }
        Body::Form(fields) => best(fields.iter().map(|(name, _)| name).collect()),
        _ => None,
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Another request of the same meaning: the first integer one higher, else the first text a little longer.
fn changed(body: &Body) -> Option<(String, Value)> {
    match body {
        Body::Json(value, _) => {
            let mut places = Vec::new();
            collect(value, "", &mut places);
            let integer = places
                .iter()
                .find_map(|(at, value)| Some((at.clone(), value.as_i64()?)));
            if let Some((at, n)) = integer {
                return Some((at, Value::from(n.saturating_add(1))));
            }
            let reference = reference(body);
            let text = places
                .into_iter()
                .filter(|(at, _)| reference.as_ref() != Some(at))
                .find_map(|(at, value)| {
                    let text = value.as_str()?.to_owned();
                    Some((at, text))
                });
            text.map(|(at, text)| (at, Value::String(format!("{text}2"))))
        }
        Body::Form(fields) => {
            let reference = reference(body);
            let number = fields
                .iter()
                .find_map(|(name, value)| Some((name, value.parse::<i64>().ok()?)));
            if let Some((name, n)) = number {
                return Some((name.clone(), Value::String(n.saturating_add(1).to_string())));
            }
            let mut others = fields
                .iter()
                .filter(|(name, _)| reference.as_ref() != Some(name));
            let (name, value) = others.next()?;
            Some((name.clone(), Value::String(format!("{value}2"))))
        }
        Body::Empty => None,
    }
}

/// Numbers and texts with their places; elements of arrays are left alone.
fn collect<'v>(value: &'v Value, at: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, &format!("{at}/{}", escaped(name)), found);
            }
        }
        Value::Number(_) | Value::String(_) => found.push((at.to_owned(), value)),
        _ => {}
    }
}

/// `createPayment` and `POST /payments` as the name of an operation.
fn named(text: &str) -> String {
    let mut out = String::new();
    let mut last_lower = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && last_lower {
                out.push('-');
            }
            last_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            last_lower = false;
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
        }
    }
    let out = out.trim_matches('-').to_owned();
    if out.is_empty() {
        "operation".to_owned()
    } else {
        out
    }
}

fn unique(name: &str, found: &Found) -> String {
    let taken = |name: &str| found.operations.iter().any(|o| o.name == name);
    let mut candidate = name.to_owned();
    let mut n = 2;
    while taken(&candidate) {
        candidate = format!("{name}-{n}");
        n += 1;
    }
    candidate
}
