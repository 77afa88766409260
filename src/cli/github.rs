//! `--github`: annotations where a workflow's log is read, and the report in the step's summary.
//! It must not know how either looks.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::report::{Document, Options, github, markdown};

/// The variable in which GitHub names the file of the step's summary.
pub const SUMMARY: &str = "GITHUB_STEP_SUMMARY";
/// GitHub drops summaries above 1 MiB, all that was written by the step together.
const MOST_BYTES: u64 = 1024 * 1024;

/// Writes both; says what could not be written.
#[must_use]
pub fn tell(document: &Document, options: &Options, quiet: bool) -> Option<String> {
    // the log's reader takes commands from both streams, and standard output may be a report for a program
    crate::cli::complain!("{}", github::render(document).trim_end());
    let named = std::env::var_os(SUMMARY).filter(|path| !path.is_empty());
    let Some(path) = named else {
        if !quiet {
            crate::cli::complain!("note: {SUMMARY} is not set: there is no step summary to write");
        }
        return None;
    };
    let path = Path::new(&path);
    append(path, &markdown::render(document, options))
        .err()
        .map(|error| format!("cannot write the step summary {}: {error}", path.display()))
}

/// Adds to what the step wrote already, if all of it stays below the limit.
fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().append(true).create(true).open(path)?;
    let there = file.metadata()?.len();
    if there + text.len() as u64 + 1 > MOST_BYTES {
        let why = "it would be larger than 1 MiB, and GitHub would drop all of it";
        return Err(io::Error::other(why));
    }
    let gap = if there == 0 { "" } else { "\n" };
    file.write_all(format!("{gap}{text}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_added_to_what_is_there_and_never_grows_above_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.md");
        append(&path, "one\n").unwrap();
        append(&path, "two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\n\ntwo\n");
        let large = "x".repeat(1024 * 1024 - 8);
        let error = append(&path, &large).unwrap_err().to_string();
        assert!(error.contains("1 MiB"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\n\ntwo\n");
    }
}
