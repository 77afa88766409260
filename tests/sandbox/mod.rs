//! The sandbox over HTTP: that the right designs keep their promise, and that each fault breaks exactly what it says.

pub mod api;
mod catalogue;
mod claims;
mod command;
mod designs;
mod effects;
mod fingerprints;
mod keys;
mod methods;
mod policy;
mod replays;
mod retention;
mod scopes;
mod stage;
mod storing;
mod surface;
