//! The events of a run put in order: each drill with its rounds, each round with its attempts, counts and proofs.
//! It must not know where events come from (a file, or a run that is still going on), nor what they prove.

use std::collections::BTreeMap;

use super::event::{
    AttemptDone, AttemptSent, CountTaken, End, Event, ExpiryDone, GateProof, HeldProof, HookDone,
    IdentityFound, InstanceEnded, Note, Outcome, Reply, Stopped, Waiting,
};
use super::shared::Recent;
use super::start::Start;
use crate::contract::Contract;
use crate::plan::Instance;

/// A run as far as it was recorded.
#[derive(Clone, Debug)]
pub struct Journal {
    /// What was known when it began.
    pub start: Start,
    /// What tells results apart, by operation.
    pub identities: BTreeMap<String, IdentityFound>,
    /// Why the target could not be tested, where it could not.
    pub stopped: Option<Stopped>,
    /// What a reader should know.
    pub notes: Vec<Note>,
    /// One history a planned drill, in the plan's order.
    pub instances: Vec<InstanceHistory>,
    /// Attempts that belong to no planned drill: the preflight's.
    pub preflight: Vec<Attempt>,
    /// The end; `None` where the record breaks off.
    pub end: Option<End>,
    places: BTreeMap<u64, Place>,
    recent: Recent,
}

/// Where an attempt stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Preflight(usize),
    Round(usize, u32, usize),
}

/// What happened in one drill.
#[derive(Clone, Debug)]
pub struct InstanceHistory {
    /// The drill as planned.
    pub plan: Instance,
    /// Whether it was begun.
    pub begun: bool,
    /// Why it was skipped, where it was.
    pub skip: Option<String>,
    /// Its rounds by number.
    pub rounds: BTreeMap<u32, Round>,
    /// Its end; `None` where it never ended.
    pub ended: Option<InstanceEnded>,
}

/// One round of a drill.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The attempts, in the order in which they were announced.
    pub attempts: Vec<Attempt>,
    /// The counts, in order.
    pub counts: Vec<CountTaken>,
    /// Proofs of copies released together.
    pub gates: Vec<GateProof>,
    /// Proofs of a first request held in progress.
    pub held: Vec<HeldProof>,
    /// Keys made to expire.
    pub expired: Vec<ExpiryDone>,
    /// Where it waits, or waited, for `doubletap resume`.
    pub waiting: Vec<Waiting>,
    /// Commands run.
    pub hooks: Vec<HookDone>,
}

/// A request, and what came of it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What was sent.
    pub sent: AttemptSent,
    /// What came; `None` where the record breaks off before.
    pub done: Option<AttemptDone>,
}

/// An event that fits nowhere.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Misfit {
    /// An outcome without its attempt.
    #[error("an outcome of attempt {0}, which was never announced")]
    Outcome(u64),
    /// Two outcomes of one attempt, or two attempts of one number.
    #[error("attempt {0} appears twice")]
    Twice(u64),
    /// A second start.
    #[error("a second `start`; a journal holds one run")]
    Start,
    /// An event of a drill that is not in the plan.
    #[error("an event of `{0}`, which is not in the plan")]
    Instance(String),
}

impl Journal {
    /// A run that has just begun.
    #[must_use]
    pub fn new(start: Start) -> Self {
        let instances = start
            .plan
            .iter()
            .map(|plan| InstanceHistory {
                skip: plan.skip.clone(),
                plan: plan.clone(),
                begun: false,
                rounds: BTreeMap::new(),
                ended: None,
            })
            .collect();
        Self {
            start,
            identities: BTreeMap::new(),
            stopped: None,
            notes: Vec::new(),
            instances,
            preflight: Vec::new(),
            end: None,
            places: BTreeMap::new(),
            recent: Recent::default(),
        }
    }

    /// Takes the next event in.
    ///
    /// # Errors
    /// An event that fits nowhere; the journal stays as it was.
    pub fn add(&mut self, event: Event) -> Result<(), Misfit> {
        match event {
            Event::Start(_) => return Err(Misfit::Start),
            Event::Identity(found) => {
                self.identities.insert(found.operation.clone(), found);
            }
            Event::Stopped(stopped) => self.stopped = Some(stopped),
            Event::Instance(begun) => {
                let at = self.place_of(&begun.instance)?;
                let instance = &mut self.instances[at];
                instance.begun = begun.skip.is_none();
                instance.skip = begun.skip;
            }
            Event::Attempt(sent) => return self.sent(*sent),
            Event::Outcome(done) => return self.done(*done),
            Event::Gate(proof) => {
                self.round(&proof.instance, proof.round)?.gates.push(proof);
            }
            Event::Held(proof) => {
                self.round(&proof.instance, proof.round)?.held.push(proof);
            }
            Event::Count(count) => {
                self.round(&count.instance, count.round)?.counts.push(count);
            }
            Event::Expired(done) => {
                self.round(&done.instance, done.round)?.expired.push(done);
            }
            Event::Waiting(waiting) => {
                let round = self.round(&waiting.instance, waiting.round)?;
                round.waiting.push(*waiting);
            }
            Event::Hook(done) => self.round(&done.instance, done.round)?.hooks.push(done),
            Event::Note(note) => self.notes.push(note),
            Event::InstanceEnd(ended) => {
                let at = self.place_of(&ended.instance)?;
                self.instances[at].ended = Some(ended);
            }
            Event::End(end) => self.end = Some(end),
        }
        Ok(())
    }

    /// The history of a drill, by `drill/case@operation`.
    #[must_use]
    pub fn instance(&self, id: &str) -> Option<&InstanceHistory> {
        self.instances.iter().find(|i| i.plan.id == id)
    }

    /// All attempts of the run, by number.
    pub fn attempts(&self) -> impl Iterator<Item = &Attempt> {
        self.places.values().map(|place| self.at(*place))
    }

    /// An attempt by its number.
    #[must_use]
    pub fn attempt(&self, n: u64) -> Option<&Attempt> {
        self.places.get(&n).map(|place| self.at(*place))
    }

    /// The rounds that still wait for their keys to expire.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let rounds = self.instances.iter().flat_map(|i| i.rounds.values());
        rounds.filter_map(|round| {
            let waiting = round.waiting.last()?;
            // an expiry after it: somebody went on
            let went_on = round.expired.iter().any(|e| e.at_us > waiting.at_us);
            (!went_on).then_some(waiting)
        })
    }

    /// The contract of an operation as it was declared when the run was made.
    #[must_use]
    pub fn contract(&self, operation: &str) -> Option<&Contract> {
        self.start.contracts.get(operation)
    }

    /// Forgets what happened in a round, so that a run of many rounds needs no more memory than one of few. What comes later
    /// begins the round anew.
    pub fn forget(&mut self, instance: &str, round: u32) {
        let Ok(at) = self.place_of(instance) else {
            return;
        };
        if let Some(forgotten) = self.instances[at].rounds.remove(&round) {
            for attempt in forgotten.attempts {
                self.places.remove(&attempt.sent.n);
            }
        }
    }

    fn at(&self, place: Place) -> &Attempt {
        match place {
            Place::Preflight(at) => &self.preflight[at],
            Place::Round(instance, round, at) => {
                &self.instances[instance].rounds[&round].attempts[at]
            }
        }
    }

    fn place_of(&self, id: &str) -> Result<usize, Misfit> {
        self.instances
            .iter()
            .position(|i| i.plan.id == id)
            .ok_or_else(|| Misfit::Instance(id.to_owned()))
    }

    fn round(&mut self, id: &str, round: u32) -> Result<&mut Round, Misfit> {
        let at = self.place_of(id)?;
        Ok(self.instances[at].rounds.entry(round).or_default())
    }

    fn sent(&mut self, mut sent: AttemptSent) -> Result<(), Misfit> {
        self.recent.share(&mut sent.headers);
        let n = sent.n;
        if self.places.contains_key(&n) {
            return Err(Misfit::Twice(n));
        }
        let round = sent.round;
        let attempt = Attempt { sent, done: None };
        let place = match self.place_of(&attempt.sent.instance) {
            Ok(instance) => {
                let attempts = &mut self.instances[instance]
                    .rounds
                    .entry(round)
                    .or_default()
                    .attempts;
                attempts.push(attempt);
                Place::Round(instance, round, attempts.len() - 1)
            }
            Err(_) if attempt.sent.instance.starts_with("preflight@") => {
                self.preflight.push(attempt);
                Place::Preflight(self.preflight.len() - 1)
            }
            Err(misfit) => return Err(misfit),
        };
        self.places.insert(n, place);
        Ok(())
    }

    fn done(&mut self, mut done: AttemptDone) -> Result<(), Misfit> {
        if let Outcome::Replied(reply) = &mut done.outcome {
            self.recent.share(&mut reply.headers);
        }
        let n = done.n;
        let attempt = match self.places.get(&n) {
            None => return Err(Misfit::Outcome(n)),
            Some(Place::Preflight(at)) => self.preflight.get_mut(*at),
            Some(Place::Round(instance, round, at)) => self.instances[*instance]
                .rounds
                .get_mut(round)
                .and_then(|r| r.attempts.get_mut(*at)),
        };
        match attempt {
            Some(attempt) if attempt.done.is_none() => {
                attempt.done = Some(done);
                Ok(())
            }
            Some(_) => Err(Misfit::Twice(n)),
            None => Err(Misfit::Outcome(n)),
        }
    }
}

impl Attempt {
    /// The reply, where a whole one came.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match &self.done.as_ref()?.outcome {
            Outcome::Replied(reply) => Some(reply),
            Outcome::Unknown { .. } | Outcome::NotSent { .. } => None,
        }
    }

    /// Whether the request left the machine, as far as is known.
    #[must_use]
    pub fn left(&self) -> bool {
        !matches!(
            self.done.as_ref().map(|d| &d.outcome),
            Some(Outcome::NotSent { .. })
        )
    }
}
