//! `doubletap faults`: what can be broken in the built-in sandbox.
//! It must not know how a fault works.

use clap::Args;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

use super::deliver::refuse;
use super::look::Look;
use super::output;
use crate::exit;
use crate::sandbox::faults;
use crate::selftest::Model;

/// List the faults that sandbox and demo can switch on
#[derive(Args, Debug)]
pub struct FaultsArgs {}

/// Lists them, and gives the exit code.
#[must_use]
pub fn run(_args: &FaultsArgs, look: &Look) -> u8 {
    let model = match Model::bundled() {
        Ok(model) => model,
        Err(error) => return refuse(exit::USAGE, error),
    };
    let mut table = list(look, &["fault", "what it does"]);
    for fault in faults::all() {
        let name = match fault.default {
            Some(value) => format!("{}={value}", fault.name),
            None => fault.name.to_owned(),
        };
        let seen = model.seen_by(fault.name);
        let seen = match seen.as_slice() {
            [] => String::new(),
            [only] => format!(" Seen by {only}."),
            [first, more @ ..] => format!(" Seen by {first} and {} more.", more.len()),
        };
        table.add_row([name, format!("{}{seen}", fault.summary)]);
    }
    whole(&mut table, &[0]);
    say(&format!(
        "{}\n`doubletap explain FAULT` names its designs and all drills that see it; `doubletap demo --fault FAULT` shows it\n",
        text_of(&table)
    ))
}

/// A list for people, in the width of the terminal.
pub(super) fn list(look: &Look, header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_NO_BORDERS)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(look.stdout().columns())
        .force_no_tty()
        .set_header(header.to_vec());
    let style = table.style_mut();
    style.row_separator = comfy_table::LineStyle::none();
    style.content_lines = comfy_table::ContentLineStyle::none();
    style.header_lines = comfy_table::ContentLineStyle::none();
    style.header_separator = comfy_table::LineStyle::none()
        .fill('\u{2500}')
        .junction('\u{2500}');
    table
}

/// Columns whose texts are copied, or are nothing in halves: they stay whole.
pub(super) fn whole(table: &mut Table, columns: &[usize]) {
    for at in columns {
        if let Some(column) = table.column_mut(*at) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// A list as text, without blanks at the ends of its lines.
pub(super) fn text_of(table: &Table) -> String {
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Prints a list, and gives the exit code.
pub(super) fn show(table: &Table) -> u8 {
    say(&text_of(table))
}

/// Prints a text, and gives the exit code.
pub(super) fn say(text: &str) -> u8 {
    match output::print(text) {
        Ok(()) => exit::PASSED,
        Err(error) => refuse(
            exit::OUTPUT,
            format!("cannot write to standard output: {error}"),
        ),
    }
}
