//! Reads a journal back, also one whose last line was cut when the run was killed.
//! It must not know what the events mean for a verdict.

use std::io::BufRead;

use serde::Deserialize;

use super::event::{Event, SCHEMA_VERSION};
use super::history::{Journal, Misfit};

/// A journal that cannot be read. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file, the pipe.
    #[error("the journal cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// Nothing in it.
    #[error("the journal is empty\nhelp: the run was stopped before it began")]
    Empty,
    /// Not the tool's.
    #[error("line {line} is no event: {why}\nhelp: is this a journal written by `doubletap run`?")]
    Line {
        /// Which line.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Written by a later version.
    #[error(
        "the journal has format {found}, and this doubletap reads formats up to {SCHEMA_VERSION}\nhelp: use the doubletap that wrote it, or a later one"
    )]
    Later {
        /// Its version.
        found: u64,
    },
    /// It does not begin with `start`.
    #[error("line 1 is no `start` event\nhelp: the beginning of the journal is missing")]
    NoStart,
    /// An event that fits nowhere.
    #[error("line {line}: {misfit}\nhelp: lines are missing, or two journals were joined")]
    Misfit {
        /// Which line.
        line: usize,
        /// What does not fit.
        misfit: Misfit,
    },
}

/// What every version of the first line has.
#[derive(Deserialize)]
struct Version {
    schema_version: u64,
}

/// Reads a journal from its text.
///
/// # Errors
/// Where the text is no journal, or one of a later version.
pub fn read(text: &str) -> Result<Journal, ReadError> {
    read_from(text.as_bytes())
}

/// Reads a journal line by line.
///
/// # Errors
/// Where it is no journal, or one of a later version, or cannot be read.
pub fn read_from(mut lines: impl BufRead) -> Result<Journal, ReadError> {
    let mut journal: Option<Journal> = None;
    let mut text = String::new();
    for line in 1.. {
        text.clear();
        if lines.read_line(&mut text)? == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let Some(known) = &mut journal else {
            journal = Some(begin(&text)?);
            continue;
        };
        match event(line, &text) {
            Ok(event) => known
                .add(event)
                .map_err(|misfit| ReadError::Misfit { line, misfit })?,
            // a run that was killed leaves half a line
            Err(_) if !text.ends_with('\n') => break,
            Err(error) => return Err(error),
        }
    }
    journal.ok_or(ReadError::Empty)
}

fn begin(head: &str) -> Result<Journal, ReadError> {
    // asked first: a later format may hold what this one cannot read
    if let Ok(version) = serde_json::from_str::<Version>(head)
        && version.schema_version > u64::from(SCHEMA_VERSION)
    {
        return Err(ReadError::Later {
            found: version.schema_version,
        });
    }
    match event(1, head)? {
        Event::Start(start) => Ok(Journal::new(*start)),
        _ => Err(ReadError::NoStart),
    }
}

fn event(line: usize, text: &str) -> Result<Event, ReadError> {
    serde_json::from_str(text.trim_end_matches(['\r', '\n'])).map_err(|error| ReadError::Line {
        line,
        why: error.to_string(),
    })
}
