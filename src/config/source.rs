//! A piece of text that a user wrote, and where in it a byte stands.
//! It must not know where texts are read from: files and arguments are handed in.

use crate::contract::Origin;

/// A text with the name under which it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name as shown to the user: a path, `policies/ietf.toml`, `command line`.
    pub name: String,
    /// The text.
    pub text: String,
}

impl Source {
    /// A text with its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The line, from 1, on which a byte stands.
    #[must_use]
    pub fn line(&self, byte: usize) -> u32 {
        let before = &self.text.as_bytes()[..byte.min(self.text.len())];
        let breaks = before.iter().filter(|b| **b == b'\n').count();
        u32::try_from(breaks + 1).unwrap_or(u32::MAX)
    }

    /// The place of a byte as an origin.
    #[must_use]
    pub fn origin(&self, byte: usize) -> Origin {
        Origin {
            file: self.name.clone(),
            line: self.line(byte),
        }
    }
}
