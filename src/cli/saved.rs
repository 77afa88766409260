//! A run that was kept, as `judge` and `report` begin with it: its journal, what is known to be violated, files that are apart.
//! It must not know what is made of it.

use super::apart::{self, Used};
use super::baseline::BaselineFlag;
use super::deliver::refuse;
use super::journal_file;
use super::look::Look;
use super::output::OutputArg;
use crate::config::Baseline;
use crate::exit;
use crate::journal::Journal;

/// What was read. Nothing is written yet.
pub struct Saved {
    /// The record.
    pub journal: Journal,
    /// Where it is.
    pub kept_at: String,
    /// What is known to be violated.
    pub baseline: Option<Baseline>,
}

impl Saved {
    /// Reads a run by its path, its id or `last`, and checks that no report would be written over what is read.
    ///
    /// # Errors
    /// The exit code, after what is wrong was said.
    pub fn read(
        name: &str,
        baseline: &BaselineFlag,
        outputs: &[OutputArg],
        look: &Look,
    ) -> Result<Self, u8> {
        let (journal, kept_at) =
            journal_file::open(name).map_err(|error| refuse(exit::USAGE, error))?;
        let known = baseline.read(look)?;
        let mut read = vec![Used::new("the journal", &kept_at)];
        read.extend(baseline.path().map(|path| Used::new("the baseline", path)));
        apart::check(&read, &apart::reports(outputs)).map_err(|why| refuse(exit::USAGE, why))?;
        Ok(Self {
            journal,
            kept_at,
            baseline: known,
        })
    }
}
