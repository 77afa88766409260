//! The key by which requests of a run are compared when it goes on: a file beside the journal, for its owner alone.
//! It must not know what is compared.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::bounded;
use super::journal_file::{JournalError, make};

/// The key of a journal that something waits in, beside it.
pub fn path(journal: &str) -> PathBuf {
    PathBuf::from(format!("{journal}.key"))
}

/// Keeps the key by which requests are compared when the run goes on: for nobody else to read.
///
/// # Errors
/// Where there can be no file beside the journal.
pub fn keep(journal: &str, key: &[u8; 32]) -> Result<(), JournalError> {
    let lies = path(journal);
    let mut text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    text.push('\n');
    let made = make(&lies, false)?;
    (&made)
        .write_all(text.as_bytes())
        .map_err(|source| JournalError::Make {
            path: lies.display().to_string(),
            source,
        })
}

/// The key that lies beside a journal.
///
/// # Errors
/// Where there is none.
pub fn read(journal: &str) -> Result<[u8; 32], JournalError> {
    let lies = path(journal);
    let failed = |source| JournalError::Key {
        path: lies.display().to_string(),
        source,
    };
    let text = bounded::read_text(&lies).map_err(failed)?;
    let digits = text.trim();
    let byte = |i: usize| {
        digits
            .get(2 * i..2 * i + 2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
    };
    let mut key = [0; 32];
    for (i, slot) in key.iter_mut().enumerate() {
        *slot = byte(i).ok_or_else(|| failed(io::Error::other("it holds no key")))?;
    }
    Ok(key)
}

/// Takes the key away: nothing waits any more.
pub fn forget(journal: &str) {
    // whoever took it away before wanted the same
    let _ = fs::remove_file(path(journal));
}
