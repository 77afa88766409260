//! What a check sees: the attempts of a round by step name, their replies and identities, the contract, the control.
//! It must not know any situation, nor give a verdict.

use std::collections::BTreeMap;

use super::control::Control;
use super::tally::Tally;
use crate::config::target::Identity;
use crate::contract::reading::{self, Identities, Reading};
use crate::contract::relation::Asked;
use crate::contract::{Contract, Received};
use crate::journal::{Attempt, InstanceHistory, Journal, OperationFacts, Outcome, Reply, Round};

/// One operation as it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Op<'a> {
    /// Its contract.
    pub contract: &'a Contract,
    /// What the target declares of it.
    pub facts: &'a OperationFacts,
    /// What tells results apart.
    pub identity: &'a Identity,
}

/// Everything about one drill.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The run.
    pub journal: &'a Journal,
    /// The contracts by which it is judged.
    pub contracts: &'a BTreeMap<String, Contract>,
    /// The drill.
    pub instance: &'a InstanceHistory,
    /// The controls by operation; `None` while the control itself is examined, or where only replies are asked for.
    pub controls: Option<&'a BTreeMap<String, Control>>,
    /// Whether counts are left out: they come after the rounds, and a run that may stop early has none yet.
    pub replies_only: bool,
}

/// One round of a drill.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The drill.
    pub evidence: Evidence<'a>,
    /// Its number, from 0.
    pub number: u32,
    /// What happened.
    pub round: &'a Round,
}

/// One attempt as a check sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What was sent, and what came.
    pub attempt: &'a Attempt,
    /// Its operation.
    pub op: Op<'a>,
}

impl<'a> Evidence<'a> {
    /// The rounds, in order.
    pub fn scenes(self) -> impl Iterator<Item = Scene<'a>> {
        self.instance
            .rounds
            .iter()
            .map(move |(number, round)| Scene {
                evidence: self,
                number: *number,
                round,
            })
    }

    /// The operation under test.
    #[must_use]
    pub fn op(self) -> Option<Op<'a>> {
        self.operation(&self.instance.plan.operation)
    }

    /// An operation.
    #[must_use]
    pub fn operation(self, name: &str) -> Option<Op<'a>> {
        let facts = self
            .journal
            .start
            .operations
            .iter()
            .find(|o| o.name == name)?;
        let found = self.journal.identities.get(name).map(|f| &f.identity);
        Some(Op {
            contract: self.contracts.get(name)?,
            facts,
            identity: found.unwrap_or(&facts.identity),
        })
    }

    /// The control of an operation.
    #[must_use]
    pub fn control(self, operation: &str) -> Option<&'a Control> {
        self.controls?.get(operation)
    }

    /// Whether two names stand for one account: the same, or a second credential of it.
    #[must_use]
    pub fn one_account(self, a: &str, b: &str) -> bool {
        let accounts = &self.journal.start.accounts;
        let of = |name: &str| {
            let account = accounts.iter().find(|x| x.name == name);
            account
                .and_then(|x| x.same_as.clone())
                .unwrap_or_else(|| name.to_owned())
        };
        a == b || of(a) == of(b)
    }

    /// Why a step is missing: the drill broke off, or was never reached.
    #[must_use]
    pub fn not_reached(self) -> String {
        if let Some(stopped) = &self.journal.stopped {
            return format!("not reached: {}", stopped.why);
        }
        match &self.instance.ended {
            Some(ended) => match &ended.broken {
                Some(why) => format!("not reached: {why}"),
                None => "not reached".to_owned(),
            },
            None => "not reached: the run ended before".to_owned(),
        }
    }
}

impl<'a> Scene<'a> {
    /// All attempts of a step, in the order sent.
    #[must_use]
    pub fn all(&self, step: &str) -> Vec<Seen<'a>> {
        let attempts = self.round.attempts.iter().filter(|a| a.sent.step == step);
        attempts.filter_map(|attempt| self.see(attempt)).collect()
    }

    /// An attempt of this round as a check sees it.
    #[must_use]
    pub fn see(&self, attempt: &'a Attempt) -> Option<Seen<'a>> {
        let op = self.evidence.operation(&attempt.sent.operation)?;
        Some(Seen { attempt, op })
    }

    /// The last attempt of a step: of a retry, the one that is judged.
    #[must_use]
    pub fn last(&self, step: &str) -> Option<Seen<'a>> {
        self.all(step).into_iter().next_back()
    }

    /// The last attempt of a step, or a doubt that it was not reached.
    pub fn need(&self, step: Option<&String>, tally: &mut Tally) -> Option<Seen<'a>> {
        let step = step?;
        let seen = self.last(step).filter(|s| s.attempt.done.is_some());
        if seen.is_none() {
            tally.doubt(format!("`{step}` was {}", self.evidence.not_reached()), &[]);
        }
        seen
    }

    /// Whether nothing under the attempt's key can have reached the server before it in this round: else it may rightly be a
    /// replay itself. What was sent while it was open may have overtaken it.
    #[must_use]
    pub fn is_first_of_its_key(&self, seen: &Seen<'_>) -> bool {
        let sent = &seen.attempt.sent;
        let others = self.round.attempts.iter().filter(|a| a.sent.n != sent.n);
        others
            .filter(|a| a.sent.key.is_some() && a.sent.key == sent.key)
            .all(|a| a.sent.n > sent.n && a.sent.at_us >= seen.ended_us())
    }

    /// How many attempts of a step were answered "in progress", "too many" or by a gateway before the last one.
    #[must_use]
    pub fn earlier_tries(&self, step: &str) -> usize {
        self.all(step).len().saturating_sub(1)
    }
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

/// A text about replies without the numbers of attempts: a reader of a pass wants to know what came, not where to look.
#[must_use]
pub fn without_numbers(text: &str) -> String {
    const BEFORE: &str = "attempt ";
    const AFTER: &str = " got ";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEFORE) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let numbered = &tail[BEFORE.len()..];
        let after = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
        match after.strip_prefix(AFTER) {
            Some(came) if after.len() < numbered.len() => rest = came,
            _ => {
                out.push_str(BEFORE);
                rest = numbered;
            }
        }
    }
    out.push_str(rest);
    out
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

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn only_the_numbers_of_replies_go() {
        assert_eq!(
            without_numbers("refused (attempt 12 got 400, attempt 13 got 400)"),
            "refused (400, 400)"
        );
        for kept in [
            "nothing of attempt 3 in the reply to attempt 4",
            "attempt 7 was not sent",
            "attempt  got 201",
        ] {
            assert_eq!(without_numbers(kept), kept);
        }
    }
}
