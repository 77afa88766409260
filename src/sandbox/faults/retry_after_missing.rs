//! The 409 comes without Retry-After.
//! Must not change anything else of it.

use super::Fault;
use crate::sandbox::defect::Defect;
use crate::sandbox::design::Design;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "retry-after-missing",
    summary: "Refuses a duplicate in progress without saying when to come again.",
    designs: &[Design::ClaimFirst],
    default: None,
    make: |_| Ok(Box::new(RetryAfterMissing)),
};

struct RetryAfterMissing;

impl Defect for RetryAfterMissing {
    fn in_progress(&self, reply: &mut Reply) {
        reply.drop_header("Retry-After");
    }
}
