//! Writes events as JSON Lines, one a line, flushed at once, without secrets.
//! It must not know where the lines go, nor what they mean.

use std::io::Write;

use serde_json::Value;

use super::event::Event;
use super::redact::Redactor;

/// Members whose values are the tool's own closed words, or names from the target file: never a secret,
/// and a journal in which they were replaced could not be read again.
const OWN_WORDS: [&str; 14] = [
    "event",
    "outcome",
    "instance",
    "step",
    "operation",
    "intent",
    "intents",
    "body_name",
    "form",
    "kind",
    "hmac",
    "plan",
    "contracts",
    "stage",
];

/// An event could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk, the pipe.
    #[error("the journal cannot be written: {0}")]
    Io(#[from] std::io::Error),
    /// An event that is no JSON.
    #[error("an event cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes a journal.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    redactor: Redactor,
}

impl<W: Write> Writer<W> {
    /// A writer.
    pub fn new(out: W, redactor: Redactor) -> Self {
        Self { out, redactor }
    }

    /// Writes one event and hands it over to the system.
    ///
    /// # Errors
    /// Where the line could not be written whole.
    pub fn write(&mut self, event: &Event) -> Result<(), WriteError> {
        let mut value = serde_json::to_value(event)?;
        clean(&mut value, &self.redactor);
        let mut line = serde_json::to_vec(&value)?;
        line.push(b'\n');
        // one write a line: a reader that follows the file sees whole lines
        self.out.write_all(&line)?;
        self.out.flush()?;
        Ok(())
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Takes secrets out of every text of a value that is not one of the tool's own words.
pub fn clean(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::String(text) => {
            if redactor.finds(text) {
                *text = redactor.redact(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean(item, redactor)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                if !OWN_WORDS.contains(&name.as_str()) {
                    clean(member, redactor);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
