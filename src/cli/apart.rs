//! Files that a command reads and writes: none may be another, whatever way leads to it.
//! It must not know what is in them, nor open any.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::output::OutputArg;

/// What a file is to a command.
#[derive(Clone, Debug)]
pub struct Used {
    what: String,
    path: PathBuf,
}

impl Used {
    /// A file, with what it is for.
    pub fn new(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            what: what.into(),
            path: path.into(),
        }
    }
}

/// The files that reports go into.
pub fn reports(outputs: &[OutputArg]) -> Vec<Used> {
    let what = |output: &OutputArg| {
        let shown = format!("{:?}", output.format).to_lowercase();
        Used::new(format!("the {shown} report"), &output.path)
    };
    outputs.iter().map(what).collect()
}

/// Checks that nothing is written over what is read, or over what else is written.
///
/// # Errors
/// Which two files are one.
pub fn check(read: &[Used], written: &[Used]) -> Result<(), String> {
    for (n, one) in written.iter().enumerate() {
        let Some(place) = place(&one.path) else {
            continue;
        };
        let others = written[..n].iter().chain(read);
        for other in others {
            if self::place(&other.path).as_ref() == Some(&place) {
                return Err(format!(
                    "{} ({}) and {} ({}) are one file; give each a file of its own",
                    one.what,
                    one.path.display(),
                    other.what,
                    other.path.display()
                ));
            }
        }
    }
    Ok(())
}

/// Where a file is, by whichever name; `None` for what is no file (a pipe, a device) and for a folder that is not there.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A file that is there: file system and number, so that a hard link is the same.
    #[cfg(unix)]
    Number(u64, u64),
    /// A file that is there.
    #[cfg(not(unix))]
    Whole(PathBuf),
    /// A file that is still to be made.
    New(PathBuf, OsString),
}

fn place(path: &Path) -> Option<Place> {
    if let Ok(known) = fs::metadata(path) {
        if !known.is_file() {
            return None;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            return Some(Place::Number(known.dev(), known.ino()));
        }
        #[cfg(not(unix))]
        return fs::canonicalize(path).ok().map(Place::Whole);
    }
    // a link to a file that is not there yet leads to it
    if let Ok(aim) = fs::read_link(path) {
        let aim = path.parent().unwrap_or(Path::new("")).join(aim);
        return (aim != path).then(|| new(&aim)).flatten();
    }
    new(path)
}

fn new(path: &Path) -> Option<Place> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = fs::canonicalize(folder).ok()?;
    Some(Place::New(folder, path.file_name()?.to_owned()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_whichever_name_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("target.toml"), "").unwrap();
        fs::create_dir(at("sub")).unwrap();
        std::os::unix::fs::symlink(at("target.toml"), at("link")).unwrap();
        std::os::unix::fs::symlink(folder.path(), at("folder")).unwrap();
        fs::hard_link(at("target.toml"), at("hard")).unwrap();
        std::os::unix::fs::symlink("later.json", at("to-later")).unwrap();
        let clash = |one: &str, other: &str| {
            let read = [Used::new("the target file", at(one))];
            check(&read, &[Used::new("the json report", at(other))]).is_err()
        };
        assert!(clash("target.toml", "link"));
        assert!(clash("target.toml", "hard"));
        assert!(clash("target.toml", "sub/../target.toml"));
        assert!(clash("target.toml", "folder/target.toml"));
        assert!(
            clash("later.json", "sub/../later.json"),
            "also where it is still to be made"
        );
        assert!(clash("later.json", "to-later"));
        assert!(!clash("target.toml", "later.json"));
    }

    #[test]
    fn a_device_may_take_everything() {
        let null = || Used::new("a report", "/dev/null");
        assert!(check(&[], &[null(), null()]).is_ok());
    }
}
