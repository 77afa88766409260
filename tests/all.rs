//! All integration tests in one binary, so that they are linked once.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod architecture;
mod command;
mod config;
mod observe;
mod policies;
mod proof;
mod replies;
mod run;
mod sandbox;
mod support;
