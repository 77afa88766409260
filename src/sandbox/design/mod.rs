//! The designs: in which order a server claims a key, works, saves the reply and commits.
//! Must not know faults by name; each design is one file, and shares its steps with the others through the machine.

mod claim_first;
mod key_after_work;
mod key_in_memory;
mod lease_too_short;
mod lock_without_owner;
mod one_transaction;
mod unprotected;

use std::fmt;
use std::str::FromStr;

use super::http::reply::Reply;
use super::http::request::{Keyed, Request};
use super::machine::Machine;
use super::store::Stored;

/// A design of idempotency keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Design {
    /// Key, work and reply in one transaction; a duplicate waits.
    OneTransaction,
    /// The claim is committed first; a duplicate is refused while the work runs.
    ClaimFirst,
    /// Wrong: the key is written only after the work.
    KeyAfterWork,
    /// Wrong: each process keeps its own keys.
    KeyInMemory,
    /// Wrong: whoever ends releases the lock, whoever holds it.
    LockWithoutOwner,
    /// Wrong: the claim lapses while the work still runs.
    LeaseTooShort,
}

impl Design {
    /// All designs, the right ones first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &[
            Self::OneTransaction,
            Self::ClaimFirst,
            Self::KeyAfterWork,
            Self::KeyInMemory,
            Self::LockWithoutOwner,
            Self::LeaseTooShort,
        ]
    }

    /// The designs that keep their promise.
    #[must_use]
    pub fn right() -> &'static [Self] {
        &[Self::OneTransaction, Self::ClaimFirst]
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OneTransaction => "one-transaction",
            Self::ClaimFirst => "claim-first",
            Self::KeyAfterWork => "key-after-work",
            Self::KeyInMemory => "key-in-memory",
            Self::LockWithoutOwner => "lock-without-owner",
            Self::LeaseTooShort => "lease-too-short",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::OneTransaction => {
                "Key, effect and reply are committed together; a duplicate waits for the first and replays it."
            }
            Self::ClaimFirst => {
                "A claim with a lease is committed first; a duplicate gets 409 until the work is done, then the replay."
            }
            Self::KeyAfterWork => {
                "The key is written only after the work, so duplicates that overlap all run."
            }
            Self::KeyInMemory => {
                "Each replica keeps its own keys, so duplicates on two replicas both run."
            }
            Self::LockWithoutOwner => {
                "Every request that ends releases the key's lock, also a refused one, so the next duplicate runs."
            }
            Self::LeaseTooShort => {
                "The claim lapses after 20 ms, so a duplicate of a slower request takes it over and runs as well."
            }
        }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Design {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::all().iter().find(|design| design.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::all().iter().map(|design| design.name()).collect();
            format!(
                "no design is called `{name}`; there are {}",
                names.join(", ")
            )
        })
    }
}

/// Runs a request with a key under the machine's design.
pub(crate) async fn run(machine: &Machine, keyed: &Keyed) -> Stored<Reply> {
    match machine.settings.design {
        Design::OneTransaction => one_transaction::run(machine, keyed).await,
        Design::ClaimFirst => claim_first::run(machine, keyed).await,
        Design::KeyAfterWork => key_after_work::run(machine, keyed).await,
        Design::KeyInMemory => key_in_memory::run(machine, keyed).await,
        Design::LockWithoutOwner => lock_without_owner::run(machine, keyed).await,
        Design::LeaseTooShort => lease_too_short::run(machine, keyed).await,
    }
}

/// Runs a request without a key: each run is an effect.
pub(crate) async fn run_without_key(machine: &Machine, request: &Request) -> Stored<Reply> {
    unprotected::run(machine, request).await
}
