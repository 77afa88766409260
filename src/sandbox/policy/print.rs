//! What a record keeps of its first request, so that a later one can be held against it.
//! Must not know when two requests are the same.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::perform::Asked;
use crate::contract::Carrier;
use crate::sandbox::http::text;

/// Headers that every client sends in its own way, or that are looked at elsewhere.
const OWN: [&str; 14] = [
    "host",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
    "user-agent",
    "accept",
    "accept-encoding",
    "if-match",
    "origin",
    "expect",
    "sandbox-delay",
    "sandbox-simulate",
];

/// A request in writing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Print {
    pub(super) account: String,
    pub(super) credential: String,
    pub(super) method: String,
    pub(super) route: String,
    pub(super) resource: String,
    /// Without the key.
    pub(super) query: String,
    /// The body's members; none where it could not be read.
    pub(super) document: Option<Value>,
    /// Whether the body is written in JSON.
    pub(super) is_json: bool,
    /// The body's bytes, as a text where they are one.
    pub(super) raw: String,
    /// Whether a charset stands after the content type.
    pub(super) charset: bool,
    /// Headers that have nothing to do with the request's meaning.
    pub(super) others: Vec<(String, String)>,
}

impl Print {
    /// Takes a request down.
    pub(super) fn of(asked: &Asked) -> Self {
        let request = &asked.request;
        let content_type = text(&asked.headers, "content-type");
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let raw = String::from_utf8(request.body.to_vec());
        Self {
            account: request.account.clone(),
            credential: request.credential.clone(),
            method: request.method.clone(),
            route: request.operation.template().to_owned(),
            resource: request.operation.resource().unwrap_or_default().to_owned(),
            query: without_key(&asked.contract.key.value.carrier, &request.query),
            document: request.document.as_ref().ok().cloned().map(Value::Object),
            is_json: !content_type.contains("form-urlencoded"),
            raw: raw.unwrap_or_else(|bytes| STANDARD.encode(bytes.as_bytes())),
            charset: content_type.contains("charset"),
            others: others(asked),
        }
    }

    /// As it stands in a record.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// From a record.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

fn without_key(carrier: &Carrier, query: &str) -> String {
    let Carrier::Query(name) = carrier else {
        return query.to_owned();
    };
    let pairs = query.split('&');
    let others = pairs.filter(|pair| pair.split('=').next() != Some(name.as_str()));
    others.collect::<Vec<_>>().join("&")
}

fn others(asked: &Asked) -> Vec<(String, String)> {
    let rule = &asked.contract.key.value;
    let mut known: Vec<String> = OWN.map(str::to_owned).to_vec();
    known.extend(super::carrier::header(&asked.contract).map(str::to_ascii_lowercase));
    known.extend(
        rule.companions
            .iter()
            .map(|companion| companion.header.to_ascii_lowercase()),
    );
    let headers: &HeaderMap = &asked.headers;
    let mut others: Vec<(String, String)> = headers
        .iter()
        .filter(|(name, _)| !known.iter().any(|known| known == name.as_str()))
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.to_string(), value)
        })
        .collect();
    others.sort();
    others
}
