//! What the defects say about methods that are idempotent by nature: preconditions, and when a PUT changes something.
//! Must not know keys.

use axum::http::HeaderMap;

use super::Machine;
use crate::sandbox::http::text;

impl Machine {
    /// The precondition that is minded.
    pub(crate) fn precondition(&self, headers: &HeaderMap) -> Option<String> {
        let right = text(headers, "if-match");
        self.defects
            .iter()
            .fold(right, |wanted, defect| defect.precondition(wanted))
    }

    /// Whether a PUT counts as a change.
    pub(crate) fn is_change(&self, right: bool) -> bool {
        self.defects
            .iter()
            .fold(right, |change, defect| defect.is_change(change))
    }
}
