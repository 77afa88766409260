//! An expired row is deleted, and a new one is written later over whatever has come in between.
//! Every copy that looks inside the window runs. Must not touch keys that have not expired.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::store::Session;
use crate::sandbox::store::record::{Claim, Claiming, Held};
use crate::sandbox::window::Window;

pub(super) const FAULT: Fault = Fault {
    name: "expired-row-deleted-first",
    summary: "Deletes an expired row, lets a window pass (=20ms, =100us), then writes the new one: copies right after expiry all run.",
    designs: RIGHT,
    default: Some("20ms"),
    make: |value| Ok(Box::new(ExpiredRowDeletedFirst(Window::parse(value)?))),
};

struct ExpiredRowDeletedFirst(Window);

impl Defect for ExpiredRowDeletedFirst {
    fn claim<'a>(
        &'a self,
        session: &'a mut Session,
        claiming: &'a Claiming,
    ) -> Option<Pending<'a, Claim>> {
        Some(Box::pin(async move {
            if session.look_expired(&claiming.id).await?.is_none() {
                return session.claim(claiming).await;
            }
            session.remove(&claiming.id, None).await?;
            self.0.pass().await;
            session.put(claiming).await?;
            Ok(Claim::Mine(Held {
                claiming: claiming.clone(),
                owned: false,
            }))
        }))
    }
}
