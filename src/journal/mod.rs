//! The record of a run: versioned JSON Lines, one event a line, written before the send that it announces.
//! It must not know what the events mean for a verdict.

pub mod event;

pub use event::*;
