//! What is known when a run begins: its configuration as far as the judge needs it.
//! It must not know what happens afterwards.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::target::{Identity, PolicyFacts};
use crate::contract::Contract;
use crate::plan::Instance;

/// The run begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    /// The journal format's version.
    pub schema_version: u32,
    /// `doubletap VERSION`.
    pub tool: String,
    /// The run's id; part of every reference that the tool makes.
    pub run: String,
    /// The seed of what may be decided by chance; never of keys.
    pub seed: u64,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// Base URLs, without credentials.
    pub urls: Vec<String>,
    /// The region of each base URL, in the same order; empty where none has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Option<String>>,
    /// The policy in use.
    pub policy: PolicyFacts,
    /// The contract of each operation.
    pub contracts: BTreeMap<String, Contract>,
    /// What the target declares of each operation.
    pub operations: Vec<OperationFacts>,
    /// Who sends.
    pub accounts: Vec<AccountFacts>,
    /// All drills, in order.
    pub plan: Vec<Instance>,
    /// How long effects may take to become visible, in microseconds.
    pub settle_us: u64,
    /// The command line that repeats the run, secrets as `$VARS`.
    pub command: String,
    /// How to have the API again that ended with the run, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
}

/// An API that was started for the run and ended with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// The command that starts the same, at the same address.
    pub command: String,
    /// What everybody may know: the values of the variables that stand for its credentials, which are examples and no secrets.
    pub values: BTreeMap<String, String>,
}

/// What the target declares of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationFacts {
    /// Its name.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path, placeholders as written.
    pub path: String,
    /// Statuses of a success; empty: any 2xx.
    pub success: Vec<u16>,
    /// What tells results apart, as declared.
    pub identity: Identity,
    /// How effects are counted; `None`: they are not.
    pub counter: Option<CounterFacts>,
    /// How a request is held.
    pub stall: Option<String>,
    /// The tool's reference stands in the request.
    #[serde(default)]
    pub carries_reference: bool,
    /// Whether the service refuses a reference that it has seen under another key, where declared.
    #[serde(default)]
    pub unique_reference: Option<bool>,
    /// Expected statuses of its variants, where declared.
    pub expect: BTreeMap<String, Vec<u16>>,
}

/// What a counter can tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterFacts {
    /// `sql`, `http`, `command` or `sink`.
    pub kind: String,
    /// In words: the statement, the path. No secrets.
    pub text: String,
    /// It tells keys apart by the key.
    pub by_key: bool,
    /// It tells intents apart by the tool's reference.
    pub by_reference: bool,
    /// It tells accounts apart (`:account`, or the account's own credentials).
    pub by_account: bool,
    /// A list that ends at this many elements.
    pub page: Option<u64>,
}

/// Who sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccountFacts {
    /// Its name.
    pub name: String,
    /// The account of which it is a second credential.
    pub same_as: Option<String>,
}
