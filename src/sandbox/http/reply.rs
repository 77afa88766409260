//! A reply as the sandbox keeps it: status, the stored set of headers, and the bytes of the body.
//! Must not know whether it is a first reply or a replay; both are made from the same value.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use bytes::Bytes;
use serde_json::{Value, json};

use super::stream::Chunks;

/// The marker of a replay.
pub(crate) const MARKER: &str = "Idempotent-Replayed";

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// The headers, in order.
    pub(crate) headers: Vec<(String, String)>,
    /// The body's bytes.
    pub(crate) body: Bytes,
}

impl Reply {
    /// A reply without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    /// A JSON reply.
    pub(crate) fn json(status: u16, value: &Value) -> Self {
        Self::empty(status)
            .with("Content-Type", "application/json")
            .containing(value.to_string())
    }

    /// An `application/problem+json` reply.
    pub(crate) fn problem(status: u16, detail: &str) -> Self {
        Self::problem_with(status, detail, json!({}))
    }

    /// A problem with further members.
    pub(crate) fn problem_with(status: u16, detail: &str, more: Value) -> Self {
        let title = StatusCode::from_u16(status)
            .ok()
            .and_then(|code| code.canonical_reason())
            .unwrap_or("Error");
        let mut problem = json!({
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": detail,
        });
        if let (Some(members), Value::Object(more)) = (problem.as_object_mut(), more) {
            members.extend(more);
        }
        Self::empty(status)
            .with("Content-Type", "application/problem+json")
            .containing(problem.to_string())
    }

    /// The same with one more header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The same with this body.
    pub(crate) fn containing(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Takes every header of that name away.
    pub(crate) fn drop_header(&mut self, name: &str) {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    }

    /// The reply on its way out; binary bodies go in chunks.
    pub(crate) fn into_response(self) -> Response<Body> {
        let binary = self.header("Content-Type") == Some("application/octet-stream");
        let body = if binary {
            Body::new(Chunks::new(self.body))
        } else {
            Body::from(self.body)
        };
        let mut response = Response::new(body);
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in self.headers {
            if let (Ok(name), Ok(value)) = (
                HeaderName::from_bytes(name.as_bytes()),
                HeaderValue::from_str(&value),
            ) {
                response.headers_mut().append(name, value);
            }
        }
        response
    }
}
