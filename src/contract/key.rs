//! What a policy says of the idempotency key: where it travels, in what form, and which keys are valid.
//! It must not know where keys come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the key travels in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// A request header of this name.
    Header(String),
    /// A member of the JSON body, by JSON Pointer.
    Json(String),
    /// A field of a form body.
    Form(String),
    /// A query parameter.
    Query(String),
    /// A `{{key}}` placeholder in the path.
    Path(String),
}

/// How the key's text is written on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireForm {
    /// As it is.
    Bare,
    /// As a structured-field string, in double quotes (RFC 9651, section 3.3.3).
    SfString,
}

/// What a fresh key looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyFormat {
    /// Any text; the tool sends a UUIDv4.
    Any,
    /// Any UUID; the tool sends a version 4.
    Uuid,
    /// A UUID of version 4.
    UuidV4,
    /// A UUID of version 7.
    UuidV7,
    /// 32 hexadecimal digits.
    Hex32,
    /// Decimal digits.
    Digits,
}

/// What a key's length is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthUnit {
    /// Unicode characters.
    Chars,
    /// Bytes.
    Bytes,
}

/// A header that must go with the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Companion {
    /// The header's name.
    pub header: String,
    /// Its value: `now` (the IMF-fixdate of the intent's first use), `uuid` (one for each intent), or a literal text.
    pub value: String,
}

/// The rules of the key, all decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct KeyRule {
    /// Where it travels.
    pub carrier: Carrier,
    /// How it is written.
    pub form: WireForm,
    /// What a fresh one looks like.
    pub format: KeyFormat,
    /// The least length; `None` is not documented.
    pub least: Option<u32>,
    /// The greatest length; `None` is not documented.
    pub most: Option<u32>,
    /// What lengths count.
    pub unit: LengthUnit,
    /// Characters allowed, as a set such as `A-Za-z0-9_-`; `None` is not documented.
    pub charset: Option<String>,
    /// Whether keys that differ in case are different; `None` is not documented.
    pub case_sensitive: Option<bool>,
    /// Headers that go with the key.
    pub companions: Vec<Companion>,
}

impl Default for KeyRule {
    fn default() -> Self {
        Self {
            carrier: Carrier::Header("Idempotency-Key".to_owned()),
            form: WireForm::Bare,
            format: KeyFormat::Any,
            least: None,
            most: None,
            unit: LengthUnit::Chars,
            charset: None,
            case_sensitive: None,
            companions: Vec::new(),
        }
    }
}

impl KeyRule {
    /// How keys travel, in words: `the header Idempotency-Key, bare`.
    #[must_use]
    pub fn travels(&self) -> String {
        let place = match &self.carrier {
            Carrier::Header(name) => format!("the header {name}"),
            Carrier::Json(pointer) => format!("{pointer} of the JSON body"),
            Carrier::Form(name) => format!("the form field {name}"),
            Carrier::Query(name) => format!("the query parameter {name}"),
            Carrier::Path(_) => "the path".to_owned(),
        };
        let form = match self.form {
            WireForm::Bare => "bare",
            WireForm::SfString => "in quotes",
        };
        format!("{place}, {form}")
    }
}
