//! What the steps of a drill take that are no single request.
//! It must not know how a step is carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::suite::RequestFields;
use crate::contract::Length;

/// Copies released together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Burst {
    /// The requests over which the copies are dealt out.
    pub send: Vec<RequestFields>,
    /// How many copies, where it is not for `--copies` to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u32>,
}

/// A first request held in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Overlap {
    /// The one held.
    pub first: RequestFields,
    /// Those sent meanwhile.
    pub during: Vec<RequestFields>,
}

/// A count of effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CountStep {
    /// The name that checks use.
    #[serde(rename = "as")]
    pub name: String,
    /// Intents to count although no request has used them yet (the control counts before it sends).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// A key made to expire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExpireStep {
    /// The intent.
    pub key: String,
    /// The account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// A command of the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HookStep {
    /// Its name under `[hook]`.
    pub run: String,
}

/// Time passes: so long, so much of the declared retention, or while the other drills of the run are carried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct WaitStep {
    /// How long.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
    /// So many percent of the policy's `retention.at-least`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent_of_retention: Option<u32>,
    /// Until everything else of the run is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
}

/// Until when a drill rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// All other drills are done, or as much of the promised retention is over as leaves time to judge the repeat within it.
    EndOfRun,
}
