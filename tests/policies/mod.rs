//! The sandbox under the bundled policies: it keeps them, what it breaks is found, and it answers as the providers' own texts do.
//! Must not know how the sandbox reads a policy, nor how a verdict is reached.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod asked;
mod difference;
mod flips;
mod kept;
mod stage;
mod typed;
mod variations;
