//! Where a defect can take hold: every hook gets what is right and gives what the defective server does instead.
//! Must not know any defect by name.

use std::future::Future;
use std::pin::Pin;

use super::fingerprint::Parts;
use super::http::reply::Reply;
use super::http::request::{Keyed, Request};
use super::key::Reading;
use super::machine::Machine;
use super::store::record::{Claim, Claiming, Found, Held};
use super::store::{Session, Stored};
use super::work::Finished;

/// A hook that may wait.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = Stored<T>> + Send + 'a>>;

/// What becomes of the key and of the effect when the work has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The reply is stored and the effect committed.
    Store,
    /// The key is free again.
    Free {
        /// Whether the effect is committed all the same.
        keep_effect: bool,
    },
    /// The key stays in progress for ever.
    Stick {
        /// Whether the effect is committed.
        keep_effect: bool,
    },
    /// The record stays as it is.
    Leave {
        /// Whether the effect is committed.
        keep_effect: bool,
    },
}

/// How a request met the record of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// The other one is still running.
    InProgress,
    /// The other one has been answered.
    Done,
    /// The other one was a different request.
    Mismatch,
}

/// A request beside the record that it met.
pub(crate) struct Encounter<'a> {
    /// The running sandbox.
    pub(crate) machine: &'a Machine,
    /// The later request's session, outside any transaction.
    pub(crate) session: &'a mut Session,
    /// The later request.
    pub(crate) keyed: &'a Keyed,
    /// The record.
    pub(crate) found: &'a Found,
    /// How they met.
    pub(crate) met: Met,
}

/// A defect. Each hook does the right thing unless a defect says otherwise.
pub(crate) trait Defect: Send + Sync {
    /// Reads the key from the header lines.
    fn key(&self, _lines: &[Vec<u8>], right: Reading) -> Reading {
        right
    }

    /// Whether the key of this request is looked at.
    fn covers(&self, _request: &Request) -> bool {
        true
    }

    /// Whose key it is.
    fn scope(&self, _request: &Request, right: String) -> String {
        right
    }

    /// What of the request is hashed.
    fn fingerprint(&self, _request: &Request, _parts: &mut Parts) {}

    /// What else is part of the key.
    fn slot(&self, _fingerprint: &str, right: String) -> String {
        right
    }

    /// What is written at the claim.
    fn claiming(&self, _claiming: &mut Claiming) {}

    /// Whether a record past its expiry counts as absent.
    fn reads_expiry(&self) -> bool {
        true
    }

    /// The value that may stand in an effects table only once.
    fn safety_net(&self, _claiming: &Claiming, right: Option<String>) -> Option<String> {
        right
    }

    /// Answers a request whose credentials were refused.
    fn refused<'a>(
        &'a self,
        _: &'a Machine,
        _: &'a Keyed,
        _right: &'a Reply,
    ) -> Pending<'a, Option<Reply>> {
        nothing()
    }

    /// Answers a request before its key is looked up.
    fn before<'a>(
        &'a self,
        _: &'a Machine,
        _: &'a Request,
        _: Option<&'a Keyed>,
    ) -> Pending<'a, Option<Reply>> {
        nothing()
    }

    /// Claims the key in another way than the design.
    fn claim<'a>(&'a self, _: &'a mut Session, _: &'a Claiming) -> Option<Pending<'a, Claim>> {
        None
    }

    /// Changes a record as it is read.
    fn seen(&self, _found: &mut Found) {}

    /// Does something when a request meets the record of another one.
    fn met<'a>(&'a self, _: Encounter<'a>) -> Pending<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Does something when the reply is known and the effect not yet written.
    fn before_effect<'a>(
        &'a self,
        _: &'a mut Session,
        _: &'a Held,
        _: &'a Reply,
    ) -> Pending<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Changes the reply that the work made, before it is stored.
    fn produced(&self, _reply: &mut Reply) {}

    /// Decides what becomes of key and effect.
    fn ending(&self, _finished: &Finished, right: Ending) -> Ending {
        right
    }

    /// Whether a header is stored with the reply.
    fn remembers(&self, _header: &str, right: bool) -> bool {
        right
    }

    /// Changes a first reply on its way out.
    fn first(&self, _reply: &mut Reply) {}

    /// Changes a replay on its way out.
    fn replayed(&self, _reply: &mut Reply) {}

    /// Changes the answer to a duplicate while the first is in progress.
    fn in_progress(&self, _reply: &mut Reply) {}

    /// Changes the refusal of a different request under a known key.
    fn mismatch(&self, _reply: &mut Reply, _found: &Found) {}

    /// The `If-Match` header that is minded.
    fn precondition(&self, right: Option<String>) -> Option<String> {
        right
    }

    /// Whether a PUT counts as a change.
    fn is_change(&self, right: bool) -> bool {
        right
    }

    /// Changes the answer to a DELETE of what was deleted before.
    fn deleted_before(&self, _reply: &mut Reply) {}

    /// Changes what a browser is told in a preflight and beside a reply.
    fn shared(&self, _reply: &mut Reply) {}

    /// Answers a PUT or DELETE that carries a key.
    fn written(&self, _account: &str, _method: &str, _key: &str) -> Option<Reply> {
        None
    }

    /// Is told what a PUT or DELETE with a key was answered.
    fn was_written(&self, _account: &str, _method: &str, _key: &str, _reply: &Reply) {}

    /// Answers a GET that carries a key.
    fn read(&self, _account: &str, _target: &str, _key: &str) -> Option<Reply> {
        None
    }

    /// Is told what a GET with a key was answered.
    fn was_read(&self, _account: &str, _target: &str, _key: &str, _reply: &Reply) {}
}

fn nothing<'a, T>() -> Pending<'a, Option<T>> {
    Box::pin(async { Ok(None) })
}
