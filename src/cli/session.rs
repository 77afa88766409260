//! One run from its configuration to its exit code: what is sent and kept, the judge, the reports.
//! It must not know where the configuration comes from, nor how anything is sent.

use super::baseline::settled;
use super::deliver::{Delivery, deliver};
use super::look::Look;
use super::output::OutputArg;
use super::recording::{self, Sending};
use super::run::Evidence;
use crate::config::{Baseline, Format, Loaded};
use crate::exit;
use crate::journal::{Redactor, Stage};
use crate::judge;

/// What a run is asked for beside its configuration.
pub struct Task<'t> {
    /// The configuration.
    pub loaded: &'t Loaded,
    /// The command line that repeats the run, before secrets are taken out.
    pub typed: &'t [String],
    /// Reports into files.
    pub outputs: Vec<OutputArg>,
    /// How much is shown, and where else.
    pub evidence: &'t Evidence,
    /// What is known to be violated.
    pub baseline: Option<&'t Baseline>,
    /// How to have the API again, where it ends with the run.
    pub stage: Option<Stage>,
}

/// Carries it out, and gives the exit code.
#[must_use]
pub fn run(task: Task<'_>, look: &Look) -> u8 {
    carry_out(task, look).unwrap_or_else(|code| code)
}

fn carry_out(task: Task<'_>, look: &Look) -> Result<u8, u8> {
    let settings = &task.loaded.settings;
    let sending = Sending {
        loaded: task.loaded,
        typed: task.typed,
        more: Vec::new(),
        stop_early: true,
        streamed: settings.format == Format::Ndjson,
        stage: task.stage,
    };
    let Some(recorded) = recording::record(&sending, &task.outputs, look)? else {
        return Ok(exit::PASSED);
    };
    let redactor = Redactor::new(&task.loaded.target.secrets);
    let journal = recorded.journal;
    let judged = judge::judge(
        &journal,
        &journal.start.contracts,
        settings.strict,
        &settings.require,
    );
    let judged = settled(judged, task.baseline, &redactor);
    let delivery = Delivery {
        judged: &judged,
        journal: &journal,
        kept_at: Some(&recorded.kept_at),
        format: settings.format,
        evidence: task.evidence,
        stream: recorded.stream,
    };
    Ok(deliver(delivery, recorded.outputs, look))
}
