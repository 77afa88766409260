//! Events of what is done beside the requests under test: effects counted, keys made to expire.
//! It must not know how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::Content;
use super::shared::Headers;

/// Effects were counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountTaken {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// The step's `as` name; `final` for the recount at the end of the run.
    pub name: String,
    /// One entry an intent, operation and account.
    pub entries: Vec<CountEntry>,
    /// When the reading was taken.
    pub at_us: u64,
}

/// The effects of one intent in one account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountEntry {
    /// The intent.
    pub intent: String,
    /// The operation.
    pub operation: String,
    /// The account for which it was counted.
    pub account: String,
    /// The key.
    pub key: Option<String>,
    /// The reference.
    pub reference: String,
    /// How many; `None` where it could not be counted.
    pub value: Option<i64>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A key was made to expire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpiryDone {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// The intent.
    pub intent: String,
    /// `wait`, `sql`, `http` or `command`.
    pub how: String,
    /// Whether it was carried out as declared.
    pub done: bool,
    /// What was seen: rows changed, status, exit code.
    pub detail: String,
    /// The request by which it was done, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errand: Option<Errand>,
    /// When.
    pub at_us: u64,
}

/// A request that the tool sent beside those under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Errand {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Name and value, in order; secrets as `$VARS`.
    pub headers: Headers,
    /// The body.
    pub body: Content,
}
