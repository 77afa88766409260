//! What will be sent, decided before anything is: drills x cases x operations, keys, bodies, and what is skipped and why.
//! It must not do any I/O: fresh keys and captured values are handed in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::suite::Drill;

/// One drill in one case on one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Instance {
    /// `drill/case@operation` (`drill@operation` without a case); never changes.
    pub id: String,
    /// The drill, with the case's keys and fields filled in.
    pub drill: Drill,
    /// The case.
    pub case: Option<String>,
    /// The operation under test.
    pub operation: String,
    /// Another operation of the target, where the drill needs one.
    pub other_operation: Option<String>,
    /// How often the steps are repeated.
    pub rounds: u32,
    /// Copies of a burst.
    pub copies: u32,
    /// Why it is skipped, where it is known beforehand.
    pub skip: Option<String>,
}
