//! One round of a drill: its intents, made at their first use, and what was done with them.
//! It must not know in which order the steps come.

use std::collections::{BTreeMap, BTreeSet};

use super::send::Spot;
use super::{Conductor, Halt};
use crate::config::suite::{KeyShape, RequestFields, Vary};
use crate::config::target::Operation;
use crate::contract::reading::holds_errors;
use crate::contract::{Contract, identity};
use crate::plan::intent::{self, Intent};
use crate::plan::{Instance, prepare};
use crate::run::shot::RawReply;

/// What a round remembers.
#[derive(Clone, Debug)]
pub(in crate::run) struct Round {
    /// Its number, from 0; one that replaces a round out of step has a number beyond the planned ones.
    pub(in crate::run) number: u32,
    /// Whether it replaces one.
    pub(in crate::run) repeats: bool,
    /// The intents by name.
    pub(in crate::run) intents: BTreeMap<String, Intent>,
    /// Intents and the operations that they were sent to, in order.
    pub(in crate::run) used: Vec<(String, String)>,
    /// Intents, operations and accounts of which a success was seen.
    pub(in crate::run) succeeded: BTreeSet<(String, String, String)>,
    /// What it waits for; nothing more of it is done before.
    pub(in crate::run) waits: Option<Waits>,
}

/// What a round waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) enum Waits {
    /// That a key expires by itself: nothing more of the round is done in this run. When that is.
    Expiry(String),
    /// That the other drills of the run are done. The step that waits.
    End(usize),
}

impl Round {
    /// A round in which nothing was done yet.
    pub(in crate::run) fn new(number: u32, repeats: bool) -> Self {
        Self {
            number,
            repeats,
            intents: BTreeMap::new(),
            used: Vec::new(),
            succeeded: BTreeSet::new(),
            waits: None,
        }
    }

    fn uses(&mut self, intent: &str, operation: &str) {
        let pair = (intent.to_owned(), operation.to_owned());
        if !self.used.contains(&pair) {
            self.used.push(pair);
        }
    }
}

/// Set-ups that need set-ups end here: a ring among them must not run for ever.
const DEEPEST: usize = 5;

impl Conductor<'_> {
    /// Makes the intent `name` of a round, with those that its key is derived from.
    pub(super) fn make_intent(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        name: &str,
    ) -> Result<(), Halt> {
        if round.intents.contains_key(name) {
            return Ok(());
        }
        let fresh_shape = KeyShape::Fresh;
        let shape = instance.drill.keys.get(name).unwrap_or(&fresh_shape);
        if let KeyShape::SameAs(other)
        | KeyShape::SameReferenceAs(other)
        | KeyShape::UpperOf(other)
        | KeyShape::PrefixOf(other)
        | KeyShape::OtherFormOf(other)
        | KeyShape::TwoLinesOf(other) = shape
            && other != name
        {
            self.make_intent(instance, round, other)?;
        }
        let rule = &self.contract(&instance.operation)?.key.value;
        let run = &self.request.plan.run;
        let made = intent::make(name, shape, &round.intents, rule, run, &mut self.fresh)
            .map_err(|why| Halt::Broken(format!("the key `{name}` cannot be sent: {why}")))?;
        round.intents.insert(name.to_owned(), made);
        Ok(())
    }

    /// The intent of a request, ready to be sent: made, and with the set-ups that its operation needs. `None`: no key is meant.
    pub(super) fn intent_for(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        fields: &RequestFields,
    ) -> Result<Option<Intent>, Halt> {
        let Some(name) = &fields.key else {
            return Ok(None);
        };
        let operation = prepare::operation_name(instance, fields).map_err(Halt::Broken)?;
        let operation = self.operation(operation)?;
        self.make_intent(instance, round, name)?;
        let mut made = round.intents[name].clone();
        let account = fields.account.as_deref().unwrap_or("a");
        let spot = Spot {
            instance,
            round: round.number,
        };
        if fields.vary == Some(Vary::Resource) {
            // another resource: set-ups of its own, for this request only
            made.captured.clear();
            self.set_up(spot, operation, account, &mut made, 0)?;
        } else {
            self.set_up(spot, operation, account, &mut made, 0)?;
            round.intents.insert(name.clone(), made.clone());
        }
        round.uses(name, &operation.name);
        Ok(Some(made))
    }

    /// Runs the set-ups that an intent lacks for an operation; what they made fills placeholders.
    pub(in crate::run) fn set_up(
        &mut self,
        spot: Spot<'_>,
        operation: &Operation,
        account: &str,
        intent: &mut Intent,
        depth: usize,
    ) -> Result<(), Halt> {
        for (placeholder, needed) in &operation.needs {
            if intent.captured.contains_key(placeholder) {
                continue;
            }
            if depth >= DEEPEST {
                return Err(Halt::Broken(format!(
                    "the set-ups of `{}` need each other",
                    operation.name
                )));
            }
            let needed = self.operation(needed)?;
            let rule = &self.contract(&needed.name)?.key.value;
            let run = self.request.plan.run.clone();
            let name = format!("setup-{placeholder}");
            let nothing = BTreeMap::new();
            let mut own = intent::make(
                &name,
                &KeyShape::Fresh,
                &nothing,
                rule,
                &run,
                &mut self.fresh,
            )
            .map_err(Halt::Broken)?;
            self.set_up(spot, needed, account, &mut own, depth + 1)?;
            let fields = RequestFields {
                name: Some("setup".to_owned()),
                operation: Some(needed.name.clone()),
                account: Some(account.to_owned()),
                key: Some(name),
                ..RequestFields::default()
            };
            let flight = self.send_once(spot, &fields, Some(&own), 0)?;
            let identity = self.identity(needed);
            let contract = self.contract(&needed.name)?;
            let made = flight
                .reply()
                .filter(|reply| is_success(contract, needed, reply))
                .and_then(|reply| identity::value(&identity, reply.received()));
            let Some(made) = made else {
                return Err(Halt::Broken(format!(
                    "the set-up `{}` gave no {} for {{{{{placeholder}}}}} (attempt {})",
                    needed.name,
                    identity::written(&identity),
                    self.attempts
                )));
            };
            intent
                .captured
                .insert(placeholder.clone(), last_segment(&identity, made));
        }
        Ok(())
    }
}

/// Whether a reply is a success of the operation.
pub(in crate::run) fn is_success(
    contract: &Contract,
    operation: &Operation,
    reply: &RawReply,
) -> bool {
    let status = if operation.success.is_empty() {
        (200..300).contains(&reply.status)
    } else {
        operation.success.contains(&reply.status)
    };
    status && !holds_errors(contract, reply.received())
}

/// A Location names a thing by the last segment of its path.
fn last_segment(identity: &crate::config::target::Identity, value: String) -> String {
    match identity {
        crate::config::target::Identity::Header(_) if value.contains('/') => value
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned(),
        _ => value,
    }
}
