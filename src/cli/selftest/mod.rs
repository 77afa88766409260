//! `doubletap selftest`: whether the drills find every fault of the sandbox on this machine, and blame nothing else.
//! It must not know what a fault does, nor how a drill is judged.

mod drive;
mod jobs;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use comfy_table::Cell;

use self::drive::Verdicts;
use self::jobs::Job;
use super::deliver::refuse;
use super::faults::list;
use super::look::Look;
use super::{interrupt, suites};
use crate::config::suite::{Drill, Step};
use crate::exit;
use crate::plan::Races;
use crate::sandbox::Design;
use crate::sandbox::faults;
use crate::selftest::{Case, Model, Row};

/// Sandboxes that are tested side by side: they wait most of the time.
const SIDE_BY_SIDE: usize = 10;
/// Rounds of a drill with rounds: the faults are wide open.
const ROUNDS: u32 = 3;
/// Copies of a burst.
const COPIES: u32 = 10;

/// Find every fault of the sandbox, and blame nothing else
///
/// The test of the drills themselves.
#[derive(Args, Debug)]
pub struct SelftestArgs {
    /// Run every drill on every fault, and not only those that must see it and ten others
    #[arg(long)]
    full: bool,

    /// Keep the sandboxes' tables in PostgreSQL and count rows there
    #[arg(
        long,
        value_name = "URL",
        env = "DOUBLETAP_SELFTEST_DATABASE_URL",
        hide_env_values = true
    )]
    database_url: Option<String>,

    /// Only this fault, or `clean` for the designs as they are (repeatable)
    #[arg(long = "fault", value_name = "NAME")]
    faults: Vec<String>,
}

/// Runs it: 0 only if everything was found and nothing else blamed.
#[must_use]
pub fn run(args: &SelftestArgs, look: &Look) -> u8 {
    let began = Instant::now();
    let tested = Model::bundled()
        .map_err(|error| error.to_string())
        .and_then(|model| Bench::new(args, model));
    let bench = match tested {
        Ok(bench) => bench,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let rows = bench.test(look);
    if interrupt::flag().load(Ordering::Relaxed) {
        return exit::INTERRUPTED;
    }
    let code = super::faults::show(&table(&rows, look));
    if code != exit::PASSED {
        return code;
    }
    let right = rows
        .iter()
        .all(|(_, row)| matches!(row, Ok(row) if row.is_right()));
    let code = super::faults::say(&summary(&rows, began.elapsed().as_secs_f64(), right));
    match (code, right) {
        (exit::PASSED, true) => exit::PASSED,
        (exit::PASSED, false) => exit::VIOLATED,
        (other, _) => other,
    }
}

type Told = (Case, Result<Row, String>);

struct Bench<'a> {
    args: &'a SelftestArgs,
    model: Model,
    cases: Vec<Case>,
    /// Ids of drills with a burst: they run alone.
    bursts: BTreeSet<String>,
    everything: BTreeSet<String>,
}

impl<'a> Bench<'a> {
    fn new(args: &'a SelftestArgs, model: Model) -> Result<Self, String> {
        let known: Vec<&str> = faults::all().iter().map(|fault| fault.name).collect();
        let asked = |name: &str| {
            known.contains(&name) || name == "clean" || model.design.contains_key(name)
        };
        if let Some(unknown) = args.faults.iter().find(|name| !asked(name)) {
            return Err(format!(
                "no fault is called `{unknown}`; `doubletap faults` lists them"
            ));
        }
        if let Some(missing) = known.iter().find(|name| !model.fault.contains_key(**name)) {
            return Err(format!("fixtures/faults.toml has no row for `{missing}`"));
        }
        let applies = |fault: &str, design: &str| {
            let fault = faults::all().iter().find(|other| other.name == fault);
            let design: Option<Design> = design.parse().ok();
            fault
                .zip(design)
                .is_some_and(|(fault, design)| fault.applies_to(design))
        };
        let wanted = |case: &Case| {
            let name = case.fault.as_deref().unwrap_or(if case.fails.is_empty() {
                "clean"
            } else {
                &case.design
            });
            args.faults.is_empty() || args.faults.iter().any(|asked| asked == name)
        };
        let cases = model.cases(&applies).into_iter().filter(wanted).collect();
        let drills =
            suites::gather(&["all".to_owned()], false).map_err(|error| error.to_string())?;
        Ok(Self {
            args,
            cases,
            bursts: ids(&drills, &|drill| {
                drill.step.iter().any(|step| matches!(step, Step::Burst(_)))
            }),
            everything: ids(&drills, &|_| true),
            model,
        })
    }

    /// The drills of a case.
    fn drills(&self, case: &Case) -> BTreeSet<String> {
        let mut drills = self.model.drills(case);
        if self.args.full || case.fault.is_none() {
            drills.extend(self.everything.iter().cloned());
            drills.extend(self.model.elsewhere());
        }
        drills
    }

    /// First the drills without bursts, side by side; then the bursts, alone.
    fn test(&self, look: &Look) -> Vec<Told> {
        let (mut calm, mut alone) = (Vec::new(), Vec::new());
        for (case, tested) in self.cases.iter().enumerate() {
            let (bursts, others): (Vec<_>, Vec<_>) = self
                .drills(tested)
                .into_iter()
                .partition(|id| self.is_burst(id));
            calm.extend(Job::split(case, others));
            alone.extend(Job::whole(case, bursts));
        }
        let one = |job: &Job| self.one(&self.cases[job.case], &job.drills);
        let told = |what: &str, begun: usize, all: &[Job]| {
            if look.verbosity() > 0 {
                crate::cli::complain!("{what}: {begun} of {}", all.len());
            }
        };
        let mut all = jobs::carry(&calm, SIDE_BY_SIDE, &one, &|done| {
            told("side by side", done, &calm);
        });
        all.extend(jobs::carry(&alone, 1, &one, &|done| {
            told("bursts, alone", done, &alone);
        }));
        let verdicts = jobs::by_case(self.cases.len(), all);
        let cases = self.cases.iter().zip(verdicts);
        cases
            .map(|(case, verdicts)| {
                let row = verdicts.map(|verdicts| Row::of(case, &verdicts));
                (case.clone(), row)
            })
            .collect()
    }

    fn is_burst(&self, id: &str) -> bool {
        let drill = id.split('@').next().unwrap_or(id);
        self.bursts
            .iter()
            .any(|burst| burst.split('@').next() == Some(drill))
    }

    fn one(&self, case: &Case, drills: &BTreeSet<String>) -> Result<Verdicts, String> {
        if interrupt::flag().load(Ordering::Relaxed) {
            return Ok(Verdicts::new());
        }
        let races = Races {
            copies: COPIES,
            rounds: ROUNDS,
            max_copies: None,
        };
        drive::case(case, drills, races, self.args.database_url.as_deref())
    }
}

/// The ids on `payment` of the drills that fit.
fn ids(drills: &[Drill], fits: &dyn Fn(&Drill) -> bool) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for drill in drills.iter().filter(|drill| fits(drill)) {
        if drill.case.is_empty() {
            ids.insert(format!("{}@payment", drill.id));
        }
        for case in &drill.case {
            ids.insert(format!("{}/{}@payment", drill.id, case.id));
        }
    }
    ids
}

fn table(rows: &[Told], look: &Look) -> comfy_table::Table {
    let mut table = list(
        look,
        &[
            "fault",
            "design",
            "drills",
            "found",
            "missed",
            "false alarms",
        ],
    );
    for (case, row) in rows {
        let fault = case.fault.as_deref().unwrap_or("(as it is)");
        match row {
            Ok(row) => table.add_row([
                Cell::new(fault),
                Cell::new(&case.design),
                Cell::new(row.drills),
                Cell::new(format!(
                    "{} of {}",
                    row.found,
                    case.fails.len() + case.warns.len()
                )),
                Cell::new(row.missed.len()),
                Cell::new(row.false_alarms.len()),
            ]),
            Err(_) => table.add_row([fault, case.design.as_str(), "-", "not tested", "-", "-"]),
        };
    }
    table
}

fn summary(rows: &[Told], seconds: f64, right: bool) -> String {
    let mut text = String::new();
    let name = |case: &Case| match &case.fault {
        Some(fault) => format!("{fault} on {}", case.design),
        None => case.design.clone(),
    };
    let (mut found, mut wanted, mut alarms) = (0, 0, 0);
    for (case, row) in rows {
        wanted += usize::from(!case.fails.is_empty() || !case.warns.is_empty());
        match row {
            Ok(row) => {
                found += usize::from(row.found > 0 && row.missed.is_empty());
                alarms += row.false_alarms.len();
                for outcome in &row.missed {
                    text.push_str(&format!(
                        "missed: {}: {} had to {}, and said {}\n",
                        name(case),
                        outcome.id,
                        outcome.expected,
                        said(outcome)
                    ));
                }
                for outcome in &row.false_alarms {
                    text.push_str(&format!(
                        "false alarm: {}: {} said {}\n",
                        name(case),
                        outcome.id,
                        said(outcome)
                    ));
                }
            }
            Err(why) => text.push_str(&format!("not tested: {}: {why}\n", name(case))),
        }
    }
    let verdict = if right {
        "every fault was found, and nothing else was blamed"
    } else {
        "the drills cannot be trusted on this machine as it is"
    };
    text.push_str(&format!(
        "\nfound {found} of {wanted} faults on their designs, {alarms} false alarms, {} sandboxes, {seconds:.0} s: {verdict}\n",
        rows.len()
    ));
    text
}

fn said(outcome: &crate::selftest::Outcome) -> String {
    match outcome.verdict {
        Some(verdict) => format!("{verdict:?} ({})", outcome.reason),
        None => "nothing".to_owned(),
    }
}
