//! How requests leave and what is recorded of them, against small servers on loopback that note what arrives.

#![expect(
    clippy::unwrap_used,
    reason = "servers and harness are part of the tests"
)]

mod burst;
mod counting;
mod cuts;
mod drills;
mod end_of_run;
mod expiry;
mod harness;
mod holds;
mod preflight;
mod races;
mod server;
mod streams;
mod tls;
mod tokens;
mod wire;
