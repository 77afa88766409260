//! Bodies in: JSON objects and forms, both read into members.
//! Must not know which members an operation wants.

use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

/// The members of a body; the text says what is wrong with it.
pub(crate) fn members(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, String> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    let declared = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("application/json");
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Ok(form(body));
    }
    let json = media_type.eq_ignore_ascii_case("application/json")
        || media_type.to_ascii_lowercase().ends_with("+json");
    if !json {
        return Err("send application/json or application/x-www-form-urlencoded".to_owned());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("the body is no JSON object".to_owned()),
        Err(error) => Err(format!("the body is no JSON: {error}")),
    }
}

/// A form as an object of texts; a name that comes twice makes a list.
fn form(body: &[u8]) -> Map<String, Value> {
    let mut members = Map::new();
    for (name, value) in url::form_urlencoded::parse(body) {
        let value = Value::String(value.into_owned());
        match members.get_mut(name.as_ref()) {
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => {
                members.insert(name.into_owned(), value);
            }
        }
    }
    members
}
