//! A target, all decided: variables expanded, flags merged, defaults filled in, contracts resolved for each operation.
//! It must not know where a setting came from, nor how requests are sent.

use std::collections::BTreeMap;

use secrecy::SecretString;

use crate::contract::{Contract, Length};

/// The API under test, as the run needs it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Base URLs of one service (several = replicas). Without a trailing slash.
    pub replicas: Vec<Replica>,
    /// Who sends. Always has `a`.
    pub accounts: Vec<Account>,
    /// What is sent.
    pub operations: Vec<Operation>,
    /// The contract of each operation, by its name.
    pub contracts: BTreeMap<String, Contract>,
    /// The policy that the contracts come from.
    pub policy: PolicyFacts,
    /// The database in which effects are counted.
    pub postgres: Option<Postgres>,
    /// How a key is made to expire.
    pub expire: Option<Expire>,
    /// Commands by name.
    pub hooks: BTreeMap<String, CommandLine>,
    /// How long effects may take to become visible after the last reply.
    pub settle: Length,
    /// How long one request may take.
    pub timeout: Length,
    /// Values that must never be shown: name (a variable's, or `Authorization of a`) and value.
    pub secrets: Vec<Secret>,
    /// A PEM bundle of further certificate authorities.
    pub ca_pem: Option<Vec<u8>>,
}

impl Target {
    /// Where accounts get their tokens.
    pub fn token_urls(&self) -> impl Iterator<Item = &url::Url> {
        let all = self
            .accounts
            .iter()
            .filter_map(|account| account.oauth.as_ref());
        all.map(|oauth| &oauth.token_url)
    }
}

/// A value that must never be shown.
#[derive(Clone, Debug)]
pub struct Secret {
    /// What stands in its place: `$SHOP_TOKEN_A`.
    pub name: String,
    /// The value.
    pub value: SecretString,
}

/// One base URL.
#[derive(Clone, Debug)]
pub struct Replica {
    /// The base URL.
    pub url: url::Url,
    /// Its region, where keys are regional.
    pub region: Option<String>,
}

/// The policy in use.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct PolicyFacts {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The file it stands in.
    pub file: String,
    /// The date its facts were seen.
    pub seen: Option<String>,
    /// Where its facts come from.
    pub sources: Vec<String>,
}

/// Who sends.
#[derive(Clone, Debug)]
pub struct Account {
    /// `a`, `b`, ...
    pub name: String,
    /// What `:account` is bound to.
    pub id: Option<String>,
    /// A second credential of this account.
    pub same_as: Option<String>,
    /// Its credentials, as headers. Values may hold placeholders.
    pub headers: Vec<(String, String)>,
    /// What `{{account.NAME}}` stands for.
    pub values: BTreeMap<String, String>,
    /// How its token is fetched; a stand-in is in its headers.
    pub oauth: Option<OAuth>,
}

/// A token by client credentials.
#[derive(Clone, Debug)]
pub struct OAuth {
    /// Where tokens are given out.
    pub token_url: url::Url,
    /// The client.
    pub client_id: String,
    /// Its secret.
    pub client_secret: SecretString,
    /// What the token is to be good for.
    pub scope: Option<String>,
    /// The client says who it is in the form, not in the Authorization header.
    pub in_body: bool,
    /// Further fields of the form.
    pub params: Vec<(String, String)>,
}

impl OAuth {
    /// What stands in an account's headers for the token: the token itself is only put into the bytes that leave.
    #[must_use]
    pub fn stand_in(account: &str) -> String {
        format!("doubletap-token-of-{account}")
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name in `drill/case@operation`.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Path and query after the base URL, with placeholders. Begins with `/`, or is empty.
    pub path: String,
    /// Headers, with placeholders.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// Where the tool's own reference is put: a JSON Pointer, or a form field's name.
    pub reference_at: Option<String>,
    /// Statuses of a success. Empty: any 2xx.
    pub success: Vec<u16>,
    /// What tells one result from another.
    pub identity: Identity,
    /// Variants of the request, by name (`changed`, `declined`, `slow`, ...).
    pub bodies: BTreeMap<String, Variant>,
    /// How effects are counted.
    pub count: Option<Counter>,
    /// A GET that shows the effects, beside a counter that is none: path and query with placeholders, or a whole URL.
    pub read: Option<String>,
    /// Query parameters that make another request of this one. Empty: a made-up one is added.
    pub other_query: Vec<(String, String)>,
    /// How a request is held in progress.
    pub stall: Option<Stall>,
    /// Placeholders that a set-up request fills: name -> operation.
    pub needs: BTreeMap<String, String>,
    /// Whether the service refuses a reference that it has seen under another key; `None`: not declared.
    pub unique_reference: Option<bool>,
    /// Only there to set others up; drills do not test it.
    pub setup_only: bool,
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// JSON text, byte for byte, with placeholders. Edits touch only the named bytes.
    Json(String),
    /// Form fields in order, with placeholders.
    Form(Vec<(String, String)>),
    /// Anything else, with its content type, byte for byte.
    Text {
        /// The content type.
        content_type: String,
        /// The text, with placeholders.
        text: String,
    },
}

/// A variant of an operation's request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// Values to set: JSON Pointer (or form field) -> JSON value.
    pub set: Vec<(String, serde_json::Value)>,
    /// JSON Pointers (or form fields) to remove.
    pub remove: Vec<String>,
    /// A whole other body.
    pub body: Option<Body>,
    /// Headers to set.
    pub headers: Vec<(String, String)>,
    /// Statuses that this variant is expected to get. Empty: not known.
    pub expect: Vec<u16>,
}

/// What tells one result from another.
#[derive(
    Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// Found out by the preflight.
    Detect,
    /// A JSON Pointer into the reply.
    Pointer(String),
    /// A header of the reply.
    Header(String),
    /// An element path in an XML reply (`xml:/A/B`).
    Xml(String),
    /// There is none; effects must be counted.
    None,
}

/// How effects are counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Counter {
    /// A SELECT that answers one number; parameters `:key`, `:wire_key`, `:account`, `:ref`, `:run`.
    Sql {
        /// The statement.
        sql: String,
    },
    /// A GET with the account's credentials.
    Get {
        /// Path and query, or a whole URL, with placeholders (also `{{key}}`, `{{wire_key}}`).
        path: String,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// JSON Pointer to a number or a list. Empty: the whole body.
        at: String,
        /// For a list: count only elements whose field (JSON Pointer) holds this text (placeholders allowed).
        matching: Option<(String, String)>,
        /// The list's page size: as many elements mean "at least".
        page: Option<u64>,
    },
    /// A command that prints a number; gets `DOUBLETAP_KEY`, `DOUBLETAP_ACCOUNT`, `DOUBLETAP_REF`, `DOUBLETAP_RUN`,
    /// and `DOUBLETAP_NEED_...` for what set-ups made.
    Command(CommandLine),
    /// Calls that arrive at a sink that the tool listens on.
    Sink {
        /// Address to listen on.
        listen: String,
        /// A call counts for an intent when its path, headers or body contain the intent's reference.
        path: Option<String>,
    },
}

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// How long it may take.
    pub timeout: Length,
}

/// How a request is held in progress.
#[derive(Clone, Debug, PartialEq)]
pub enum Stall {
    /// A variant of the request (by name) that the service answers slowly; it applies to every request of the intent.
    Slow(String),
    /// A lock in the database.
    Postgres {
        /// A table to lock in SHARE MODE, or a whole statement.
        lock: String,
        /// Whether `lock` is a whole statement.
        is_statement: bool,
        /// The longest hold.
        hold: Length,
    },
}

/// How a key is made to expire.
#[derive(Clone, Debug, PartialEq)]
pub enum Expire {
    /// Time passes.
    Wait(Length),
    /// A statement that must change exactly so many rows.
    Sql {
        /// The statement, with the counter's parameters.
        sql: String,
        /// How many rows it must change.
        rows: u64,
    },
    /// A request.
    Http {
        /// The method.
        method: String,
        /// Path and query, or a whole URL, with placeholders (also `{{key}}`, `{{wire_key}}`, `{{account_id}}`).
        path: String,
        /// Headers; the account's credentials are added.
        headers: Vec<(String, String)>,
        /// A body with placeholders.
        body: Body,
    },
    /// A command; gets the counter's environment.
    Command(CommandLine),
    /// Later, by `doubletap resume`.
    Later,
}

/// The database.
#[derive(Clone, Debug)]
pub struct Postgres {
    /// Its URL, password included.
    pub url: SecretString,
    /// How long one statement may take.
    pub statement_timeout: Length,
}
