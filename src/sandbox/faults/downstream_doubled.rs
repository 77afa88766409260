//! The key protects the rows and not the call behind them, so a duplicate is one row and two charges.
//! Must not touch rows or replies.

use super::{Fault, RIGHT};
use crate::sandbox::defect::{Defect, Encounter, Met, Pending};

pub(super) const FAULT: Fault = Fault {
    name: "downstream-doubled",
    summary: "Calls the payment provider before it looks at the record: its own rows are right, the provider is called again.",
    designs: RIGHT,
    default: None,
    make: |_| Ok(Box::new(DownstreamDoubled)),
};

struct DownstreamDoubled;

impl Defect for DownstreamDoubled {
    fn met<'a>(&'a self, encounter: Encounter<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            if encounter.met != Met::Mismatch {
                let request = &encounter.keyed.request;
                let reference = request.reference();
                let ledger = &encounter.machine.ledger;
                ledger.call_provider(request.key.as_deref(), reference.as_deref());
            }
            Ok(())
        })
    }
}
