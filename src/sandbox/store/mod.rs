//! Where keys and effects are kept: one set of operations over memory or PostgreSQL, with the same row locks.
//! Must not know what a right order of these operations is; that is the designs' business.

pub(crate) mod effect;
pub(crate) mod memory;
pub(crate) mod postgres;
pub(crate) mod record;

use std::sync::Arc;

use effect::{Effect, Filter, Kind};
use memory::{Memory, MemorySession};
use postgres::PostgresSession;
use postgres::pool::Pool;
use record::{Claim, Claiming, Found, Held, RecordId};

use super::http::reply::Reply;

/// Why an operation of a store failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// A unique constraint was violated.
    #[error("a unique constraint was violated")]
    Duplicate,
    /// A value is longer than its column.
    #[error("a value is longer than its column")]
    TooLong,
    /// The database could not do it.
    #[error("the database failed: {0}")]
    Database(String),
}

/// What every operation of a store gives.
pub(crate) type Stored<T> = Result<T, StoreError>;

/// A store, shared by all requests.
#[derive(Clone)]
pub(crate) enum Store {
    /// In this process.
    Memory(Arc<Memory>),
    /// In a schema of a PostgreSQL database.
    Postgres(Arc<Pool>),
}

impl Store {
    /// A session of one request; `reads_expiry` says whether a row past `expires_at` counts as absent.
    pub(crate) async fn session(&self, reads_expiry: bool) -> Stored<Session> {
        Ok(match self {
            Self::Memory(memory) => {
                Session::Memory(MemorySession::new(Arc::clone(memory), reads_expiry))
            }
            Self::Postgres(pool) => {
                Session::Postgres(PostgresSession::new(pool.get().await?, reads_expiry))
            }
        })
    }
}

/// One request's conversation with a store; what it did not commit is undone when it is dropped.
pub(crate) enum Session {
    /// In this process.
    Memory(MemorySession),
    /// On one connection of the pool.
    Postgres(PostgresSession),
}

/// Passes each operation on to the store in use.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $kind:ty),*) -> $out:ty;)*) => {
        impl Session {
            $($(#[$doc])*
            pub(crate) async fn $name(&mut self, $($arg: $kind),*) -> Stored<$out> {
                match self {
                    Self::Memory(session) => session.$name($($arg),*).await,
                    Self::Postgres(session) => session.$name($($arg),*).await,
                }
            })*
        }
    };
}

operations! {
    /// Starts a transaction.
    begin() -> ();
    /// Makes everything since `begin` visible to others.
    commit() -> ();
    /// Undoes everything since `begin`.
    rollback() -> ();
    /// Marks a point inside the transaction.
    savepoint() -> ();
    /// Undoes everything since `savepoint`.
    back_to_savepoint() -> ();

    /// Takes the key if nobody has it, waiting for a transaction that is about to decide.
    claim(claiming: &Claiming) -> Claim;
    /// What others have committed about the key (or this transaction did), without waiting.
    look(id: &RecordId) -> Option<Found>;
    /// A record past its expiry that is still there.
    look_expired(id: &RecordId) -> Option<Found>;
    /// The newest record of that key in whatever scope.
    look_in_all_scopes(key: &str) -> Option<Found>;
    /// Writes the key over whatever is there.
    put(claiming: &Claiming) -> ();
    /// Takes an unfinished claim from `from`; false if somebody else was faster.
    take_over(from: &Found, claiming: &Claiming) -> bool;
    /// Saves the reply; false if the key is no longer held (only looked at where `held.owned`).
    complete(held: &Held, reply: &Reply) -> bool;
    /// Leaves the key in progress for ever.
    stick(held: &Held) -> ();
    /// Sets another fingerprint on a record.
    set_fingerprint(id: &RecordId, fingerprint: &str) -> ();
    /// Removes the record, if `owner` (where given) still holds it.
    remove(id: &RecordId, owner: Option<&str>) -> ();
    /// Moves the expiry of an account's key into the past.
    expire(account: &str, key: &str) -> u64;

    /// Inserts an effect; its safety net is a unique constraint.
    insert(effect: &Effect) -> ();
    /// Effects of one kind and one account, oldest first.
    list(kind: Kind, account: &str, filter: &Filter) -> Vec<Effect>;
    /// Sets the note of a payment and counts its version up.
    set_note(id: &str, note: Option<&str>) -> ();
    /// Marks a payment as deleted.
    delete(id: &str) -> ();
}
