//! Where policies are found, and how what is wrong with one is shown.
//! It must not know what policies say.

#![expect(
    clippy::print_stderr,
    reason = "the command line is where text goes out"
)]

use std::fs;

use super::look::Look;
use crate::bundled;
use crate::config::{Diagnostic, FLOOR, Source};
use crate::exit;

/// A policy by its name, or from a file.
pub fn find_policy(name: &str) -> Option<Source> {
    if let Some((file, text)) = bundled::policy(name) {
        return Some(Source::new(file, text));
    }
    let is_path = name.contains('/') || name.contains('\\') || name.ends_with(".toml");
    let text = fs::read_to_string(name).ok().filter(|_| is_path)?;
    Some(Source::new(name, text))
}

/// The names of the bundled policies, without the floor that lies under all of them.
#[must_use]
pub fn policy_names() -> Vec<String> {
    bundled::policies()
        .iter()
        .map(|(name, _)| {
            name.trim_start_matches("policies/")
                .trim_end_matches(".toml")
                .to_owned()
        })
        .filter(|name| name != FLOOR)
        .collect()
}

/// Shows what is wrong, and gives the exit code of it.
pub fn show(errors: &[Diagnostic], look: &Look) -> u8 {
    for (n, error) in errors.iter().enumerate() {
        if n > 0 {
            eprintln!();
        }
        eprintln!("{}", error.render(look.color_stderr()));
    }
    exit::USAGE
}
