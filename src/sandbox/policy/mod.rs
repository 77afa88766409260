//! A sandbox that behaves as a policy declares, written from the policy's data alone.
//! Must not know how the tool reads replies, nor how it judges them: that would prove nothing.
//!
//! Clauses that a policy leaves open are kept as the right designs keep them. Of several answers (`any-of`) the first one is
//! given. A request goes through `carrier` (where its key stands), `syntax` (whether the key is valid), `strangers` (no
//! credentials, or bad ones), then `run`: claim the key, or meet the record of an earlier request by `scope` and `sameness`.

mod by_nature;
mod carrier;
mod choice;
mod classes;
mod meeting;
mod perform;
mod precondition;
mod print;
mod refusal;
mod replays;
mod routes;
mod run;
mod sameness;
mod scope;
mod spelling;
mod strangers;
mod syntax;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::http::route::Route;
use crate::contract::{Contract, Marker};

pub(crate) use by_nature::by_nature;
pub(crate) use perform::perform;

/// What a policy declares of a request: by method, path, and whether its body has something at a place.
pub type Declares = dyn Fn(&str, &str, &dyn Fn(&str) -> bool) -> Contract + Send + Sync;

/// A policy as the sandbox keeps it.
#[derive(Clone)]
pub struct Policy {
    routes: Vec<String>,
    declares: Arc<Declares>,
    retention: Option<Duration>,
}

impl Policy {
    /// A policy that names these routes (`METHOD /path/{id}`), and what it declares of each request.
    #[must_use]
    pub fn new(routes: Vec<String>, declares: Arc<Declares>) -> Self {
        Self {
            routes,
            declares,
            retention: None,
        }
    }

    /// The same with another retention than the declared one.
    #[must_use]
    pub fn keeping(mut self, retention: Duration) -> Self {
        self.retention = Some(retention);
        self
    }

    /// What a request means: an operation of the sandbox, or a route that the policy names.
    pub(crate) fn route(&self, method: &str, path: &str) -> Route {
        let contract = self.contract(method, path, &|_| false);
        routes::find(&self.routes, &contract.key.value.carrier, method, path)
    }

    /// What is declared of a request.
    pub(crate) fn contract(
        &self,
        method: &str,
        path: &str,
        body_has: &dyn Fn(&str) -> bool,
    ) -> Contract {
        (self.declares)(method, path, body_has)
    }

    /// The key as its record has it, for those who want to end its life.
    pub(crate) fn stored_key(&self, text: &str) -> String {
        syntax::stored(&self.contract("POST", "/payments", &|_| false), text)
    }

    /// The headers that carry keys, and those that mark replays, at a path.
    pub(crate) fn headers(&self, path: &str) -> (Vec<String>, Vec<String>) {
        let contract = self.contract("POST", path, &|_| false);
        let mut sent: Vec<String> = carrier::header(&contract)
            .map(str::to_owned)
            .into_iter()
            .collect();
        let companions = contract.key.value.companions.iter();
        sent.extend(companions.map(|companion| companion.header.clone()));
        let marker = match &contract.marker.value {
            Marker::Header { name, .. } | Marker::Always { name, .. } => vec![name.clone()],
            Marker::Unspecified | Marker::None => Vec::new(),
        };
        (sent, marker)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("routes", &self.routes)
            .field("retention", &self.retention)
            .finish_non_exhaustive()
    }
}
