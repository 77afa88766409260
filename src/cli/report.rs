//! `doubletap report`: a saved run in another format, offline.
//! It must not know how a verdict is found, nor how any format looks.

use clap::Args;

use super::baseline::{BaselineFlag, settled};
use super::deliver::{Delivery, hand_out, refuse};
use super::look::Look;
use super::output::{OutputArg, Outputs};
use super::run::Evidence;
use super::saved::Saved;
use crate::exit;
use crate::journal::Redactor;
use crate::judge;
use crate::report::Format;

/// Show it in another format; never ends with 1
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap report last --format markdown
  doubletap report last --output html=report.html --evidence all
")]
pub struct ReportArgs {
    /// The saved run: its journal's path, its id, or `last` (- for standard input)
    #[arg(value_name = "RUN")]
    journal: String,

    /// The report on standard output: table, json, junit, ... (see `run --help`)
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// A report into a file (repeatable)
    #[arg(long = "output", value_name = "FORMAT=PATH")]
    outputs: Vec<OutputArg>,

    #[command(flatten)]
    evidence: Evidence,

    #[command(flatten)]
    baseline: BaselineFlag,
}

/// Shows it, and gives the exit code.
#[must_use]
pub fn run(args: &ReportArgs, look: &Look) -> u8 {
    let saved = match Saved::read(&args.journal, &args.baseline, &args.outputs, look) {
        Ok(saved) => saved,
        Err(code) => return code,
    };
    let Saved {
        journal,
        kept_at,
        baseline,
    } = saved;
    let outputs = match Outputs::open(&args.outputs) {
        Ok(outputs) => outputs,
        Err(error) => return refuse(exit::OUTPUT, error),
    };
    let judged = judge::judge(&journal, &journal.start.contracts, false, &[]);
    let judged = settled(judged, baseline.as_ref(), &Redactor::default());
    let delivery = Delivery {
        judged: &judged,
        journal: &journal,
        kept_at: Some(&kept_at),
        format: args.format,
        evidence: &args.evidence,
        stream: None,
    };
    // the verdict is in the report; the code only says whether the report was made
    if hand_out(delivery, outputs, look) {
        exit::PASSED
    } else {
        exit::OUTPUT
    }
}
