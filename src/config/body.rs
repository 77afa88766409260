//! Bodies and their variants: what is written becomes what is sent, and edits are tried out before anything is.
//! It must not know what the bodies mean to the API, nor how they are put on the wire.

use serde_json::Value;

use super::diagnostic::Diagnostic;
use super::json_value::{FormSource, JsonSource};
use super::places::Places;
use super::target::{Body, Variant};

/// A body as written in one of its ways.
pub struct Written<'a> {
    /// JSON.
    pub json: Option<&'a JsonSource>,
    /// Form fields.
    pub form: Option<&'a FormSource>,
    /// Any other text.
    pub text: Option<&'a str>,
    /// Its content type.
    pub content_type: Option<&'a str>,
}

/// The body, or `None` where none is written.
pub fn body(
    places: &Places<'_>,
    path: &[&str],
    written: &Written<'_>,
    wrong: &mut Vec<Diagnostic>,
) -> Option<Body> {
    let at = |name: &'static str| [path, &[name]].concat();
    let given = [
        ("json", written.json.is_some()),
        ("form", written.form.is_some()),
        ("text", written.text.is_some()),
    ];
    let names: Vec<&'static str> = given
        .iter()
        .filter(|(_, given)| *given)
        .map(|(name, _)| *name)
        .collect();
    if let [_, second, ..] = names.as_slice() {
        let error = places.error_at_name(
            &at(second),
            format!("a request has one body, here are {}", names.join(" and ")),
        );
        wrong.push(
            error
                .label("a second body")
                .help("keep one of `json`, `form` and `text`"),
        );
        return None;
    }
    if written.content_type.is_some() && written.text.is_none() {
        let error = places.error_at_name(&at("content-type"), "`content-type` goes with `text`");
        wrong
            .push(error.help(
                "`json` and `form` have their own; to send another one, set it in `headers`",
            ));
    }
    if let Some(JsonSource(json)) = written.json {
        return match &json.0 {
            Value::String(text) => {
                if let Err(error) = probe(text) {
                    let error = places
                        .error(&at("json"), "the body is no JSON")
                        .label(error.to_string());
                    wrong.push(error.help("placeholders may stand in strings or for whole values; other bodies are written as `text`"));
                }
                Some(Body::Json(text.clone()))
            }
            Value::Object(_) | Value::Array(_) => Some(Body::Json(json.0.to_string())),
            _ => {
                let error = places.error(&at("json"), "expected a table, a list, or JSON text");
                wrong.push(
                    error.help("such as json = { amount = 100 } or json = '{\"amount\":100}'"),
                );
                None
            }
        };
    }
    if let Some(FormSource(form)) = written.form {
        return Some(Body::Form(form_fields(places, &at("form"), &form.0, wrong)));
    }
    let text = written.text?;
    let Some(content_type) = written.content_type else {
        wrong.push(
            places
                .error(&at("text"), "`text` needs a `content-type`")
                .help("such as content-type = \"application/xml\""),
        );
        return None;
    };
    Some(Body::Text {
        content_type: content_type.to_owned(),
        text: text.to_owned(),
    })
}

fn form_fields(
    places: &Places<'_>,
    path: &[&str],
    form: &Value,
    wrong: &mut Vec<Diagnostic>,
) -> Vec<(String, String)> {
    match form {
        Value::String(text) => url::form_urlencoded::parse(text.as_bytes())
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect(),
        Value::Object(fields) => {
            let mut found = Vec::new();
            for (name, value) in fields {
                let values = match value {
                    Value::Array(values) => values.iter().collect(),
                    value => vec![value],
                };
                for value in values {
                    match value {
                        Value::String(text) => found.push((name.clone(), text.clone())),
                        Value::Number(_) | Value::Bool(_) => {
                            found.push((name.clone(), value.to_string()))
                        }
                        _ => {
                            let error = places.error(
                                &[path, &[name]].concat(),
                                "a form field holds text, a number, true or false",
                            );
                            wrong.push(error.help("write nested fields with the name that the API expects, such as \"items[0][price]\" = \"x\""));
                        }
                    }
                }
            }
            found
        }
        _ => {
            let error = places.error(path, "expected a table of fields, or text");
            wrong.push(error.help("such as form = { a = 1, b = 2 } or form = \"a=1&b=2\""));
            Vec::new()
        }
    }
}

/// The JSON value of a text whose placeholders are not filled yet: in strings they stay, elsewhere they are `null`.
pub fn probe(text: &str) -> Result<Value, serde_json::Error> {
    let mut out = String::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if !escaped
            && !inside
            && rest.starts_with("{{")
            && let Some(end) = rest.find("}}")
            && rest[2..end]
                .trim()
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
            && end > 2
        {
            out.push_str("null");
            rest = &rest[end + 2..];
            continue;
        }
        if escaped {
            escaped = false;
        } else if inside && c == '\\' {
            escaped = true;
        } else if c == '"' {
            inside = !inside;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    serde_json::from_str(&out)
}

/// The pointer and the value of the first integer in the file's order, except below `outside`.
pub fn first_integer(value: &Value, pointer: &str, outside: Option<&str>) -> Option<(String, i64)> {
    if outside == Some(pointer) {
        return None;
    }
    let below = |name: &str, value: &Value| {
        let name = name.replace('~', "~0").replace('/', "~1");
        first_integer(value, &format!("{pointer}/{name}"), outside)
    };
    match value {
        Value::Number(number) => number
            .as_i64()
            .filter(|n| *n < i64::MAX)
            .map(|n| (pointer.to_owned(), n)),
        Value::Object(members) => members.iter().find_map(|(name, value)| below(name, value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(n, value)| below(&n.to_string(), value)),
        _ => None,
    }
}

/// Tries the edits of a variant on the base body.
pub fn try_edits(
    places: &Places<'_>,
    path: &[&str],
    base: &Body,
    variant: &Variant,
    wrong: &mut Vec<Diagnostic>,
) {
    let first = variant
        .set
        .first()
        .map(|(at, _)| ("set", at.as_str()))
        .or_else(|| variant.remove.first().map(|at| ("remove", at.as_str())));
    let Some((table, name)) = first else { return };
    match base {
        Body::Json(text) => {
            let Ok(mut value) = probe(text) else { return };
            let before = value.clone();
            for (pointer, new) in &variant.set {
                if let Err(why) = set(&mut value, pointer, new.clone()) {
                    wrong.push(
                        places
                            .error_at_name(&[path, &["set", pointer]].concat(), why)
                            .help(POINTER_HELP),
                    );
                }
            }
            for (n, pointer) in variant.remove.iter().enumerate() {
                if let Err(why) = remove(&mut value, pointer) {
                    wrong.push(
                        places
                            .error(&[path, &["remove", &n.to_string()]].concat(), why)
                            .help(POINTER_HELP),
                    );
                }
            }
            if value == before && wrong.is_empty() && path.last() == Some(&"changed") {
                let error = places.error(path, "the changed body is the same as the base one");
                wrong.push(error.help("set another value than the one that stands there"));
            }
        }
        Body::Form(fields) => {
            for (n, field) in variant.remove.iter().enumerate() {
                let field = field.trim_start_matches('/');
                if fields.iter().all(|(name, _)| name != field) {
                    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                    let error = places.error(
                        &[path, &["remove", &n.to_string()]].concat(),
                        format!("the form has no field `{field}`"),
                    );
                    wrong.push(error.help(format!("its fields are {}", names.join(", "))));
                }
            }
        }
        Body::Empty | Body::Text { .. } => {
            let error = places.error_at_name(
                &[path, &[table, name]].concat(),
                format!("`{table}` edits JSON and form bodies, and this request has neither"),
            );
            wrong.push(error.help("write the whole other body as `text` with its `content-type`"));
        }
    }
}

const POINTER_HELP: &str =
    "a JSON Pointer names a place from the outside in: /order/items/0/amount";

/// Where a value would be put: its parent must be there.
pub fn set(value: &mut Value, pointer: &str, new: Value) -> Result<(), String> {
    let (parent, name) = split(pointer)?;
    let nowhere = || format!("the body has nothing at `{parent}`");
    match value.pointer_mut(parent).ok_or_else(nowhere)? {
        Value::Object(members) => {
            members.insert(name, new);
            Ok(())
        }
        Value::Array(items) => match name.parse::<usize>() {
            Ok(n) if n < items.len() => {
                items[n] = new;
                Ok(())
            }
            _ => Err(format!("the list at `{parent}` has no element `{name}`")),
        },
        _ => Err(format!(
            "what stands at `{parent}` is neither an object nor a list"
        )),
    }
}

fn remove(value: &mut Value, pointer: &str) -> Result<(), String> {
    let (parent, name) = split(pointer)?;
    let removed = match value.pointer_mut(parent) {
        Some(Value::Object(members)) => members.shift_remove(&name).is_some(),
        Some(Value::Array(items)) => match name.parse::<usize>() {
            Ok(n) if n < items.len() => {
                items.remove(n);
                true
            }
            _ => false,
        },
        _ => false,
    };
    if removed {
        Ok(())
    } else {
        Err(format!("the body has nothing at `{pointer}`"))
    }
}

fn split(pointer: &str) -> Result<(&str, String), String> {
    if !pointer.starts_with('/') {
        return Err(format!("`{pointer}` is no JSON Pointer"));
    }
    let at = pointer.rfind('/').unwrap_or(0);
    Ok((
        &pointer[..at],
        pointer[at + 1..].replace("~1", "/").replace("~0", "~"),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_no_obstacle_to_reading_a_body() {
        assert_eq!(
            probe("{\"n\":{{n}},\"r\":\"x-{{ref}}\"}").unwrap(),
            json!({"n": null, "r": "x-{{ref}}"})
        );
        assert_eq!(
            probe("{\"a\":{\"b\":{}}}").unwrap(),
            json!({"a": {"b": {}}})
        );
        assert_eq!(
            probe("{\"a\":\"\\\"{{n}}\"}").unwrap(),
            json!({"a": "\"{{n}}"})
        );
        assert!(probe("{\"n\":{{n}}").is_err());
    }

    #[test]
    fn the_first_integer_is_the_first_one_written_and_never_the_reference() {
        let value = json!({"ref": 1, "a": {"b/c": [true, "5", 1.5, 7]}, "z": 3});
        assert_eq!(
            first_integer(&value, "", Some("/ref")),
            Some(("/a/b~1c/3".to_owned(), 7))
        );
        assert_eq!(first_integer(&json!({"a": "1"}), "", None), None);
    }

    #[test]
    fn an_edit_needs_a_place() {
        let mut value = json!({"a": {"b": [1, 2]}});
        set(&mut value, "/a/c", json!(1)).unwrap();
        set(&mut value, "/a/b/1", json!(3)).unwrap();
        remove(&mut value, "/a/b/0").unwrap();
        assert_eq!(value, json!({"a": {"b": [3], "c": 1}}));
        for (pointer, why) in [
            ("/x/y", "nothing at `/x`"),
            ("a", "no JSON Pointer"),
            ("/a/b/7", "no element"),
            ("/a/c/d", "neither"),
        ] {
            let error = set(&mut value, pointer, json!(0)).unwrap_err();
            assert!(error.contains(why), "{pointer}: {error}");
        }
        assert!(remove(&mut value, "/a/x").is_err());
    }
}
