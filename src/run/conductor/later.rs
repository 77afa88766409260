//! Rounds that wait for a key to expire by itself: kept when the run meets the expiry, gone on with by a later run.
//! It must not know where what is kept lies, nor whether it is time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::drill::{Course, stages};
use super::round::Waits;
use super::{Conductor, Halt, Round};
use crate::config::suite::ExpireStep;
use crate::config::target::Identity;
use crate::journal::event::{Event, ExpiryDone, Waiting};
use crate::journal::{Attempt, Journal};
use crate::plan::Instance;
use crate::run::clock::Clock;

/// What a run that goes on knows of its first part.
pub(in crate::run) struct Past {
    pub(super) clock: Clock,
    pub(super) attempts: u64,
    pub(super) identities: BTreeMap<String, Identity>,
    pub(super) over_http2: BTreeSet<String>,
    pub(super) waiting: Vec<Waiting>,
}

impl Past {
    /// What the record says. Times go on from the wall clock, and never before what was recorded last.
    pub(in crate::run) fn of(journal: &Journal, now: jiff::Timestamp) -> Self {
        let began = journal.start.started_at.parse::<jiff::Timestamp>();
        let passed = began.map_or(0, |began| now.duration_since(began).as_micros());
        let last = journal.end.as_ref().map_or(0, |end| end.at_us);
        let last = journal
            .attempts()
            .filter_map(|attempt| Some(attempt.done.as_ref()?.end_us))
            .chain(journal.waiting().map(|waiting| waiting.at_us))
            .fold(last, u64::max);
        let passed = u64::try_from(passed)
            .unwrap_or(0)
            .max(last.saturating_add(1));
        let http2 = |attempt: &&Attempt| {
            let done = attempt.done.as_ref();
            done.is_some_and(|done| done.protocol.as_deref() == Some("HTTP/2"))
        };
        Self {
            clock: Clock::going_on(Duration::from_micros(passed)),
            attempts: journal.attempts().map(|a| a.sent.n).max().unwrap_or(0),
            identities: journal
                .identities
                .iter()
                .map(|(name, found)| (name.clone(), found.identity.clone()))
                .collect(),
            over_http2: journal
                .attempts()
                .filter(http2)
                .map(|attempt| attempt.sent.operation.clone())
                .collect(),
            waiting: journal.waiting().cloned().collect(),
        }
    }
}

/// Beyond the promised length: clocks differ, and stores clean up at their leisure.
fn margin(length: Duration) -> Duration {
    (length / 100).clamp(Duration::from_secs(1), Duration::from_secs(300))
}

impl<'a> Conductor<'a> {
    /// Keeps a round that has to wait. It is over when the policy says that no key lives longer.
    pub(super) fn keep_for_later(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        step: usize,
        expire: &ExpireStep,
    ) -> Result<(), Halt> {
        self.make_intent(instance, round, &expire.key)?;
        let retention = self.contract(&instance.operation)?.retention.value.at_most;
        let Some(retention) = retention else {
            return Err(Halt::Broken(
                "the policy does not say how long keys are kept at most (retention.at-most)"
                    .to_owned(),
            ));
        };
        let now = jiff::Timestamp::now();
        let whole = retention.0 + margin(retention.0);
        let due = now
            .checked_add(jiff::SignedDuration::try_from(whole).unwrap_or(jiff::SignedDuration::MAX))
            .map_err(|error| {
                Halt::Broken(format!("the key's expiry is beyond all dates: {error}"))
            })?;
        self.record(Event::Waiting(Box::new(Waiting {
            instance: instance.id.clone(),
            round: round.number,
            step: u32::try_from(step).unwrap_or(u32::MAX),
            intent: expire.key.clone(),
            intents: round.intents.values().cloned().collect(),
            used: round.used.clone(),
            succeeded: round.succeeded.iter().cloned().collect(),
            since: now.to_string(),
            due: due.to_string(),
            at_us: self.clock.now(),
        })))?;
        round.waits = Some(Waits::Expiry(due.to_string()));
        Ok(())
    }

    /// Goes on with every round that waits, drill by drill, and counts everything again.
    pub(super) fn go_on(&mut self, waiting: &[Waiting]) -> Result<(), Halt> {
        self.renew()?;
        self.measure_round_trip()?;
        let plan = self.request.plan;
        for instance in &plan.instances {
            let mine: Vec<&Waiting> = waiting
                .iter()
                .filter(|w| w.instance == instance.id)
                .collect();
            if !mine.is_empty() {
                self.go_on_with(instance, &mine)?;
            }
        }
        self.go_on_at_the_end()?;
        self.count_finally()
    }

    fn go_on_with(&mut self, instance: &'a Instance, waiting: &[&Waiting]) -> Result<(), Halt> {
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        let began = Instant::now();
        let mut course = Course::new(instance.copies);
        for kept in waiting {
            course.rounds.push(restored(kept));
            self.record(Event::Expired(ExpiryDone {
                instance: instance.id.clone(),
                round: kept.round,
                intent: kept.intent.clone(),
                how: "later".to_owned(),
                done: true,
                detail: format!(
                    "left alone from {} until {}",
                    kept.since,
                    jiff::Timestamp::now()
                ),
                errand: None,
                at_us: self.clock.now(),
            }))?;
        }
        let walked = self.steps_after(instance, &mut course, waiting[0].step as usize + 1);
        self.end_or_rest(instance, course, walked, began)
    }

    /// The steps after a wait, once: a round that is out of step cannot be repeated without waiting again.
    pub(super) fn steps_after(
        &mut self,
        instance: &Instance,
        course: &mut Course,
        from: usize,
    ) -> Result<(), Halt> {
        let rest = instance.drill.step.get(from..).unwrap_or_default();
        for stage in stages(rest) {
            for at in 0..course.rounds.len() {
                self.steps(instance, course, at, &stage)?;
            }
            if let Some(count) = stage.count {
                self.count(instance, &mut course.rounds, count)?;
            }
        }
        Ok(())
    }
}

fn restored(kept: &Waiting) -> Round {
    let mut round = Round::new(kept.round, false);
    round.intents = kept
        .intents
        .iter()
        .map(|intent| (intent.name.clone(), intent.clone()))
        .collect();
    round.used.clone_from(&kept.used);
    round.succeeded = kept.succeeded.iter().cloned().collect();
    round
}
