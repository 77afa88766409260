//! Journals as files: where they are kept, how one is made, how one is read.
//! It must not know what events mean.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::bounded::Lines;
use super::run_key;
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
    /// No run of this name is kept.
    #[error(
        "there is no file `{name}`, and no run of that name is kept in {folder}{newest}; a journal is named by its path, by its \
         run's id, or by `last`"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// Where runs are kept.
        folder: String,
        /// The last one, where there is one.
        newest: String,
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

/// The word for the run that was written to last.
const LAST: &str = "last";

/// Where the journal of a name is: a file (`-` is standard input), the id of a run that is kept in the state directory, or
/// `last`.
///
/// # Errors
/// Where there is neither.
pub fn find(name: &str) -> Result<String, JournalError> {
    find_in(name, &kept_in())
}

/// Finds the journal that is to go on, and reads it: `last` is the newest one in which something waits.
///
/// # Errors
/// As [`open`].
pub fn open_waiting(name: &str) -> Result<(Journal, String), JournalError> {
    let path = find_waiting(name, &kept_in())?;
    Ok((read(&path)?, path))
}

fn find_waiting(name: &str, folder: &Path) -> Result<String, JournalError> {
    let found = find_in(name, folder)?;
    if name != LAST || Path::new(name).exists() {
        return Ok(found);
    }
    // the key lies beside a journal as long as something waits
    let waits = |path: &Path| run_key::path(&path.display().to_string()).exists();
    let newest = newest_of(folder, &waits).map(|path| path.display().to_string());
    Ok(newest.unwrap_or(found))
}

fn find_in(name: &str, folder: &Path) -> Result<String, JournalError> {
    if name == "-" || Path::new(name).exists() {
        return Ok(name.to_owned());
    }
    // what has folders or an ending was meant as a path: reading it says what is wrong
    if name.contains(['/', '\\', '.']) {
        return Ok(name.to_owned());
    }
    let newest = newest(folder);
    let kept = folder.join(format!("{name}.jsonl"));
    if kept.is_file() {
        return Ok(kept.display().to_string());
    }
    match &newest {
        Some(path) if name == LAST => Ok(path.display().to_string()),
        _ => Err(JournalError::Unknown {
            name: name.to_owned(),
            folder: folder.display().to_string(),
            newest: newest
                .and_then(|path| Some(format!(" (the last is {})", path.file_stem()?.display())))
                .unwrap_or_default(),
        }),
    }
}

/// The journal that was written to last.
fn newest(folder: &Path) -> Option<PathBuf> {
    newest_of(folder, &|_| true)
}

/// The journal of a kind that was written to last.
fn newest_of(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl") && wanted(path))
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .max()
        .map(|(_, path)| path)
}

/// Finds a journal and reads it; gives also where it is.
///
/// # Errors
/// Where there is no such run, or it holds no journal of a version that is known.
pub fn open(name: &str) -> Result<(Journal, String), JournalError> {
    let path = find(name)?;
    Ok((read(&path)?, path))
}

/// Reads a journal from its file; `-` is standard input.
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
    kept_in().join(format!("{run}.jsonl"))
}

fn kept_in() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let state = set("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".local/state")))
        .unwrap_or_else(std::env::temp_dir);
    state.join("doubletap/runs")
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
        if !run_key::path(&path.display().to_string()).exists() {
            // whoever took it away before wanted the same
            let _ = fs::remove_file(path);
        }
    }
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
        run_key::keep(&at("r1.jsonl").display().to_string(), &[7; 32]).unwrap();
        fs::write(at("notes.txt"), "mine").unwrap();
        trim(folder.path(), 3);
        let left: Vec<u64> = (0..6)
            .filter(|n| at(&format!("r{n}.jsonl")).exists())
            .collect();
        assert_eq!(left, [1, 3, 4, 5]);
        assert!(at("notes.txt").exists() && at("r1.jsonl.key").exists());
    }

    #[test]
    fn a_saved_run_is_found_by_its_id_and_the_last_by_its_word() {
        let folder = tempfile::tempdir().unwrap();
        let kept = |name: &str, age: u64| {
            let path = folder.path().join(name);
            let file = File::create(&path).unwrap();
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            file.set_modified(then).unwrap();
            path.display().to_string()
        };
        let error = find_in("last", folder.path()).unwrap_err().to_string();
        assert!(error.contains("`last`"), "{error}");
        let old = kept("aaaa0001.jsonl", 60);
        let new = kept("aaaa0002.jsonl", 30);
        kept("aaaa0003.jsonl.key", 0);
        let find = |name: &str| find_in(name, folder.path());
        assert_eq!(find("aaaa0001").unwrap(), old);
        assert_eq!(find("last").unwrap(), new);
        // `resume last` is about the newest that waits, where any does
        let waiting = || find_waiting("last", folder.path()).unwrap();
        assert_eq!(waiting(), new);
        kept("aaaa0001.jsonl.key", 60);
        assert_eq!(waiting(), old);
        assert_eq!(find("last").unwrap(), new);
        assert_eq!(find_waiting("aaaa0002", folder.path()).unwrap(), new);
        assert_eq!(find("-").unwrap(), "-");
        // a path stays a path, also one to nowhere
        assert_eq!(find("runs/r.jsonl").unwrap(), "runs/r.jsonl");
        let error = find("aaaa0009").unwrap_err().to_string();
        assert!(error.contains("the last is aaaa0002"), "{error}");
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
