//! `doubletap bench runs`: whole runs against the sandbox, counted.
//! It must not know how a run is carried out.

use clap::Args;

use super::Form;
use crate::bench::machine::Machine;
use crate::bench::markdown;
use crate::bench::runs::{Row, cases};
use crate::bench::table::Grid;
use crate::cli::deliver::refuse;
use crate::cli::faults::{list, say};
use crate::cli::look::Look;
use crate::exit;

/// Count over many whole runs: faults found, false alarms, rounds out of step on a busy machine, time and memory
#[derive(Args, Debug)]
pub struct RunsArgs {
    /// How often each fault is to be found
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// Under a minute: fewer rounds (and give fewer --runs)
    #[arg(long)]
    quick: bool,

    /// A PostgreSQL in which the sandbox looks up and inserts
    #[arg(
        long,
        value_name = "URL",
        env = "DOUBLETAP_DEMO_DATABASE_URL",
        hide_env_values = true
    )]
    database_url: Option<String>,

    /// The form of the table
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Table)]
    format: Form,
}

/// Runs, prints the table, and gives the exit code.
#[must_use]
pub fn run(args: &RunsArgs, look: &Look) -> u8 {
    let machine = Machine::here();
    let mut rows = Vec::new();
    for case in cases(args.database_url.is_some(), args.runs, args.quick) {
        if !look.is_quiet() {
            crate::cli::complain!("{}: {} runs", case.name, case.runs);
        }
        let on_database = case.name.contains("PostgreSQL");
        let url = args.database_url.as_deref().filter(|_| on_database);
        match case.measure(url) {
            Ok(row) => rows.push(row),
            Err(why) => return refuse(exit::INCONCLUSIVE, why),
        }
    }
    let head = format!("Measured on: {}\n", machine.words());
    match args.format {
        Form::Table => {
            let grid = grid(&rows);
            let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
            let mut table = list(look, &header);
            for row in grid.rows {
                table.add_row(row);
            }
            let lines: Vec<String> = table.lines().map(|l| l.trim_end().to_owned()).collect();
            say(&format!(
                "{head}\n{}\n{}\n{}",
                grid.title,
                lines.join("\n"),
                powers(&rows)
            ))
        }
        Form::Markdown => say(&format!(
            "{head}{}{}",
            markdown::table(&grid(&rows)),
            powers(&rows)
        )),
        Form::Json => {
            let value = serde_json::json!({ "machine": machine, "rows": rows });
            say(&format!("{value:#}\n"))
        }
    }
}

fn grid(rows: &[Row]) -> Grid {
    let header = [
        "runs of",
        "runs",
        "failed",
        "passed",
        "rounds",
        "in step",
        "found in round",
        "ms a run",
        "ms of requests",
        "MiB at most",
    ];
    let rows = rows.iter().map(|row| {
        vec![
            row.name.clone(),
            row.runs.to_string(),
            row.failed.to_string(),
            row.passed.to_string(),
            row.rounds.to_string(),
            row.in_step.to_string(),
            row.found_in_round
                .map_or("-".to_owned(), |round| round.to_string()),
            row.took_ms.to_string(),
            row.requests_ms.to_string(),
            (row.peak_kib / 1_024).to_string(),
        ]
    });
    Grid {
        title: "Whole runs of drill.concurrent against the sandbox".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// What the last run of each kind said of its power.
fn powers(rows: &[Row]) -> String {
    let mut text = String::from("\nWhat the last run of each said:\n");
    for row in rows {
        let power = row.power.as_deref().unwrap_or("nothing");
        text.push_str(&format!("- {}: {power}\n", row.name));
    }
    text
}
