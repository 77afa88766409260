//! What the judge says: verdicts, checks, findings, and the whole of a run.
//! It must not know how any of it is found, nor how it is printed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::baseline::Settled;
use crate::contract::{Level, Origin};

/// What is said of a check, a drill or a run. In order: pass < known < warn < inconclusive < fail; skip and observed stand outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// What the policy declares was seen.
    Pass,
    /// A clause was violated, and a baseline says that this is known: shown, and no failure.
    Known,
    /// A should was violated.
    Warn,
    /// Tried, and no verdict: why is said.
    Inconclusive,
    /// A must was violated.
    Fail,
    /// Not tried: why is said.
    Skip,
    /// Sent and observed; the policy leaves the clause open.
    Observed,
}

/// A clause as a finding names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClauseRef {
    /// Its name: `mismatch`, `scope.account`, `one-effect`.
    pub name: String,
    /// What it declares, in words.
    pub declared: String,
    /// Where.
    pub origin: Option<Origin>,
}

/// One check's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// `SITUATION:STEP`.
    pub id: String,
    /// The clause that decides. `None`: a premise (a control, a proof of overlap).
    pub clause: Option<ClauseRef>,
    /// How binding it is.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// What the clause asks for, in words.
    pub expected: String,
    /// What was seen, in words; names the round where there are several.
    pub observed: String,
    /// What it means for the user of the API, where it is not a pass.
    pub meaning: Option<String>,
    /// The attempts that show it, the decisive ones first.
    pub attempts: Vec<u64>,
    /// The names of all clauses that were violated, where the verdict is a violation.
    pub violated: Vec<String>,
    /// The part of the deciding clause that was violated (`status`, `reveals`); null where it is not a part of it.
    #[serde(default)]
    pub part: Option<String>,
    /// Why a known violation may stay for now, and until when; null where it is none.
    pub known: Option<String>,
}

/// One drill's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// `drill/case@operation`.
    pub id: String,
    /// The suite.
    pub suite: String,
    /// The operation.
    pub operation: String,
    /// The drill's title.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// What to look for first.
    pub hint: String,
    /// Where the requirement comes from.
    pub sources: Vec<String>,
    /// The worst of its checks.
    pub verdict: Verdict,
    /// One line of evidence, or why it was skipped.
    pub reason: String,
    /// Its checks.
    pub checks: Vec<CheckResult>,
    /// What a pass rests on (overlap, counts, holds), in words.
    pub proof: Vec<String>,
}

/// How many drills got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Passed.
    pub pass: u32,
    /// Failed.
    pub fail: u32,
    /// Violated, as a baseline says.
    pub known: u32,
    /// Warned.
    pub warn: u32,
    /// Inconclusive.
    pub inconclusive: u32,
    /// Skipped.
    pub skip: u32,
    /// Observed.
    pub observed: u32,
}

/// A judged run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The verdict of the whole: fail, inconclusive, or pass (warn where a should was violated).
    pub verdict: Verdict,
    /// How many of what.
    pub counts: Counts,
    /// One finding a drill, in the plan's order.
    pub findings: Vec<Finding>,
    /// What the run as a whole cannot show, or what stopped it.
    pub notes: Vec<String>,
    /// What the bursts of this run prove, in one sentence, where there were any.
    pub power: Option<String>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Whether it cannot pass whatever its drills say: it broke off, nothing beyond the control was judged, or a required drill
    /// was skipped.
    pub incomplete: bool,
    /// Whether the run stopped because the configuration is wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub misconfigured: bool,
    /// What became of the baseline's entries, where one was given.
    pub baseline: Option<Settled>,
}
