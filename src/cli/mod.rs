//! The command line: as typed, then as meant; one file a subcommand.
//! It must not hold logic that another front end would need.

/// Writes a line to standard error. Whoever has closed it does not want to know, and the run goes on.
macro_rules! complain {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($part)*);
    }};
}
pub(crate) use complain;

pub mod apart;
mod baseline;
pub mod bench;
mod bounded;
pub mod check;
pub mod completions;
mod curl;
pub mod deliver;
pub mod demo;
pub mod diff;
mod draft;
mod draft_secrets;
mod draft_text;
pub mod drills;
pub mod dry_run;
pub mod explain;
pub mod facts;
pub mod faults;
pub mod flags;
pub mod github;
mod help;
pub mod init;
pub mod interrupt;
pub mod journal_file;
pub mod judge;
pub mod look;
pub mod observe;
mod openapi_file;
pub mod output;
pub mod policies;
pub mod private;
mod progress;
mod provider;
mod rebuilt;
pub mod recording;
pub mod rejudge;
pub mod report;
pub mod resume;
pub mod run;
mod run_key;
pub mod sandbox;
pub mod sandbox_child;
pub mod sandbox_policy;
mod saved;
pub mod schema;
pub mod selftest;
pub mod session;
pub mod show;
pub mod stream;
pub mod suites;
pub mod tape;
pub mod target;
mod terms;
mod told_drill;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::exit;
use look::Look;

/// Tests whether an HTTP API keeps its promise about idempotency keys.
///
/// It sends one operation in every way a retry can happen (again, at the same moment, with another body, from another
/// account, after the key expired), counts what really happened, and judges it against the contract that the API declares.
#[derive(Parser, Debug)]
#[command(
    name = "doubletap",
    version,
    max_term_width = 110,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    look: Look,
}

#[derive(Subcommand, Debug)]
enum Command {
    Demo(Box<demo::DemoArgs>),
    Selftest(selftest::SelftestArgs),
    Run(Box<run::RunArgs>),
    Resume(Box<resume::ResumeArgs>),
    Observe(Box<observe::ObserveArgs>),
    Check(Box<check::CheckArgs>),
    Init(Box<init::InitArgs>),
    Drills(drills::DrillsArgs),
    Policies(policies::PoliciesArgs),
    Explain(explain::ExplainArgs),
    Judge(judge::JudgeArgs),
    Report(report::ReportArgs),
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Baseline(baseline::BaselineArgs),
    Sandbox(sandbox::SandboxArgs),
    Faults(faults::FaultsArgs),
    Bench(bench::BenchArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    #[command(hide = true)]
    Man,
}

/// Reads the command line, does what it asks, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let look = cli.look;
    let code = match cli.command {
        Command::Demo(args) => demo::run(&args, &look),
        Command::Selftest(args) => selftest::run(&args, &look),
        Command::Run(args) => run::run(&args, &look),
        Command::Resume(args) => resume::run(&args, &look),
        Command::Observe(args) => observe::run(&args, &look),
        Command::Sandbox(args) => return sandbox::run(args),
        Command::Judge(args) => judge::run(&args, &look),
        Command::Report(args) => report::run(&args, &look),
        Command::Diff(args) => diff::run(&args, &look),
        Command::Baseline(args) => baseline::run(&args, &look),
        Command::Show(args) => show::run(&args, &look),
        Command::Drills(args) => drills::run(&args, &look),
        Command::Explain(args) => explain::run(&args, &look),
        Command::Policies(args) => policies::run(&args, &look),
        Command::Faults(args) => faults::run(&args, &look),
        Command::Bench(args) => bench::run(&args, &look),
        Command::Completions(args) => completions::run(&args),
        Command::Check(args) => check::run(&args, &look),
        Command::Init(args) => init::run(&args, &look),
        Command::Schema(args) => schema::run(&args, &look),
        Command::Man => completions::man(),
    };
    ExitCode::from(code)
}

/// The command as clap knows it.
#[must_use]
pub fn command() -> clap::Command {
    help::laid_out(Cli::command())
}

fn refuse(error: &clap::Error) -> ExitCode {
    // help and version are no errors; a pipe that nobody reads is none either
    let _ = error.print();
    ExitCode::from(if error.use_stderr() {
        exit::USAGE
    } else {
        exit::PASSED
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
