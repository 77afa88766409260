//! All integration tests in one binary, so that they are linked once.

mod command;
mod config;
mod replies;
mod run;
mod sandbox;
mod support;
