//! `doubletap bench`: measures this program's own claims on this machine.
//! It must not know how they are measured.

pub mod probe;
pub mod race;
pub mod runs;

use clap::{Args, Subcommand, ValueEnum};

use super::look::Look;

/// Measure the race engine on this machine
#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Race(race::RaceArgs),
    Runs(runs::RunsArgs),
    Probe(probe::ProbeArgs),
}

/// How tables come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Table,
    /// Everything, for programs
    Json,
    /// As docs/race.md keeps it
    Markdown,
}

/// Measures, and gives the exit code.
#[must_use]
pub fn run(args: &BenchArgs, look: &Look) -> u8 {
    match &args.what {
        What::Race(args) => race::run(args, look),
        What::Runs(args) => runs::run(args, look),
        What::Probe(args) => probe::run(args),
    }
}
