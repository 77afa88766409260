//! From a judged run to what people and pipelines read: one file a format, all made from one [`Document`].
//! It must not know how a verdict is found; it reads no clock and no file, and takes every text of a reply as hostile.

pub mod bash;
pub mod build;
pub mod change;
pub mod curl;
pub mod declared;
pub mod document;
pub mod fill;
pub mod fit;
pub mod format;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod made;
pub mod markdown;
pub mod ndjson;
pub mod recount;
pub mod repeat;
#[cfg(test)]
mod sample;
pub mod sarif;
pub mod script;
pub mod sent;
pub mod story;
pub mod summary;
pub mod table;
pub mod tap;
pub mod text;
pub mod timeline;

pub use build::build;
pub use document::Document;
pub use format::{Format, render};

/// How a report for people is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns.
    pub width: u16,
    /// Whether colours may be used.
    pub color: bool,
    /// Whether the story is told of drills that passed, too.
    pub all_evidence: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 100,
            color: false,
            all_evidence: false,
        }
    }
}

impl Options {
    /// The width, kept to what the layouts are made for.
    #[must_use]
    pub fn columns(&self) -> u16 {
        self.width.clamp(80, 200)
    }
}

#[cfg(test)]
mod tests;
