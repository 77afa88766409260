//! What the judge says of short histories, one file a situation.
//! They must not know how a verdict is reached.

mod after_retention;
mod any;
mod baseline;
mod concurrent;
mod control;
mod controls;
mod distinct_keys;
mod drill;
mod effects;
mod fidelity;
mod in_progress;
mod key_syntax;
mod markers;
mod methods;
mod mismatch;
mod no_first;
mod nothing_leaks;
mod nothing_leaks_told;
mod other_account;
mod other_body;
mod other_scope;
mod outcomes;
mod race_copies;
mod races;
mod recovered;
mod refusing;
mod replay;
mod run;
mod same_request;
mod stored;
mod stored_otherwise;
mod story;
mod tally;
mod words;
