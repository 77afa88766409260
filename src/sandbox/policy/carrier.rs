//! Where the key stands in a request: the texts there, one for each time that it was sent.
//! Must not know which texts are valid keys.

use axum::http::request::Parts;
use serde_json::{Map, Value};

use super::routes;
use crate::contract::{Carrier, Contract};

/// The header that carries keys, if one does.
pub(super) fn header(contract: &Contract) -> Option<&str> {
    match &contract.key.value.carrier {
        Carrier::Header(name) => Some(name),
        _ => None,
    }
}

/// The key's place in the body, if it stands there.
pub(super) fn place_in_body(contract: &Contract) -> Option<String> {
    match &contract.key.value.carrier {
        Carrier::Json(pointer) => Some(pointer.clone()),
        Carrier::Form(name) => Some(format!("/{}", name.replace('~', "~0").replace('/', "~1"))),
        _ => None,
    }
}

/// The texts.
pub(super) fn texts(
    contract: &Contract,
    parts: &Parts,
    document: Option<&Map<String, Value>>,
    routes: &[String],
) -> Vec<Vec<u8>> {
    let bytes = |texts: Vec<String>| texts.into_iter().map(String::into_bytes).collect();
    match &contract.key.value.carrier {
        Carrier::Header(name) => {
            let lines = parts.headers.get_all(name.as_str()).iter();
            lines.map(|line| line.as_bytes().to_vec()).collect()
        }
        Carrier::Json(pointer) => {
            let document = document.cloned().map(Value::Object);
            let found = document
                .as_ref()
                .and_then(|members| members.pointer(pointer));
            bytes(found.and_then(written).into_iter().collect())
        }
        Carrier::Form(name) => match document.and_then(|members| members.get(name)) {
            Some(Value::Array(values)) => bytes(values.iter().filter_map(written).collect()),
            Some(value) => bytes(written(value).into_iter().collect()),
            None => Vec::new(),
        },
        Carrier::Query(name) => {
            let query = parts.uri.query().unwrap_or_default().as_bytes();
            let pairs = url::form_urlencoded::parse(query).filter(|(known, _)| known == name);
            bytes(pairs.map(|(_, value)| value.into_owned()).collect())
        }
        Carrier::Path(hole) => {
            let key = routes::key_in_path(routes, hole, parts.method.as_str(), parts.uri.path());
            bytes(key.into_iter().collect())
        }
    }
}

/// A value as the text of a key; `null` is none.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
