//! Before the drills: is the target there, does each operation succeed once, and what tells its results apart.
//! It must not go on with a target that cannot be tested: it stops with the reason and the line to add.

use std::collections::BTreeSet;

use super::conductor::{Conductor, Halt, Spot, is_success};
use super::shot::{Flight, Landing, RawReply};
use crate::config::suite::{Drill, KeyShape, RequestFields};
use crate::config::target::{Identity, Operation};
use crate::contract::{Carrier, Contract, WireForm};
use crate::journal::event::{Event, IdentityFound, Stopped};
use crate::plan::intent::{self, Intent};
use crate::plan::{Instance, prepare, requests_of};

impl Conductor<'_> {
    /// Waits for the target where that is wanted, and tries every operation that drills will use.
    pub(super) fn prepare_target(&mut self) -> Result<(), Halt> {
        if let Some(at_most) = self.request.limits.wait {
            self.wait_for_target(at_most)?;
        }
        if let Some(most) = self.request.limits.max_copies {
            self.note(
                None,
                format!("no burst has more than {most} copies (--max-copies)"),
            )?;
        }
        self.renew()?;
        self.measure_round_trip()?;
        self.say_what_protocol_cannot_be()?;
        for name in self.operations_in_use()? {
            self.preflight(&name)?;
        }
        Ok(())
    }

    /// Operations that drills test, those that they need first.
    fn operations_in_use(&self) -> Result<Vec<String>, Halt> {
        let mut ordered: Vec<String> = Vec::new();
        for instance in &self.request.plan.instances {
            if instance.skip.is_some() {
                continue;
            }
            self.add_with_needs(&instance.operation, &mut ordered, &mut BTreeSet::new())?;
            for request in instance.drill.step.iter().flat_map(requests_of) {
                let name = prepare::operation_name(instance, request).map_err(Halt::Broken)?;
                // a method of its own may have no success (a GET, an OPTIONS): the drill is about that
                let is_plain = request.key.is_some() && request.vary.is_none();
                if is_plain {
                    self.add_with_needs(name, &mut ordered, &mut BTreeSet::new())?;
                }
            }
        }
        Ok(ordered)
    }

    fn add_with_needs(
        &self,
        name: &str,
        ordered: &mut Vec<String>,
        path: &mut BTreeSet<String>,
    ) -> Result<(), Halt> {
        if ordered.iter().any(|other| other == name) || !path.insert(name.to_owned()) {
            return Ok(());
        }
        for needed in self.operation(name)?.needs.values() {
            self.add_with_needs(needed, ordered, path)?;
        }
        ordered.push(name.to_owned());
        Ok(())
    }

    /// One ordinary request with a fresh key under account a (two where the identity is to be found out).
    fn preflight(&mut self, name: &str) -> Result<(), Halt> {
        let operation = self.operation(name)?;
        let contract = self.contract(name)?;
        let instance = bare_instance(name);
        let (first, intent) = self.try_once(&instance, operation, "preflight", None)?;
        let Some(reply) = success(contract, operation, &first) else {
            return Err(self.explain(&instance, operation, &first)?);
        };
        if first.protocol == Some("HTTP/2") {
            self.over_http2.insert(name.to_owned());
        }
        let identity = self.what_tells_apart(&instance, operation, reply, &intent)?;
        self.identities.insert(name.to_owned(), identity.clone());
        self.record(Event::Identity(IdentityFound {
            operation: name.to_owned(),
            identity,
            detected: operation.identity == Identity::Detect,
        }))?;
        if operation.setup_only {
            return Ok(());
        }
        self.try_counter(operation, &intent)
    }

    pub(super) fn try_once(
        &mut self,
        instance: &Instance,
        operation: &Operation,
        step: &str,
        form: Option<WireForm>,
    ) -> Result<(Flight, Intent), Halt> {
        let stopped = |why: String| {
            Halt::Stopped(Stopped {
                why: format!("`{}` cannot be sent: {why}", operation.name),
                remedy: "mend its declaration in the target file".to_owned(),
                misconfigured: false,
            })
        };
        let rule = &self.contract(&operation.name)?.key.value;
        let run = self.request.plan.run.clone();
        let nothing = std::collections::BTreeMap::new();
        let fresh = &mut self.fresh;
        let mut own =
            intent::make(step, &KeyShape::Fresh, &nothing, rule, &run, fresh).map_err(stopped)?;
        let spot = Spot { instance, round: 0 };
        let broken_is_a_stop = |halt| match halt {
            Halt::Broken(why) => stopped(why),
            other => other,
        };
        self.set_up(spot, operation, "a", &mut own, 0)
            .map_err(broken_is_a_stop)?;
        let fields = fields(step, form);
        let flight = self
            .send_once(spot, &fields, Some(&own), 0)
            .map_err(broken_is_a_stop)?;
        Ok((flight, own))
    }

    /// All text of a request, so that what the server only repeats is not taken for what it made.
    pub(super) fn sent_text(
        &self,
        instance: &Instance,
        operation: &Operation,
        intent: &Intent,
    ) -> Result<String, Halt> {
        let fields = fields("preflight", None);
        let prepared = prepare::prepare(self.target(), instance, &fields, Some(intent), 0, false)
            .map_err(Halt::Broken)?;
        Ok(format!(
            "{} {}\n{}\n{}\n{}",
            operation.name,
            prepared.url,
            intent.key.as_deref().unwrap_or_default(),
            intent.reference,
            String::from_utf8_lossy(&prepared.body)
        ))
    }

    /// Why the ordinary request did not succeed, and what to do.
    pub(super) fn explain(
        &mut self,
        instance: &Instance,
        operation: &Operation,
        flight: &Flight,
    ) -> Result<Halt, Halt> {
        let name = &operation.name;
        let request = format!("{} {}", operation.method, operation.path);
        let (why, remedy) = match &flight.landing {
            Landing::NotSent(why) => (
                format!("the ordinary request `{name}` ({request}) could not be sent: {why}"),
                "check the URL and whether the service runs; --wait 30s waits for it".to_owned(),
            ),
            Landing::Unknown(why) => (
                format!("the ordinary request `{name}` ({request}) had no reply: {why}"),
                "look into the service's log; a slow service needs a longer --timeout".to_owned(),
            ),
            Landing::Replied(reply) => {
                let refused = (400..500).contains(&reply.status);
                let contract = self.contract(name)?;
                let rule = &contract.key.value;
                let may_be_the_form = refused
                    && !matches!(reply.status, 401 | 403 | 404 | 405)
                    && rule.form == WireForm::SfString
                    && matches!(rule.carrier, Carrier::Header(_));
                if may_be_the_form {
                    let bare = Some(WireForm::Bare);
                    let (again, _) = self.try_once(instance, operation, "preflight-bare", bare)?;
                    if success(contract, operation, &again).is_some() {
                        return Ok(Halt::Stopped(Stopped {
                            why: format!(
                                "the ordinary request `{name}` was answered {} with the key in quotes (a structured-field string, as the policy says) and succeeds with the bare key",
                                reply.status
                            ),
                            remedy: "if the service takes bare keys on purpose, add  contract.key = { form = \"bare\" }  to the target file"
                                .to_owned(), misconfigured: false }));
                    }
                }
                (
                    format!(
                        "the ordinary request `{name}` ({request}) with a fresh key was answered {}{}",
                        reply.status,
                        beginning(reply)
                    ),
                    remedy(operation, reply),
                )
            }
        };
        Ok(Halt::Stopped(Stopped {
            why,
            remedy,
            misconfigured: false,
        }))
    }
}

pub(super) fn success<'f>(
    contract: &Contract,
    operation: &Operation,
    flight: &'f Flight,
) -> Option<&'f RawReply> {
    flight
        .reply()
        .filter(|reply| is_success(contract, operation, reply))
}

fn remedy(operation: &Operation, reply: &RawReply) -> String {
    match reply.status {
        200..=299 if operation.success.is_empty() || operation.success.contains(&reply.status) => {
            "its body says that it is no success (contract.errors-at): mend the request until it succeeds once with a fresh key".to_owned()
        }
        200..=299 => format!(
            "it is no success that the target declares; if it is one, under [operation.{}] add  success = [{}]",
            operation.name, reply.status
        ),
        300..=399 => format!(
            "redirects are not followed; give the address that it points to{}",
            reply
                .header("location")
                .map(|location| format!(": {location}"))
                .unwrap_or_default()
        ),
        401 | 403 => "check the credentials of account a (headers under [account.a])".to_owned(),
        404 | 405 => "check the method, the path and the base URL".to_owned(),
        429 => "send more slowly: --rate 2".to_owned(),
        500..=599 => "look into the service's log: the ordinary request must succeed before anything can be tested".to_owned(),
        _ => "mend the request's body and headers until it succeeds once with a fresh key".to_owned(),
    }
}

/// The beginning of a reply's text, on one line.
fn beginning(reply: &RawReply) -> String {
    let text = String::from_utf8_lossy(&reply.body);
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect();
    if line.trim().is_empty() {
        String::new()
    } else {
        format!(": {}", line.trim())
    }
}

fn fields(step: &str, form: Option<WireForm>) -> RequestFields {
    RequestFields {
        name: Some(step.to_owned()),
        key: Some(step.to_owned()),
        form,
        ..RequestFields::default()
    }
}

/// The preflight belongs to no drill.
fn bare_instance(operation: &str) -> Instance {
    Instance {
        id: format!("preflight@{operation}"),
        drill: Drill {
            id: "preflight".to_owned(),
            title: String::new(),
            why: String::new(),
            hint: String::new(),
            sources: Vec::new(),
            rounds: false,
            methods: Vec::new(),
            case: Vec::new(),
            keys: std::collections::BTreeMap::new(),
            step: Vec::new(),
            check: Vec::new(),
        },
        case: None,
        operation: operation.to_owned(),
        other_operation: None,
        rounds: 1,
        copies: 1,
        skip: None,
        left_out: Vec::new(),
    }
}
