//! What will be sent, decided before anything is: drills x cases x operations, keys, bodies, and what is skipped and why.
//! It must not do any I/O: fresh keys and captured values are handed in.

pub mod body;
pub mod chance;
pub mod counting;
pub mod fresh;
pub mod intent;
pub mod json_text;
pub mod needs;
pub mod prepare;
pub mod rewrite;
pub mod select;
pub mod sql;
pub mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::suite::{Case, Drill, RequestFields, Step};
use crate::config::target::{Operation, Target};

/// One drill in one case on one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Instance {
    /// `drill/case@operation` (`drill@operation` without a case); never changes.
    pub id: String,
    /// The drill, with the case's keys and fields filled in.
    pub drill: Drill,
    /// The case.
    pub case: Option<String>,
    /// The operation under test.
    pub operation: String,
    /// Another operation of the target, where the drill needs one.
    pub other_operation: Option<String>,
    /// How often the steps are repeated.
    pub rounds: u32,
    /// Copies of a burst.
    pub copies: u32,
    /// Why it is skipped, where it is known beforehand.
    pub skip: Option<String>,
    /// Steps that were left out, with the checks that need them, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Everything that will be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The run's id.
    pub run: String,
    /// All drills, skipped ones included, in order.
    pub instances: Vec<Instance>,
    /// How many requests that makes at the most in an ordinary run, set-ups, HTTP counting and the fetching of tokens included.
    pub requests: u64,
}

/// How races are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Races {
    /// Copies of a burst.
    pub copies: u32,
    /// Rounds of a drill with rounds.
    pub rounds: u32,
    /// Copies of any burst at the most.
    pub max_copies: Option<u32>,
}

impl Races {
    fn capped(self, copies: u32) -> u32 {
        self.max_copies.map_or(copies, |most| copies.min(most))
    }
}

/// Plans the drills on every operation that is to be tested. `wants` says which instances are wanted; the controls of the
/// operations that they rest on are taken with them.
#[must_use]
pub fn plan(
    target: &Target,
    drills: &[Drill],
    races: Races,
    run: &str,
    wants: &dyn Fn(&Instance) -> bool,
) -> Plan {
    let tested = |name: &str| {
        let found = target.operations.iter().find(|other| other.name == name);
        found.is_some_and(|operation| !operation.setup_only)
    };
    let all = every(target, drills, races);
    let wanted = |instance: &Instance| tested(&instance.operation) && wants(instance);
    let rests_on: BTreeSet<&str> = all
        .iter()
        .filter(|instance| wanted(instance))
        .flat_map(operations_of)
        .collect();
    let instances: Vec<Instance> = all
        .iter()
        .filter(|instance| {
            let rested_on = rests_on.contains(instance.operation.as_str());
            wanted(instance) || select::is_control(instance) && rested_on
        })
        .cloned()
        .map(|mut instance| {
            needs::apply(target, &mut instance);
            instance
        })
        .collect();
    let sent: u64 = instances
        .iter()
        .map(|instance| requests(target, instance))
        .sum();
    let requests = sent + target.token_urls().count() as u64;
    Plan {
        run: run.to_owned(),
        instances,
        requests,
    }
}

/// Every drill in every case on every operation that it is for.
fn every(target: &Target, drills: &[Drill], races: Races) -> Vec<Instance> {
    let mut instances = Vec::new();
    for operation in &target.operations {
        let other = other_than(target, &operation.name);
        let fitting = drills.iter().filter(|d| is_for(d, &operation.method));
        for drill in fitting {
            let no_case = [Case::default()];
            let cases = if drill.case.is_empty() {
                &no_case[..]
            } else {
                &drill.case[..]
            };
            instances.extend(cases.iter().map(|case| Instance {
                id: id(drill, case, &operation.name),
                drill: within(with_case(drill, case), races),
                case: (!case.id.is_empty()).then(|| case.id.clone()),
                operation: operation.name.clone(),
                other_operation: other.map(|other| other.name.clone()),
                rounds: if drill.rounds { races.rounds } else { 1 },
                copies: races.capped(races.copies),
                skip: None,
                left_out: Vec::new(),
            }));
        }
    }
    instances
}

/// The operations that an instance sends to.
fn operations_of(instance: &Instance) -> BTreeSet<&str> {
    let sent = instance.drill.step.iter().flat_map(requests_of);
    let mut names: BTreeSet<&str> = sent
        .filter_map(|request| prepare::operation_name(instance, request).ok())
        .collect();
    names.insert(&instance.operation);
    names
}

/// Another operation: one that is tested too, or else one that only sets others up.
fn other_than<'a>(target: &'a Target, name: &str) -> Option<&'a Operation> {
    let others = || target.operations.iter().filter(|other| other.name != name);
    others()
        .find(|other| !other.setup_only)
        .or_else(|| others().next())
}

fn is_for(drill: &Drill, method: &str) -> bool {
    if drill.methods.is_empty() {
        matches!(method, "POST" | "PATCH")
    } else {
        drill.methods.iter().any(|other| other == method)
    }
}

fn id(drill: &Drill, case: &Case, operation: &str) -> String {
    if case.id.is_empty() {
        format!("{}@{operation}", drill.id)
    } else {
        format!("{}/{}@{operation}", drill.id, case.id)
    }
}

/// The drill with a case's keys and fields filled in, and no cases left.
fn with_case(drill: &Drill, case: &Case) -> Drill {
    let mut drill = drill.clone();
    drill.case.clear();
    drill.keys.extend(case.keys.clone());
    for step in &mut drill.step {
        for request in requests_of_mut(step) {
            if let Some(fields) = request.name.as_ref().and_then(|name| case.with.get(name)) {
                overlay(request, fields);
            }
        }
    }
    drill
}

/// The drill with no burst beyond the cap.
fn within(mut drill: Drill, races: Races) -> Drill {
    for step in &mut drill.step {
        if let Step::Burst(burst) = step {
            burst.copies = burst.copies.map(|copies| races.capped(copies));
        }
    }
    drill
}

fn overlay(request: &mut RequestFields, fields: &RequestFields) {
    fn take<T: Clone>(to: &mut Option<T>, from: &Option<T>) {
        if from.is_some() {
            to.clone_from(from);
        }
    }
    take(&mut request.operation, &fields.operation);
    take(&mut request.account, &fields.account);
    take(&mut request.key, &fields.key);
    take(&mut request.form, &fields.form);
    take(&mut request.body, &fields.body);
    take(&mut request.written, &fields.written);
    take(&mut request.vary, &fields.vary);
    take(&mut request.cut, &fields.cut);
}

/// The requests that a step sends.
#[must_use]
pub fn requests_of(step: &Step) -> Vec<&RequestFields> {
    match step {
        Step::Send(request) | Step::Retry(request) | Step::Read(request) => vec![request],
        Step::Burst(burst) => burst.send.iter().collect(),
        Step::Overlap(overlap) => std::iter::once(&overlap.first)
            .chain(&overlap.during)
            .collect(),
        Step::Count(_) | Step::Expire(_) | Step::Hook(_) | Step::Wait(_) => Vec::new(),
    }
}

fn requests_of_mut(step: &mut Step) -> Vec<&mut RequestFields> {
    match step {
        Step::Send(request) | Step::Retry(request) | Step::Read(request) => vec![request],
        Step::Burst(burst) => burst.send.iter_mut().collect(),
        Step::Overlap(overlap) => std::iter::once(&mut overlap.first)
            .chain(&mut overlap.during)
            .collect(),
        Step::Count(_) | Step::Expire(_) | Step::Hook(_) | Step::Wait(_) => Vec::new(),
    }
}

/// The requests of one round of an instance.
#[must_use]
pub fn requests_of_a_round(target: &Target, instance: &Instance) -> u64 {
    requests(target, instance) / u64::from(instance.rounds.max(1))
}

/// The requests of an instance: what its steps send, set-ups, and what counting over HTTP adds.
fn requests(target: &Target, instance: &Instance) -> u64 {
    use crate::config::target::Counter;
    if instance.skip.is_some() {
        return 0;
    }
    let operation = |name: &str| {
        target
            .operations
            .iter()
            .find(|operation| operation.name == name)
    };
    let mut sent = 0;
    let mut intents: Vec<(&str, &str)> = Vec::new();
    let mut counted = 0;
    for step in &instance.drill.step {
        for request in requests_of(step) {
            let name = prepare::operation_name(instance, request).unwrap_or(&instance.operation);
            if let Some(key) = &request.key
                && !intents.contains(&(key, name))
            {
                intents.push((key, name));
                sent += operation(name).map_or(0, |operation| operation.needs.len() as u64);
            }
        }
        match step {
            Step::Burst(burst) => sent += u64::from(burst.copies.unwrap_or(instance.copies)),
            Step::Count(_) => {
                let by_http = |name: &str| {
                    operation(name).is_some_and(|operation| {
                        matches!(operation.count, Some(Counter::Get { .. }))
                    })
                };
                counted += intents.iter().filter(|(_, name)| by_http(name)).count() as u64;
            }
            other => sent += requests_of(other).len() as u64,
        }
    }
    // a round out of step is repeated, at most as often as there are rounds
    let races = instance
        .drill
        .step
        .iter()
        .any(|step| matches!(step, Step::Burst(_)));
    (sent + counted) * u64::from(instance.rounds) * if races { 2 } else { 1 }
}
