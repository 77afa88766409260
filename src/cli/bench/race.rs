//! `doubletap bench race`: how close together copies arrive, and how often windows are hit, beside other tools.
//! It must not know how that is measured.

use std::time::Duration;

use clap::Args;

use super::Form;
use crate::bench::markdown::markdown;
use crate::bench::race::{Scope, measure};
use crate::bench::table::{Results, grids};
use crate::cli::deliver::refuse;
use crate::cli::faults::{list, say};
use crate::cli::look::Look;
use crate::exit;
use crate::sandbox::parse_duration;
use crate::sandbox::window::Window;

/// Measure how close together copies arrive and how often a window is hit, beside curl, xargs, oha, hey, wrk and h2load where installed
#[derive(Args, Debug)]
pub struct RaceArgs {
    /// Under a minute: 10 copies, two windows, few rounds
    #[arg(long)]
    quick: bool,

    /// Copies of a round (repeatable) [3, 10 and 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100), value_delimiter = ',')]
    copies: Vec<u32>,

    /// Windows, such as 100us, or 100us-cpu for one that holds the CPU (repeatable) [10us to 5ms]
    #[arg(long, value_name = "WINDOW", value_parser = window, value_delimiter = ',')]
    window: Vec<String>,

    /// Rounds of each cell of a table [100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,

    /// The longest that everything takes [40m, with --quick 50s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    at_most: Option<Duration>,

    /// The form of the tables
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Table)]
    format: Form,
}

fn window(text: &str) -> Result<String, String> {
    Window::parse(text).map(|_| text.to_owned())
}

const WINDOWS: [&str; 7] = ["10us", "50us", "100us", "500us", "1ms", "5ms", "100us-cpu"];

/// Measures, prints the tables, and gives the exit code.
#[must_use]
pub fn run(args: &RaceArgs, look: &Look) -> u8 {
    let mut tell = |what: &str| {
        if !look.is_quiet() {
            crate::cli::complain!("{what}");
        }
    };
    let results = match measure(&scope(args), &mut tell) {
        Ok(results) => results,
        Err(why) => return refuse(exit::INCONCLUSIVE, why),
    };
    match args.format {
        Form::Table => say(&text(&results, look)),
        Form::Markdown => say(&markdown(&results)),
        Form::Json => match serde_json::to_string_pretty(&results) {
            Ok(text) => say(&format!("{text}\n")),
            Err(error) => refuse(exit::OUTPUT, error),
        },
    }
}

fn scope(args: &RaceArgs) -> Scope {
    let quick = args.quick;
    let or = |given: &[u32], otherwise: &[u32]| match given {
        [] => otherwise.to_vec(),
        given => given.to_vec(),
    };
    let windows: &[&str] = if quick { &["100us", "1ms"] } else { &WINDOWS };
    Scope {
        copies: or(&args.copies, if quick { &[10] } else { &[3, 10, 30] }),
        windows: match args.window.as_slice() {
            [] => windows.iter().map(|text| (*text).to_owned()).collect(),
            given => given.to_vec(),
        },
        rounds: args.rounds.unwrap_or(if quick { 20 } else { 100 }),
        locked_rounds: if quick { 100 } else { 1_000 },
        turns: if quick { 1 } else { 4 },
        cell: Duration::from_millis(if quick { 600 } else { 8_000 }),
        whole: args
            .at_most
            .unwrap_or(Duration::from_secs(if quick { 50 } else { 2_400 })),
    }
}

fn text(results: &Results, look: &Look) -> String {
    let mut text = format!("Measured on: {}\n", results.machine.words());
    if results.cut_short {
        text.push_str("Time was up before everything was measured.\n");
    }
    for grid in grids(results) {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let mut table = list(look, &header);
        for row in grid.rows {
            table.add_row(row);
        }
        text.push_str(&format!("\n{}\n", grid.title));
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}
