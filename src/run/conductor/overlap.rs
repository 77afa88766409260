//! An overlap: the first request is held in progress, the others are sent meanwhile, and what proves the hold is recorded.
//! It must not know what the others should get.

use std::time::{Duration, Instant};

use super::again::Again;
use super::send::{Sent, Spot, Which};
use super::{Conductor, Halt, Round};
use crate::config::suite::{Overlap, RequestFields};
use crate::config::target::Stall;
use crate::journal::event::{Event, HeldProof};
use crate::plan::intent::Intent;
use crate::plan::{Instance, prepare};
use crate::run::shot::{Flight, Landing};
use crate::run::stall::Lock;

/// How long a slow first request is alone: on a busy machine the next one overtakes it within a few milliseconds.
pub(super) const HEAD_START: Duration = Duration::from_millis(100);

/// How long each further request waits for the answer to the one before it: a refused duplicate that takes the first's claim
/// away is seen only by what comes after its refusal. Where duplicates wait, all of them are out by then and no time is lost.
const ONE_BY_ONE: Duration = Duration::from_millis(20);

/// What is known of a hold.
struct Hold {
    how: &'static str,
    proven: bool,
    detail: String,
    held_us: Option<u64>,
    released_us: Option<u64>,
}

/// Requests that are out, by their place: 0 is the first.
pub(super) struct Out<'f> {
    pub(super) sent: Vec<(Sent, &'f RequestFields)>,
    pub(super) landed: Vec<Option<Flight>>,
    /// Places of what was sent again.
    pub(super) repeats: Vec<usize>,
}

impl<'f> Out<'f> {
    pub(super) fn add(&mut self, sent: Sent, fields: &'f RequestFields) {
        self.sent.push((sent, fields));
        self.landed.push(None);
    }

    /// Takes in what came back, for a while.
    fn look(&mut self, at_most: Duration) {
        let end = Instant::now() + at_most;
        loop {
            for (place, (sent, _)) in self.sent.iter().enumerate() {
                if self.landed[place].is_none() {
                    self.landed[place] = sent.pending.wait(Duration::from_millis(1));
                }
            }
            if self.all_landed(0) || Instant::now() >= end {
                return;
            }
        }
    }

    /// Waits for the answer to the last one, where it is not the first.
    fn settle_last(&mut self, at_most: Duration) {
        let end = Instant::now() + at_most;
        let last = self.sent.len().saturating_sub(1);
        while last > 0 && self.landed[last].is_none() && Instant::now() < end {
            self.look(Duration::ZERO);
        }
    }

    fn all_landed(&self, from: usize) -> bool {
        self.landed[from..].iter().all(Option::is_some)
    }
}

impl Conductor<'_> {
    pub(super) fn overlap(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        overlap: &Overlap,
    ) -> Result<(), Halt> {
        let spot = Spot {
            instance,
            round: round.number,
        };
        // set-ups come first: nothing but the requests themselves happens while the first is held
        let first_intent = self.intent_for(instance, round, &overlap.first)?;
        let mut during: Vec<(&RequestFields, Option<Intent>)> = Vec::new();
        for fields in &overlap.during {
            during.push((fields, self.intent_for(instance, round, fields)?));
        }
        let name = prepare::operation_name(instance, &overlap.first).map_err(Halt::Broken)?;
        let stall = self.operation(name)?.stall.clone();
        let mut again = Again::of(overlap, &during);
        let mut out = Out {
            sent: Vec::new(),
            landed: Vec::new(),
            repeats: Vec::new(),
        };
        let hold = match stall {
            Some(Stall::Postgres {
                lock,
                is_statement,
                hold,
            }) => {
                let locked = self.may_change_database().and_then(|()| {
                    let database = self.counters.database.as_ref();
                    let database =
                        database.ok_or("the target declares no database ([postgres])")?;
                    Lock::take(database, &lock, is_statement, hold.0)
                });
                match locked {
                    Ok(lock) => {
                        let first = (&overlap.first, first_intent.as_ref());
                        self.hold_by_lock(spot, lock, first, &during, again.as_mut(), &mut out)?
                    }
                    Err(why) => {
                        let first = (&overlap.first, first_intent.as_ref());
                        let mut hold =
                            self.hold_by_time(spot, "luck", first, &during, None, &mut out)?;
                        // what was declared and did not work is no luck, whatever the times say
                        hold.how = "postgres";
                        hold.proven = false;
                        hold.detail =
                            format!("the lock could not be taken ({why}); {}", hold.detail);
                        hold
                    }
                }
            }
            Some(Stall::Slow(_)) => {
                let first = (&overlap.first, first_intent.as_ref());
                self.hold_by_time(spot, "slow", first, &during, again.as_mut(), &mut out)?
            }
            None => {
                let first = (&overlap.first, first_intent.as_ref());
                self.hold_by_time(spot, "luck", first, &during, None, &mut out)?
            }
        };
        while !out.all_landed(0) && !self.meter.is_interrupted() {
            out.look(Duration::from_millis(50));
        }
        let interrupted = !out.all_landed(0);
        for ((sent, fields), landed) in out.sent.iter().zip(&out.landed) {
            let flight = landed.clone().unwrap_or_else(|| {
                let landing = Landing::Unknown("the run was interrupted".to_owned());
                Flight::without_reply(self.clock.now(), landing)
            });
            self.conclude(sent.n, &flight)?;
            self.remember(instance, round, fields, &flight)?;
        }
        self.record(Event::Held(HeldProof {
            instance: instance.id.clone(),
            round: round.number,
            how: hold.how.to_owned(),
            proven: hold.proven,
            detail: hold.detail,
            held_us: hold.held_us,
            released_us: hold.released_us,
        }))?;
        if interrupted {
            return Err(Halt::Interrupted);
        }
        Ok(())
    }

    /// Sends the first, gives it time to arrive, sends the others; the times tell whether it was still open.
    fn hold_by_time<'f>(
        &mut self,
        spot: Spot<'_>,
        how: &'static str,
        (first_fields, first_intent): (&'f RequestFields, Option<&Intent>),
        during: &[(&'f RequestFields, Option<Intent>)],
        mut again: Option<&mut Again<'f>>,
        out: &mut Out<'f>,
    ) -> Result<Hold, Halt> {
        let first = self.launch(spot, first_fields, first_intent, Which::default())?;
        out.add(first, first_fields);
        if let Some(again) = again.as_mut() {
            again.begin();
        }
        // a held one is given time to arrive; by luck, every moment is one in which it may be over
        let grace = match how {
            "slow" => (self.rest() * 2).max(HEAD_START),
            _ => self.round_trip,
        };
        self.until_released(out, grace);
        let others_at = self.clock.now();
        for (fields, intent) in during {
            // by luck, every moment is one in which the first may be over
            if how == "slow" {
                out.settle_last(ONE_BY_ONE);
            }
            let sent = self.launch(spot, fields, intent.as_ref(), Which::default())?;
            out.add(sent, fields);
        }
        let others = 1..out.sent.len();
        let handed_over = self.clock.now();
        while !out.all_landed(0) && !self.meter.is_interrupted() {
            out.look(Duration::from_millis(20));
            if let Some(again) = again.as_mut().filter(|_| out.landed[0].is_none()) {
                self.meet_again(spot, again, out)?;
            }
        }
        let released = out.sent[0].0.pending.released();
        let first = out.landed[0].as_ref();
        let answered = first.and_then(|flight| flight.first_byte_us);
        let ended = first.map(|flight| answered.unwrap_or(flight.end_us));
        let round_trip = crate::run::clock::micros(self.round_trip);
        let others_left = out.sent[others]
            .iter()
            .map(|(sent, _)| sent.pending.released().unwrap_or(handed_over))
            .max()
            .unwrap_or(handed_over);
        let arrived_before = released.is_some_and(|at| at + round_trip <= others_at);
        let still_open = ended.is_some_and(|at| at > others_left);
        let detail = match (released, ended) {
            (Some(released), Some(ended)) => format!(
                "once the first was out, the others followed within {} ms, and its answer came after {} ms{}{}",
                others_left.saturating_sub(released) / 1000,
                ended.saturating_sub(released) / 1000,
                if still_open {
                    ""
                } else {
                    ": it was over before the others were out"
                },
                again.map_or_else(String::new, |again| again.told(out, released, ended))
            ),
            _ => "the first was not out, or never answered, when the others were sent".to_owned(),
        };
        Ok(Hold {
            how,
            proven: arrived_before && still_open && answered.is_some(),
            detail,
            held_us: released,
            released_us: ended,
        })
    }

    /// Waits until the first request's last byte is out, and a while longer.
    fn until_released(&self, out: &mut Out<'_>, grace: Duration) {
        let began = Instant::now();
        let patience = self.target().timeout.0;
        while out.sent[0].0.pending.released().is_none()
            && out.landed[0].is_none()
            && began.elapsed() < patience
            && !self.meter.is_interrupted()
        {
            std::thread::sleep(Duration::from_micros(200));
        }
        self.meter.pause(grace);
    }

    /// Holds the first by a lock in the database: proved when a backend waits for it that did not wait before.
    fn hold_by_lock<'f>(
        &mut self,
        spot: Spot<'_>,
        lock: Lock,
        (first_fields, first_intent): (&'f RequestFields, Option<&Intent>),
        during: &[(&'f RequestFields, Option<Intent>)],
        mut again: Option<&mut Again<'f>>,
        out: &mut Out<'f>,
    ) -> Result<Hold, Halt> {
        let first = self.launch(spot, first_fields, first_intent, Which::default())?;
        out.add(first, first_fields);
        let seen = loop {
            let Some(database) = self.counters.database.as_ref() else {
                break Err("the database is gone".to_owned());
            };
            match lock.waiting(database) {
                Ok(Some(waiting)) => break Ok(waiting),
                Err(why) => break Err(why),
                Ok(None) => {}
            }
            out.look(Duration::from_millis(3));
            if out.all_landed(0) {
                break Err("the first was answered without waiting for the lock".to_owned());
            }
            if lock.is_over() {
                break Err("nothing waited for the lock while it was held".to_owned());
            }
            if self.meter.is_interrupted() {
                break Err("the run was interrupted".to_owned());
            }
        };
        let held_us = seen.is_ok().then(|| self.clock.now());
        if let Some(again) = again.as_mut() {
            again.begin();
        }
        let others_at = self.clock.now();
        let mut halted = Ok(());
        for (fields, intent) in during {
            out.settle_last(ONE_BY_ONE);
            match self.launch(spot, fields, intent.as_ref(), Which::default()) {
                Ok(sent) => out.add(sent, fields),
                // the lock must be let go whatever happens
                Err(halt) => {
                    halted = Err(halt);
                    break;
                }
            }
        }
        let first_was_open = out.landed[0].is_none();
        while seen.is_ok() && halted.is_ok() && !lock.is_over() && !self.meter.is_interrupted() {
            let goes_on = match again.as_mut().filter(|_| out.landed[0].is_none()) {
                Some(again) => self
                    .meet_again(spot, again, out)
                    .and_then(|()| self.meets_again(spot.instance, again, out)),
                None => Ok(false),
            };
            match goes_on {
                Ok(false) if out.all_landed(1) => break,
                Ok(_) => out.look(Duration::from_millis(5)),
                Err(halt) => halted = Err(halt),
            }
        }
        let first_still_open = out.landed[0].is_none();
        let let_go = match self.counters.database.as_ref() {
            Some(database) => lock.release(database),
            None => Ok(()),
        };
        halted?;
        let released_us = self.clock.now();
        let (proven, mut detail) = match seen {
            Ok(waiting) => (
                first_was_open && first_still_open,
                format!(
                    "{waiting}; the others were sent at {others_at} us, the lock was let go at {released_us} us{}",
                    again.map_or_else(String::new, |again| {
                        again.told(out, held_us.unwrap_or(others_at), released_us)
                    })
                ),
            ),
            Err(why) => (false, why),
        };
        if let Err(why) = let_go {
            detail = format!("{detail}; the lock could not be let go properly: {why}");
        }
        Ok(Hold {
            how: "postgres",
            proven,
            detail,
            held_us,
            released_us: Some(released_us),
        })
    }
}
