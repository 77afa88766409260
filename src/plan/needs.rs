//! What a drill needs from a target, derived from its steps: accounts, bodies, a second operation, a way to expire keys.
//! It must not know how any of it is used.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh::Counted;
use super::intent::{self, Intent};
use super::{Instance, counting, prepare, requests_of, select};
use crate::config::suite::{Check, KeyShape, RequestFields, Step, Vary};
use crate::config::target::{Expire, Target};
use crate::contract::{Carrier, Length};

/// Leaves out what the target cannot do. Where the drill's first check needs it, the drill is skipped: it is what the drill is for.
pub fn apply(target: &Target, instance: &mut Instance) {
    let mut lacking: Vec<(String, String)> = Vec::new();
    let mut skip = None;
    let mut intents = BTreeMap::new();
    let mut fresh = Counted::default();
    for step in &instance.drill.step {
        match step {
            Step::Expire(_) if target.expire.is_none() => {
                skip =
                    Some("the target declares no way to make a key expire ([expire])".to_owned());
            }
            Step::Expire(_) if target.expire == Some(Expire::Later) && !ends(target, instance) => {
                skip = Some("nobody says when a key has expired: declare the greatest retention (contract.retention.at-most)".to_owned());
            }
            Step::Hook(hook) if !target.hooks.contains_key(&hook.run) => {
                skip = Some(format!(
                    "the target declares no command `{}` ([hook])",
                    hook.run
                ));
            }
            Step::Wait(wait) => {
                skip = skip.or_else(|| too_long(target, instance, wait.percent_of_retention))
            }
            _ => {}
        }
        let reads = matches!(step, Step::Read(_));
        for request in requests_of(step) {
            let tried = try_request(target, instance, request, reads, &mut intents, &mut fresh);
            let tried = tried.and_then(|()| two_can_be_counted(target, instance, request));
            if let Err(reason) = tried {
                lacking.push((request.name.clone().unwrap_or_default(), reason));
            }
        }
    }
    let lacking_names: BTreeSet<&str> = lacking.iter().map(|(name, _)| name.as_str()).collect();
    let affected = |check: &Check| {
        names(check)
            .into_iter()
            .find(|name| lacking_names.contains(name))
            .map(str::to_owned)
    };
    if let Some(name) = instance.drill.check.first().and_then(affected) {
        skip = lacking
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, reason)| reason.clone());
    }
    if skip.is_none() {
        instance
            .drill
            .check
            .retain(|check| affected(check).is_none());
        for step in &mut instance.drill.step {
            if let Step::Overlap(overlap) = step {
                overlap
                    .during
                    .retain(|request| !lacks(request, &lacking_names));
            }
            if let Step::Burst(burst) = step {
                burst.send.retain(|request| !lacks(request, &lacking_names));
            }
        }
        instance.drill.step.retain(|step| match step {
            Step::Send(request) | Step::Retry(request) | Step::Read(request) => {
                !lacks(request, &lacking_names)
            }
            Step::Overlap(overlap) => {
                !overlap.during.is_empty() && !lacks(&overlap.first, &lacking_names)
            }
            Step::Burst(burst) => !burst.send.is_empty(),
            _ => true,
        });
        instance.left_out = lacking
            .iter()
            .map(|(name, reason)| format!("`{name}`: {reason}"))
            .collect();
    }
    instance.skip = skip;
}

/// The control tries a counter with two effects of one reference, where that can show anything.
fn two_can_be_counted(
    target: &Target,
    instance: &Instance,
    request: &RequestFields,
) -> Result<(), String> {
    let shape = request
        .key
        .as_ref()
        .and_then(|key| instance.drill.keys.get(key));
    if !select::is_control(instance) || !matches!(shape, Some(KeyShape::SameReferenceAs(_))) {
        return Ok(());
    }
    let operation = prepare::operation(target, &instance.operation)?;
    if operation.count.is_none() {
        return Err("effects are not counted".to_owned());
    }
    counting::why_not_two(operation).map_or(Ok(()), Err)
}

/// Whether the policy says how long a key lives at most.
fn ends(target: &Target, instance: &Instance) -> bool {
    let contract = target.contracts.get(&instance.operation);
    contract.is_some_and(|contract| contract.retention.value.at_most.is_some())
}

/// The longest wait within a run; what takes longer is for `resume`.
const LONGEST_WAIT: Length = Length::seconds(60);

fn too_long(target: &Target, instance: &Instance, percent: Option<u32>) -> Option<String> {
    let percent = percent?;
    let retention = target
        .contracts
        .get(&instance.operation)?
        .retention
        .value
        .at_least;
    let Some(retention) = retention else {
        return Some("the policy does not say how long keys are kept at least".to_owned());
    };
    (retention.0 * percent / 100 > LONGEST_WAIT.0).then(|| {
        format!(
            "{percent} % of the declared retention of {retention} is too long to wait for (drill.within-retention sees as much of it as \
             the run lasts)"
        )
    })
}

fn lacks(request: &RequestFields, names: &BTreeSet<&str>) -> bool {
    request
        .name
        .as_deref()
        .is_some_and(|name| names.contains(name))
}

/// All step names that a check uses.
fn names(check: &Check) -> Vec<&str> {
    let steps = check.steps();
    let single = [
        &steps.first,
        &steps.second,
        &steps.lost,
        &steps.retry,
        &steps.probe,
    ];
    let mut names: Vec<&str> = single.into_iter().flatten().map(String::as_str).collect();
    // what only shows a write of a keyed method may be missing: something else may show it
    let shows = matches!(check, Check::KeyedMethod(_));
    let later = steps.later.iter().filter(|_| !shows);
    names.extend(
        steps
            .of
            .iter()
            .chain(later)
            .chain(&steps.between)
            .map(String::as_str),
    );
    names
}

/// Makes the request with made-up keys: whatever the target lacks for it shows now, before anything is sent.
fn try_request(
    target: &Target,
    instance: &Instance,
    request: &RequestFields,
    reads: bool,
    intents: &mut BTreeMap<String, Intent>,
    fresh: &mut Counted,
) -> Result<(), String> {
    let name = prepare::operation_name(instance, request)?;
    let operation = prepare::operation(target, name)?;
    if request.vary == Some(Vary::Resource) && operation.needs.is_empty() {
        return Err(
            "the operation has no set-up (needs) that could make another resource".to_owned(),
        );
    }
    let contract = target
        .contracts
        .get(&instance.operation)
        .ok_or("the operation has no contract")?;
    let intent = match &request.key {
        None => None,
        Some(key) => {
            if !intents.contains_key(key) {
                let shape = instance.drill.keys.get(key).unwrap_or(&KeyShape::Fresh);
                let intent = intent::make(key, shape, intents, &contract.key.value, "dry", fresh)?;
                intents.insert(key.clone(), intent);
            }
            let mut intent = intents[key].clone();
            for placeholder in operation.needs.keys() {
                intent
                    .captured
                    .entry(placeholder.clone())
                    .or_insert_with(|| "setup".to_owned());
            }
            Some(intent)
        }
    };
    // the content of a GET means nothing to anybody (RFC 9110, section 9.3.1)
    let in_body = matches!(
        contract.key.value.carrier,
        Carrier::Json(_) | Carrier::Form(_)
    );
    if reads && in_body && intent.is_some() {
        return Err("the key travels in a body, and a GET has none".to_owned());
    }
    if reads {
        return prepare::prepare_read(target, instance, request, intent.as_ref()).map(|_| ());
    }
    let slow = instance
        .drill
        .step
        .iter()
        .any(|step| matches!(step, Step::Overlap(_)));
    prepare::prepare(target, instance, request, intent.as_ref(), 0, slow).map(|_| ())
}
