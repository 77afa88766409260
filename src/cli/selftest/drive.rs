//! Runs some drills on a sandbox with a fault, in memory, and gives their verdicts.
//! It must not know what they should be.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::cli::interrupt;
use crate::cli::sandbox_child::{SandboxChild, Wanted};
use crate::cli::target::load_source;
use crate::cli::{demo, facts, suites};
use crate::config::{Flags, Loaded};
use crate::journal::{ContentMaker, Event, Journal, Redactor};
use crate::judge::{self, Verdict};
use crate::plan::{self, Plan, Races};
use crate::run::{Limits, RecordError, Request};
use crate::selftest::Case;

/// How old keys become before they are repeated at the end: the fault that forgets them does so after two seconds.
const KEY_AGE: Duration = Duration::from_secs(3);

/// What a drill said, and why.
pub type Verdicts = BTreeMap<String, (Verdict, String)>;

/// Runs the drills (ids) on the case's sandbox.
///
/// # Errors
/// In words, where the sandbox did not start or the run could not be carried out.
pub fn case(
    case: &Case,
    drills: &BTreeSet<String>,
    races: Races,
    database_url: Option<&str>,
) -> Result<Verdicts, String> {
    let faults: Vec<String> = case.fault.iter().cloned().collect();
    let child = SandboxChild::start(&Wanted {
        design: &case.design,
        faults: &faults,
        database_url,
        retention: case.retention.as_deref(),
        lease: case.lease.as_deref(),
        replicas: case.replicas,
    })
    .map_err(|error| error.to_string())?;
    let loaded = configure(case, &child, database_url)?;
    let all = suites::gather(&["all".to_owned()], false).map_err(|error| error.to_string())?;
    let run = uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
    let plan = plan::plan(&loaded.target, &all, races, &run, &|instance| {
        drills.contains(&instance.id)
    });
    carry(&loaded, &plan)
}

fn configure(
    case: &Case,
    child: &SandboxChild,
    database_url: Option<&str>,
) -> Result<Loaded, String> {
    let mut flags = Flags::default();
    if let Some(retention) = &case.retention {
        flags.set.push(format!(
            "retention={{ at-least = {retention:?}, at-most = {retention:?} }}"
        ));
    }
    let mut source = demo::target(&child.urls, &case.policy);
    if let (Some(url), Some(schema)) = (database_url, &child.schema) {
        // rows are counted where the sandbox has them, and not by what it says of itself
        flags.postgres = Some(url.to_owned());
        let rows = |table: &str, column: &str, parameter: &str| {
            format!(
                "{{ sql = \"SELECT count(*) FROM {schema}.{table} WHERE account_id = :account AND {column} = :{parameter}\" }}"
            )
        };
        for table in ["payments", "refunds", "receipts", "changes"] {
            let get = format!(
                "{{ get = {{ path = \"/{table}?reference={{{{ref}}}}\", at = \"/count\" }} }}"
            );
            source.text = source.text.replace(&get, &rows(table, "reference", "ref"));
        }
    }
    load_source(Some(source), &flags).map_err(|errors| {
        let told: Vec<String> = errors.iter().map(|error| error.render(false)).collect();
        told.join("\n")
    })
}

fn carry(loaded: &Loaded, plan: &Plan) -> Result<Verdicts, String> {
    let target = &loaded.target;
    let redactor = Redactor::new(&target.secrets);
    let maker = ContentMaker::new(redactor);
    let start = facts::start(target, plan, 0, "doubletap selftest".to_owned());
    let live = RefCell::new(Journal::new(start));
    let request = Request {
        target,
        plan,
        limits: Limits {
            max_requests: None,
            rate: None,
            max_copies: None,
            allow_hosts: Vec::new(),
            wait: None,
        },
        protocol: loaded.settings.protocol,
        keep_going: false,
        key_age: KEY_AGE,
        aim: None,
        content: &|bytes, cut| maker.make(bytes, cut),
        header: &|name, value| maker.header(name, value),
    };
    let mut record = |event: Event| {
        let added = live.borrow_mut().add(event);
        added.map_err(|misfit| RecordError(misfit.to_string()))
    };
    let mut stop_early = |instance: &str, round: u32| {
        judge::violated_in_round(&live.borrow(), &target.contracts, instance, round)
    };
    crate::run::run(request, &mut record, &mut stop_early, &interrupt::flag())
        .map_err(|error| error.to_string())?;
    let journal = live.borrow();
    if let Some(stopped) = &journal.stopped {
        return Err(format!("{}; {}", stopped.why, stopped.remedy));
    }
    let judged = judge::judge(&journal, &target.contracts, false, &[]);
    let findings = judged.findings.into_iter();
    Ok(findings
        .map(|finding| (finding.id, (finding.verdict, finding.reason)))
        .collect())
}
