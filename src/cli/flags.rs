//! The flags of `run` and `check`, in curl's habit, as typed.
//! It must not know what they mean: the configuration reads, expands and checks them.

use clap::Args;

use crate::config::Flags;

/// All of them.
#[derive(Args, Clone, Debug, Default)]
pub struct FlagArgs {
    /// The target file. Without one, and without --url, `doubletap.toml` is looked for from here upwards
    #[arg(value_name = "FILE")]
    pub file: Option<String>,
    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    contract: ContractArgs,
    #[command(flatten)]
    effect: EffectArgs,
    #[command(flatten)]
    race: RaceArgs,
    #[command(flatten)]
    sending: SendingArgs,
    #[command(flatten)]
    report: ReportArgs,
}

impl FlagArgs {
    /// The flags as the configuration takes them.
    #[must_use]
    pub fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        self.request.lay(&mut flags);
        self.account.lay(&mut flags);
        self.contract.lay(&mut flags);
        self.effect.lay(&mut flags);
        self.race.lay(&mut flags);
        self.sending.lay(&mut flags);
        self.report.lay(&mut flags);
        flags
    }
}

/// What is sent.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "The request")]
pub struct RequestArgs {
    /// Without FILE the endpoint (http://localhost:8080/payments), with FILE the base URL. Repeat it for replicas of one service
    #[arg(long, value_name = "URL")]
    url: Vec<String>,

    /// The method [without FILE: POST]
    #[arg(short = 'X', long, value_name = "METHOD")]
    request: Option<String>,

    /// A header of every request of the operation (repeatable)
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    header: Vec<String>,

    /// A JSON body, sent byte for byte. {{ref}}, {{uuid}} and {{account.NAME}} are filled in, anew for each intent
    #[arg(long, value_name = "JSON")]
    json: Option<String>,

    /// Form fields, such as amount=100&currency=EUR (repeatable)
    #[arg(short = 'd', long, value_name = "FIELDS")]
    data: Vec<String>,

    /// Where the tool's own reference is put: a JSON Pointer or a form field
    #[arg(long = "ref", value_name = "POINTER")]
    reference: Option<String>,

    /// What makes the changed body: POINTER=VALUE (repeatable) [the first integer plus one]
    #[arg(long, value_name = "POINTER=VALUE")]
    changed: Vec<String>,

    /// A header that makes the service answer slowly, so that duplicates meet a request in progress
    #[arg(long, value_name = "NAME: VALUE")]
    slow: Option<String>,

    /// Statuses of a success, such as 201 or 200,201 [any 2xx]
    #[arg(long, value_name = "STATUS")]
    success: Vec<String>,

    /// What tells results apart: /pointer, header:Location, xml:/A/B or none [found out]
    #[arg(long, value_name = "WHERE")]
    identity: Option<String>,

    /// Test only this operation of FILE, the others only set up (repeatable); flags about the request are about this one
    #[arg(long, value_name = "NAME")]
    operation: Vec<String>,
}

impl RequestArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.url = args.url;
        flags.request = args.request;
        flags.header = args.header;
        flags.json = args.json;
        flags.data = args.data;
        flags.reference = args.reference;
        flags.changed = args.changed;
        flags.slow = args.slow;
        flags.success = args.success;
        flags.identity = args.identity;
        flags.operation = args.operation;
    }
}

/// Who sends.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Accounts")]
pub struct AccountArgs {
    /// A credential: a='Authorization: Bearer ${TOKEN_A}' (repeatable; a sends first, b second)
    #[arg(long, value_name = "NAME=HEADER: VALUE")]
    account: Vec<String>,

    /// What :account and {{account_id}} stand for: a=17 (repeatable)
    #[arg(long, value_name = "NAME=ID")]
    account_id: Vec<String>,
}

impl AccountArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.account = args.account;
        flags.account_id = args.account_id;
    }
}

/// What the API promises.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "The contract")]
pub struct ContractArgs {
    /// The declared contract: a bundled policy's name or a file [plain]
    #[arg(long, value_name = "NAME|PATH")]
    policy: Option<String>,

    /// The header that carries the key [the policy's]
    #[arg(long, value_name = "NAME")]
    key_header: Option<String>,

    /// One clause, in TOML: in-progress=wait, mismatch.refuse.status=[409] (repeatable)
    #[arg(long, value_name = "CLAUSE=VALUE")]
    set: Vec<String>,
}

impl ContractArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.policy = args.policy;
        flags.key_header = args.key_header;
        flags.set = args.set;
    }
}

/// How effects are counted and keys expire.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Effects")]
pub struct EffectArgs {
    /// The database in which effects are counted: postgres://user:${PGPASSWORD}@host/database
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,

    /// A SELECT that answers one number; parameters :ref, :key, :wire_key, :account, :run
    #[arg(long, value_name = "SQL")]
    count_sql: Option<String>,

    /// A GET that counts: PATH#/pointer to a number or a list; PATH#/list[/field=TEXT] counts only elements with that text
    #[arg(long, value_name = "PATH#POINTER")]
    count_get: Option<String>,

    /// How long effects may take to become visible [500ms]
    #[arg(long, value_name = "LENGTH")]
    settle: Option<String>,

    /// A statement that makes the key :key expire (it must change one row)
    #[arg(long, value_name = "SQL")]
    expire_sql: Option<String>,

    /// How long it takes until a key has expired
    #[arg(long, value_name = "LENGTH", conflicts_with = "expire_sql")]
    expire_wait: Option<String>,
}

impl EffectArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.postgres = args.postgres;
        flags.count_sql = args.count_sql;
        flags.count_get = args.count_get;
        flags.settle = args.settle;
        flags.expire_sql = args.expire_sql;
        flags.expire_wait = args.expire_wait;
    }
}

/// Which drills are run, and how often.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is run")]
pub struct RaceArgs {
    /// A suite: a bundled one's name, `all`, or a folder (repeatable) [drill]
    #[arg(long, value_name = "NAME|PATH")]
    suite: Vec<String>,

    /// One drill (repeatable); the control always runs
    #[arg(long, value_name = "ID")]
    drill: Vec<String>,

    /// A drill that must not be skipped, or `all` (repeatable)
    #[arg(long, value_name = "ID")]
    require: Vec<String>,

    /// A violated `should` fails too
    #[arg(long)]
    strict: bool,

    /// Copies of a burst, 2 to 100 [10]
    #[arg(long, value_name = "N")]
    copies: Option<String>,

    /// Copies of any burst at the most, also of drills that say a number themselves, 2 to 100
    #[arg(long, value_name = "N")]
    max_copies: Option<String>,

    /// Rounds of drills that are repeated [10]
    #[arg(long, value_name = "N")]
    rounds: Option<String>,

    /// Instead of --rounds: go on until a look-up that races the insert for so long would have been seen, such as 100us
    #[arg(long, value_name = "LENGTH", conflicts_with = "rounds")]
    window: Option<String>,

    /// With which probability --window is to be seen [0.99]
    #[arg(long, value_name = "SHARE", requires = "window")]
    confidence: Option<String>,

    /// How old a key is, at the least, when its request is repeated at the end of the run, which waits for it [5s]
    #[arg(long, value_name = "LENGTH")]
    key_age: Option<String>,

    /// What may be decided by chance is decided by this number; never keys
    #[arg(long, value_name = "N")]
    seed: Option<String>,

    /// Go on with the other drills after what would end the run
    #[arg(long)]
    keep_going: bool,

    /// Show the plan with the number of requests, and send nothing
    #[arg(long)]
    dry_run: bool,
}

impl RaceArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.suite = args.suite;
        flags.drill = args.drill;
        flags.require = args.require;
        flags.strict = args.strict;
        flags.copies = args.copies;
        flags.max_copies = args.max_copies;
        flags.rounds = args.rounds;
        flags.window = args.window;
        flags.confidence = args.confidence;
        flags.key_age = args.key_age;
        flags.seed = args.seed;
        flags.keep_going = args.keep_going;
        flags.dry_run = args.dry_run;
    }
}

/// How requests are sent.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Sending")]
pub struct SendingArgs {
    /// How long one request may take [30s]
    #[arg(long, value_name = "LENGTH")]
    timeout: Option<String>,

    /// Poll until the target answers, at most so long
    #[arg(long, value_name = "LENGTH")]
    wait: Option<String>,

    /// Requests a second at the most
    #[arg(long, value_name = "N")]
    rate: Option<String>,

    /// Requests of the whole run at the most [20000 on loopback, 1000 elsewhere]
    #[arg(long, value_name = "N")]
    max_requests: Option<String>,

    /// A host that may be tested although it is neither loopback nor private (repeatable)
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,

    /// Test a live system, with real effects; only as a flag, never in a file
    #[arg(long)]
    allow_live: bool,

    /// A PEM file of further certificate authorities
    #[arg(long, value_name = "PATH")]
    cacert: Option<String>,

    /// HTTP/1.1 only
    #[arg(long, group = "protocol")]
    http1: bool,

    /// HTTP/2, negotiated by TLS
    #[arg(long, group = "protocol")]
    http2: bool,

    /// HTTP/2 without negotiation
    #[arg(long, group = "protocol")]
    http2_prior_knowledge: bool,
}

impl SendingArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.timeout = args.timeout;
        flags.wait = args.wait;
        flags.rate = args.rate;
        flags.max_requests = args.max_requests;
        flags.allow_host = args.allow_host;
        flags.allow_live = args.allow_live;
        flags.cacert = args.cacert;
        let protocols = [
            (args.http1, "http1"),
            (args.http2, "http2"),
            (args.http2_prior_knowledge, "http2-prior-knowledge"),
        ];
        let chosen = protocols.iter().find(|(on, _)| *on);
        flags.protocol = chosen.map(|(_, name)| (*name).to_owned());
    }
}

/// What is reported, and where.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reports")]
pub struct ReportArgs {
    /// The report on standard output: table, json, ndjson, junit, sarif, markdown, github, gitlab, tap or html [table]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,

    /// A report into a file (repeatable)
    #[arg(long, value_name = "FORMAT=PATH")]
    output: Vec<String>,

    /// Where the journal goes [the state directory; its path is printed]
    #[arg(long, value_name = "PATH")]
    journal: Option<String>,
}

impl ReportArgs {
    /// Lays these flags over others.
    pub fn lay(&self, flags: &mut Flags) {
        let args = self.clone();
        flags.format = args.format;
        flags.output = args.output;
        flags.journal = args.journal;
    }
}
