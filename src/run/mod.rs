//! The only I/O towards the target: sends what was planned, counts what happened, and records all of it as events.
//! It must not know how anything is judged; whatever could not be done is an event that says so.

pub mod client;
pub mod clock;
pub mod command;
mod conductor;
pub mod effects;
pub mod flight;
pub mod fresh;
pub mod gate;
pub mod gated_body;
pub mod hosts;
pub mod in_step;
pub mod lane;
pub mod meter;
pub mod muster;
pub mod patience;
mod preflight;
mod reach;
pub mod relay;
pub mod shot;
mod stall;
mod told_apart;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use meter::Limits;

use crate::config::settings::Protocol;
use crate::config::target::Target;
use crate::journal::Journal;
use crate::journal::event::{Content, End, Event};
use crate::plan::Plan;
use crate::plan::chance::Aim;

/// What is run, and how.
pub struct Request<'a> {
    /// The target.
    pub target: &'a Target,
    /// What is sent.
    pub plan: &'a Plan,
    /// How much may be sent, and to whom.
    pub limits: Limits,
    /// Which HTTP is spoken.
    pub protocol: Protocol,
    /// Go on although the replies show a violation.
    pub keep_going: bool,
    /// How old a key is, at the least, when a drill that rests until the end of the run goes on.
    pub key_age: Duration,
    /// A window that is to be seen: drills with rounds go on until it is, or until it is plain that it will not be.
    pub aim: Option<Aim>,
    /// What is kept of a body: its bytes, and whether they were cut.
    pub content: &'a dyn Fn(&[u8], bool) -> Content,
    /// What is kept of a header's value: its name and value.
    pub header: &'a dyn Fn(&str, &[u8]) -> String,
}

/// An event could not be recorded: nothing more is sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(pub String);

/// The run could not be carried out by reasons of this machine.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An event could not be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The certificate bundle.
    #[error(transparent)]
    Certificates(#[from] client::BadCertificates),
    /// No thread, no memory.
    #[error("the run cannot be started: {0}")]
    Machine(#[from] std::io::Error),
}

/// Carries the plan out. Events go to `record` before what they announce is done; `stop_early` is asked after each round of
/// a drill with several whether its replies already show a violation. The last event is the end that is returned.
pub fn run(
    request: Request<'_>,
    record: &mut dyn FnMut(Event) -> Result<(), RecordError>,
    stop_early: &mut dyn FnMut(&str, u32) -> bool,
    interrupted: &AtomicBool,
) -> Result<End, RunError> {
    conductor::conduct(request, None, record, stop_early, interrupted)
}

/// Goes on with the rounds of an earlier run that waited for their keys to expire: only the steps after the expiry are sent. `now`
/// is the time by the wall clock: the earlier run's times go on.
pub fn resume(
    request: Request<'_>,
    earlier: &Journal,
    now: jiff::Timestamp,
    record: &mut dyn FnMut(Event) -> Result<(), RecordError>,
    interrupted: &AtomicBool,
) -> Result<End, RunError> {
    let past = conductor::Past::of(earlier, now);
    conductor::conduct(request, Some(past), record, &mut |_, _| false, interrupted)
}
