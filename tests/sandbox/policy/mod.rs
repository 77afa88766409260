//! The sandbox under policies, by plain HTTP: every situation that a policy declares is told as a story.

mod carriers;
mod gocardless;
mod ietf;
mod keys;
mod modern_treasury;
mod one_transaction;
mod refusals;
mod routes;
mod sameness;
mod scopes;
mod stage;
mod stored;
mod stripe;
