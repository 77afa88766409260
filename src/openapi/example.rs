//! A value that fits a schema: its own example where there is one, else the smallest that its types, bounds and enums allow.
//! It must not know what the value is for.

use serde_json::{Map, Number, Value};

use super::document::Document;

/// Schemas that hold themselves end here.
const DEEPEST: usize = 6;

/// An example of a media type: its own, the first of its named ones, or one made from its schema.
pub fn of_media<'d>(document: &Document<'d>, media: &'d Value) -> Option<Value> {
    if let Some(example) = media.get("example") {
        return Some(example.clone());
    }
    let named = media["examples"].as_object();
    let named = named.and_then(|all| all.values().next());
    if let Some(value) = named.and_then(|one| document.resolve(one).get("value")) {
        return Some(value.clone());
    }
    media.get("schema").map(|schema| of(document, schema, 0))
}

/// A value that fits a schema.
pub fn of<'d>(document: &Document<'d>, schema: &'d Value, depth: usize) -> Value {
    let schema = document.resolve(schema);
    for name in ["example", "default", "const"] {
        if let Some(value) = schema.get(name).filter(|value| !value.is_null()) {
            return value.clone();
        }
    }
    let first = |name: &str| schema[name].as_array().and_then(|all| all.first());
    if let Some(value) = first("examples").or_else(|| first("enum")) {
        return value.clone();
    }
    if depth > DEEPEST {
        return Value::Null;
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return merged(document, schema, parts, depth);
    }
    if let Some(one) = first("oneOf").or_else(|| first("anyOf")) {
        return of(document, one, depth + 1);
    }
    match kind(schema) {
        "object" => object(document, schema, depth),
        "array" => match schema.get("items") {
            Some(items) => Value::Array(vec![of(document, items, depth + 1)]),
            None => Value::Array(Vec::new()),
        },
        "integer" => Value::Number(integer(schema).into()),
        "number" => number(schema),
        "boolean" => Value::Bool(false),
        "null" => Value::Null,
        _ => Value::String(text(schema)),
    }
}

/// The type: 3.1 allows several, and `null` is the least useful.
fn kind(schema: &Value) -> &str {
    let told = match &schema["type"] {
        Value::String(one) => Some(one.as_str()),
        Value::Array(several) => {
            let mut names = several.iter().filter_map(Value::as_str);
            names.find(|name| *name != "null")
        }
        _ => None,
    };
    told.unwrap_or(if schema["properties"].is_object() {
        "object"
    } else if schema["items"].is_object() {
        "array"
    } else {
        "string"
    })
}

/// What must be there; where nothing must, what has an example of its own.
fn object<'d>(document: &Document<'d>, schema: &'d Value, depth: usize) -> Value {
    let mut members = Map::new();
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        let inner = document.resolve(property);
        if inner["readOnly"].as_bool() == Some(true) {
            continue;
        }
        let shown = ["example", "default", "const"]
            .iter()
            .any(|key| inner.get(*key).is_some());
        if required.contains(&name.as_str()) || required.is_empty() && shown {
            let value = of(document, property, depth + 1);
            // what is too deep to be made is left out: the service says whether it needs it
            if !value.is_null() {
                members.insert(name.clone(), value);
            }
        }
    }
    Value::Object(members)
}

/// All parts of an `allOf` in one object; of other types the first.
fn merged<'d>(
    document: &Document<'d>,
    schema: &'d Value,
    parts: &'d [Value],
    depth: usize,
) -> Value {
    let mut members = Map::new();
    if let Value::Object(own) = object(document, schema, depth) {
        members.extend(own);
    }
    for part in parts {
        match of(document, part, depth + 1) {
            Value::Object(more) => members.extend(more),
            other if members.is_empty() && !other.is_null() => return other,
            _ => {}
        }
    }
    Value::Object(members)
}

fn integer(schema: &Value) -> i64 {
    let least = schema["minimum"].as_i64();
    let above = match &schema["exclusiveMinimum"] {
        Value::Number(bound) => bound.as_i64().map(|bound| bound + 1),
        Value::Bool(true) => least.map(|bound| bound + 1),
        _ => None,
    };
    let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
    above.or(least).unwrap_or(1).max(1).min(most)
}

fn number(schema: &Value) -> Value {
    let least = schema["minimum"].as_f64().unwrap_or(1.0).max(1.0);
    let most = schema["maximum"].as_f64().unwrap_or(f64::MAX);
    Number::from_f64(least.min(most)).map_or(Value::Null, Value::Number)
}

fn text(schema: &Value) -> String {
    let plain = match schema["format"].as_str().unwrap_or_default() {
        "uuid" => "8e03978e-40d5-43dd-bc93-6894a57f9324",
        "date" => "2030-01-31",
        "date-time" => "2030-01-31T12:00:00Z",
        "email" => "doubletap@example.com",
        "uri" | "url" => "https://example.com/",
        "ipv4" => "192.0.2.1",
        "byte" => "ZG91YmxldGFw",
        _ => "doubletap",
    };
    let length = |name: &str| schema[name].as_u64().and_then(|n| usize::try_from(n).ok());
    let mut text = plain.to_owned();
    if let Some(least) = length("minLength").filter(|least| *least <= 4096) {
        while text.chars().count() < least {
            text.push('x');
        }
    }
    if let Some(most) = length("maxLength") {
        text = text.chars().take(most).collect();
    }
    text
}
