//! Bodies and their variants: what is written becomes what is sent, and edits are tried out before anything is.
//! It must not know what the bodies mean to the API, nor how they are put on the wire.

use serde_json::Value;

use super::diagnostic::Diagnostic;
use super::json_value::{FormSource, JsonSource};
use super::places::Places;
use super::target::Body;

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
}
