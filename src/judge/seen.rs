//! One attempt as a check sees it: its reply, its identity, its times, and what the contract reads in it.
//! It must not know any situation, nor give a verdict.

use super::evidence::Op;
use crate::config::target::Identity;
use crate::contract::Received;
use crate::contract::reading::{self, Identities, Reading};
use crate::contract::relation::Asked;
use crate::journal::{Attempt, Outcome, Reply};

/// One attempt as a check sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What was sent, and what came.
    pub attempt: &'a Attempt,
    /// Its operation.
    pub op: Op<'a>,
}

impl<'a> Seen<'a> {
    /// Its number in the run.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.attempt.sent.n
    }

    /// The reply, where a whole one came.
    #[must_use]
    pub fn reply(&self) -> Option<&'a Reply> {
        self.attempt.reply()
    }

    /// The reply as the contract reads it.
    #[must_use]
    pub fn received(&self) -> Option<Received<'a>> {
        self.reply().map(received)
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.reply().map(|r| r.status)
    }

    /// The identity in its reply, where the reply is a success.
    #[must_use]
    pub fn identity(&self) -> Option<String> {
        let reply = self.received()?;
        if !self.is_success() {
            return None;
        }
        identity_in(self.op.identity, reply)
    }

    /// How its identity stands to another's.
    #[must_use]
    pub fn identities(&self, first: &Seen<'_>) -> Identities {
        match (self.identity(), first.identity()) {
            (Some(mine), Some(its)) if mine == its => Identities::Same,
            (Some(_), Some(_)) => Identities::Other,
            _ => Identities::Unknown,
        }
    }

    /// What its reply may stand for, beside the first reply; `None` where no whole reply came.
    #[must_use]
    pub fn reading(&self, first: Option<&Seen<'_>>) -> Option<Reading> {
        let reply = self.received()?;
        let identities = first.map_or(Identities::Unknown, |first| self.identities(first));
        Some(reading::read(
            self.op.contract,
            &self.op.facts.success,
            reply,
            identities,
        ))
    }

    /// Whether its reply is a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.received().is_some_and(|reply| {
            reading::read(
                self.op.contract,
                &self.op.facts.success,
                reply,
                Identities::Unknown,
            )
            .is_success()
        })
    }

    /// Whether a well-behaved client would still wait.
    #[must_use]
    pub fn may_be_in_progress(&self) -> bool {
        self.received().is_some_and(|reply| {
            reading::may_be_in_progress(self.op.contract, &self.op.facts.success, reply)
        })
    }

    /// Whether its reply is marked as a replay; `None` where no marker is declared.
    #[must_use]
    pub fn marked(&self) -> Option<bool> {
        reading::marked(&self.op.contract.marker.value, self.received()?)
    }

    /// Whether the outcome is unknown: nothing whole came back, or a gateway answered.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match self.attempt.done.as_ref().map(|d| &d.outcome) {
            None | Some(Outcome::Unknown { .. }) => self.attempt.left(),
            Some(Outcome::NotSent { .. }) => false,
            Some(Outcome::Replied(_)) => self
                .reading(None)
                .is_some_and(|r| r.may_be(reading::Situation::Gateway)),
        }
    }

    /// When it may have begun to matter to the server: its release, or its hand-over.
    #[must_use]
    pub fn began_us(&self) -> u64 {
        let sent = self.attempt.sent.at_us;
        let Some(done) = &self.attempt.done else {
            return sent;
        };
        match done.released_us {
            // an answer before the release: the server decided on the head alone
            Some(released) if released <= self.answered_us() => released.max(sent),
            _ => sent,
        }
    }

    /// When the answer came, or hope ended.
    #[must_use]
    pub fn answered_us(&self) -> u64 {
        match &self.attempt.done {
            Some(done) => done.first_byte_us.unwrap_or(done.end_us),
            None => u64::MAX,
        }
    }

    /// When it was over.
    #[must_use]
    pub fn ended_us(&self) -> u64 {
        self.attempt.done.as_ref().map_or(u64::MAX, |d| d.end_us)
    }

    /// Whether two were open at once.
    #[must_use]
    pub fn overlaps(&self, other: &Seen<'_>) -> bool {
        self.attempt.left()
            && other.attempt.left()
            && self.began_us().max(other.began_us()) < self.answered_us().min(other.answered_us())
    }

    /// The request, as the fingerprint sees it.
    #[must_use]
    pub fn asked(&self) -> Asked<'a> {
        let sent = &self.attempt.sent;
        Asked {
            operation: &sent.operation,
            body_name: &sent.body_name,
            written: sent.written,
            vary: sent.vary.as_ref(),
            body: sent.body.text.as_deref().filter(|_| !sent.body.truncated),
            digest: &sent.body.hmac,
        }
    }

    /// In words: `attempt 3 got 201`.
    #[must_use]
    pub fn words(&self) -> String {
        let n = self.n();
        match self.attempt.done.as_ref().map(|d| &d.outcome) {
            None => format!("attempt {n} was never over"),
            Some(Outcome::Replied(reply)) => format!("attempt {n} got {}", reply.status),
            Some(Outcome::Unknown { why }) => format!("attempt {n} has an unknown outcome ({why})"),
            Some(Outcome::NotSent { why }) => format!("attempt {n} was not sent ({why})"),
        }
    }
}

/// A reply as the contract reads it.
#[must_use]
pub fn received(reply: &Reply) -> Received<'_> {
    Received {
        status: reply.status,
        headers: &reply.headers,
        text: reply.body.text.as_deref(),
    }
}

/// The identity in a reply.
#[must_use]
pub fn identity_in(identity: &Identity, reply: Received<'_>) -> Option<String> {
    let found = match identity {
        Identity::Detect | Identity::None => None,
        Identity::Pointer(pointer) => reply.at(pointer).into_iter().next(),
        Identity::Header(name) => reply.header(name).next().map(str::to_owned),
        Identity::Xml(path) => {
            let path = path.strip_prefix("xml:").unwrap_or(path);
            reply.at(&format!("xml:{path}")).into_iter().next()
        }
    };
    found.filter(|text| !text.is_empty())
}
