//! One drill: its rounds, step by step; all rounds meet at each count. Rounds out of step are repeated with fresh keys.
//! It must not know how a step is carried out.

use std::time::{Duration, Instant};

use super::round::Waits;
use super::{Conductor, Halt, Round};
use crate::config::suite::{CountStep, Step, WaitStep};
use crate::config::target::Expire;
use crate::journal::event::{Event, InstanceBegun, InstanceEnded};
use crate::plan::{Instance, requests_of_a_round};

/// Steps up to a count.
pub(super) struct Stage<'s> {
    steps: Vec<&'s Step>,
    pub(super) count: Option<&'s CountStep>,
}

/// How a drill goes on.
pub(super) struct Course {
    copies: u32,
    pub(super) rounds: Vec<Round>,
    stopped_early: bool,
    /// The smallest window that each round in step surely reached, in microseconds.
    reaches_us: Vec<u64>,
}

impl Course {
    /// A drill that has just begun.
    pub(super) fn new(copies: u32) -> Self {
        Self {
            copies,
            rounds: Vec::new(),
            stopped_early: false,
            reaches_us: Vec::new(),
        }
    }
}

/// Rounds at the most where a window is to be seen: what 200 rounds do not show needs another way.
const MOST_FOR_AN_AIM: usize = 200;

impl<'a> Conductor<'a> {
    /// Carries a drill out. Only what ends the whole run is an error.
    pub(super) fn drill(&mut self, instance: &'a Instance) -> Result<(), Halt> {
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        self.record(Event::Instance(InstanceBegun {
            instance: instance.id.clone(),
            skip: instance.skip.clone(),
            at_us: self.clock.now(),
        }))?;
        if instance.skip.is_some() {
            return Ok(());
        }
        let began = Instant::now();
        let mut course = Course::new(instance.copies);
        let walked = self.stages(instance, &mut course);
        self.end_or_rest(instance, course, walked, began)
    }

    /// Records how a drill ended. The inner result: whether the run goes on after it.
    pub(super) fn ended(
        &mut self,
        instance: &Instance,
        course: &Course,
        walked: Result<(), Halt>,
    ) -> Result<Result<(), Halt>, Halt> {
        let (broken, end) = match walked {
            Ok(()) => (waits(&course.rounds), Ok(())),
            Err(Halt::Broken(why)) => (Some(why), Ok(())),
            Err(Halt::Interrupted) => {
                let why = "the run was interrupted".to_owned();
                (Some(why), Err(Halt::Interrupted))
            }
            Err(halt) => return Err(halt),
        };
        self.record(Event::InstanceEnd(InstanceEnded {
            instance: instance.id.clone(),
            rounds: u32::try_from(course.rounds.len()).unwrap_or(u32::MAX),
            broken,
            stopped_early: course.stopped_early,
            at_us: self.clock.now(),
        }))?;
        Ok(end)
    }

    fn stages(&mut self, instance: &Instance, course: &mut Course) -> Result<(), Halt> {
        let stages = stages(&instance.drill.step);
        for (index, stage) in stages.iter().enumerate() {
            let mut out_of_step = 0;
            let rounds = if index == 0 {
                instance.rounds.max(1)
            } else {
                u32::try_from(course.rounds.len()).unwrap_or(u32::MAX)
            };
            for number in 0..rounds {
                self.go_on_with_what_is_due()?;
                if index == 0 {
                    course.rounds.push(Round::new(number, false));
                }
                let at = number as usize;
                let in_step = self.steps(instance, course, at, stage)?;
                out_of_step += u32::from(!in_step);
                if index == 0 && self.shows_enough(instance, number) {
                    course.stopped_early = true;
                    break;
                }
            }
            // at most twice the rounds; what stays out of step is said by its proof
            let mut further = 0;
            while out_of_step > 0
                && further < instance.rounds
                && !course.stopped_early
                && self.has_room_for_a_round(instance)
            {
                let in_step =
                    self.further_round(instance, course, &stages[..index], stage, true)?;
                out_of_step -= u32::from(in_step);
                further += 1;
            }
            while !course.stopped_early && self.aims_further(instance, course, stage)? {
                self.further_round(instance, course, &stages[..index], stage, false)?;
            }
            if let Some(count) = stage.count {
                self.count(instance, &mut course.rounds, count)?;
            }
        }
        Ok(())
    }

    /// One more round up to this stage, with fresh keys. Says whether its bursts were in step.
    fn further_round(
        &mut self,
        instance: &Instance,
        course: &mut Course,
        earlier: &[Stage<'_>],
        stage: &Stage<'_>,
        repeats: bool,
    ) -> Result<bool, Halt> {
        let number = course.rounds.len();
        let round = u32::try_from(number).unwrap_or(u32::MAX);
        self.unplanned += 2 * requests_of_a_round(self.target(), instance);
        course.rounds.push(Round::new(round, repeats));
        for stage in earlier {
            self.steps(instance, course, number, stage)?;
            if let Some(count) = stage.count {
                self.count(instance, &mut course.rounds[number..], count)?;
            }
        }
        let in_step = self.steps(instance, course, number, stage)?;
        course.stopped_early = self.shows_enough(instance, round);
        Ok(in_step)
    }

    /// Whether the cap leaves room for a round that was not planned: it must not take requests away that the plan needs. Tries
    /// that are repeated and counts that are waited for may need as many again.
    fn has_room_for_a_round(&self, instance: &Instance) -> bool {
        let a_round = 2 * requests_of_a_round(self.target(), instance);
        self.unplanned + a_round <= self.meter.cap().saturating_sub(self.request.plan.requests)
    }

    /// Whether the window that is to be seen asks for one more round. Says so where it cannot be had.
    fn aims_further(
        &mut self,
        instance: &Instance,
        course: &Course,
        stage: &Stage<'_>,
    ) -> Result<bool, Halt> {
        let Some(aim) = self.request.aim else {
            return Ok(false);
        };
        let races = stage
            .steps
            .iter()
            .any(|step| matches!(step, Step::Burst(_)));
        if !instance.drill.rounds || !races || aim.is_met(&course.reaches_us) {
            return Ok(false);
        }
        let is_room = self.has_room_for_a_round(instance);
        if is_room && course.rounds.len() < MOST_FOR_AN_AIM {
            return Ok(true);
        }
        let text = format!(
            "{} rounds, {} of them in step, are not enough to see a window of {} us with a probability of {}: the copies leave \
             too far apart for it{}",
            course.rounds.len(),
            course.reaches_us.len(),
            aim.window_us,
            aim.confidence,
            if is_room {
                ""
            } else {
                " (more need a higher --max-requests)"
            }
        );
        self.note(Some(&instance.id), text)?;
        Ok(false)
    }

    /// Whether the rounds may end because the replies show a violation.
    fn shows_enough(&mut self, instance: &Instance, round: u32) -> bool {
        instance.rounds > 1 && !self.request.keep_going && (self.stop_early)(&instance.id, round)
    }

    /// One round's steps of a stage. Says whether its bursts were in step.
    pub(super) fn steps(
        &mut self,
        instance: &Instance,
        course: &mut Course,
        at: usize,
        stage: &Stage<'_>,
    ) -> Result<bool, Halt> {
        let mut in_step = true;
        for step in &stage.steps {
            let round = &mut course.rounds[at];
            if round.waits.is_some() {
                break;
            }
            match step {
                Step::Send(fields) => {
                    self.send_step(instance, round, fields, 0)?;
                }
                Step::Read(fields) => self.read_step(instance, round, fields)?,
                Step::Retry(fields) => self.retry(instance, round, fields)?,
                Step::Burst(burst) => {
                    let copies = course.copies;
                    let after = self.burst(instance, round, burst, copies)?;
                    in_step &= after.in_step;
                    course.reaches_us.extend(after.reach_us);
                    if let Some(limit) = after.stream_limit
                        && burst.copies.is_none()
                    {
                        course.copies = course.copies.min(limit);
                        let text = format!(
                            "the server opens {limit} streams at once on an HTTP/2 connection and {copies} copies were meant: {} in the \
                             rounds that follow (--http1 sends all)",
                            course.copies
                        );
                        self.note(Some(&instance.id), text)?;
                    }
                    if after.too_many && burst.copies.is_none() && course.copies > 2 {
                        course.copies = (course.copies / 2).max(2);
                        let text = format!(
                            "the target answered 429 or 503 to some of {copies} copies: {} in the rounds that follow",
                            course.copies
                        );
                        self.note(Some(&instance.id), text)?;
                    }
                }
                Step::Overlap(overlap) => self.overlap(instance, round, overlap)?,
                Step::Expire(expire) if self.target().expire == Some(Expire::Later) => {
                    self.keep_for_later(instance, round, position(instance, step), expire)?;
                }
                Step::Expire(expire) => self.expire(instance, round, expire)?,
                Step::Hook(hook) => self.hook(instance, round, hook)?,
                Step::Wait(wait) if wait.until.is_some() => {
                    round.waits = Some(Waits::End(position(instance, step)));
                }
                Step::Wait(wait) => self.wait(instance, wait)?,
                Step::Count(_) => {}
            }
        }
        Ok(in_step)
    }
}

impl Conductor<'_> {
    /// Lets time pass: so long, or so much of the declared retention.
    fn wait(&mut self, instance: &Instance, wait: &WaitStep) -> Result<(), Halt> {
        let mut length = wait.length.map_or(Duration::ZERO, |length| length.0);
        if let Some(percent) = wait.percent_of_retention {
            let retention = self.contract(&instance.operation)?.retention.value.at_least;
            let Some(retention) = retention else {
                return Err(Halt::Broken(
                    "the policy does not say how long keys are kept at least".to_owned(),
                ));
            };
            length += retention.0 * percent / 100;
        }
        self.pause(length)
    }
}

/// Which step of the drill this one is.
fn position(instance: &Instance, step: &Step) -> usize {
    let mut all = instance.drill.step.iter();
    all.position(|other| std::ptr::eq(other, step)).unwrap_or(0)
}

/// Why a drill has no end yet, where it waits.
fn waits(rounds: &[Round]) -> Option<String> {
    let due = |round: &Round| match &round.waits {
        Some(Waits::Expiry(due)) => Some(due.clone()),
        _ => None,
    };
    let due = rounds.iter().filter_map(due).max()?;
    Some(format!(
        "it waits until {due} for its key to expire; then: doubletap resume JOURNAL"
    ))
}

/// The steps up to each count.
pub(super) fn stages(steps: &[Step]) -> Vec<Stage<'_>> {
    let mut stages = vec![Stage {
        steps: Vec::new(),
        count: None,
    }];
    for step in steps {
        match (step, stages.last_mut()) {
            (Step::Count(count), Some(last)) => {
                last.count = Some(count);
                stages.push(Stage {
                    steps: Vec::new(),
                    count: None,
                });
            }
            (other, Some(last)) => last.steps.push(other),
            (_, None) => {}
        }
    }
    stages
}
