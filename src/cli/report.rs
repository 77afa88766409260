//! `doubletap report`: a saved run in another format, offline.
//! It must not know how a verdict is found, nor how any format looks.

use clap::Args;

use super::deliver::{Delivery, deliver, refuse};
use super::journal_file;
use super::look::Look;
use super::output::{OutputArg, Outputs};
use crate::exit;
use crate::judge;
use crate::report::Format;

/// Show a saved run in another format; never ends with 1
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The journal (- for standard input)
    journal: String,

    /// The format on standard output
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// A report into a file (repeatable)
    #[arg(long = "output", value_name = "FORMAT=PATH")]
    outputs: Vec<OutputArg>,

    /// Show the evidence of passing drills, too
    #[arg(long, value_name = "WHICH", value_parser = ["failures", "all"], default_value = "failures")]
    evidence: String,
}

/// Shows it, and gives the exit code.
#[must_use]
pub fn run(args: &ReportArgs, look: &Look) -> u8 {
    let journal = match journal_file::read(&args.journal) {
        Ok(journal) => journal,
        Err(error) => return refuse(exit::USAGE, error),
    };
    let outputs = match Outputs::open(&args.outputs) {
        Ok(outputs) => outputs,
        Err(error) => return refuse(exit::OUTPUT, error),
    };
    let judged = judge::judge(&journal, &journal.start.contracts, false, &[]);
    let delivery = Delivery {
        judged: &judged,
        journal: &journal,
        kept_at: Some(&args.journal),
        format: args.format,
        all_evidence: args.evidence == "all",
    };
    // the verdict is in the report; the code only says whether the report was made
    match deliver(&delivery, outputs, look) {
        exit::OUTPUT => exit::OUTPUT,
        _ => exit::PASSED,
    }
}
