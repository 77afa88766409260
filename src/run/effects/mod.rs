//! Effects: how often the API did what an intent wants, counted in the way that its operation declares.
//! It must not know how many there should be.

pub mod http;
pub mod sink;
pub mod sql;
pub mod tls;

use std::collections::BTreeMap;

use sink::Sink;
use sql::Database;

use super::command;
use crate::config::target::{Account, CommandLine, Counter, Operation, Target};
use crate::plan::intent::Intent;
use crate::plan::sql::{Bound, Parameter, bind};

/// Whose effects are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Whose<'a> {
    /// The intent.
    pub intent: &'a Intent,
    /// The account.
    pub account: &'a Account,
    /// The run's id.
    pub run: &'a str,
}

impl Whose<'_> {
    /// The values of a statement's parameters.
    pub fn values(&self, bound: &Bound) -> Result<Vec<String>, String> {
        if let Some(unknown) = bound.unknown.first() {
            return Err(format!(
                "the statement's `:{unknown}` is no parameter; there are :key, :wire_key, :account, :ref and :run"
            ));
        }
        bound
            .parameters
            .iter()
            .map(|parameter| self.value(*parameter))
            .collect()
    }

    fn value(&self, parameter: Parameter) -> Result<String, String> {
        let no_key = || "no key was sent, and the statement asks for it".to_owned();
        match parameter {
            Parameter::Key => self.intent.key.clone().ok_or_else(no_key),
            Parameter::WireKey => {
                let line = self.intent.lines.first().ok_or_else(no_key)?;
                Ok(String::from_utf8_lossy(line).into_owned())
            }
            Parameter::Account => self.account.id.clone().ok_or_else(|| {
                format!(
                    "the statement asks for :account; give [account.{}] an id",
                    self.account.name
                )
            }),
            Parameter::Reference => Ok(self.intent.reference.clone()),
            Parameter::Run => Ok(self.run.to_owned()),
        }
    }

    /// The environment of the target's commands. What set-ups made is there by the name of its placeholder, as
    /// `DOUBLETAP_NEED_PAYMENT`.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        let wire = self.intent.lines.first();
        let made = self.intent.captured.iter().map(|(name, value)| {
            let name = name.to_ascii_uppercase().replace('-', "_");
            (format!("DOUBLETAP_NEED_{name}"), value.clone())
        });
        let own = [
            ("DOUBLETAP_KEY", self.intent.key.clone().unwrap_or_default()),
            (
                "DOUBLETAP_WIRE_KEY",
                wire.map(|line| String::from_utf8_lossy(line).into_owned())
                    .unwrap_or_default(),
            ),
            (
                "DOUBLETAP_ACCOUNT",
                self.account
                    .id
                    .clone()
                    .unwrap_or_else(|| self.account.name.clone()),
            ),
            ("DOUBLETAP_REF", self.intent.reference.clone()),
            ("DOUBLETAP_RUN", self.run.to_owned()),
        ];
        let own = own.map(|(name, value)| (name.to_owned(), value));
        own.into_iter().chain(made).collect()
    }
}

/// The counters that need no request: database, sinks, commands.
#[derive(Default)]
pub struct Counters {
    /// The target's database.
    pub database: Option<Database>,
    sinks: BTreeMap<String, Sink>,
}

impl Counters {
    /// Opens what must be there before the first request: sinks listen, the database's URL is read.
    pub fn open(target: &Target) -> Result<Self, String> {
        let mut counters = Self::default();
        if let Some(postgres) = &target.postgres {
            counters.database = Some(Database::new(postgres, target.ca_pem.as_deref())?);
        }
        let mut by_address: BTreeMap<(&str, Option<&str>), &str> = BTreeMap::new();
        for operation in &target.operations {
            if let Some(Counter::Sink { listen, path }) = &operation.count {
                let place = (listen.as_str(), path.as_deref());
                if let Some(other) = by_address.insert(place, &operation.name) {
                    return Err(format!(
                        "the operations `{other}` and `{}` count at the same sink; give one of them another path",
                        operation.name
                    ));
                }
                let sink = Sink::start(listen, path.as_deref())?;
                counters.sinks.insert(operation.name.clone(), sink);
            }
        }
        Ok(counters)
    }

    /// Counts by SQL, sink or command. `None`: the operation counts in another way, or not at all.
    pub fn count(
        &mut self,
        operation: &Operation,
        whose: Whose<'_>,
    ) -> Option<Result<i64, String>> {
        match operation.count.as_ref()? {
            Counter::Sql { sql } => Some(self.by_sql(sql, whose)),
            Counter::Sink { .. } => Some(
                self.sinks
                    .get(&operation.name)
                    .map(|sink| sink.count(&whose.intent.reference))
                    .ok_or_else(|| "its sink does not listen".to_owned()),
            ),
            Counter::Command(line) => Some(by_command(line, whose)),
            Counter::Get { .. } => None,
        }
    }

    fn by_sql(&mut self, sql: &str, whose: Whose<'_>) -> Result<i64, String> {
        let bound = bind(sql);
        let values = whose.values(&bound)?;
        let database = self
            .database
            .as_mut()
            .ok_or("the target declares no database ([postgres])")?;
        database.count(&bound, &values)
    }
}

fn by_command(line: &CommandLine, whose: Whose<'_>) -> Result<i64, String> {
    let ended = command::run(line, &whose.environment());
    match ended.exit {
        Some(0) => ended.stdout.trim().parse().map_err(|_| {
            format!(
                "the counting command must print one whole number; it printed `{}`",
                ended.tail()
            )
        }),
        Some(code) => Err(format!(
            "the counting command ended with {code}: {}",
            ended.tail()
        )),
        None => Err(format!(
            "the counting command: {}",
            ended.why.unwrap_or_default()
        )),
    }
}
