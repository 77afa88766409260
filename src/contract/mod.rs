//! The policy as types, and pure readings of what was sent and received.
//! It must not know how requests are sent, where policies are read from, or how verdicts are printed.

pub mod answer;
pub mod clause;
pub mod duration;
pub mod identity;
pub mod json;
pub mod key;
pub mod key_check;
pub mod merge;
pub mod patch;
pub mod place;
pub mod reading;
pub mod relation;
pub mod terms;

pub use answer::{Answer, BodyMatch, HeaderMatch, Match, StatusPattern};
pub use clause::{Clause, Level, Origin, Placed};
pub use duration::Length;
pub use key::{Carrier, Companion, KeyFormat, KeyRule, LengthUnit, WireForm};
pub use patch::ContractPatch;
pub use place::Received;
pub use terms::{
    BodyFidelity, Contract, Covers, Fingerprint, Malformed, Marker, Methods, Replay, Retention,
    Same, Sameness, Scope, Storage, Stored,
};
