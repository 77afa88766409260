//! Every event of a run, in the order in which it is written. Times are microseconds since the run began.
//! It must not know how events come about, nor how they are judged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::counted::{CountEntry, CountTaken, Errand, ExpiryDone};
use super::shared::Headers;
use super::start::Start;
use crate::config::suite::{Cut, Vary, Written};
use crate::config::target::Identity;
use crate::contract::WireForm;
use crate::plan::intent::Intent;

/// The version of the journal's format. A journal of a later version is refused.
/// Format 2 knows rounds that wait for `doubletap resume`.
pub const SCHEMA_VERSION: u32 = 2;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The run begins: all that the judge needs to know beside what happened.
    Start(Box<Start>),
    /// The preflight found (or was told) what tells results from each other.
    Identity(IdentityFound),
    /// The target cannot be tested: why, and the remedy. The run ends with exit code 3, or 2 where it is misconfigured.
    Stopped(Stopped),
    /// A drill begins, or is skipped.
    Instance(InstanceBegun),
    /// A request is about to be sent.
    Attempt(Box<AttemptSent>),
    /// What came of it.
    Outcome(Box<AttemptDone>),
    /// Copies were released together.
    Gate(GateProof),
    /// A first request was held in progress.
    Held(HeldProof),
    /// Effects were counted.
    Count(CountTaken),
    /// A key was made to expire.
    Expired(ExpiryDone),
    /// A round waits until its key has expired; `doubletap resume` goes on with it.
    Waiting(Box<Waiting>),
    /// A command was run.
    Hook(HookDone),
    /// Something that a reader should know.
    Note(Note),
    /// A drill's rounds ended before their number, or its steps could not be carried out.
    InstanceEnd(InstanceEnded),
    /// The run ends.
    End(End),
}

/// What tells results from each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityFound {
    /// The operation.
    pub operation: String,
    /// What it is. Never `detect`.
    pub identity: Identity,
    /// Whether the tool found it out itself.
    pub detected: bool,
}

/// The target cannot be tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// Why.
    pub why: String,
    /// What to do, with the line to add where there is one.
    pub remedy: String,
    /// What is wrong is in the configuration (a counter that cannot be read, an identity that is in no reply): the run ends with exit code 2.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub misconfigured: bool,
}

/// A drill begins, or is skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstanceBegun {
    /// `drill/case@operation`.
    pub instance: String,
    /// Why it is skipped, where it is.
    pub skip: Option<String>,
    /// When.
    pub at_us: u64,
}

/// A request is about to be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptSent {
    /// Its number in the run, from 1.
    pub n: u64,
    /// The drill that it belongs to (`preflight@OPERATION` for the preflight).
    pub instance: String,
    /// The round, from 0.
    pub round: u32,
    /// The request's `as` name; `setup` for a set-up request.
    pub step: String,
    /// Which copy of a burst, from 0.
    pub copy: u32,
    /// Which try of a retry, from 0.
    pub repeat: u32,
    /// The operation.
    pub operation: String,
    /// The account.
    pub account: String,
    /// The intent's name; empty where no key is sent.
    pub intent: String,
    /// The key's bare text.
    pub key: Option<String>,
    /// The key as sent.
    pub wire_key: Option<String>,
    /// The wire form.
    pub form: Option<WireForm>,
    /// The tool's reference of the intent.
    pub reference: String,
    /// The body's name.
    pub body_name: String,
    /// Other bytes for the same meaning.
    pub written: Option<Written>,
    /// What else is varied.
    pub vary: Option<Vary>,
    /// When the client vanishes.
    pub cut: Option<Cut>,
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The headers, in order.
    pub headers: Headers,
    /// The body.
    pub body: Content,
    /// When it was handed over.
    pub at_us: u64,
}

/// A body, as far as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Content {
    /// Its text, redacted and at most 256 KiB; `None` where it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its length in bytes.
    pub len: u64,
    /// HMAC-SHA-256 of the raw bytes under the run's own key, in hexadecimal: equal bytes, equal HMAC.
    #[serde(default)]
    pub hmac: String,
    /// Whether `text` is not the whole (too long), or the connection ended before the declared length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptDone {
    /// The attempt's number.
    pub n: u64,
    /// What came.
    pub outcome: Outcome,
    /// `HTTP/1.1` or `HTTP/2`, where a reply tells.
    pub protocol: Option<String>,
    /// When its last byte was handed over, where a gate or the relay measured it.
    pub released_us: Option<u64>,
    /// When the reply's head arrived.
    pub first_byte_us: Option<u64>,
    /// When it was over.
    pub end_us: u64,
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// A whole reply.
    Replied(Reply),
    /// Timeout, reset, a cut reply: the request may or may not have been carried out.
    Unknown {
        /// What happened.
        why: String,
    },
    /// It never left: refused connection, caps.
    NotSent {
        /// What happened.
        why: String,
    },
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, in order, names in lower case.
    pub headers: Headers,
    /// The body.
    pub body: Content,
}

/// Copies were released together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateProof {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// What was withheld.
    pub gate: GateKind,
    /// How many copies.
    pub copies: u32,
    /// `HTTP/1.1` or `HTTP/2`.
    pub protocol: String,
    /// From the first release to the last, in microseconds.
    pub spread_us: u64,
    /// From the first release to the second, in microseconds.
    pub gap12_us: u64,
    /// How much the time to open a connection varied before the run: the mean distance from its mean, in microseconds. 0 where
    /// all copies leave in one write.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub jitter_us: u64,
    /// All copies were in flight before the first answer arrived.
    pub all_in_flight: bool,
    /// Answers that came before the release.
    pub early_answers: u32,
    /// The release was tight enough to count.
    pub in_step: bool,
    /// Whether this round replaces one that was out of step.
    pub repeated: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// What a gate withholds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum GateKind {
    /// The last byte (HTTP/1.1) or the last DATA frame (HTTP/2).
    Body,
    /// The whole request.
    Whole,
}

/// A first request was held in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldProof {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// `slow`, `postgres` or `luck`.
    pub how: String,
    /// Whether it was proved that the first was in progress when the others were sent.
    pub proven: bool,
    /// What proves it, or what was missing.
    pub detail: String,
    /// When the hold was seen.
    pub held_us: Option<u64>,
    /// When it was released.
    pub released_us: Option<u64>,
}

/// A round waits until its key has expired: all that is needed to go on with it later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// Which step of the drill waits, from 0.
    pub step: u32,
    /// The intent whose key is to expire.
    pub intent: String,
    /// The intents of the round.
    pub intents: Vec<Intent>,
    /// Intents and the operations that they were sent to, in order.
    pub used: Vec<(String, String)>,
    /// Intents, operations and accounts of which a success was seen.
    pub succeeded: Vec<(String, String, String)>,
    /// When it began to wait, by this machine's clock, RFC 3339.
    pub since: String,
    /// When the key has expired by what the policy promises, RFC 3339.
    pub due: String,
    /// When, in microseconds since the run began.
    pub at_us: u64,
}

/// A command was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HookDone {
    /// The drill.
    pub instance: String,
    /// The round.
    pub round: u32,
    /// The command's name.
    pub name: String,
    /// Its exit code; `None` where it did not end by itself.
    pub exit: Option<i32>,
    /// The end of what it printed.
    pub output: String,
    /// When it was over.
    pub at_us: u64,
}

/// Something that a reader should know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// The drill, where it concerns one.
    pub instance: Option<String>,
    /// What.
    pub text: String,
}

/// A drill's end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstanceEnded {
    /// The drill.
    pub instance: String,
    /// Rounds carried out.
    pub rounds: u32,
    /// Why the steps could not be carried out, where they could not: everything not yet judged is inconclusive.
    pub broken: Option<String>,
    /// Whether it was stopped because the replies show a violation.
    pub stopped_early: bool,
    /// When.
    pub at_us: u64,
}

/// The run ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct End {
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Requests sent, set-up and counting over HTTP included.
    pub requests: u64,
    /// When.
    pub at_us: u64,
}
