//! The record of a run: versioned JSON Lines, one event a line, written before the send that it announces.
//! It must not know what the events mean for a verdict.

pub mod content;
mod counted;
pub mod event;
mod forms;
pub mod history;
pub mod read;
pub mod redact;
pub mod shared;
mod spelled;
pub mod start;
pub mod write;

pub use content::ContentMaker;
pub use event::*;
pub use history::{Attempt, InstanceHistory, Journal, Misfit, Round};
pub use read::{ReadError, read, read_from};
pub use redact::Redactor;
pub use start::*;
pub use write::{WriteError, Writer};
