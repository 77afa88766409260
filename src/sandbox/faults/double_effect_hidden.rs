//! A repeat gets a perfect replay, and the handler has run once more behind it.
//! Must not change the reply: only who counts effects can see this.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Encounter, Met, Pending};
use crate::sandbox::work::work;

pub(super) const FAULT: Fault = Fault {
    name: "double-effect-hidden",
    summary: "Replays perfectly and runs the handler again all the same: only counting effects shows it.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(DoubleEffectHidden)),
};

struct DoubleEffectHidden;

impl Defect for DoubleEffectHidden {
    fn met<'a>(&'a self, encounter: Encounter<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            let Encounter {
                machine,
                session,
                keyed,
                met,
                ..
            } = encounter;
            if met != Met::Done {
                return Ok(());
            }
            session.begin().await?;
            // Without the record's life there is no safety net to fall into.
            let again = work(machine, session, &keyed.request, None).await;
            if again.crash.is_none() {
                session.commit().await?;
                machine.first(again, true);
            } else {
                session.rollback().await?;
            }
            Ok(())
        })
    }
}
