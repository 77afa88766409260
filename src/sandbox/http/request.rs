//! A request as the work sees it: who wants what, with which body, and what is to be simulated.
//! Must not know how the key's record is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::route::Operation;
use crate::sandbox::fingerprint::{self, Parts};
use crate::sandbox::store::record::RecordId;

/// A request with good credentials (or, where a defect lets it in, without).
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: String,
    /// The query as sent.
    pub(crate) query: String,
    /// What is wanted.
    pub(crate) operation: Operation,
    /// Who wants it.
    pub(crate) account: String,
    /// The credentials as sent; empty if none were.
    pub(crate) credential: String,
    /// The bare key.
    pub(crate) key: Option<String>,
    /// The body as sent.
    pub(crate) body: Bytes,
    /// The body's members; the text says why there are none.
    pub(crate) document: Result<Map<String, Value>, String>,
    /// The `If-Match` header.
    pub(crate) if_match: Option<String>,
    /// The `Sandbox-Simulate` header.
    pub(crate) simulate: Option<String>,
    /// The `Sandbox-Delay` header.
    pub(crate) delay: Duration,
    /// Whether the client still waits.
    pub(crate) client: Client,
}

impl Request {
    /// A member of the body.
    pub(crate) fn member(&self, name: &str) -> Option<&Value> {
        self.document.as_ref().ok()?.get(name)
    }

    /// The client's reference: in the body, else in the query.
    pub(crate) fn reference(&self) -> Option<String> {
        let in_body = self.member("reference").and_then(Value::as_str);
        let in_query = || {
            url::form_urlencoded::parse(self.query.as_bytes())
                .find(|(name, _)| name == "reference")
                .map(|(_, value)| value.into_owned())
        };
        in_body.map(str::to_owned).or_else(in_query)
    }

    /// What the client wants to be simulated.
    pub(crate) fn simulation(&self) -> Option<&str> {
        let in_body = || self.member("simulate").and_then(Value::as_str);
        self.simulate.as_deref().or_else(in_body)
    }

    /// The body's meaning as bytes.
    pub(crate) fn canonical_body(&self) -> Vec<u8> {
        let document = self.document.as_ref().ok().cloned().map(Value::Object);
        fingerprint::canonical(document.as_ref(), &self.body)
    }

    /// What the fingerprint is made of.
    pub(crate) fn parts(&self) -> Parts {
        Parts {
            method: self.method.clone(),
            route: self.operation.template().to_owned(),
            resource: self.operation.resource().unwrap_or_default().to_owned(),
            query: self.query.clone(),
            body: self.canonical_body(),
        }
    }
}

/// A request whose key is protected.
#[derive(Clone, Debug)]
pub(crate) struct Keyed {
    /// The request.
    pub(crate) request: Arc<Request>,
    /// The record's primary key.
    pub(crate) id: RecordId,
    /// The fingerprint.
    pub(crate) fingerprint: String,
}

/// Whether the client still waits for its reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client(Arc<AtomicBool>);

impl Client {
    /// Whether it has gone away.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Something to keep for as long as the client waits.
    pub(crate) fn presence(&self) -> Presence {
        Presence(self.clone())
    }
}

/// Says that the client has gone away when it is dropped.
pub(crate) struct Presence(Client);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::SeqCst);
    }
}
