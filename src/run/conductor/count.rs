//! Counting: all rounds after one settle time, once more for late effects, and everything again at the end of the run.
//! It must not know how many effects there should be; a number lower than the successes seen is only waited for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::{Conductor, Halt, Round, Spot};
use crate::config::suite::{CountStep, Step};
use crate::config::target::Counter;
use crate::journal::event::{CountEntry, CountTaken, Event};
use crate::plan::{Instance, prepare, requests_of};

/// How many settle times a late effect is waited for.
const PATIENCE: u32 = 5;
/// The shortest wait between two readings.
const BETWEEN: Duration = Duration::from_millis(50);

impl Conductor<'_> {
    /// Counts the effects of every intent that was used in these rounds.
    pub(super) fn count(
        &mut self,
        instance: &Instance,
        rounds: &mut [Round],
        step: &CountStep,
    ) -> Result<(), Halt> {
        self.renew()?;
        for round in rounds.iter_mut().filter(|round| round.waits.is_none()) {
            for key in &step.keys {
                self.make_intent(instance, round, key)?;
                self.set_up_to_count(instance, round, key)?;
            }
        }
        let is_on = |round: &&Round| round.waits.is_none();
        let anything_sent = rounds.iter().filter(is_on).any(|r| !r.used.is_empty());
        if anything_sent && self.counts_anything(instance, rounds) {
            self.pause(self.target().settle.0)?;
        }
        let waits_until = Instant::now() + self.target().settle.0 * PATIENCE;
        for round in rounds.iter().filter(is_on) {
            let wanted = self.wanted(instance, round, &step.keys);
            let mut entries = self.read_all(instance, round, &wanted)?;
            while self.may_rise(round, &entries) && Instant::now() < waits_until {
                self.pause(BETWEEN.max(self.target().settle.0 / 4))?;
                entries = self.read_all(instance, round, &wanted)?;
            }
            for entry in entries.iter().filter(|entry| is_too_low(round, entry)) {
                self.never_rises.insert(entry.operation.clone());
            }
            self.record_count(instance, round.number, &step.name, entries)?;
        }
        Ok(())
    }

    /// A counter that looks into what a set-up made needs the set-up before the request itself.
    fn set_up_to_count(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        key: &str,
    ) -> Result<(), Halt> {
        let operation = self.operation(&instance.operation)?;
        let texts: Vec<&str> = match &operation.count {
            Some(Counter::Get { path, matching, .. }) => {
                let is = matching.as_ref().map(|(_, is)| is.as_str());
                [path.as_str()].into_iter().chain(is).collect()
            }
            Some(Counter::Command(line)) => line.argv.iter().map(String::as_str).collect(),
            _ => return Ok(()),
        };
        let looks_into = |need: &String| {
            let placeholder = format!("{{{{{need}}}}}");
            texts
                .iter()
                .any(|text| text.contains(&placeholder) || text.contains("DOUBLETAP_NEED_"))
        };
        if !operation.needs.keys().any(looks_into) {
            return Ok(());
        }
        let mut requests = instance.drill.step.iter().flat_map(requests_of);
        let sender = requests.find(|request| request.key.as_deref() == Some(key));
        let account = sender.and_then(|request| request.account.as_deref());
        let Some(mut intent) = round.intents.get(key).cloned() else {
            return Ok(());
        };
        let spot = Spot {
            instance,
            round: round.number,
        };
        self.set_up(spot, operation, account.unwrap_or("a"), &mut intent, 0)?;
        round.intents.insert(key.to_owned(), intent);
        Ok(())
    }

    /// Counts everything once more: an effect that came late shows here.
    pub(super) fn count_finally(&mut self) -> Result<(), Halt> {
        let finished = std::mem::take(&mut self.finished);
        let plan = self.request.plan;
        let instances: Vec<(&Instance, Vec<Round>)> = finished
            .into_iter()
            .filter_map(|(id, rounds)| {
                let found = plan.instances.iter().find(|instance| instance.id == id);
                found.map(|instance| (instance, rounds))
            })
            .collect();
        let counts = instances
            .iter()
            .any(|(instance, rounds)| self.counts_anything(instance, rounds));
        if counts {
            self.pause(self.target().settle.0)?;
        }
        for (instance, rounds) in instances {
            let named: Vec<String> = instance
                .drill
                .step
                .iter()
                .filter_map(|step| match step {
                    Step::Count(count) => Some(count.keys.clone()),
                    _ => None,
                })
                .flatten()
                .collect();
            for round in &rounds {
                let wanted = self.wanted(instance, round, &named);
                let entries = self.read_all(instance, round, &wanted)?;
                self.record_count(instance, round.number, "final", entries)?;
            }
        }
        Ok(())
    }

    fn record_count(
        &mut self,
        instance: &Instance,
        round: u32,
        name: &str,
        entries: Vec<CountEntry>,
    ) -> Result<(), Halt> {
        if entries.is_empty() {
            return Ok(());
        }
        let at_us = self.clock.now();
        self.record(Event::Count(CountTaken {
            instance: instance.id.clone(),
            round,
            name: name.to_owned(),
            entries,
            at_us,
        }))
    }

    /// Intents and operations to count: those used, and those named.
    fn wanted(
        &self,
        instance: &Instance,
        round: &Round,
        named: &[String],
    ) -> Vec<(String, String)> {
        let mut wanted = round.used.clone();
        for key in named {
            let pair = (key.clone(), instance.operation.clone());
            if round.intents.contains_key(key) && !wanted.contains(&pair) {
                wanted.push(pair);
            }
        }
        wanted
    }

    fn counts_anything(&self, instance: &Instance, rounds: &[Round]) -> bool {
        let has_counter = |name: &str| {
            self.operation(name)
                .is_ok_and(|operation| operation.count.is_some())
        };
        has_counter(&instance.operation)
            || rounds
                .iter()
                .flat_map(|round| &round.used)
                .any(|(_, operation)| has_counter(operation))
    }

    /// One reading of every wanted intent, for every account of the drill: a counter that mixes accounts shows so.
    fn read_all(
        &mut self,
        instance: &Instance,
        round: &Round,
        wanted: &[(String, String)],
    ) -> Result<Vec<CountEntry>, Halt> {
        let accounts = accounts(instance);
        let mut entries = Vec::new();
        for (name, operation_name) in wanted {
            let operation = self.operation(operation_name)?;
            let Some(intent) = round.intents.get(name) else {
                continue;
            };
            if operation.count.is_none() {
                continue;
            }
            for account in &accounts {
                let account = prepare::account(self.target(), account).map_err(Halt::Broken)?;
                let counted = self.count_one(operation, intent, account)?;
                if self.meter.is_interrupted() {
                    return Err(Halt::Interrupted);
                }
                entries.push(CountEntry {
                    intent: name.clone(),
                    operation: operation.name.clone(),
                    account: account.name.clone(),
                    key: intent.key.clone(),
                    reference: intent.reference.clone(),
                    value: counted.as_ref().ok().copied(),
                    error: counted.err(),
                });
            }
        }
        Ok(entries)
    }

    /// Whether a reading may still rise to what the replies promise.
    fn may_rise(&self, round: &Round, entries: &[CountEntry]) -> bool {
        entries
            .iter()
            .any(|entry| is_too_low(round, entry) && !self.never_rises.contains(&entry.operation))
    }
}

/// A success was seen, and nothing is there.
fn is_too_low(round: &Round, entry: &CountEntry) -> bool {
    entry.value == Some(0)
        && round.succeeded.contains(&(
            entry.intent.clone(),
            entry.operation.clone(),
            entry.account.clone(),
        ))
}

/// The accounts that a drill's steps name.
fn accounts(instance: &Instance) -> BTreeSet<String> {
    let mut accounts = BTreeSet::new();
    for step in &instance.drill.step {
        for request in requests_of(step) {
            accounts.insert(request.account.clone().unwrap_or_else(|| "a".to_owned()));
        }
        if let Step::Expire(expire) = step {
            accounts.insert(expire.account.clone().unwrap_or_else(|| "a".to_owned()));
        }
    }
    if accounts.is_empty() {
        accounts.insert("a".to_owned());
    }
    accounts
}
