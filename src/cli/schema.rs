//! `doubletap schema`: JSON Schemas of the files that people write, and of the JSON reports.
//! It must not know what the files mean.

use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::deliver::refuse;
use super::faults::say;
use super::look::Look;
use crate::config::baseline::BaselineFile;
use crate::config::policy::PolicyFile;
use crate::config::suite::Drill;
use crate::config::target_file::TargetFile;
use crate::exit;
use crate::report::{json, ndjson};

/// Print the JSON Schema of a kind of file
#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_enum)]
    kind: Kind,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A target file (doubletap.toml)
    Target,
    /// A policy file
    Policy,
    /// A drill file of a suite
    Suite,
    /// A baseline of known violations
    Baseline,
    /// The JSON report
    Report,
    /// A line of the NDJSON report
    Events,
}

/// Prints it, and gives the exit code.
#[must_use]
pub fn run(args: &SchemaArgs, _look: &Look) -> u8 {
    match serde_json::to_string_pretty(&schema(args.kind)) {
        Ok(text) => say(&format!("{text}\n")),
        Err(error) => refuse(exit::OUTPUT, error),
    }
}

/// The schema of a kind of file.
#[must_use]
pub fn schema(kind: Kind) -> Schema {
    fn of<T: JsonSchema>() -> Schema {
        SchemaSettings::draft07()
            .into_generator()
            .into_root_schema_for::<T>()
    }
    match kind {
        Kind::Target => of::<TargetFile>(),
        Kind::Policy => of::<PolicyFile>(),
        Kind::Suite => of::<Drill>(),
        Kind::Baseline => of::<BaselineFile>(),
        Kind::Report => json::schema(),
        Kind::Events => ndjson::schema(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files as JSON, as editors look at them.
    fn valid(kind: Kind, text: &str) -> Result<(), String> {
        let schema = serde_json::to_value(schema(kind)).unwrap();
        let document: serde_json::Value = toml::from_str(text).unwrap();
        jsonschema::draft7::new(&schema)
            .unwrap()
            .validate(&document)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn bundled_files_fit_their_schemas() {
        for (name, text) in crate::bundled::policies() {
            valid(Kind::Policy, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for (name, text) in crate::bundled::drills() {
            valid(Kind::Suite, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let target = include_str!("../../fixtures/targets/sandbox.toml");
        valid(Kind::Target, target).unwrap();
    }

    #[test]
    fn unknown_names_do_not_fit() {
        assert!(valid(Kind::Target, "ulr = \"http://127.0.0.1\"").is_err());
        assert!(
            valid(
                Kind::Policy,
                "id = \"x\"\ntitle = \"t\"\ncontract.mismach = \"run\""
            )
            .is_err()
        );
        assert!(
            valid(
                Kind::Policy,
                "id = \"x\"\ntitle = \"t\"\ncontract.mismatch = \"ran\""
            )
            .is_err()
        );
    }
}
