//! The report as one JSON value a line: the run, each request, each drill, the end.
//! It must not know what the fields mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{AttemptRecord, DrillRecord, OperationRecord, RunFacts, Tool};
use super::{Document, json};
use crate::config::target::PolicyFacts;
use crate::journal::Stopped;
use crate::judge::{Counts, Verdict};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line {
    /// The first: what was run.
    Run(Box<RunLine>),
    /// A request and what came of it.
    Attempt(Box<AttemptRecord>),
    /// A drill's result.
    Drill(Box<DrillRecord>),
    /// The last: the verdict of the whole.
    End(EndLine),
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunLine {
    /// The report format's version.
    pub schema_version: u32,
    /// What wrote the report.
    pub tool: Tool,
    /// The run.
    pub run: RunFacts,
    /// The policy.
    pub policy: PolicyFacts,
    /// The operations.
    pub operations: Vec<OperationRecord>,
}

/// The verdict of the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndLine {
    /// The verdict.
    pub verdict: Verdict,
    /// How many drills got which verdict.
    pub counts: Counts,
    /// Why the target could not be tested, where it could not.
    pub stopped: Option<Stopped>,
    /// What the run as a whole cannot show.
    pub notes: Vec<String>,
    /// What the bursts prove.
    pub power: Option<String>,
}

/// The lines.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    let first = Line::Run(Box::new(RunLine {
        schema_version: document.schema_version,
        tool: document.tool.clone(),
        run: document.run.clone(),
        policy: document.policy.clone(),
        operations: document.operations.clone(),
    }));
    let last = Line::End(EndLine {
        verdict: document.verdict,
        counts: document.counts,
        stopped: document.stopped.clone(),
        notes: document.notes.clone(),
        power: document.power.clone(),
    });
    let attempts = document
        .attempts
        .iter()
        .map(|attempt| Line::Attempt(Box::new(attempt.clone())));
    let drills = document
        .drills
        .iter()
        .map(|drill| Line::Drill(Box::new(drill.clone())));
    let mut out = String::new();
    for line in std::iter::once(first)
        .chain(attempts)
        .chain(drills)
        .chain([last])
    {
        out.push_str(&json::guarded(&serde_json::to_string(&line)?));
        out.push('\n');
    }
    Ok(out)
}

/// The JSON Schema (draft-07) of a line.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft07()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Line>()
}
