//! Holds the table of `ARCHITECTURE.md`: who may import whom.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // tests of the product may read what they like
            if path.file_stem().is_some_and(|name| name == "tests") {
                continue;
            }
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    let mut files = Vec::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("src")
            .join(folder),
        &mut files,
    );
    assert!(!files.is_empty(), "src/{folder} has no sources");
    files
}

/// The lines of a source that are code of the product: no comments, nothing from the first `#[cfg(test)]` on.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .take_while(|line| line.trim() != "#[cfg(test)]")
        .filter(|line| !line.trim_start().starts_with("//"))
}

fn assert_free_of(folder: &str, words: &[&str]) {
    for (path, text) in sources(folder) {
        for line in code(&text) {
            for word in words {
                assert!(
                    !line.contains(word),
                    "{} must not use `{word}`: {line}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_pure_modules_do_no_io() {
    const IO: [&str; 11] = [
        "tokio::",
        "tokio_postgres",
        "reqwest",
        "std::fs",
        "std::net",
        "std::env::",
        "std::process",
        "std::time::Instant",
        "SystemTime",
        "crate::run",
        "crate::cli",
    ];
    for folder in [
        "config", "contract", "plan", "judge", "report", "observe", "openapi",
    ] {
        assert_free_of(folder, &IO);
    }
}

#[test]
fn the_sandbox_and_the_judge_share_no_interpretation() {
    const INTERPRETATION: [&str; 6] = [
        "contract::reading",
        "contract::relation",
        "contract::key_check",
        "crate::judge",
        "crate::plan",
        "crate::run",
    ];
    assert_free_of("sandbox", &INTERPRETATION);
    for folder in [
        "config", "contract", "plan", "judge", "report", "run", "journal",
    ] {
        assert_free_of(folder, &["crate::sandbox"]);
    }
}

#[test]
fn measurements_know_no_contracts_and_nothing_uses_them() {
    assert_free_of(
        "bench",
        &[
            "crate::contract",
            "crate::judge",
            "crate::plan",
            "crate::report",
            "crate::cli",
        ],
    );
    for folder in ["run", "journal", "judge", "report", "sandbox"] {
        assert_free_of(folder, &["crate::bench"]);
    }
}

#[test]
fn the_run_knows_no_verdicts() {
    assert_free_of("run", &["crate::judge", "crate::report", "crate::cli"]);
    assert_free_of(
        "journal",
        &["crate::run", "crate::judge", "crate::report", "crate::cli"],
    );
    assert_free_of("judge", &["crate::report", "crate::bundled"]);
}
