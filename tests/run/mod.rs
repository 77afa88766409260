//! How requests leave and what is recorded of them, against small servers on loopback that note what arrives.

mod burst;
mod counting;
mod cuts;
mod drills;
mod harness;
mod holds;
mod preflight;
mod server;
mod tls;
mod wire;
