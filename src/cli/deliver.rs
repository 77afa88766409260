//! A judged run handed out: the report on standard output, the files, and the exit code.
//! It must not know where the run comes from.

use super::github;
use super::look::Look;
use super::output::{self, Outputs};
use super::run::Evidence;
use super::stream::Stream;
use crate::exit;
use crate::journal::Journal;
use crate::judge::Judged;
use crate::report::{self, Format, Options};

/// A judged run, with where its journal is kept.
pub struct Delivery<'d> {
    /// The verdicts.
    pub judged: &'d Judged,
    /// What happened.
    pub journal: &'d Journal,
    /// Where that is kept.
    pub kept_at: Option<&'d str>,
    /// The format on standard output.
    pub format: Format,
    /// How much is shown, and where else.
    pub evidence: &'d Evidence,
    /// What was told already while the run went on.
    pub stream: Option<Stream>,
}

/// Prints and writes the reports, and gives the exit code of the run.
#[must_use]
pub fn deliver(delivery: Delivery<'_>, outputs: Outputs, look: &Look) -> u8 {
    let judged = delivery.judged;
    exit::of(judged, hand_out(delivery, outputs, look))
}

/// Prints and writes the reports. Whether all of them could be.
#[must_use]
pub fn hand_out(delivery: Delivery<'_>, outputs: Outputs, look: &Look) -> bool {
    let document = report::build(delivery.judged, delivery.journal, delivery.kept_at);
    let all_evidence = delivery.evidence.all();
    let on_screen = Options {
        all_evidence,
        ..look.stdout()
    };
    let mut failures = Vec::new();
    if let Some(stream) = delivery.stream {
        failures.extend(stream.end(&document));
    } else {
        match report::render(&document, delivery.format, &on_screen) {
            Ok(text) => {
                if let Err(error) = output::print(&text) {
                    failures.push(format!("cannot write to standard output: {error}"));
                }
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    let in_files = Options {
        all_evidence,
        ..Options::default()
    };
    if delivery.evidence.github() {
        failures.extend(github::tell(&document, &in_files, look.is_quiet()));
    }
    failures.extend(outputs.write(|format| {
        report::render(&document, format, &in_files).map_err(|error| error.to_string())
    }));
    for failure in &failures {
        crate::cli::complain!("error: {failure}");
    }
    failures.is_empty()
}

/// Says what is wrong, in the way of every subcommand, and gives the code of it.
#[must_use]
pub fn refuse(code: u8, what: impl std::fmt::Display) -> u8 {
    crate::cli::complain!("error: {what}");
    code
}
