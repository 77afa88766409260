//! Journals as files: where they are kept, how one is made, how one is read.
//! It must not know what events mean.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::bounded::{self, Lines};
use crate::journal::{self, Journal};

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It is no journal.
    #[error("{path} is no journal of doubletap: {source}")]
    Content {
        /// The file.
        path: String,
        /// Why.
        source: journal::ReadError,
    },
    /// The key beside it is not there.
    #[error(
        "cannot read {path}: {source}; the key lies beside a journal as long as something waits, and moves with it"
    )]
    Key {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It cannot be made.
    #[error("cannot make the journal {path}: {source}; --journal PATH puts it elsewhere")]
    Make {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Reads a journal; `-` is standard input.
///
/// # Errors
/// Where there is no such file, or it holds no journal of a version that is known.
pub fn read(path: &str) -> Result<Journal, JournalError> {
    let failed = |source| JournalError::Read {
        path: path.to_owned(),
        source,
    };
    let read = if path == "-" {
        journal::read_from(Lines::new(io::stdin().lock()))
    } else {
        let file = File::open(path).map_err(failed)?;
        journal::read_from(Lines::new(BufReader::new(file)))
    };
    read.map_err(|error| match error {
        journal::ReadError::Io(source) => failed(source),
        source => JournalError::Content {
            path: path.to_owned(),
            source,
        },
    })
}

/// Where a run's journal is kept where nobody says: the state directory of the user.
#[must_use]
pub fn default_path(run: &str) -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = set("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".local/state")))
        .unwrap_or_else(std::env::temp_dir);
    state.join("doubletap/runs").join(format!("{run}.jsonl"))
}

/// Makes the file, for nobody else to read; folders of the default place are made, too.
///
/// # Errors
/// Where it cannot be made.
pub fn make(path: &Path, folders: bool) -> Result<File, JournalError> {
    let failed = |source| JournalError::Make {
        path: path.display().to_string(),
        source,
    };
    if folders && let Some(folder) = path.parent() {
        make_folder(folder).map_err(failed)?;
    }
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map_err(failed)
}

/// How many journals are kept in the default place.
pub const KEPT: usize = 200;

/// Takes the oldest journals of a folder away beyond the newest; one that something waits in stays.
pub fn trim(folder: &Path, kept: usize) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut journals: Vec<(std::time::SystemTime, PathBuf)> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let (path, known) = (entry.path(), entry.metadata().ok()?);
            let is_journal = known.is_file() && path.extension().is_some_and(|end| end == "jsonl");
            is_journal.then(|| Some((known.modified().ok()?, path)))?
        })
        .collect();
    journals.sort_by(|one, other| other.cmp(one));
    for (_, path) in journals.into_iter().skip(kept) {
        if !key_path(&path.display().to_string()).exists() {
            // whoever took it away before wanted the same
            let _ = fs::remove_file(path);
        }
    }
}

/// The key of a journal that something waits in, beside it.
fn key_path(journal: &str) -> PathBuf {
    PathBuf::from(format!("{journal}.key"))
}

/// Keeps the key by which requests are compared when the run goes on: for nobody else to read.
///
/// # Errors
/// Where there can be no file beside the journal.
pub fn keep_key(journal: &str, key: &[u8; 32]) -> Result<(), JournalError> {
    let path = key_path(journal);
    let mut text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    text.push('\n');
    let made = make(&path, false)?;
    (&made)
        .write_all(text.as_bytes())
        .map_err(|source| JournalError::Make {
            path: path.display().to_string(),
            source,
        })
}

/// The key that lies beside a journal.
///
/// # Errors
/// Where there is none.
pub fn read_key(journal: &str) -> Result<[u8; 32], JournalError> {
    let path = key_path(journal);
    let failed = |source| JournalError::Key {
        path: path.display().to_string(),
        source,
    };
    let text = bounded::read_text(&path).map_err(failed)?;
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
pub fn forget_key(journal: &str) {
    // whoever took it away before wanted the same
    let _ = fs::remove_file(key_path(journal));
}

/// Opens a journal to go on with it; a last line that was cut is taken away first.
///
/// # Errors
/// Where it cannot be written.
pub fn reopen(path: &str) -> Result<File, JournalError> {
    let failed = |source| JournalError::Make {
        path: path.to_owned(),
        source,
    };
    let mut text = BufReader::new(File::open(path).map_err(failed)?);
    let (mut whole, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let n = text.read_until(b'\n', &mut line).map_err(failed)?;
        if !line.ends_with(b"\n") {
            break;
        }
        whole += n as u64;
    }
    let file = File::options().append(true).open(path).map_err(failed)?;
    file.set_len(whole).map_err(failed)?;
    Ok(file)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_journal_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/runs/r1.jsonl");
        drop(make(&path, true).unwrap());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn the_newest_journals_are_kept_and_those_that_something_waits_in() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for n in 0..6_u64 {
            let file = File::create(at(&format!("r{n}.jsonl"))).unwrap();
            let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + n);
            file.set_modified(then).unwrap();
        }
        keep_key(&at("r1.jsonl").display().to_string(), &[7; 32]).unwrap();
        fs::write(at("notes.txt"), "mine").unwrap();
        trim(folder.path(), 3);
        let left: Vec<u64> = (0..6)
            .filter(|n| at(&format!("r{n}.jsonl")).exists())
            .collect();
        assert_eq!(left, [1, 3, 4, 5]);
        assert!(at("notes.txt").exists() && at("r1.jsonl.key").exists());
    }

    #[test]
    fn a_folder_that_the_user_names_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere/r1.jsonl");
        let error = make(&path, false).unwrap_err().to_string();
        assert!(error.contains("--journal"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_journal_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        fs::write(&path, "{}\n").unwrap();
        let error = read(&path.display().to_string()).unwrap_err().to_string();
        assert!(error.contains("x.jsonl is no journal"), "{error}");
    }
}
