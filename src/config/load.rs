//! From texts to a target and settings: the order in which everything is read, merged, checked and resolved.
//! It must not read files or the environment itself: both are handed in.

use super::apply_flags::Layover;
use super::clients;
use super::contracts::{Own, PLAIN, Shelf, Stack};
use super::diagnostic::Diagnostic;
use super::document::Document;
use super::expand::Variables;
use super::flags::Flags;
use super::gathering::{Gathering, Origins, variable};
use super::places::{COMMAND_LINE, Places};
use super::policy::should_error;
use super::resolve_settings::settings;
use super::resolver::Resolver;
use super::secrets::{LEAST, secrets};
use super::set_clause::parse_set;
use super::settings::Settings;
use super::source::Source;
use super::target::{Counter, Expire, Operation, PolicyFacts, Stall, Target};
use super::target_file::TargetFile;
use super::variables::{expand_all, only_unset};
use crate::contract::{ContractPatch, Length};

/// Everything that a configuration is made from.
pub struct Inputs<'a> {
    /// The target file, if there is one.
    pub target: Option<Source>,
    /// The command line.
    pub flags: &'a Flags,
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// A policy by its name or path.
    pub policies: &'a dyn Fn(&str) -> Option<Source>,
    /// The names of the bundled policies, to name the nearest one.
    pub policy_names: &'a [String],
}

/// A configuration, all decided.
#[derive(Debug)]
pub struct Loaded {
    /// Who is tested, and what is sent.
    pub target: Target,
    /// How the run is carried out.
    pub settings: Settings,
    /// The name of the target file, where there is one.
    pub file: Option<String>,
    /// Setting, value, origin: what `check` shows.
    pub origins: Origins,
    /// What is odd, but no error.
    pub warnings: Vec<String>,
}

/// Loads a configuration.
pub fn load(inputs: Inputs<'_>) -> Result<Loaded, Vec<Diagnostic>> {
    let mut used = Variables::new();
    let mut literal = Vec::new();
    let loaded = load_with(&inputs, &mut used, &mut literal);
    loaded.map_err(|mut errors| {
        for error in &mut errors {
            for (name, value) in used.iter().filter(|(_, value)| value.len() >= LEAST) {
                error.conceal(&format!("${name}"), value);
            }
            for value in literal.iter().filter(|value| value.len() >= LEAST) {
                error.conceal_quoted(value);
            }
        }
        errors
    })
}

fn load_with(
    inputs: &Inputs<'_>,
    used: &mut Variables,
    literal: &mut Vec<String>,
) -> Result<Loaded, Vec<Diagnostic>> {
    let (flags, from_env) = with_environment(inputs);
    let flags = &flags;
    let mut document = inputs.target.as_ref().map(Document::parse).transpose()?;
    let mut wrong = Vec::new();
    let mut file = TargetFile::default();
    if let Some(document) = &mut document {
        wrong.extend(expand_all(document, inputs.env, used));
        match document.read() {
            Ok(read) => file = read,
            Err(errors) => {
                wrong.extend(errors);
                only_unset(&mut wrong);
                return Err(wrong);
            }
        }
    } else if flags.url.is_empty() {
        let error = Diagnostic::nowhere("no target: neither a file nor --url is given");
        return Err(vec![error.help(
            "write one with `doubletap init`, or give --url with the endpoint",
        )]);
    }
    let own_clauses = file.contract.clone();
    let mut places = Places::of(document.as_ref());
    let mut layover = Layover {
        env: inputs.env,
        from_env: &from_env,
        used,
        places: &mut places,
        errors: Vec::new(),
    };
    layover.apply(flags, &mut file, inputs.target.is_some());
    wrong.append(&mut layover.errors);
    if only_unset(&mut wrong) {
        return Err(wrong);
    }
    // a variable that is not set leaves its name, which is no secret
    let typed = file
        .account
        .0
        .iter()
        .flat_map(|(_, account)| account.secrets());
    literal.extend(typed.filter(|value| !value.contains("${")).cloned());
    let set = clauses(flags, &mut wrong);

    let mut resolver = Resolver {
        file: &file,
        places: &places,
        wrong,
        warnings: Vec::new(),
    };
    let accounts = resolver.accounts();
    let replicas = resolver.replicas();
    let postgres = resolver.postgres();
    let operations = resolver.operations(&accounts);
    let expire = resolver.expiry(&accounts);
    let asks =
        operations.iter().any(asks_the_database) || matches!(expire, Some(Expire::Sql { .. }));
    // what is wrong elsewhere may be what would have asked
    if postgres.is_some() && !asks && resolver.wrong.is_empty() {
        resolver.idle_database(flags, &from_env);
    }
    let hooks = resolver.hooks();
    let clients = resolver.clients();
    if !flags.allow_live {
        resolver.live(&replicas, &accounts, &operations);
    }
    for (n, name) in file.should.iter().enumerate() {
        let error = should_error(name, |title| {
            places.error(&["should", &n.to_string()], title)
        });
        resolver.wrong.extend(error);
    }
    for (n, name) in file.public.iter().enumerate() {
        if !used.contains_key(name) {
            resolver.warnings.push(format!(
                "`public` names {name}, which no text uses (entry {})",
                n + 1
            ));
        }
    }

    let mut gathering = Gathering {
        env: inputs.env,
        places: &places,
        errors: Vec::new(),
        origins: Vec::new(),
    };
    let timeout = gathering.length(
        "timeout",
        flags.timeout.as_deref(),
        file.run.timeout,
        file.timeout,
        Length::seconds(30),
    );
    let settle = gathering.length(
        "settle",
        flags.settle.as_deref(),
        file.run.settle,
        file.settle,
        Length::millis(500),
    );
    gathering.within(
        "timeout",
        timeout,
        Length::millis(10),
        Length::seconds(3600),
        "30s",
    );
    gathering.within(
        "settle",
        settle,
        Length::millis(0),
        Length::seconds(600),
        "500ms",
    );
    let settings = settings(&mut gathering, flags, &file.run);
    let setting_origins = gathering.origins;
    resolver.wrong.append(&mut gathering.errors);
    resolver.public_addresses(&replicas, &accounts, &settings.allow_hosts);

    let name = file.policy.as_deref().unwrap_or(PLAIN);
    let shelf = Shelf {
        find: inputs.policies,
        names: inputs.policy_names,
    };
    let stack = Stack::build(&shelf, name, &|title| places.error(&["policy"], title));
    let stack = match stack {
        Ok(stack) => stack,
        Err(errors) => {
            resolver.wrong.extend(errors);
            return Err(resolver.wrong);
        }
    };
    if !resolver.wrong.is_empty() {
        return Err(resolver.wrong);
    }
    let own = Own {
        file: inputs.target.as_ref().map(|source| (source, &own_clauses)),
        should: &file.should,
        set: &set,
    };
    let base_path = replicas.first().map_or("", |replica| replica.url.path());
    let contracts = stack.contracts(&operations, base_path, &own);
    let (hidden, short) = secrets(
        used,
        &file.public,
        &accounts,
        &operations,
        postgres.as_ref(),
    );
    let mut warnings = resolver.warnings;
    warnings.extend(short);
    warnings.extend(clients::warnings(&clients, &contracts));
    let policy: PolicyFacts = stack.facts();
    let target = Target {
        replicas,
        accounts,
        operations,
        contracts,
        policy,
        postgres,
        expire,
        hooks,
        settle,
        timeout,
        secrets: hidden,
        ca_pem: None,
    };
    let mut origins = super::explain::target_origins(&target, &places);
    origins.extend(clients::rows(&clients, &places));
    origins.extend(setting_origins);
    Ok(Loaded {
        target,
        settings,
        file: inputs.target.as_ref().map(|source| source.name.clone()),
        origins,
        warnings,
    })
}

/// Whether an operation has something to do in the database.
fn asks_the_database(operation: &Operation) -> bool {
    matches!(operation.count, Some(Counter::Sql { .. }))
        || matches!(operation.stall, Some(Stall::Postgres { .. }))
}

impl Resolver<'_> {
    /// A database that nothing asks: an error where it was typed, a word where it stands in a file or the environment.
    fn idle_database(&mut self, flags: &Flags, from_env: &[&str]) {
        if flags.postgres.is_none() || from_env.contains(&"postgres") {
            self.warnings.push(
                "a database is named, and nothing asks it: no count by SQL, no expiry by SQL, no lock".to_owned(),
            );
            return;
        }
        let error = self.places.error(
            &["postgres"],
            "--postgres is given, and nothing asks the database",
        );
        self.wrong(error.help("add --count-sql 'SELECT count(*) ... WHERE reference = :ref' (or --expire-sql), or leave it out"));
    }
}

/// Flags that may come from the environment too, but belong to the target and not to the settings; and which ones do.
fn with_environment(inputs: &Inputs<'_>) -> (Flags, Vec<&'static str>) {
    let mut flags = inputs.flags.clone();
    let mut from_env = Vec::new();
    let mut env = |name: &'static str, is_typed: bool| {
        let value = (inputs.env)(&variable(name)).filter(|text| !text.is_empty() && !is_typed)?;
        from_env.push(name);
        Some(value)
    };
    flags.url.extend(env("url", !flags.url.is_empty()));
    flags.policy = env("policy", flags.policy.is_some()).or(flags.policy);
    flags.postgres = env("postgres", flags.postgres.is_some()).or(flags.postgres);
    (flags, from_env)
}

/// The clauses of the command line.
fn clauses(flags: &Flags, wrong: &mut Vec<Diagnostic>) -> Vec<(String, ContractPatch)> {
    let mut set = Vec::new();
    if let Some(header) = &flags.key_header {
        let quoted = serde_json::Value::from(header.as_str());
        match parse_set(&format!("key.in.header={quoted}")) {
            Ok(patch) if is_header(header) => set.push(("--key-header".to_owned(), patch)),
            _ => {
                let source = Source::new(COMMAND_LINE, format!("--key-header {header}"));
                let error = Diagnostic::new(
                    &source,
                    13..source.text.len(),
                    format!("`{header}` is no header's name"),
                );
                wrong.push(error.help("such as --key-header Idempotency-Key"));
            }
        }
    }
    for argument in &flags.set {
        match parse_set(argument) {
            Ok(patch) => set.push(("--set".to_owned(), patch)),
            Err(errors) => wrong.extend(errors),
        }
    }
    set
}

fn is_header(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
