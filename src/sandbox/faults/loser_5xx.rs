//! The unique constraint on the key keeps the loser of a race from running, and its violation goes out as a 500.
//! Must not let two requests run.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::store::record::{Claim, Claiming};
use crate::sandbox::store::{Session, StoreError};
use crate::sandbox::window::Window;

pub(super) const FAULT: Fault = Fault {
    name: "loser-5xx",
    summary: "Looks the key up, then inserts it without minding a conflict: whoever loses the race gets 500.",
    designs: RIGHT,
    default: Some("20ms"),
    make: |value| Ok(Box::new(Loser5xx(Window::parse(value)?))),
};

struct Loser5xx(Window);

impl Defect for Loser5xx {
    fn claim<'a>(
        &'a self,
        session: &'a mut Session,
        claiming: &'a Claiming,
    ) -> Option<Pending<'a, Claim>> {
        Some(Box::pin(async move {
            if let Some(found) = session.look(&claiming.id).await? {
                return Ok(Claim::Theirs(found));
            }
            self.0.pass().await;
            match session.claim(claiming).await? {
                // A plain INSERT ends here with a unique violation, and nobody has thought of it.
                Claim::Theirs(_) => Err(StoreError::Duplicate),
                mine => Ok(mine),
            }
        }))
    }
}
