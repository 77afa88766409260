//! The bodies of an operation: one for each example that the document names, or for each alternative of its schema.
//! It must not know which operation sends them.

use serde_json::{Map, Value};

use super::document::Document;
use super::example::Maker;

/// Bodies of one operation at the most: documents hold dozens of examples, and each is tested by every drill.
const MOST: usize = 6;

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

/// Bodies with their names (the first one needs none), and how many more there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies {
    /// The bodies.
    pub all: Vec<(Option<String>, Body)>,
    /// How many were left out.
    pub further: usize,
}

/// The bodies of an operation; `Err` says why it has none that can be sent.
pub fn all<'d>(document: Document<'d>, operation: &'d Value) -> Result<Bodies, String> {
    let empty = Bodies {
        all: vec![(None, Body::Empty)],
        further: 0,
    };
    let Some(asked) = operation.get("requestBody") else {
        return Ok(empty);
    };
    let asked = document.resolve(asked);
    if let Some(at) = asked["$ref"].as_str() {
        return Err(elsewhere(at));
    }
    let Some(content) = asked["content"].as_object().filter(|all| !all.is_empty()) else {
        return Ok(empty);
    };
    let plain = |kind: &str| kind.split(';').next().unwrap_or(kind).trim().to_lowercase();
    let json = content.iter().find(|(kind, _)| {
        let kind = plain(kind);
        kind == "application/json" || kind.ends_with("+json")
    });
    if let Some((kind, media)) = json {
        let kind = (plain(kind) != "application/json").then(|| kind.clone());
        let kind = kind.filter(|kind| kind.bytes().all(|b| (b' '..0x7f).contains(&b)));
        return bodies(document, media, |value| json_body(value, kind.clone()));
    }
    let form = content
        .iter()
        .find(|(kind, _)| plain(kind) == "application/x-www-form-urlencoded");
    if let Some((_, media)) = form {
        return bodies(document, media, |value| {
            let mut fields = Vec::new();
            for (name, value) in value.as_object().into_iter().flatten() {
                flat(name, value, &mut fields);
            }
            Ok(Body::Form(fields))
        });
    }
    let kinds: Vec<&str> = content.keys().map(String::as_str).collect();
    Err(format!(
        "its body is neither JSON nor a form ({})",
        kinds.join(", ")
    ))
}

fn bodies<'d>(
    document: Document<'d>,
    media: &'d Value,
    body: impl Fn(Value) -> Result<Body, String>,
) -> Result<Bodies, String> {
    let (values, total) = values(document, media)?;
    let mut all: Vec<(Option<String>, Body)> = Vec::new();
    let mut wrong = None;
    for (name, value) in values {
        match body(value) {
            Ok(body) if all.iter().all(|(_, other)| *other != body) => all.push((name, body)),
            Ok(_) => {}
            Err(why) => wrong = Some(why),
        }
    }
    match wrong {
        Some(why) if all.is_empty() => Err(why),
        _ => Ok(Bodies {
            all,
            further: total.saturating_sub(MOST),
        }),
    }
}

/// A value with the name of its example.
type Named = (Option<String>, Value);

/// The values of a media type, and how many there would be.
fn values<'d>(document: Document<'d>, media: &'d Value) -> Result<(Vec<Named>, usize), String> {
    if let Some(example) = media.get("example").filter(|value| !value.is_null()) {
        return Ok((vec![(None, example.clone())], 1));
    }
    let named: Vec<Named> = media["examples"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, one)| {
            let value = document.resolve(one).get("value")?;
            Some((Some(name.clone()), value.clone()))
        })
        .collect();
    if !named.is_empty() {
        let total = named.len();
        return Ok((named.into_iter().take(MOST).collect(), total));
    }
    let Some(schema) = media.get("schema") else {
        return Ok((vec![(None, Value::Object(Map::new()))], 1));
    };
    let mut lost = None;
    let mut made = |schema: &'d Value| {
        let mut maker = Maker::new(document);
        let value = maker.value(schema);
        lost = lost.take().or(maker.lost);
        value
    };
    let whole = made(schema);
    let alternatives = alternatives(document, schema);
    let total = alternatives.len().max(1);
    let mut values = vec![(None, whole)];
    for (name, alternative) in alternatives.into_iter().take(MOST).skip(1) {
        values.push((Some(name), made(alternative)));
    }
    match lost {
        Some(at) => Err(elsewhere(&at)),
        None => Ok((values, total)),
    }
}

fn elsewhere(at: &str) -> String {
    format!(
        "its body refers to `{at}`, which is not in this document (bundle the files into one first)"
    )
}

/// The alternatives of a schema that is nothing but a choice between objects.
fn alternatives<'d>(document: Document<'d>, schema: &'d Value) -> Vec<(String, &'d Value)> {
    let schema = document.resolve(schema);
    let is_choice = ["properties", "allOf", "example", "discriminator"]
        .iter()
        .all(|name| schema[*name].is_null());
    let all = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let all = all.filter(|_| is_choice).into_iter().flatten();
    all.enumerate()
        .map(|(n, one)| {
            let reference = one["$ref"].as_str().and_then(|at| at.rsplit('/').next());
            let name = reference.or(one["title"].as_str());
            (name.map_or_else(|| (n + 1).to_string(), str::to_owned), one)
        })
        .collect()
}

fn json_body(value: Value, kind: Option<String>) -> Result<Body, String> {
    // documents hold examples as JSON in a text, too
    let value = match value {
        Value::String(text) => {
            serde_json::from_str(&text).map_err(|_| "its JSON example cannot be read".to_owned())?
        }
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    if !value.is_object() && !value.is_array() {
        return Err("its body is no JSON object".to_owned());
    }
    Ok(Body::Json(value, kind))
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
