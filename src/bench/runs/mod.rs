//! Measures whole runs of this program against its own sandbox: whether faults are found, right servers are left alone, and what
//! a run costs.
//! It must not judge: the reports of the runs say what they found.

pub mod busy;
pub mod one;

use serde::Serialize;

use one::{One, Outcome};

/// Runs of one kind.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is shown.
    pub name: String,
    /// Arguments of `doubletap demo`.
    pub arguments: Vec<String>,
    /// How often.
    pub runs: u32,
    /// Whether every core has something else to do meanwhile.
    pub busy: bool,
}

/// What came of them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// What is shown.
    pub name: String,
    /// Runs.
    pub runs: u32,
    /// Runs whose drill failed: a fault was found, or a false alarm was given.
    pub failed: u32,
    /// Runs whose drill passed.
    pub passed: u32,
    /// Rounds of copies in all runs.
    pub rounds: u32,
    /// Those in step.
    pub in_step: u32,
    /// The round of the first violation that the replies show, median over the runs that failed, from 1.
    pub found_in_round: Option<u32>,
    /// How long a run took, median in milliseconds.
    pub took_ms: u64,
    /// How long its requests took one after the other, bursts counted once, median in milliseconds.
    pub requests_ms: u64,
    /// The most memory that a run had, in KiB.
    pub peak_kib: u64,
    /// What the last run said of its power.
    pub power: Option<String>,
}

impl Case {
    /// The row of its runs.
    ///
    /// # Errors
    /// Where a run cannot be carried out at all.
    pub fn measure(&self, database_url: Option<&str>) -> Result<Row, String> {
        let busy = self.busy.then(busy::every_core);
        let mut row = Row {
            name: self.name.clone(),
            ..Row::default()
        };
        let (mut took, mut requests, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let one = One::run(&self.arguments, database_url)?;
            row.runs += 1;
            match one.outcome {
                Outcome::Failed => row.failed += 1,
                Outcome::Passed => row.passed += 1,
                Outcome::Neither => {}
            }
            row.rounds += one.rounds;
            row.in_step += one.in_step;
            row.peak_kib = row.peak_kib.max(one.peak_kib);
            row.power = one.power;
            took.push(one.took_ms);
            requests.push(one.requests_ms);
            if one.outcome == Outcome::Failed {
                found.push(one.rounds);
            }
        }
        drop(busy);
        row.took_ms = median(took).unwrap_or_default();
        row.requests_ms = median(requests).unwrap_or_default();
        row.found_in_round = median(found);
        Ok(row)
    }
}

fn median<T: Ord>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    let middle = values.len() / 2;
    values.into_iter().nth(middle)
}

/// What is measured. `database_url`: whether there is a PostgreSQL to look up and insert in.
#[must_use]
pub fn cases(database: bool, runs: u32, quick: bool) -> Vec<Case> {
    let case = |name: &str, arguments: &[&str], runs, busy| Case {
        name: name.to_owned(),
        arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
        runs,
        busy,
    };
    let (locked, crowd) = if quick {
        ("100", "10")
    } else {
        ("1000", "100")
    };
    let mut cases = Vec::new();
    if database {
        cases.push(case(
            "SELECT, then INSERT on PostgreSQL",
            &["--fault", "check-then-insert=0ms"],
            runs,
            false,
        ));
    }
    cases.extend([
        case(
            "look-up, 100 us, insert",
            &["--fault", "check-then-insert=100us"],
            runs,
            false,
        ),
        case("no fault", &["--rounds", locked], 1, false),
        case(
            "100 copies",
            &["--copies", "100", "--rounds", crowd],
            1,
            false,
        ),
        case("no fault, every core busy", &[], 5, true),
        case(
            "look-up, 100 us, insert, every core busy",
            &["--fault", "check-then-insert=100us"],
            5,
            true,
        ),
    ]);
    cases
}
