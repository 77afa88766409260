//! doubletap sends one operation to an HTTP API in every way a retry can happen, counts what really happened,
//! and says whether the API kept the idempotency contract that it declares.

pub mod bench;
pub mod bundled;
pub mod cli;
pub mod config;
pub mod contract;
pub mod exit;
pub mod journal;
pub mod judge;
pub mod observe;
pub mod openapi;
pub mod plan;
pub mod report;
pub mod run;
pub mod sandbox;
pub mod selftest;
