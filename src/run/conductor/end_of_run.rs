//! Drills that rest while the others are carried out, so that their keys grow as old as the run makes them.
//! It must not know what is done after the rest, nor whether the key should still be known then.

use std::time::{Duration, Instant};

use super::drill::Course;
use super::round::Waits;
use super::{Conductor, Halt};
use crate::plan::{Instance, Plan, select};

/// A drill that rests.
pub(super) struct Resting<'a> {
    instance: &'a Instance,
    course: Course,
    /// Before its first request: no key of it is older.
    began: Instant,
}

impl Resting<'_> {
    /// The step that waits, where one does.
    fn step(&self) -> Option<usize> {
        self.course
            .rounds
            .iter()
            .find_map(|round| match round.waits {
                Some(Waits::End(step)) => Some(step),
                _ => None,
            })
    }
}

/// How much of the promised time is over, at the most, when a repeat leaves: the rest is for the requests that come before it.
const PERCENT: u32 = 60;

/// A promise of which so much is over so soon is waited for at once.
const SOON: Duration = Duration::from_secs(5);

/// The drills in the order in which they begin: what rests until the end does so right after the control of its operation.
pub(super) fn in_order(plan: &Plan) -> Vec<&Instance> {
    let mut all: Vec<&Instance> = plan.instances.iter().collect();
    all.sort_by_key(|instance| {
        let mut others = plan.instances.iter();
        let operation = others.position(|other| other.operation == instance.operation);
        (
            operation,
            !select::is_control(instance),
            !instance.drill.rests_until_the_end(),
        )
    });
    all
}

impl<'a> Conductor<'a> {
    /// Lays a drill aside that waits for the end of the run; any other has ended.
    pub(super) fn end_or_rest(
        &mut self,
        instance: &'a Instance,
        course: Course,
        walked: Result<(), Halt>,
        began: Instant,
    ) -> Result<(), Halt> {
        let resting = Resting {
            instance,
            course,
            began,
        };
        if walked.is_ok() && resting.step().is_some() {
            return match self.latest(instance)? {
                Some(latest) if latest <= SOON.max(self.request.key_age) => {
                    self.pause(latest.saturating_sub(began.elapsed()))?;
                    self.wake(resting)
                }
                _ => {
                    self.resting.push(resting);
                    Ok(())
                }
            };
        }
        let course = resting.course;
        let end = self.ended(instance, &course, walked)?;
        // what waits is counted when it goes on
        let mut rounds = course.rounds;
        rounds.retain(|round| round.waits.is_none());
        self.finished.push((instance.id.clone(), rounds));
        end
    }

    /// Goes on with the drills whose keys would otherwise grow older than what is promised.
    pub(super) fn go_on_with_what_is_due(&mut self) -> Result<(), Halt> {
        let mut at = 0;
        while let Some(resting) = self.resting.get(at) {
            let latest = self.latest(resting.instance)?;
            if latest.is_some_and(|latest| resting.began.elapsed() >= latest) {
                let resting = self.resting.remove(at);
                self.wake(resting)?;
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Goes on with all that rest, once their keys are as old as is asked for.
    pub(super) fn go_on_at_the_end(&mut self) -> Result<(), Halt> {
        while !self.resting.is_empty() {
            let resting = self.resting.remove(0);
            let latest = self.latest(resting.instance)?.unwrap_or(Duration::MAX);
            let age = self.request.key_age.min(latest);
            self.pause(age.saturating_sub(resting.began.elapsed()))?;
            self.wake(resting)?;
        }
        Ok(())
    }

    /// How old a key of the drill may become, where the policy says how long keys are kept.
    fn latest(&self, instance: &Instance) -> Result<Option<Duration>, Halt> {
        let retention = self.contract(&instance.operation)?.retention.value;
        Ok(retention.at_least.map(|kept| kept.0 * PERCENT / 100))
    }

    fn wake(&mut self, mut resting: Resting<'a>) -> Result<(), Halt> {
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        let from = resting.step().map_or(0, |step| step + 1);
        for round in &mut resting.course.rounds {
            round.waits.take_if(|waits| matches!(waits, Waits::End(_)));
        }
        let Resting {
            instance,
            mut course,
            began,
        } = resting;
        let walked = self.steps_after(instance, &mut course, from);
        self.end_or_rest(instance, course, walked, began)
    }
}
