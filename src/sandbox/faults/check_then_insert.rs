//! The key is looked up first and inserted later, and the insert takes no notice of a row that came in between.
//! Every request that looks inside the window runs. Must not know the store: it is SELECT and INSERT on both.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Pending};
use crate::sandbox::store::Session;
use crate::sandbox::store::record::{Claim, Claiming, Held};
use crate::sandbox::window::Window;

pub(super) const FAULT: Fault = Fault {
    name: "check-then-insert",
    summary: "Looks the key up, lets a window pass (=20ms, =100us, =100us-cpu), then inserts it whatever has come in between.",
    designs: RIGHT,
    default: Some("20ms"),
    make: |value| Ok(Box::new(CheckThenInsert(Window::parse(value)?))),
};

struct CheckThenInsert(Window);

impl Defect for CheckThenInsert {
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
            session.put(claiming).await?;
            Ok(Claim::Mine(Held {
                claiming: claiming.clone(),
                owned: false,
            }))
        }))
    }

    /// With the unique constraint in place the second request would fail instead of running.
    fn safety_net(&self, _: &Claiming, _: Option<String>) -> Option<String> {
        None
    }
}
