//! A request as a well-behaved client repeats it: while it is told to wait, and once or twice where nothing came back.
//! It must not know whether the last reply is right.

use std::time::{Duration, Instant};

use super::{Conductor, Halt, Round};
use crate::config::suite::RequestFields;
use crate::plan::{Instance, prepare};
use crate::run::patience::{again, pause, retry_after};
use crate::run::shot::Landing;

/// How often a request of which nothing came back is sent again.
const LOST_TRIES: u32 = 2;

impl Conductor<'_> {
    pub(super) fn retry(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        fields: &RequestFields,
    ) -> Result<(), Halt> {
        let name = prepare::operation_name(instance, fields).map_err(Halt::Broken)?;
        let contract = self.contract(name)?;
        let success = &self.operation(name)?.success;
        let bound = contract.in_progress_for.value.0;
        let began = Instant::now();
        let mut tries = 0;
        let mut lost = 0;
        loop {
            let flight = self.send_step(instance, round, fields, tries)?;
            let wait = match &flight.landing {
                Landing::Replied(reply) => {
                    let after = retry_after(reply, jiff::Timestamp::now());
                    again(contract, success, reply)
                        .and_then(|why| pause(why, tries, after, began.elapsed(), bound))
                }
                Landing::Unknown(_) | Landing::NotSent(_) if lost < LOST_TRIES => {
                    lost += 1;
                    Some(Duration::from_millis(100 << lost))
                }
                Landing::Unknown(_) | Landing::NotSent(_) => None,
            };
            let Some(wait) = wait else {
                return Ok(());
            };
            self.pause(wait)?;
            tries += 1;
        }
    }
}
