//! Reads a journal back, also one whose last line was cut when the run was killed.
//! It must not know what the events mean for a verdict.

use serde::Deserialize;

use super::event::{Event, SCHEMA_VERSION};
use super::history::{Journal, Misfit};

/// A journal that cannot be read. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
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

/// Reads a journal.
///
/// # Errors
/// Where the text is no journal, or one of a later version.
pub fn read(text: &str) -> Result<Journal, ReadError> {
    let whole = text.ends_with('\n');
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.trim().is_empty())
        .collect();
    let Some(((_, head), rest)) = lines.split_first() else {
        return Err(ReadError::Empty);
    };
    // asked first: a later format may hold what this one cannot read
    if let Ok(version) = serde_json::from_str::<Version>(head)
        && version.schema_version > u64::from(SCHEMA_VERSION)
    {
        return Err(ReadError::Later {
            found: version.schema_version,
        });
    }
    let Event::Start(start) = event(1, head)? else {
        return Err(ReadError::NoStart);
    };
    let mut journal = Journal::new(*start);
    for (i, (line, text)) in rest.iter().enumerate() {
        let last = i + 1 == rest.len();
        match event(*line, text) {
            Ok(event) => journal.add(event).map_err(|misfit| ReadError::Misfit {
                line: *line,
                misfit,
            })?,
            // a run that was killed leaves half a line
            Err(_) if last && !whole => break,
            Err(error) => return Err(error),
        }
    }
    Ok(journal)
}

fn event(line: usize, text: &str) -> Result<Event, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError::Line {
        line,
        why: error.to_string(),
    })
}
