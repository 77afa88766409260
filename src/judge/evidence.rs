//! What a check sees: the attempts of a round by step name, their replies and identities, the contract, the control.
//! It must not know any situation, nor give a verdict.

use std::collections::BTreeMap;

pub use super::seen::{Seen, identity_in, received};

use super::control::Control;
use super::tally::Tally;
use crate::config::suite::Step;
use crate::config::target::Identity;
use crate::contract::Contract;
use crate::journal::{Attempt, InstanceHistory, Journal, OperationFacts, Round};

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

    /// The attempt of a step that is judged: of a retry the last; of what an overlap sends again the first, since the later one
    /// comes, the less its answer says.
    #[must_use]
    pub fn last(&self, step: &str) -> Option<Seen<'a>> {
        let mut all = self.all(step).into_iter();
        if self.is_overlapped(step) {
            all.next()
        } else {
            all.next_back()
        }
    }

    /// Whether a step is sent while an overlap holds its first.
    fn is_overlapped(&self, name: &str) -> bool {
        let steps = &self.evidence.instance.plan.drill.step;
        steps.iter().any(|step| match step {
            Step::Overlap(overlap) => {
                let mut during = overlap.during.iter();
                during.any(|fields| fields.name.as_deref() == Some(name))
            }
            _ => false,
        })
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
