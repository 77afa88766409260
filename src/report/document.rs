//! The report as data: what `--format json` writes, and what every other format is made from.
//! It must not know how a verdict is found, nor how any format looks.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::target::PolicyFacts;
use crate::contract::Level;
use crate::journal::{
    CountTaken, CounterFacts, ExpiryDone, GateProof, HeldProof, HookDone, Stage, Stopped,
};
use crate::judge::baseline::Settled;
use crate::judge::{Counts, Verdict};

/// The version of the report's format; it changes when a field is removed or changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// A judged run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// The report format's version.
    pub schema_version: u32,
    /// What wrote the report.
    pub tool: Tool,
    /// The run.
    pub run: RunFacts,
    /// The verdict of the whole.
    pub verdict: Verdict,
    /// How many drills got which verdict.
    pub counts: Counts,
    /// The policy against which was judged.
    pub policy: PolicyFacts,
    /// The operations under test.
    pub operations: Vec<OperationRecord>,
    /// The declared clauses of each operation.
    pub contract: BTreeMap<String, Vec<ClauseRecord>>,
    /// Why the target could not be tested, where it could not.
    pub stopped: Option<Stopped>,
    /// What the run as a whole cannot show.
    pub notes: Vec<String>,
    /// What the bursts prove, in one sentence.
    pub power: Option<String>,
    /// What became of the baseline's entries; null: none was given.
    pub baseline: Option<Settled>,
    /// One a drill, in the plan's order.
    pub drills: Vec<DrillRecord>,
    /// The requests of the run, in the order in which they were sent.
    pub attempts: Vec<AttemptRecord>,
    /// Requests that only the journal has: those of rounds beyond the first twenty of a drill in which
    /// every check passed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts_left_out: usize,
}

/// What wrote the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `doubletap`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFacts {
    /// Its id; part of every reference that the tool makes.
    pub id: String,
    /// The seed of what may be decided by chance; never of keys.
    pub seed: u64,
    /// When it began, RFC 3339, UTC.
    pub started_at: String,
    /// How long it took, in microseconds; null where it did not end by itself.
    pub duration_us: Option<u64>,
    /// Requests sent, set-up and counting over HTTP included; null where it did not end by itself.
    pub requests: Option<u64>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Base URLs.
    pub urls: Vec<String>,
    /// The command line that repeats it, secrets as `$VARS`.
    pub command: String,
    /// Where the journal is.
    pub journal: Option<String>,
    /// How to have the API again that ended with the run, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
}

/// An operation under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationRecord {
    /// Its name.
    pub name: String,
    /// Method and path.
    pub request: String,
    /// What tells one result from another, in words.
    pub identity: String,
    /// Whether the tool found the identity out itself.
    pub identity_detected: bool,
    /// How effects are counted; null: they are not.
    pub counter: Option<CounterFacts>,
}

/// A drill's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrillRecord {
    /// `drill/case@operation`.
    pub id: String,
    /// The suite.
    pub suite: String,
    /// The operation.
    pub operation: String,
    /// What must hold.
    pub title: String,
    /// The worst of its checks.
    pub verdict: Verdict,
    /// One line of evidence, or why it was skipped.
    pub reason: String,
    /// Its checks.
    pub checks: Vec<CheckRecord>,
    /// Why it matters.
    pub why: String,
    /// What to look for first.
    pub hint: String,
    /// Where the requirement comes from.
    pub sources: Vec<String>,
    /// What a pass rests on, in words.
    pub proof: Vec<String>,
    /// When it began, in microseconds since the run began.
    pub began_us: Option<u64>,
    /// Whether its requests were sent at the same moment, so that no list of single commands repeats it.
    pub timed: bool,
    /// Releases of copies.
    pub gates: Vec<GateProof>,
    /// First requests held in progress.
    pub holds: Vec<HeldProof>,
    /// Counts of effects.
    pub effects: Vec<CountTaken>,
    /// Keys made to expire.
    pub expired: Vec<ExpiryDone>,
    /// Commands run.
    pub hooks: Vec<HookDone>,
}

/// A check's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRecord {
    /// `SITUATION:STEP`.
    pub id: String,
    /// The clause that decides; null: a premise.
    pub clause: Option<ClauseRecord>,
    /// How binding it is.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// What the clause asks for.
    pub expected: String,
    /// What was seen.
    pub observed: String,
    /// What it means, where it is not a pass.
    pub meaning: Option<String>,
    /// The ids of the attempts that show it, the decisive ones first.
    pub attempts: Vec<u64>,
    /// The names of all clauses that were violated, where the verdict is a violation.
    pub violated: Vec<String>,
    /// The part of the clause that was violated; null where it is not a part of it.
    #[serde(default)]
    pub part: Option<String>,
    /// Why a known violation may stay for now, and until when; null where it is none.
    pub known: Option<String>,
}

/// A clause of the policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClauseRecord {
    /// Its name.
    pub name: String,
    /// What it declares, in words.
    pub declared: String,
    /// The file that declares it; null where nobody does.
    pub file: Option<String>,
    /// The line, from 1; null where the file has none.
    pub line: Option<u32>,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeWord {
    /// A whole reply.
    Replied,
    /// Timeout, reset, a cut reply, or no record of an end: it may or may not have been carried out.
    Unknown,
    /// It never left.
    NotSent,
}

/// A request and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptRecord {
    /// Its number in the run, from 1.
    pub id: u64,
    /// The drill that it belongs to.
    pub drill: String,
    /// The round, from 0.
    pub round: u32,
    /// The step's name.
    pub step: String,
    /// Which copy of a burst, from 0.
    pub copy: u32,
    /// Which try of a retry, from 0.
    pub repeat: u32,
    /// The operation.
    pub operation: String,
    /// The account that sends.
    pub account: String,
    /// The key's bare text; null where none is sent.
    pub key: Option<String>,
    /// The tool's own reference.
    pub reference: String,
    /// When it was handed over, in microseconds since the run began, as all times here.
    pub sent_us: u64,
    /// When its last byte was handed over, where that was measured.
    pub released_us: Option<u64>,
    /// When the reply's head arrived.
    pub first_byte_us: Option<u64>,
    /// When it was over.
    pub end_us: Option<u64>,
    /// What came of it.
    pub outcome: OutcomeWord,
    /// Why there is no reply, where there is none.
    pub why: Option<String>,
    /// The reply's status.
    pub status: Option<u16>,
    /// The reply's headers, names in lower case; values of one name joined by a comma.
    pub headers: BTreeMap<String, String>,
    /// The reply's body; null where there is none, or where it is not UTF-8.
    pub body: Option<String>,
    /// Whether `body` is not the whole.
    pub body_truncated: bool,
    /// The identity in the reply.
    pub identity: Option<String>,
    /// Whether the reply carries the declared replay marker; null where none is declared or nothing came.
    pub marked: Option<bool>,
    /// What was sent.
    pub request: RequestRecord,
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestRecord {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Name and value, in order; secrets as `$VARS`.
    pub headers: Vec<(String, String)>,
    /// The key as sent.
    pub wire_key: Option<String>,
    /// Which body of the target.
    pub body_name: String,
    /// What differs from an ordinary request: another spelling, a varied header, a cut.
    pub variation: Option<String>,
    /// The body; null where there is none, or where it is not UTF-8.
    pub body: Option<String>,
    /// The body's length.
    pub body_bytes: u64,
    /// Whether `body` is not the whole.
    pub body_truncated: bool,
}

impl Document {
    /// The attempt of a number.
    #[must_use]
    pub fn attempt(&self, id: u64) -> Option<&AttemptRecord> {
        // attempts are in order of their numbers, but a journal may lack some
        self.attempts
            .binary_search_by_key(&id, |attempt| attempt.id)
            .ok()
            .map(|at| &self.attempts[at])
    }

    /// The drills that got one of these verdicts, in the plan's order.
    pub fn with_verdict(&self, verdict: Verdict) -> impl Iterator<Item = &DrillRecord> {
        self.drills
            .iter()
            .filter(move |drill| drill.verdict == verdict)
    }
}

impl ClauseRecord {
    /// The name, and the file and line where there are any: `mismatch (policies/ietf.toml:31)`.
    #[must_use]
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{} ({file}:{line})", self.name),
            (Some(file), None) => format!("{} ({file})", self.name),
            (None, _) => format!("{} (declared nowhere)", self.name),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &usize) -> bool {
    *value == 0
}
