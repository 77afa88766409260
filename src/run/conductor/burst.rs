//! A burst: copies are dealt out over its requests, released by one gate, and the proof is recorded.
//! It must not know how the gate works.

use super::send::{Spot, Which};
use super::{Conductor, Halt, Round};
use crate::config::settings::MOST_COPIES;
use crate::config::suite::{Burst, RequestFields};
use crate::journal::event::{Event, GateKind, GateProof};
use crate::plan::intent::Intent;
use crate::plan::prepare::Prepared;
use crate::plan::{Instance, chance, prepare};
use crate::run::clock::micros;
use crate::run::gate::{Release, Volley, release};
use crate::run::patience::{Again, again};
use crate::run::shot::{Flight, Landing, Shot};

/// What a burst asks of the rounds that follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Afterwards {
    /// The copies left close enough together.
    pub(super) in_step: bool,
    /// The smallest window that they surely reached, where they were in step and none was answered before.
    pub(super) reach_us: Option<u64>,
    /// The target was too busy for so many.
    pub(super) too_many: bool,
    /// The server opens no more streams on one HTTP/2 connection.
    pub(super) stream_limit: Option<u32>,
}

struct Dealt<'f> {
    fields: &'f RequestFields,
    intent: Option<Intent>,
    prepared: Prepared,
    shot: Shot,
}

impl Conductor<'_> {
    pub(super) fn burst(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        burst: &Burst,
        copies: u32,
    ) -> Result<Afterwards, Halt> {
        let copies = burst.copies.unwrap_or(copies).clamp(1, MOST_COPIES);
        let spot = Spot {
            instance,
            round: round.number,
        };
        let mut requests = Vec::new();
        self.renew()?;
        for fields in &burst.send {
            let intent = self.intent_for(instance, round, fields)?;
            let prepared = self.prepare(spot, fields, intent.as_ref())?;
            let shot = self.shot(&prepared).map_err(Halt::Broken)?;
            requests.push(Dealt {
                fields,
                intent,
                prepared,
                shot,
            });
        }
        if requests.is_empty() {
            return Err(Halt::Broken("the burst sends nothing".to_owned()));
        }
        self.meter.permit(u64::from(copies))?;
        let mut sent = Vec::new();
        let mut shots = Vec::new();
        for copy in 0..copies {
            let dealt = &requests[copy as usize % requests.len()];
            let which = Which { copy, repeat: 0 };
            let n = self.announce(
                spot,
                dealt.fields,
                dealt.intent.as_ref(),
                &dealt.prepared,
                which,
            )?;
            sent.push((n, copy as usize % requests.len()));
            shots.push(dealt.shot.clone());
        }
        let operation = &requests[0].prepared.operation;
        let http2 = self.over_http2.contains(operation);
        let how = Release {
            kind: self.gate_kind(operation, round.number),
            http2,
            settle: self.rest(),
            timeout: self.target().timeout.0,
        };
        let lanes = [&self.lanes[0], &self.lanes[1]];
        let mut volley = release(&lanes, shots, how, &|| self.meter.is_interrupted());
        let spent = self.take_out_spent(&requests, &mut volley.flights)?;
        let mut too_many = false;
        for ((n, request), flight) in sent.into_iter().zip(&volley.flights) {
            self.conclude(n, flight)?;
            let fields = requests[request].fields;
            self.remember(instance, round, fields, flight)?;
            let name = prepare::operation_name(instance, fields).map_err(Halt::Broken)?;
            let (contract, success) = (self.contract(name)?, &self.operation(name)?.success);
            too_many |= flight
                .reply()
                .is_some_and(|reply| again(contract, success, reply) == Some(Again::Busy));
        }
        let timing = volley.timing;
        if timing.early_answers > 0 {
            self.decides_on_head.insert(operation.clone());
        }
        // on one HTTP/2 connection all leave in one write, and the path holds all of them up alike
        let one_connection = http2 && self.target().replicas.len() == 1;
        let jitter_us = if one_connection {
            0
        } else {
            micros(self.jitter)
        };
        let protocol = volley.flights.iter().find_map(|flight| flight.protocol);
        self.record(Event::Gate(GateProof {
            instance: instance.id.clone(),
            round: round.number,
            gate: volley.kind,
            copies: timing.copies,
            protocol: protocol
                .unwrap_or(if http2 { "HTTP/2" } else { "HTTP/1.1" })
                .to_owned(),
            spread_us: timing.spread_us,
            gap12_us: timing.gap12_us,
            jitter_us,
            all_in_flight: timing.all_in_flight,
            early_answers: timing.early_answers,
            in_step: timing.in_step && !spent,
            repeated: round.repeats,
        }))?;
        let stream_limit = self.stream_limit(&volley, copies, http2);
        if volley.missing > 0 && stream_limit.is_none() {
            let text = format!(
                "{} of {copies} copies did not come to the gate in time (no connection)",
                volley.missing
            );
            self.note(Some(&instance.id), text)?;
        }
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        let counts = timing.in_step && timing.early_answers == 0;
        Ok(Afterwards {
            in_step: timing.in_step && !spent,
            reach_us: counts.then(|| chance::reach_us(timing.gap12_us, jitter_us, timing.copies)),
            too_many,
            stream_limit,
        })
    }

    /// Copies that were told 401 because the token expired among them say nothing of the key: what they would have got is not
    /// known, and the round is replaced by another one, with a new token. Whether there were any.
    fn take_out_spent(
        &mut self,
        requests: &[Dealt<'_>],
        flights: &mut [Flight],
    ) -> Result<bool, Halt> {
        let is_spent = |copy: usize, flight: &Flight| {
            requests[copy % requests.len()].fields.vary.is_none()
                && flight.reply().is_some_and(|reply| reply.status == 401)
        };
        let Some(refused) = (0..flights.len()).find(|copy| is_spent(*copy, &flights[*copy])) else {
            return Ok(false);
        };
        let account = &requests[refused % requests.len()].prepared.account;
        if !self.renewed_after(account, &flights[refused])? {
            return Ok(false);
        }
        for (copy, flight) in flights.iter_mut().enumerate() {
            let mine = requests[copy % requests.len()].prepared.account == *account;
            if mine && is_spent(copy, flight) {
                flight.landing = Landing::Unknown(
                    "401, and a new token was given: the one before had expired".to_owned(),
                );
            }
        }
        Ok(true)
    }

    /// How many streams the server allows, where copies did not come to the gate while others waited at it.
    fn stream_limit(&self, volley: &Volley, copies: u32, http2: bool) -> Option<u32> {
        let missing = u32::try_from(volley.missing).ok()?;
        let came = copies.checked_sub(missing)?;
        // several connections have several limits
        let one_connection = http2 && self.target().replicas.len() == 1;
        (one_connection && missing > 0 && came >= 2).then_some(came)
    }

    /// Rounds alternate, for servers decide at different moments; one that decides on the head only races with the whole request.
    fn gate_kind(&self, operation: &str, round: u32) -> GateKind {
        if self.decides_on_head.contains(operation) || !round.is_multiple_of(2) {
            GateKind::Whole
        } else {
            GateKind::Body
        }
    }
}
