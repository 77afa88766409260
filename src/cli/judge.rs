//! `doubletap judge`: a saved run judged again, perhaps by another policy, offline.
//! It must not know how a verdict is found.

use clap::Args;

use super::baseline::{BaselineFlag, settled};
use super::deliver::{Delivery, deliver, refuse};
use super::look::Look;
use super::output::{OutputArg, Outputs};
use super::rejudge;
use super::run::Evidence;
use super::saved::Saved;
use crate::exit;
use crate::journal::Redactor;
use crate::judge;
use crate::report::Format;

/// Judge it again, also by another policy; ends like run
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap judge last --policy ietf
  doubletap judge run.jsonl --strict --require all
")]
pub struct JudgeArgs {
    /// The saved run: its journal's path, its id, or `last` (- for standard input)
    #[arg(value_name = "RUN")]
    journal: String,

    /// Judge by this policy instead of the one that the run declared
    #[arg(long, value_name = "NAME|PATH")]
    policy: Option<String>,

    /// A violated `should` fails too
    #[arg(long)]
    strict: bool,

    /// A drill that must not be skipped, or `all` (repeatable)
    #[arg(long, value_name = "ID")]
    require: Vec<String>,

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

/// Judges it, and gives the exit code of the run.
#[must_use]
pub fn run(args: &JudgeArgs, look: &Look) -> u8 {
    let saved = match Saved::read(&args.journal, &args.baseline, &args.outputs, look) {
        Ok(saved) => saved,
        Err(code) => return code,
    };
    let Saved {
        mut journal,
        kept_at,
        baseline,
    } = saved;
    let mut contracts = journal.start.contracts.clone();
    if let Some(name) = &args.policy {
        match rejudge::contracts(&journal, name, look) {
            Ok((policy, under)) => {
                // the report speaks of the policy by which was judged
                journal.start.policy = policy;
                contracts = under;
            }
            Err(code) => return code,
        }
    }
    let outputs = match Outputs::open(&args.outputs) {
        Ok(outputs) => outputs,
        Err(error) => return refuse(exit::OUTPUT, error),
    };
    let judged = judge::judge(&journal, &contracts, args.strict, &args.require);
    let judged = settled(judged, baseline.as_ref(), &Redactor::default());
    journal.start.contracts = contracts;
    let delivery = Delivery {
        judged: &judged,
        journal: &journal,
        kept_at: Some(&kept_at),
        format: args.format,
        evidence: &args.evidence,
        stream: None,
    };
    deliver(delivery, outputs, look)
}
