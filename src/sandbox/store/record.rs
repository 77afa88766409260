//! The record of a key, as the stores see it: who claimed it, until when, and with which reply it ended.
//! Must not know how keys are read from requests, nor which design writes the record.

use std::time::Duration;

use crate::sandbox::http::reply::Reply;

/// How many characters the key column takes; both stores refuse more, as `varchar(255)` does.
pub(crate) const KEY_WIDTH: usize = 255;

/// The primary key of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RecordId {
    /// Whose key it is; the account on right designs.
    pub(crate) scope: String,
    /// The bare key.
    pub(crate) key: String,
    /// Empty on right designs; what else a wrong one makes part of the key.
    pub(crate) slot: String,
}

/// What is written when a key is claimed.
#[derive(Clone, Debug)]
pub(crate) struct Claiming {
    /// The primary key.
    pub(crate) id: RecordId,
    /// The account that sent the request.
    pub(crate) account: String,
    /// The fingerprint of the request.
    pub(crate) fingerprint: String,
    /// One life of the key: new after expiry, kept when a claim is taken over.
    pub(crate) life: String,
    /// The request that holds the claim.
    pub(crate) owner: String,
    /// After how long another request may take the claim over; none = never.
    pub(crate) lease: Option<Duration>,
    /// How long the record is kept.
    pub(crate) retention: Duration,
}

/// A record as found by a later request.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The primary key.
    pub(crate) id: RecordId,
    /// The fingerprint of the request that made it.
    pub(crate) fingerprint: String,
    /// Its life.
    pub(crate) life: String,
    /// Who holds or held it.
    pub(crate) owner: String,
    /// The reply; none while in progress.
    pub(crate) reply: Option<Reply>,
    /// In progress for longer than its lease.
    pub(crate) lapsed: bool,
    /// How long ago it was completed.
    pub(crate) completed_ago: Option<Duration>,
}

/// The answer to a claim.
#[derive(Debug)]
pub(crate) enum Claim {
    /// The key is ours.
    Mine(Held),
    /// Somebody has it.
    Theirs(Found),
}

/// A claim that this request holds.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// What was claimed.
    pub(crate) claiming: Claiming,
    /// Whether completing checks that the claim is still ours; without it the record is written over.
    pub(crate) owned: bool,
}
