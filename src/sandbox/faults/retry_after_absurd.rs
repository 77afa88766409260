//! The 409 comes with a Retry-After that no client will keep.
//! Must not change anything else of it.

use super::Fault;
use crate::sandbox::defect::Defect;
use crate::sandbox::design::Design;
use crate::sandbox::http::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "retry-after-absurd",
    summary: "Tells a duplicate in progress to come again after a year (=31536000 seconds).",
    designs: &[Design::ClaimFirst],
    default: Some("31536000"),
    make: |value| {
        let seconds = value.parse::<u64>();
        let seconds = seconds.map_err(|_| format!("`{value}` is no number of seconds"))?;
        Ok(Box::new(RetryAfterAbsurd(seconds.to_string())))
    },
};

struct RetryAfterAbsurd(String);

impl Defect for RetryAfterAbsurd {
    fn in_progress(&self, reply: &mut Reply) {
        reply.drop_header("Retry-After");
        reply
            .headers
            .push(("Retry-After".to_owned(), self.0.clone()));
    }
}
