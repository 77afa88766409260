//! What the judge says of short histories, one file a situation.
//! They must not know how a verdict is reached.

mod after_retention;
mod any;
mod baseline;
mod concurrent;
mod control;
mod controls;
mod counter_reach;
mod distinct_keys;
mod drill;
mod effects;
mod in_progress;
mod kept;
mod key_syntax;
mod methods;
mod mismatch;
mod nothing_leaks;
mod other_account;
mod other_body;
mod other_scope;
mod outcomes;
mod races;
mod recovered;
mod refusing;
mod replay;
mod run;
mod same_request;
mod seen;
mod stored;
mod story;
mod tally;
