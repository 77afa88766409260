//! Journals as files: where they are kept, how one is made, how one is read.
//! It must not know what events mean.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

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
    let text = if path == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(path)
    };
    let text = text.map_err(|source| JournalError::Read {
        path: path.to_owned(),
        source,
    })?;
    journal::read(&text).map_err(|source| JournalError::Content {
        path: path.to_owned(),
        source,
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
