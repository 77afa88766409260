//! Where reports go: standard output, and files that are opened before anything is sent and written whole or not at all.
//! It must not know what a report holds.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tempfile::NamedTempFile;

use crate::report::Format;

/// `FORMAT=PATH` as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputArg {
    /// The format.
    pub format: Format,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for OutputArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` names no file; write FORMAT=PATH, such as json=report.json")
        })?;
        if path.is_empty() {
            return Err(format!(
                "`{text}` names no file; write FORMAT=PATH, such as json=report.json"
            ));
        }
        Ok(Self {
            format: format.parse()?,
            path: PathBuf::from(path),
        })
    }
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct OutputError {
    path: PathBuf,
    source: io::Error,
}

/// Files waiting for their reports.
#[derive(Debug, Default)]
pub struct Outputs {
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    format: Format,
    path: PathBuf,
    into: Into,
}

#[derive(Debug)]
enum Into {
    /// A file beside the target, which takes its place at the end.
    Beside(NamedTempFile),
    /// A device or pipe: there is nothing to put in its place.
    Straight(File),
}

impl Outputs {
    /// Opens every file, so that a run is not spent on a report that cannot be written.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub fn open(args: &[OutputArg]) -> Result<Self, OutputError> {
        let waiting = args
            .iter()
            .map(|arg| {
                open(&arg.path)
                    .map(|(path, into)| Waiting {
                        format: arg.format,
                        path,
                        into,
                    })
                    .map_err(|source| OutputError {
                        path: arg.path.clone(),
                        source,
                    })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { waiting })
    }

    /// Writes each file whole, or leaves what was there. All are tried; every failure is given.
    pub fn write(self, mut render: impl FnMut(Format) -> Result<String, String>) -> Vec<String> {
        let mut failures = Vec::new();
        for Waiting { format, path, into } in self.waiting {
            match render(format) {
                Ok(text) => {
                    if let Err(source) = put(into, &path, &text) {
                        failures.push(OutputError { path, source }.to_string());
                    }
                }
                Err(why) => failures.push(why),
            }
        }
        failures
    }
}

/// Writes a file whole, or leaves what was there.
///
/// # Errors
/// Where it cannot be written.
pub fn write_whole(path: &Path, text: &str) -> Result<(), OutputError> {
    let written = open(path).and_then(|(whole, into)| put(into, &whole, text));
    written.map_err(|source| OutputError {
        path: path.to_owned(),
        source,
    })
}

fn open(path: &Path) -> io::Result<(PathBuf, Into)> {
    // a link stays a link: what it points at is replaced
    let path = match fs::canonicalize(path) {
        Ok(whole) => whole,
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    match fs::metadata(&path) {
        Ok(known) if known.is_dir() => return Err(io::Error::from(ErrorKind::IsADirectory)),
        Ok(known) if !known.is_file() => {
            let file = File::options().write(true).open(&path)?;
            return Ok((path, Into::Straight(file)));
        }
        // a file that may not be written is not replaced either
        Ok(_) => drop(File::options().append(true).open(&path)?),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let why = format!("there is no folder {}", folder.display());
        return Err(io::Error::new(ErrorKind::NotFound, why));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".doubletap-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // what the umask leaves of it, like any other file
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // the name of the temporary file would only confuse
    let file = builder
        .tempfile_in(folder)
        .map_err(|error| io::Error::from(error.kind()))?;
    Ok((path, Into::Beside(file)))
}

fn put(into: Into, path: &Path, text: &str) -> io::Result<()> {
    match into {
        Into::Straight(mut file) => file.write_all(text.as_bytes()),
        Into::Beside(mut file) => {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map(drop).map_err(|error| error.error)
        }
    }
}

/// Writes to standard output. A reader that has seen enough is no error.
///
/// # Errors
/// Any other reason why it cannot be written.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(format: &str, path: &Path) -> OutputArg {
        format!("{format}={}", path.display()).parse().unwrap()
    }

    #[test]
    fn a_file_appears_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let outputs = Outputs::open(&[arg("json", &path)]).unwrap();
        assert!(!path.exists());
        assert!(outputs.write(|_| Ok("whole".into())).is_empty());
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
    }

    #[test]
    fn what_was_there_stays_when_no_report_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.xml");
        fs::write(&path, "old").unwrap();
        let failures = Outputs::open(&[arg("junit", &path)])
            .unwrap()
            .write(|_| Err("refused".into()));
        assert_eq!(failures, ["refused"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "a temporary file was left behind");
    }

    #[test]
    fn a_folder_that_is_not_there_is_found_before_anything_is_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere/report.json");
        let error = Outputs::open(&[arg("json", &path)]).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        let error = Outputs::open(&[arg("json", folder.path())]).unwrap_err();
        assert!(error.to_string().contains("directory"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let outputs = Outputs::open(&[arg("json", Path::new("/dev/null"))]).unwrap();
        assert!(outputs.write(|_| Ok("text".into())).is_empty());
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }

    #[test]
    fn an_output_without_a_file_or_with_an_unknown_format_is_refused() {
        assert!(
            "json"
                .parse::<OutputArg>()
                .unwrap_err()
                .contains("FORMAT=PATH")
        );
        assert!(
            "json="
                .parse::<OutputArg>()
                .unwrap_err()
                .contains("FORMAT=PATH")
        );
        assert!(
            "jason=x"
                .parse::<OutputArg>()
                .unwrap_err()
                .contains("junit")
        );
    }
}
