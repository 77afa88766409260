//! Every configuration error, as users see it: `fixtures/invalid/NAME.toml` and `NAME.args` against `NAME.err`.
//!
//! `policy.NAME.toml` is read as a policy, `drill.NAME.toml` as a drill, `baseline.NAME.toml` as a baseline, everything else as a target. `NAME.args` holds
//! one argument a line. `UPDATE_GOLDEN=1` writes what is missing or has changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use doubletap::cli::flags::FlagArgs;
use doubletap::config::{Diagnostic, Flags, Source, parse_baseline, parse_drill, parse_policy};

use super::{loading, shown};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    flags: FlagArgs,
}

const ENV: [(&str, &str); 6] = [
    ("TOKEN", "hush-hush-token"),
    (
        "DATABASE_URL",
        "postgres://shop:hush-hush-password@localhost/shop",
    ),
    ("TWO_LINES", "hush\r\nX-Evil: yes"),
    ("LIVE_KEY", "sk_live_hushhushhush"),
    ("NO_LENGTH", "hush-hush-length"),
    ("DOUBLETAP_RATE", "fast"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/invalid")
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn errors_of(name: &str) -> Vec<Diagnostic> {
    let text = read(&folder().join(format!("{name}.toml")));
    let source = text
        .as_ref()
        .map(|text| Source::new(format!("{name}.toml"), text.as_str()));
    let none = |kind: &str| panic!("{name} is a valid {kind}");
    match (&source, name.split('.').next()) {
        (Some(source), Some("policy")) => {
            return parse_policy(source).map_or_else(|errors| errors, |_| none("policy"));
        }
        (Some(source), Some("baseline")) => {
            return parse_baseline(source).map_or_else(|errors| errors, |_| none("baseline"));
        }
        (Some(source), Some("drill")) => {
            return parse_drill(source).map_or_else(|errors| errors, |_| none("drill"));
        }
        _ => {}
    }
    let args = read(&folder().join(format!("{name}.args"))).unwrap_or_default();
    let line = std::iter::once("run").chain(args.lines());
    let flags: Flags = Line::try_parse_from(line)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
        .flags
        .flags();
    // one case is about the environment; it must not spoil the others
    let env: Vec<(&str, &str)> = ENV
        .into_iter()
        .filter(|(variable, _)| !variable.starts_with("DOUBLETAP_") || name.starts_with("env-"))
        .collect();
    loading(text.as_deref(), &flags, &env).map_or_else(
        |errors| errors,
        |_| panic!("{name} is a valid configuration"),
    )
}

#[test]
fn every_error_is_shown_with_its_place_and_a_remedy() {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        names.extend(
            [".toml", ".args"]
                .iter()
                .find_map(|end| name.strip_suffix(end))
                .map(str::to_owned),
        );
    }
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for name in &names {
        let errors = errors_of(name);
        let found = format!("{}\n", shown(&errors));
        for error in &errors {
            assert!(error.help.is_some(), "{name}: nothing helps:\n{found}");
        }
        assert!(!found.contains("hush"), "{name} shows a secret:\n{found}");
        assert!(
            !found.contains("struct ") && !found.contains("enum "),
            "{name} speaks Rust:\n{found}"
        );
        let golden = folder().join(format!("{name}.err"));
        if read(&golden).as_deref() != Some(&found) {
            if update {
                fs::write(&golden, &found).unwrap();
            } else {
                wrong.push(format!("--- {name}\n{found}"));
            }
        }
    }
    assert!(names.len() >= 40, "{} cases", names.len());
    assert!(
        wrong.is_empty(),
        "{} errors are shown otherwise (UPDATE_GOLDEN=1 takes them over):\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn colours_change_nothing_but_colours() {
    for error in errors_of("unknown-field") {
        let plain = error.render(false);
        let colored = error.render(true);
        assert!(colored.contains('\x1b') && !plain.contains('\x1b'));
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
    }
}
