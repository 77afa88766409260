//! The report as one JSON value a line: the run, what happens in the order in which it happens, each drill's result, the end.
//! It must not know what the fields mean, nor whether the run is still going on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{AttemptRecord, DrillRecord, OperationRecord, RunFacts, Tool};
use super::{Document, json};
use crate::config::target::PolicyFacts;
use crate::journal::{CountTaken, Journal, Stopped};
use crate::judge::baseline::Settled;
use crate::judge::{Counts, Verdict};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Line {
    /// The first: what was run.
    Run(Box<RunLine>),
    /// A drill begins.
    Begin(BeginLine),
    /// A request and what came of it, when it is over.
    Attempt(Box<AttemptRecord>),
    /// Effects were counted.
    Count(CountTaken),
    /// A drill's result; after all of them, since effects are counted again at the end.
    Drill(Box<DrillRecord>),
    /// The last: the verdict of the whole.
    End(EndLine),
}

/// A drill begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BeginLine {
    /// `drill/case@operation`.
    pub drill: String,
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
    /// What became of the baseline's entries; null: none was given.
    pub baseline: Option<Settled>,
}

/// What is known when a run begins.
#[must_use]
pub fn first(document: &Document) -> Line {
    Line::Run(Box::new(RunLine {
        schema_version: document.schema_version,
        tool: document.tool.clone(),
        run: document.run.clone(),
        policy: document.policy.clone(),
        operations: document.operations.clone(),
    }))
}

/// A request of a journal, after it is over.
#[must_use]
pub fn attempt(journal: &Journal, n: u64) -> Option<Line> {
    let attempt = journal.attempt(n)?;
    Some(Line::Attempt(Box::new(super::build::record(
        attempt, journal,
    ))))
}

/// What is known when all is over: each drill's result, and the verdict of the whole.
#[must_use]
pub fn last(document: &Document) -> Vec<Line> {
    let drills = document
        .drills
        .iter()
        .map(|drill| Line::Drill(Box::new(drill.clone())));
    let end = Line::End(EndLine {
        verdict: document.verdict,
        counts: document.counts,
        stopped: document.stopped.clone(),
        notes: document.notes.clone(),
        power: document.power.clone(),
        baseline: document.baseline.clone(),
    });
    drills.chain([end]).collect()
}

/// What happened, in the order in which it happened.
fn events(document: &Document) -> Vec<Line> {
    let mut events: Vec<(u64, Line)> = Vec::new();
    for drill in &document.drills {
        if let Some(at_us) = drill.began_us {
            let drill = drill.id.clone();
            events.push((at_us, Line::Begin(BeginLine { drill })));
        }
    }
    for attempt in &document.attempts {
        let over = attempt.end_us.unwrap_or(attempt.sent_us);
        events.push((over, Line::Attempt(Box::new(attempt.clone()))));
    }
    for count in document.drills.iter().flat_map(|drill| &drill.effects) {
        events.push((count.at_us, Line::Count(count.clone())));
    }
    // a stable sort: a drill begins before its first request
    events.sort_by_key(|(at_us, _)| *at_us);
    events.into_iter().map(|(_, line)| line).collect()
}

/// A line as text, with its line break.
///
/// # Errors
/// Never for a [`Line`]; the serializer's interface has one.
pub fn text(line: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(json::guarded(&serde_json::to_string(line)?) + "\n")
}

/// The lines.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    let mut lines = vec![first(document)];
    lines.extend(events(document));
    lines.extend(last(document));
    lines.iter().map(text).collect()
}

/// The JSON Schema (draft-07) of a line.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::generate::SchemaSettings::draft07()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Line>()
}
