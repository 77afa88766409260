//! `doubletap baseline write`, and the flag that names a baseline: known violations, recorded and read.
//! It must not know how a run is judged beside one.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use jiff::civil::Date;

use super::deliver::refuse;
use super::faults::say;
use super::journal_file;
use super::look::Look;
use super::output;
use super::rejudge;
use super::target::show;
use crate::config::{Baseline, Known, Source, baseline, parse_baseline};
use crate::exit;
use crate::journal::Redactor;
use crate::judge::baseline::settle;
use crate::judge::{self, Judged, Verdict};
use crate::report::text;

/// Record known violations, so that only what is new fails
#[derive(Args, Debug)]
pub struct BaselineArgs {
    #[command(subcommand)]
    command: BaselineCommand,
}

#[derive(Subcommand, Debug)]
enum BaselineCommand {
    /// Write the violations of a saved run into a baseline file
    ///
    /// What has no verdict is never written.
    Write(WriteArgs),
}

#[derive(Args, Debug)]
struct WriteArgs {
    /// The saved run: its journal's path, its id, or `last` (- for standard input)
    #[arg(value_name = "RUN")]
    journal: String,

    /// The file; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Why the violations may stay for now
    #[arg(long, value_name = "TEXT")]
    reason: String,

    /// The last day on which they do not fail, such as 2030-12-31
    #[arg(long, value_name = "DATE")]
    until: Date,

    /// Judge by this policy instead of the one that the run declared
    #[arg(long, value_name = "NAME|PATH")]
    policy: Option<String>,

    /// Take violated `should`s in, too
    #[arg(long)]
    strict: bool,
}

/// Carries it out, and gives the exit code.
#[must_use]
pub fn run(args: &BaselineArgs, look: &Look) -> u8 {
    let BaselineCommand::Write(args) = &args.command;
    write(args, look).unwrap_or_else(|code| code)
}

fn write(args: &WriteArgs, look: &Look) -> Result<u8, u8> {
    if args.reason.trim().is_empty() {
        return Err(refuse(
            exit::USAGE,
            "a known violation needs a reason: --reason says why it may stay",
        ));
    }
    if args.until < today() {
        return Err(refuse(
            exit::USAGE,
            format!(
                "--until {} is over already; give the last day on which the violations may stay",
                args.until
            ),
        ));
    }
    let (journal, _) =
        journal_file::open(&args.journal).map_err(|error| refuse(exit::USAGE, error))?;
    let contracts = match &args.policy {
        Some(policy) => rejudge::contracts(&journal, policy, look)?.1,
        None => journal.start.contracts.clone(),
    };
    let judged = judge::judge(&journal, &contracts, args.strict, &[]);
    let known = violations(&judged, args);
    output::write_whole(&args.output, &baseline::text(&known))
        .map_err(|error| refuse(exit::OUTPUT, error))?;
    let mut said = format!(
        "{} in {}, until {}\n",
        text::counted(known.len() as u64, "known violation"),
        text::line(&args.output.display().to_string()),
        args.until
    );
    if judged.counts.inconclusive > 0 {
        said.push_str(&format!(
            "{} without a verdict: what is inconclusive is never known, and stays so\n",
            text::counted(judged.counts.inconclusive.into(), "drill")
        ));
    }
    Ok(say(&said))
}

/// Every must that is violated, with what was seen.
fn violations(judged: &Judged, args: &WriteArgs) -> Vec<(Known, String)> {
    let mut known = Vec::new();
    for finding in &judged.findings {
        let failed = finding
            .checks
            .iter()
            .filter(|check| check.verdict == Verdict::Fail);
        for (check, clause) in
            failed.flat_map(|check| check.violated.iter().map(move |clause| (check, clause)))
        {
            let entry = Known {
                drill: finding.id.clone(),
                check: check.id.clone(),
                clause: clause.clone(),
                reason: args.reason.trim().to_owned(),
                until: args.until,
            };
            known.push((entry, text::short(&check.observed, 160)));
        }
    }
    known
}

/// The baseline of a run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reports")]
pub struct BaselineFlag {
    /// Known violations (see `baseline write`): they are shown and do not fail; entries that are stale or expired do
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

impl BaselineFlag {
    /// Where it is, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.baseline.as_deref()
    }

    /// Reads it; or the exit code, after everything wrong was shown.
    pub fn read(&self, look: &Look) -> Result<Option<Baseline>, u8> {
        let Some(path) = &self.baseline else {
            return Ok(None);
        };
        let name = path.display().to_string();
        let text = super::bounded::read_text(path).map_err(|error| {
            refuse(
                exit::USAGE,
                format!("cannot read the baseline {name}: {error}"),
            )
        })?;
        parse_baseline(&Source::new(name, text))
            .map(Some)
            .map_err(|errors| show(&errors, look))
    }
}

/// A judged run beside its baseline, where it has one. Reasons are typed by people: they are shown without secrets.
#[must_use]
pub fn settled(judged: Judged, baseline: Option<&Baseline>, redactor: &Redactor) -> Judged {
    let Some(baseline) = baseline else {
        return judged;
    };
    let mut baseline = baseline.clone();
    for known in &mut baseline.known {
        known.reason = redactor.redact(&known.reason);
    }
    settle(judged, &baseline, today())
}

fn today() -> Date {
    jiff::tz::Offset::UTC
        .to_datetime(jiff::Timestamp::now())
        .date()
}
