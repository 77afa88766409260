//! Repeats of a duplicate for as long as the first request is held: a claim that lapses before the work is done is met only by
//! what comes after that. It must not know how the first is held.

use std::time::{Duration, Instant};

use super::overlap::Out;
use super::send::{Spot, Which};
use super::{Conductor, Halt};
use crate::config::suite::{Overlap, RequestFields};
use crate::plan::intent::Intent;
use crate::plan::{Instance, prepare};
use crate::run::shot::Landing;

/// The least time between two of them.
const GAP: Duration = Duration::from_millis(40);

/// A held request is met again when it is this part older than at the last time: so the last meeting is never far from the end,
/// and half a minute takes some fifty of them.
const PART: u32 = 8;

/// At the most so many.
const MOST: u32 = 80;

/// A duplicate that is sent again and again.
pub(super) struct Again<'f> {
    fields: &'f RequestFields,
    intent: Option<Intent>,
    /// The last one, by its place among what is out.
    place: usize,
    sent: u32,
    began: Instant,
    next: Duration,
}

impl<'f> Again<'f> {
    /// The first of the others that is the held request once more; there may be none.
    pub(super) fn of(
        overlap: &'f Overlap,
        during: &[(&'f RequestFields, Option<Intent>)],
    ) -> Option<Self> {
        let same = |fields: &RequestFields| {
            RequestFields {
                name: overlap.first.name.clone(),
                ..fields.clone()
            } == overlap.first
        };
        let place = during.iter().position(|(fields, _)| same(fields))?;
        let (fields, intent) = &during[place];
        Some(Self {
            fields,
            intent: intent.clone(),
            place: place + 1,
            sent: 0,
            began: Instant::now(),
            next: Duration::ZERO,
        })
    }

    /// From now on the first is held.
    pub(super) fn begin(&mut self) {
        self.began = Instant::now();
    }

    /// What the journal and the proof say of them: how many left before the first was answered, and when the last one did.
    pub(super) fn told(&self, out: &Out<'_>, held: u64, ended: u64) -> String {
        let left = out.repeats.iter().filter_map(|place| {
            let released = out.sent[*place].0.pending.released()?;
            (released < ended).then_some(released)
        });
        let left: Vec<u64> = left.collect();
        left.iter().max().map_or_else(String::new, |last| {
            format!(
                "; refused, it was sent {} more, the last time after {} ms: a claim that lapses later than that was not met",
                if left.len() == 1 {
                    "once".to_owned()
                } else {
                    format!("{} times", left.len())
                },
                last.saturating_sub(held) / 1000
            )
        })
    }
}

impl Conductor<'_> {
    /// Whether the duplicate is to be sent again later: it was refused, and neither waits nor was told to leave the service alone.
    pub(super) fn meets_again(
        &self,
        instance: &Instance,
        again: &Again<'_>,
        out: &Out<'_>,
    ) -> Result<bool, Halt> {
        let Some(flight) = &out.landed[again.place] else {
            return Ok(false);
        };
        let Landing::Replied(reply) = &flight.landing else {
            return Ok(false);
        };
        let name = prepare::operation_name(instance, again.fields).map_err(Halt::Broken)?;
        let contract = self.contract(name)?;
        let success = super::is_success(contract, self.operation(name)?, reply);
        let has_room = self.unplanned < self.meter.cap().saturating_sub(self.request.plan.requests);
        Ok(!success && !matches!(reply.status, 429 | 503) && again.sent < MOST && has_room)
    }

    /// Sends it again where its time has come.
    pub(super) fn meet_again<'f>(
        &mut self,
        spot: Spot<'_>,
        again: &mut Again<'f>,
        out: &mut Out<'f>,
    ) -> Result<(), Halt> {
        let age = again.began.elapsed();
        if age < again.next || !self.meets_again(spot.instance, again, out)? {
            return Ok(());
        }
        if again.sent == 0 && again.next.is_zero() {
            // the one before has only just been answered
            again.next = age + GAP.max(age / PART);
            return Ok(());
        }
        again.sent += 1;
        self.unplanned += 1;
        let which = Which {
            copy: 0,
            repeat: again.sent,
        };
        let sent = self.launch(spot, again.fields, again.intent.as_ref(), which)?;
        out.add(sent, again.fields);
        again.place = out.sent.len() - 1;
        out.repeats.push(again.place);
        let age = again.began.elapsed();
        again.next = age + GAP.max(age / PART);
        Ok(())
    }
}
