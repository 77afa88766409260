//! The target file as it is written: who is tested, who sends, and what may be assumed.
//! It must not know defaults, flags, or whether what it says makes sense.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::json_value::{FormSource, JsonSource, Text};
use super::operation_file::OperationTable;
use super::ordered::Ordered;
use crate::contract::duration::some_time;
use crate::contract::{ContractPatch, Length};

/// A target file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TargetFile {
    /// The base URL; operations' paths follow it.
    pub url: Option<String>,
    /// Base URLs of replicas of one service.
    pub urls: Vec<String>,
    /// Replicas with their regions.
    pub replica: Vec<ReplicaTable>,
    /// The policy: a bundled one's name, or a file.
    pub policy: Option<String>,
    /// Clauses that this service declares itself; they win over the policy's.
    pub contract: ContractPatch,
    /// Clauses, or parts such as `mismatch.status`, that only warn.
    pub should: Vec<String>,
    /// Variables whose values may be shown.
    pub public: Vec<String>,
    /// How long effects may take to become visible (500ms).
    pub settle: Option<Length>,
    /// How long one request may take (30s).
    pub timeout: Option<Length>,
    /// Who sends: `a`, `b`, and second credentials such as `a2`.
    pub account: Ordered<AccountTable>,
    /// The database in which effects are counted.
    pub postgres: Option<PostgresTable>,
    /// What is sent.
    pub operation: Ordered<OperationTable>,
    /// How a key is made to expire: exactly one of `sql`, `wait`, `http`, `command`, `later`.
    pub expire: Option<ExpireTable>,
    /// How the service's clients repeat requests: `check` compares it with how long keys are kept.
    pub client: Ordered<ClientTable>,
    /// Commands that drills may run.
    pub hook: BTreeMap<String, HookTable>,
    /// Settings of the run; flags and `DOUBLETAP_*` variables win over them.
    pub run: RunTable,
}

/// One replica.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReplicaTable {
    /// Its base URL.
    pub url: String,
    /// Its region.
    #[serde(default)]
    pub region: Option<String>,
}

/// One account, or another credential of one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct AccountTable {
    /// What `:account` and `{{account_id}}` stand for.
    pub id: Option<Text>,
    /// Credentials: headers of every request of the account.
    pub headers: Ordered<String>,
    /// Credentials: user and password (RFC 7617).
    pub basic: Option<BasicTable>,
    /// Credentials: a token that is fetched before the run, and again when it expires (OAuth 2 client credentials).
    pub oauth: Option<OAuthTable>,
    /// What `{{account.NAME}}` stands for.
    pub values: Ordered<Text>,
    /// The account of which this is another credential.
    pub same_as: Option<String>,
}

impl AccountTable {
    /// Everything in it that must not be shown.
    pub fn secrets(&self) -> impl Iterator<Item = &String> {
        let headers = self.headers.0.iter().map(|(_, value)| value);
        let password = self.basic.iter().map(|basic| &basic.password);
        let secret = self.oauth.iter().map(|oauth| &oauth.client_secret);
        headers.chain(password).chain(secret)
    }
}

/// User and password.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BasicTable {
    /// The user.
    pub user: String,
    /// The password; empty where a key stands as the user.
    #[serde(default)]
    pub password: String,
}

/// A token by client credentials (RFC 6749, section 4.4).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OAuthTable {
    /// Where tokens are given out: a whole URL, whose host must be allowed as the target's must.
    pub token_url: String,
    /// The client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// What the token is to be good for.
    #[serde(default)]
    pub scope: Option<String>,
    /// How the client says who it is: in the Authorization header (`basic`, the default), or in the form (`body`).
    #[serde(default)]
    pub send: Option<SendClient>,
    /// Further fields of the form, such as an audience.
    #[serde(default)]
    pub params: Ordered<String>,
}

/// Where client and secret stand in a request for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SendClient {
    /// In the Authorization header.
    Basic,
    /// In the form.
    Body,
}

/// The database.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PostgresTable {
    /// `postgres://user:password@host:port/database`, also with `?sslmode=`.
    pub url: String,
    /// How long one statement may take (5s).
    #[serde(default, deserialize_with = "some_time")]
    pub statement_timeout: Option<Length>,
}

/// How a key is made to expire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExpireTable {
    /// A statement that makes the key `:key` expire.
    pub sql: Option<String>,
    /// How many rows the statement must change (1).
    pub rows: Option<u64>,
    /// Time to wait until the key has expired.
    #[serde(default, deserialize_with = "some_time")]
    pub wait: Option<Length>,
    /// A request that makes the key `{{key}}` expire.
    pub http: Option<ExpireHttp>,
    /// A command that does.
    pub command: Option<Words>,
    /// How long the command may take (30s).
    #[serde(default, deserialize_with = "some_time")]
    pub timeout: Option<Length>,
    /// The rest of the run comes later, by `doubletap resume`.
    pub later: Option<bool>,
}

/// How a client of the service repeats a request: a window, or tries with waits that double.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ClientTable {
    /// From the first try to the last (a queue's longest age, a phone's time without a network).
    #[serde(default, deserialize_with = "some_time")]
    pub window: Option<Length>,
    /// Instead: tries at the most, the first included.
    pub tries: Option<u32>,
    /// The wait before the second try; doubled for each further one.
    pub backoff: Option<Length>,
    /// The longest wait between two tries.
    pub most: Option<Length>,
    /// How long one try may take (30s).
    #[serde(default, deserialize_with = "some_time")]
    pub timeout: Option<Length>,
}

/// A request that makes a key expire.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExpireHttp {
    /// `METHOD /path`.
    pub request: String,
    /// Further headers.
    pub headers: Ordered<String>,
    /// A JSON body.
    pub json: Option<JsonSource>,
    /// A form body.
    pub form: Option<FormSource>,
}

/// A command that drills may run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HookTable {
    /// Program and arguments.
    pub command: Words,
    /// How long it may take (30s).
    #[serde(default, deserialize_with = "some_time")]
    pub timeout: Option<Length>,
}

/// Program and arguments: a list, or one text that is split as a shell splits words (nothing else of a shell).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a list of words, or one text")]
pub enum Words {
    /// As a list.
    List(Vec<String>),
    /// As one text.
    Line(String),
}

impl Default for Words {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// Settings of the run.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RunTable {
    /// Copies of a burst (10).
    pub copies: Option<u32>,
    /// Copies of any burst at the most, also of drills that say a number themselves (2 to 100).
    pub max_copies: Option<u32>,
    /// Rounds of drills that are repeated (10).
    pub rounds: Option<u32>,
    /// Instead of `rounds`: a window that is to be seen, such as `100us`.
    pub window: Option<Length>,
    /// With which probability (0.99).
    pub confidence: Option<f64>,
    /// How long one request may take (30s).
    pub timeout: Option<Length>,
    /// How long effects may take to become visible (500ms).
    pub settle: Option<Length>,
    /// Requests a second at the most.
    pub rate: Option<f64>,
    /// Requests of the whole run at the most.
    pub max_requests: Option<u64>,
    /// Poll so long until the target answers.
    pub wait: Option<Length>,
    /// How old a key is, at the least, when `drill.within-retention` repeats its request at the end of the run (5s).
    pub key_age: Option<Length>,
    /// A violated should fails too.
    pub strict: Option<bool>,
    /// Go on after what would end the run.
    pub keep_going: Option<bool>,
    /// Drills that must not be skipped, or `all`.
    pub require: Vec<String>,
    /// Suites to run.
    pub suites: Vec<String>,
    /// Drills to run.
    pub drills: Vec<String>,
    /// Hosts that may be tested although they are neither loopback nor private.
    pub allow_hosts: Vec<String>,
    /// The report's format.
    pub format: Option<String>,
    /// Where the journal goes.
    pub journal: Option<String>,
    /// A PEM bundle of further certificate authorities.
    pub cacert: Option<String>,
    /// `auto`, `http1`, `http2` or `http2-prior-knowledge`.
    pub protocol: Option<String>,
    /// What may be decided by chance is decided by this number; never keys.
    pub seed: Option<u64>,
}
