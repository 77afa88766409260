//! A clause: one thing that a policy says, with the place where it says it and how binding it is.
//! It must not know what any clause means.

use std::borrow::Cow;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// How binding a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Violated: fail.
    Must,
    /// Violated: warn (`--strict` makes it a fail).
    Should,
}

/// Where a clause comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The file as named to the user (`policies/ietf.toml` for a bundled one, `--set` for the command line).
    pub file: String,
    /// The line, from 1; 0 where a file has none (the command line).
    pub line: u32,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            write!(f, "{}", self.file)
        } else {
            write!(f, "{}:{}", self.file, self.line)
        }
    }
}

/// A declared value with its name, origin and level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Clause<T> {
    /// What is declared.
    pub value: T,
    /// The clause's name: `mismatch`, `scope.account`, `stored.validation`.
    pub name: String,
    /// Where it is declared; `None` where nobody declared it and the value is the built-in "unspecified".
    pub origin: Option<Origin>,
    /// Must, or should.
    pub level: Level,
    /// Parts that are only a should although the clause is a must (`status` from `should = ["mismatch.status"]`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub should_parts: Vec<String>,
}

impl<T> Clause<T> {
    /// A clause that nobody declared.
    pub fn undeclared(name: &str, value: T) -> Self {
        Self {
            value,
            name: name.to_owned(),
            origin: None,
            level: Level::Must,
            should_parts: Vec::new(),
        }
    }

    /// The level of a part of the clause, such as its `status`.
    #[must_use]
    pub fn level_of(&self, part: &str) -> Level {
        if self.should_parts.iter().any(|p| p == part) {
            Level::Should
        } else {
            self.level
        }
    }
}

/// A value read from a TOML file, with the bytes where it stands there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its first byte and the byte after its last.
    pub span: Range<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = serde_spanned::Spanned::<T>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(Self {
            value: spanned.into_inner(),
            span,
        })
    }
}

// a place is no part of the format: the schema is the value's own
impl<T: JsonSchema> JsonSchema for Placed<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}
