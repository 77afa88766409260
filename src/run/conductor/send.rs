//! One request: permitted, recorded, sent, and its outcome recorded.
//! It must not know whether it is sent again.

use std::time::Duration;

use super::overlap::HEAD_START;
use super::round::is_success;
use super::{Conductor, Halt, Round};
use crate::config::suite::{Cut, RequestFields, Step, Vary};
use crate::config::target::Stall;
use crate::journal::event::{AttemptDone, AttemptSent, Event, Outcome, Reply};
use crate::plan::intent::Intent;
use crate::plan::prepare::{self, Prepared};
use crate::plan::{Instance, requests_of};
use crate::run::client::Route;
use crate::run::lane::Pending;
use crate::run::patience::retry_after;
use crate::run::shot::{Flight, Landing, Shot};

/// Where a request stands in the plan.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Spot<'s> {
    /// The drill.
    pub(in crate::run) instance: &'s Instance,
    /// The round.
    pub(in crate::run) round: u32,
}

/// Which of several like requests it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Which {
    pub(super) copy: u32,
    pub(super) repeat: u32,
}

/// A request that was recorded and is out.
pub(super) struct Sent {
    pub(super) n: u64,
    pub(super) pending: Pending,
}

impl Conductor<'_> {
    /// The request as final bytes.
    pub(super) fn prepare(
        &self,
        spot: Spot<'_>,
        fields: &RequestFields,
        intent: Option<&Intent>,
    ) -> Result<Prepared, Halt> {
        let slow = is_held_slow(spot.instance, self.target());
        prepare::prepare(self.target(), spot.instance, fields, intent, 0, slow)
            .map_err(Halt::Broken)
    }

    /// Records that a request is about to be sent. Gives its number.
    pub(super) fn announce(
        &mut self,
        spot: Spot<'_>,
        fields: &RequestFields,
        intent: Option<&Intent>,
        prepared: &Prepared,
        which: Which,
    ) -> Result<u64, Halt> {
        self.attempts += 1;
        let n = self.attempts;
        let headers = prepared.headers.iter().map(|(name, value)| {
            let text = (self.request.header)(name, value);
            (name.clone(), text)
        });
        let sent = AttemptSent {
            n,
            instance: spot.instance.id.clone(),
            round: spot.round,
            step: fields.name.clone().unwrap_or_default(),
            copy: which.copy,
            repeat: which.repeat,
            operation: prepared.operation.clone(),
            account: prepared.account.clone(),
            intent: fields.key.clone().unwrap_or_default(),
            key: intent.and_then(|intent| intent.key.clone()),
            wire_key: prepared.wire_key.clone(),
            form: prepared
                .wire_key
                .as_ref()
                .and(intent)
                .map(|intent| fields.form.unwrap_or(intent.form)),
            reference: intent.map_or_else(String::new, |intent| intent.reference.clone()),
            body_name: prepared.body_name.clone(),
            written: fields.written,
            vary: fields.vary.clone(),
            cut: fields.cut,
            method: prepared.method.clone(),
            url: prepared.url.to_string(),
            headers: headers.collect(),
            body: (self.request.content)(&prepared.body, false),
            at_us: self.clock.now(),
        };
        self.record(Event::Attempt(Box::new(sent)))?;
        Ok(n)
    }

    /// Records what came of a request.
    pub(super) fn conclude(&mut self, n: u64, flight: &Flight) -> Result<(), Halt> {
        let mut flight = flight.clone();
        self.tokens.scrub(&mut flight);
        self.obey(&flight);
        let outcome = match &flight.landing {
            Landing::Replied(reply) => Outcome::Replied(Reply {
                status: reply.status,
                headers: reply
                    .headers
                    .iter()
                    .map(|(name, value)| {
                        let text = (self.request.header)(name, value.as_bytes());
                        (name.clone(), text)
                    })
                    .collect(),
                body: (self.request.content)(&reply.body, reply.truncated),
            }),
            Landing::Unknown(why) => Outcome::Unknown { why: why.clone() },
            Landing::NotSent(why) => Outcome::NotSent { why: why.clone() },
        };
        let done = AttemptDone {
            n,
            outcome,
            protocol: flight.protocol.map(str::to_owned),
            released_us: flight.released_us,
            first_byte_us: flight.first_byte_us,
            end_us: flight.end_us,
        };
        self.record(Event::Outcome(Box::new(done)))
    }

    /// A busy target says when to come back: until then nothing more is sent.
    pub(super) fn obey(&mut self, flight: &Flight) {
        let busy = flight
            .reply()
            .filter(|reply| matches!(reply.status, 429 | 503));
        let after = busy.and_then(|reply| retry_after(reply, jiff::Timestamp::now()));
        if let Some(after) = after {
            self.meter.hold(after);
        }
    }

    /// The shot of a prepared request; `Err` says why it cannot leave.
    pub(super) fn shot(&self, prepared: &Prepared) -> Result<Shot, String> {
        self.hosts.admits(&prepared.url)?;
        let headers = self.with_token(&prepared.account, &prepared.headers);
        Shot::new(
            &prepared.method,
            prepared.url.clone(),
            &headers,
            prepared.body.clone(),
        )
    }

    /// Headers as they leave: with the account's token in place of its stand-in.
    pub(super) fn with_token(
        &self,
        account: &str,
        headers: &[(String, Vec<u8>)],
    ) -> Vec<(String, Vec<u8>)> {
        let filled = |value: &Vec<u8>| self.tokens.fill(account, value);
        headers
            .iter()
            .map(|(name, value)| (name.clone(), filled(value).unwrap_or_else(|| value.clone())))
            .collect()
    }

    /// Sends a request without waiting for its reply.
    pub(super) fn launch(
        &mut self,
        spot: Spot<'_>,
        fields: &RequestFields,
        intent: Option<&Intent>,
        which: Which,
    ) -> Result<Sent, Halt> {
        self.renew()?;
        let prepared = self.prepare(spot, fields, intent)?;
        let shot = self.shot(&prepared).map_err(Halt::Broken)?;
        self.meter.permit(1)?;
        let n = self.announce(spot, fields, intent, &prepared, which)?;
        let timeout = self.target().timeout.0;
        let pending = self.lanes[0].send(shot, route(fields), timeout);
        Ok(Sent { n, pending })
    }

    /// Waits for a request that is out; an interrupted run does not wait.
    pub(super) fn await_flight(&self, pending: &Pending) -> (Flight, bool) {
        loop {
            if let Some(mut flight) = pending.wait(Duration::from_millis(50)) {
                self.tokens.scrub(&mut flight);
                return (flight, false);
            }
            if self.meter.is_interrupted() {
                let landing = Landing::Unknown("the run was interrupted".to_owned());
                return (Flight::without_reply(self.clock.now(), landing), true);
            }
        }
    }

    /// Sends a request once and waits for what comes.
    pub(in crate::run) fn send_once(
        &mut self,
        spot: Spot<'_>,
        fields: &RequestFields,
        intent: Option<&Intent>,
        repeat: u32,
    ) -> Result<Flight, Halt> {
        self.renew()?;
        let prepared = self.prepare(spot, fields, intent)?;
        let flight = self.send_prepared(spot, fields, intent, &prepared, repeat)?;
        let plain = !matches!(
            fields.vary,
            Some(Vary::NoCredentials | Vary::BadCredentials | Vary::Preflight)
        );
        if plain && self.renewed_after(&prepared.account, &flight)? {
            return self.send_prepared(spot, fields, intent, &prepared, repeat + 1);
        }
        Ok(flight)
    }

    fn send_prepared(
        &mut self,
        spot: Spot<'_>,
        fields: &RequestFields,
        intent: Option<&Intent>,
        prepared: &Prepared,
        repeat: u32,
    ) -> Result<Flight, Halt> {
        self.meter.permit(1)?;
        let which = Which { copy: 0, repeat };
        let n = self.announce(spot, fields, intent, prepared, which)?;
        let (flight, was_interrupted) = match self.shot(prepared) {
            Err(why) => (Flight::not_sent(self.clock.now(), why), false),
            Ok(shot) => {
                let timeout = self.target().timeout.0;
                let pending = match fields.cut {
                    Some(cut) => self.launch_cut(spot.instance, shot, cut, timeout),
                    None => self.lanes[0].send(shot, route(fields), timeout),
                };
                self.await_flight(&pending)
            }
        };
        self.conclude(n, &flight)?;
        if was_interrupted {
            return Err(Halt::Interrupted);
        }
        Ok(flight)
    }

    fn launch_cut(&self, instance: &Instance, shot: Shot, cut: Cut, timeout: Duration) -> Pending {
        // a client that vanishes before a busy server has begun shows nothing of what its leaving breaks
        let quiet = if cut == Cut::WhileWorking && is_held_slow(instance, self.target()) {
            (self.rest() * 2).max(HEAD_START)
        } else {
            self.rest().max(Duration::from_millis(5))
        };
        crate::run::relay::send_cut(
            &self.lanes[0],
            shot,
            cut,
            quiet,
            timeout,
            self.hosts.clone(),
        )
    }

    /// Sends a step's request once, remembering what came of it.
    pub(super) fn send_step(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        fields: &RequestFields,
        repeat: u32,
    ) -> Result<Flight, Halt> {
        let intent = self.intent_for(instance, round, fields)?;
        let spot = Spot {
            instance,
            round: round.number,
        };
        let flight = self.send_once(spot, fields, intent.as_ref(), repeat)?;
        self.remember(instance, round, fields, &flight)?;
        Ok(flight)
    }

    /// Sends the GET that shows the effects, with the intent's key. It is no use of the intent.
    pub(super) fn read_step(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        fields: &RequestFields,
    ) -> Result<(), Halt> {
        let spot = Spot {
            instance,
            round: round.number,
        };
        let intent = match &fields.key {
            None => None,
            Some(name) => {
                self.make_intent(instance, round, name)?;
                let mut made = round.intents[name].clone();
                let operation = prepare::operation_name(instance, fields).map_err(Halt::Broken)?;
                let operation = self.operation(operation)?;
                let path = prepare::read_of(operation).map_or("", |(path, _)| path);
                let looks_into = |need: &String| path.contains(&format!("{{{{{need}}}}}"));
                if operation.needs.keys().any(looks_into) {
                    let account = fields.account.as_deref().unwrap_or("a");
                    self.set_up(spot, operation, account, &mut made, 0)?;
                    round.intents.insert(name.clone(), made.clone());
                }
                Some(made)
            }
        };
        self.renew()?;
        let prepared = prepare::prepare_read(self.target(), instance, fields, intent.as_ref())
            .map_err(Halt::Broken)?;
        self.send_prepared(spot, fields, intent.as_ref(), &prepared, 0)?;
        Ok(())
    }

    /// Remembers a success: its effect is waited for when it is counted.
    pub(super) fn remember(
        &self,
        instance: &Instance,
        round: &mut Round,
        fields: &RequestFields,
        flight: &Flight,
    ) -> Result<(), Halt> {
        let name = prepare::operation_name(instance, fields).map_err(Halt::Broken)?;
        let operation = self.operation(name)?;
        if let (Some(intent), Some(reply)) = (&fields.key, flight.reply())
            && is_success(self.contract(name)?, operation, reply)
        {
            let account = fields.account.as_deref().unwrap_or("a");
            round
                .succeeded
                .insert((intent.clone(), name.to_owned(), account.to_owned()));
        }
        Ok(())
    }
}

/// How a request travels when nothing else is said.
pub(super) fn route(fields: &RequestFields) -> Route {
    if fields.vary == Some(Vary::NewConnection) {
        Route::Fresh
    } else {
        Route::Ordinary
    }
}

/// Whether the drill's requests take the slow variant that the target declares: where one is held, or cut while the server
/// works. It is part of the request's meaning, so every request of the drill takes it.
fn is_held_slow(instance: &Instance, target: &crate::config::target::Target) -> bool {
    let is_slow = target.operations.iter().any(|operation| {
        operation.name == instance.operation && matches!(operation.stall, Some(Stall::Slow(_)))
    });
    is_slow
        && instance.drill.step.iter().any(|step| {
            matches!(step, Step::Overlap(_))
                || requests_of(step)
                    .iter()
                    .any(|request| request.cut == Some(Cut::WhileWorking))
        })
}
