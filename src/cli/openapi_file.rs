//! `doubletap init --openapi`: reads an OpenAPI document, JSON or YAML, and writes the target file that it gives.
//! It must not know what a document holds.

#![expect(
    clippy::print_stderr,
    reason = "the command line is where text goes out"
)]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::deliver::refuse;
use super::faults::say;
use super::init::{self, put};
use super::look::Look;
use super::target::{FILE, show};
use crate::exit;
use crate::openapi;
use crate::report::text::counted;

/// Writes the target file of a document, and gives the exit code.
#[must_use]
pub fn write(path: &Path, output: &Path, force: bool, look: &Look) -> u8 {
    let spec = match read(path) {
        Ok(spec) => spec,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let mut written = match openapi::target(&spec) {
        Ok(written) => written,
        Err(error) => return refuse(exit::USAGE, format!("{}: {error}", path.display())),
    };
    // a file that its own reader refuses would be a poor start
    if let Err(errors) = init::readable(&written.text, &written.host, &written.variables) {
        return show(&errors, look);
    }
    let live = init::refused(&written.text, &written.host, &written.variables);
    for why in live.iter().rev() {
        let line = format!(
            "# {why}: `doubletap check` refuses this file until a sandbox's stands in its place\n"
        );
        written.text.insert_str(0, &line);
    }
    if output.as_os_str() == "-" {
        return say(&written.text);
    }
    if let Err(code) = put(output, force, &written.text) {
        return code;
    }
    if !look.is_quiet() {
        let named = if output.as_os_str() == FILE {
            String::new()
        } else {
            format!(" {}", output.display())
        };
        eprintln!(
            "wrote {} with {}",
            output.display(),
            counted(written.operations as u64, "operation")
        );
        for why in &live {
            eprintln!(
                "note: {why}: put a sandbox's in its place, `doubletap check` refuses the file as it is"
            );
        }
        for why in &written.left_out {
            eprintln!("left out: {why}");
        }
        for (name, how) in &written.variables {
            eprintln!("    export {name}={how}");
        }
        eprintln!("    doubletap check{named}\n    doubletap run{named} --dry-run");
    }
    exit::PASSED
}

/// Longer documents describe no one service.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The document: JSON where it begins as such, else YAML.
fn read(path: &Path) -> Result<Value, String> {
    let wrong = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let mut text = String::new();
    let file = File::open(path).map_err(wrong)?;
    // a pipe has no length, and no end perhaps
    let read = file
        .take(LONGEST + 1)
        .read_to_string(&mut text)
        .map_err(wrong)?;
    if read as u64 > LONGEST {
        return Err(format!(
            "{} is longer than 64 MiB: no OpenAPI document is",
            path.display()
        ));
    }
    let named = |what: String| format!("{} cannot be read: {what}", path.display());
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(&text).map_err(|error| named(error.to_string()));
    }
    yaml(&text).map_err(|error| named(error.to_string()))
}

/// YAML 1.2, in which `no` is a text and no boolean. Aliases may make a document ten times larger, not a thousand times.
fn yaml(text: &str) -> Result<Value, serde_saphyr::Error> {
    let mut options = serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        with_snippet: false,
    };
    if let Some(budget) = &mut options.budget {
        // the largest public documents have half a million nodes
        budget.max_nodes = 2_000_000;
        budget.max_events = 8_000_000;
    }
    serde_saphyr::from_str_with_options(text, options)
}
