//! `doubletap init --provider`: the ready-made targets of providers, by name, and which there are.
//! It must not know what stands in one.

#![expect(
    clippy::print_stderr,
    reason = "the command line is where text goes out"
)]

use std::path::Path;

use super::deliver::refuse;
use super::faults::{list, say};
use super::init::put;
use super::look::Look;
use super::target::FILE;
use crate::bundled;
use crate::config::nearest::nearest;
use crate::exit;
use crate::report::text;

/// Writes the one of this name, or lists all where the name is empty. Gives the exit code.
#[must_use]
pub fn write(name: &str, output: &Path, force: bool, look: &Look) -> u8 {
    let all = bundled::providers();
    if name.is_empty() {
        return say(&listed(&all, look));
    }
    let Some((_, target)) = all.iter().find(|(known, _)| *known == name) else {
        return refuse(exit::USAGE, unknown(name, &all));
    };
    if output.as_os_str() == "-" {
        return say(target);
    }
    if let Err(code) = put(output, force, target) {
        return code;
    }
    if !look.is_quiet() {
        // what to do next stands in the file's head
        eprintln!("wrote {}", output.display());
        let named = match output.as_os_str() == FILE {
            true => String::new(),
            false => format!(" {}", output.display()),
        };
        for line in head(target) {
            let line = line.replace("doubletap check && doubletap run --dry-run && doubletap run", &format!(
                "doubletap check{named} && doubletap run{named} --dry-run && doubletap run{named}"
            ));
            eprintln!("  {line}");
        }
    }
    exit::PASSED
}

/// The comment at the top.
fn head(target: &str) -> impl Iterator<Item = &str> {
    let lines = target.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(str::trim)
}

fn listed(all: &[(&str, &str)], look: &Look) -> String {
    let mut table = list(look, &["name", "what it is", "to be set"]);
    for (name, target) in all {
        let title = head(target).next().unwrap_or_default();
        let set: Vec<&str> = head(target)
            .filter_map(|line| line.strip_prefix("export ")?.split('=').next())
            .collect();
        table.add_row([
            text::line(name),
            text::line(title.split(" as a target").next().unwrap_or(title)),
            text::line(&set.join(", ")),
        ]);
    }
    let rows = table.lines().map(|line| format!("{}\n", line.trim_end()));
    rows.collect::<String>() + "\ndoubletap init --provider NAME writes one\n"
}

fn unknown(name: &str, all: &[(&str, &str)]) -> String {
    let known: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
    let near = nearest(name, known.iter().copied())
        .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let policy = match bundled::policy(name) {
        Some(_) => {
            format!("\n  there is a policy of that name: doubletap init --url URL --policy {name}")
        }
        None => String::new(),
    };
    format!(
        "there is no ready-made target of `{name}`{near}\n  there are {}{policy}",
        known.join(", ")
    )
}
