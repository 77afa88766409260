//! An operation as a target file writes it: the request, its variants, and how its effects are seen.
//! It must not know defaults, flags, or whether what it says makes sense.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};

use super::json_value::{FormSource, JsonSource, JsonValue};
use super::ordered::Ordered;
use super::target_file::Words;
use crate::contract::Length;
use crate::contract::duration::some_time;

/// One operation.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct OperationTable {
    /// `METHOD /path`.
    pub request: Option<String>,
    /// A JSON body: a table (sent compact, in this order) or a text (sent byte for byte).
    pub json: Option<JsonSource>,
    /// A form body: a table or a text.
    pub form: Option<FormSource>,
    /// Any other body, byte for byte.
    pub text: Option<String>,
    /// The content type of `text`.
    pub content_type: Option<String>,
    /// Headers.
    pub headers: Ordered<String>,
    /// Where the tool's own reference is put: a JSON Pointer, or a form field.
    pub r#ref: Option<String>,
    /// Statuses of a success (any 2xx).
    pub success: Vec<u16>,
    /// What tells results apart: `/pointer`, `header:Location`, `xml:/A/B` or `none`.
    pub identity: Option<String>,
    /// Variants of the request.
    pub bodies: Ordered<BodyTable>,
    /// How effects are counted: exactly one of `sql`, `get`, `command`, `sink`.
    pub count: Option<CountTable>,
    /// A GET that shows the effects (path and query, or a whole URL), where they are not counted by one: keys must change nothing there.
    pub read: Option<String>,
    /// Query parameters that make another request of this one (name = value), where the service knows some: the same key with another
    /// query is tried with them (`doubletap=1` where nothing is said).
    pub other_query: Ordered<String>,
    /// How a request is held in progress: exactly one of `slow`, `postgres`.
    pub stall: Option<StallTable>,
    /// Placeholders that a set-up fills: name = operation.
    pub needs: Ordered<String>,
    /// Whether the service refuses a reference that it has seen under another key.
    pub unique_reference: Option<bool>,
    /// Only there to set others up.
    pub setup_only: bool,
}

/// A variant of a request.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BodyTable {
    /// Values to set: JSON Pointer (or form field) = value.
    pub set: Ordered<JsonValue>,
    /// What to remove.
    pub remove: Vec<String>,
    /// A whole other JSON body.
    pub json: Option<JsonSource>,
    /// A whole other form body.
    pub form: Option<FormSource>,
    /// A whole other body of another type.
    pub text: Option<String>,
    /// The content type of `text`.
    pub content_type: Option<String>,
    /// Headers to set.
    pub headers: Ordered<String>,
    /// Statuses that this variant is expected to get.
    pub expect: Vec<u16>,
}

/// How effects are counted.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CountTable {
    /// A SELECT that answers one number.
    pub sql: Option<String>,
    /// A GET.
    pub get: Option<GetSource>,
    /// A command that prints a number.
    pub command: Option<Words>,
    /// How long the command may take (30s).
    #[serde(default, deserialize_with = "some_time")]
    pub timeout: Option<Length>,
    /// Calls that arrive at a sink.
    pub sink: Option<SinkTable>,
}

/// A GET that counts: a table, or `PATH#/pointer` as one text.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
pub enum GetSource {
    /// `PATH#/pointer`, or `PATH#/pointer[/field=text]`.
    Line(String),
    /// As a table.
    Table(GetTable),
}

// not derived: an untagged enum would lose the place of what is wrong inside of the table
impl<'de> Deserialize<'de> for GetSource {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = GetSource;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with `path` and `at`, or a text such as \"/payments?key={{key}}#/count\"")
            }

            fn visit_str<E>(self, text: &str) -> Result<GetSource, E> {
                Ok(GetSource::Line(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GetSource, A::Error> {
                GetTable::deserialize(MapAccessDeserializer::new(map)).map(GetSource::Table)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A GET that counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GetTable {
    /// Path and query, or a whole URL.
    pub path: String,
    /// JSON Pointer to a number or a list (empty: the whole body), or `xml:/A/B`: the elements there.
    #[serde(default)]
    pub at: String,
    /// Counts only a list's elements with this value.
    #[serde(default)]
    pub r#match: Option<MatchTable>,
    /// The list's page size.
    #[serde(default)]
    pub page: Option<u64>,
    /// Further headers.
    #[serde(default)]
    pub headers: Ordered<String>,
}

/// Which elements count.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MatchTable {
    /// JSON Pointer into an element.
    pub field: String,
    /// The text that must stand there.
    pub is: String,
}

/// A sink that the tool listens on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SinkTable {
    /// The address, such as `127.0.0.1:9099`.
    pub listen: String,
    /// Only calls of this path count.
    #[serde(default)]
    pub path: Option<String>,
}

/// How a request is held in progress.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StallTable {
    /// The variant that the service answers slowly.
    pub slow: Option<String>,
    /// A lock in the database.
    pub postgres: Option<LockTable>,
}

/// A lock in the database.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LockTable {
    /// The table that the handler writes.
    pub lock: Option<String>,
    /// A whole statement that locks.
    pub statement: Option<String>,
    /// The longest hold (2s).
    #[serde(default, deserialize_with = "some_time")]
    pub hold: Option<Length>,
}
