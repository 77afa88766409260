//! The command line as typed: plain texts, so that they are read, expanded and refused like those of a file.
//! It must not know how arguments are parsed.

/// What was typed. Every text still holds its `${VARIABLES}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `--url`: the endpoint without a file, the base URL with one.
    pub url: Vec<String>,
    /// `--request`: the method.
    pub request: Option<String>,
    /// `--header`: `Name: value`.
    pub header: Vec<String>,
    /// `--json`: a JSON body, byte for byte.
    pub json: Option<String>,
    /// `--data`: form fields.
    pub data: Vec<String>,
    /// `--operation`: only these are tested.
    pub operation: Vec<String>,
    /// `--account NAME=Header: value`.
    pub account: Vec<String>,
    /// `--account-id NAME=ID`.
    pub account_id: Vec<String>,
    /// `--changed /pointer=value`.
    pub changed: Vec<String>,
    /// `--identity`.
    pub identity: Option<String>,
    /// `--key-header`.
    pub key_header: Option<String>,
    /// `--policy`.
    pub policy: Option<String>,
    /// `--postgres`.
    pub postgres: Option<String>,
    /// `--count-sql`.
    pub count_sql: Option<String>,
    /// `--count-get PATH#/pointer`.
    pub count_get: Option<String>,
    /// `--ref`.
    pub reference: Option<String>,
    /// `--success`.
    pub success: Vec<String>,
    /// `--slow Name: value`: a header that makes one request slow.
    pub slow: Option<String>,
    /// `--expire-sql`.
    pub expire_sql: Option<String>,
    /// `--expire-wait`.
    pub expire_wait: Option<String>,
    /// `--set CLAUSE=VALUE`.
    pub set: Vec<String>,
    /// `--suite`.
    pub suite: Vec<String>,
    /// `--drill`.
    pub drill: Vec<String>,
    /// `--require`.
    pub require: Vec<String>,
    /// `--allow-host`.
    pub allow_host: Vec<String>,
    /// `--copies`.
    pub copies: Option<String>,
    /// `--rounds`.
    pub rounds: Option<String>,
    /// `--window`.
    pub window: Option<String>,
    /// `--confidence`.
    pub confidence: Option<String>,
    /// `--timeout`.
    pub timeout: Option<String>,
    /// `--settle`.
    pub settle: Option<String>,
    /// `--wait`.
    pub wait: Option<String>,
    /// `--key-age`.
    pub key_age: Option<String>,
    /// `--rate`.
    pub rate: Option<String>,
    /// `--max-copies`.
    pub max_copies: Option<String>,
    /// `--max-requests`.
    pub max_requests: Option<String>,
    /// `--seed`.
    pub seed: Option<String>,
    /// `--format`.
    pub format: Option<String>,
    /// `--output FORMAT=PATH`.
    pub output: Vec<String>,
    /// `--journal`.
    pub journal: Option<String>,
    /// `--cacert`.
    pub cacert: Option<String>,
    /// `--http1`, `--http2` or `--http2-prior-knowledge`, as the protocol's name.
    pub protocol: Option<String>,
    /// `--strict`.
    pub strict: bool,
    /// `--keep-going`.
    pub keep_going: bool,
    /// `--dry-run`.
    pub dry_run: bool,
    /// `--allow-live`.
    pub allow_live: bool,
}

impl Flags {
    /// Whether flags describe the request itself, and not only how it is tested.
    #[must_use]
    pub fn describe_a_request(&self) -> bool {
        self.request.is_some()
            || self.json.is_some()
            || !self.data.is_empty()
            || !self.changed.is_empty()
            || self.identity.is_some()
            || self.count_sql.is_some()
            || self.count_get.is_some()
            || self.reference.is_some()
            || !self.success.is_empty()
            || self.slow.is_some()
    }
}
