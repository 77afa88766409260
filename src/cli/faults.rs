//! `doubletap faults`: what can be broken in the built-in sandbox.
//! It must not know how a fault works.

use clap::Args;
use comfy_table::{Cell, ContentArrangement, Table, presets};

use super::deliver::refuse;
use super::look::Look;
use super::output;
use crate::exit;
use crate::sandbox::faults;
use crate::selftest::Model;

/// List the faults that the sandbox and the demo can switch on
#[derive(Args, Debug)]
pub struct FaultsArgs {}

/// Lists them, and gives the exit code.
#[must_use]
pub fn run(_args: &FaultsArgs, look: &Look) -> u8 {
    let model = match Model::bundled() {
        Ok(model) => model,
        Err(error) => return refuse(exit::USAGE, error),
    };
    let mut table = list(look, &["fault", "designs", "what it does", "seen by"]);
    for fault in faults::all() {
        let name = match fault.default {
            Some(value) => format!("{}={value}", fault.name),
            None => fault.name.to_owned(),
        };
        let designs: Vec<&str> = fault.designs.iter().map(|design| design.name()).collect();
        table.add_row([
            Cell::new(name),
            Cell::new(designs.join(", ")),
            Cell::new(fault.summary),
            Cell::new(shortly(&model.seen_by(fault.name))),
        ]);
    }
    show(&table)
}

/// The first drills, and how many more there are.
fn shortly(drills: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown = drills
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match drills.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more (`doubletap explain FAULT` names them)"),
    }
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

/// Prints a list, and gives the exit code.
pub(super) fn show(table: &Table) -> u8 {
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    say(&text)
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
