//! Every format against the same runs: golden files, the schema, and texts that want to leave the report.
//! It must not know how the runs came about.

mod consumers;
mod hostile;

use snapbox::{Data, assert_data_eq, data::DataFormat};

use crate::judge::Verdict;

use super::{Document, Format, Options, json, junit, ndjson, render, sample, table, text};

/// Compares with a file under `fixtures/reports/`; `SNAPSHOTS=overwrite` writes it.
fn golden(name: &str, text: String) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/reports")
        .join(name);
    assert_data_eq!(
        Data::text(text).raw(),
        Data::read_from(&path, Some(DataFormat::Text)).raw()
    );
}

fn runs() -> [(&'static str, Document); 4] {
    [
        ("passing", sample::passing()),
        ("failing", sample::failing()),
        ("inconclusive", sample::inconclusive()),
        ("known", sample::known()),
    ]
}

fn columns(width: u16) -> Options {
    Options {
        width,
        ..Options::default()
    }
}

#[test]
fn tables_read_as_their_golden_files() {
    for (name, document) in runs() {
        for width in [80, 120] {
            golden(
                &format!("{name}.{width}.txt"),
                table::render(&document, &columns(width)),
            );
        }
    }
}

#[test]
fn a_table_keeps_to_its_width_but_for_commands() {
    for (name, document) in runs() {
        for width in [80, 100, 200] {
            let report = table::render(&document, &columns(width));
            for line in report.lines().filter(|line| !line.starts_with("    ")) {
                let wide = line.chars().count();
                assert!(
                    wide <= usize::from(width),
                    "{name} at {width}: {wide} columns: {line}"
                );
            }
        }
    }
}

#[test]
fn what_was_only_observed_is_told_to_those_who_ask() {
    let mut document = sample::failing();
    let failing = document.with_verdict(Verdict::Fail).next().unwrap().clone();
    let mut open = failing.clone();
    open.id = "drill.left-open@payment".into();
    open.verdict = Verdict::Observed;
    for check in &mut open.checks {
        check.verdict = Verdict::Observed;
    }
    document.drills.push(open.clone());
    // an open check of a drill that fails is named beside what failed
    let at = document
        .drills
        .iter()
        .position(|drill| drill.id == failing.id)
        .unwrap();
    let mut beside = failing.checks[0].clone();
    beside.id = "nothing-leaks:copies".into();
    beside.verdict = Verdict::Observed;
    beside.observed = "nobody reads this".into();
    document.drills[at].checks.push(beside);
    let head = "observed  drill.left-open@payment: ";
    let few = table::render(&document, &columns(100));
    assert!(
        !few.contains(head) && !few.contains("nobody reads this"),
        "{few}"
    );
    assert!(
        few.contains("left open nothing-leaks:copies: observed, not judged"),
        "{few}"
    );
    assert!(few.contains("tells what came"), "{few}");
    let all = Options {
        all_evidence: true,
        ..columns(100)
    };
    let all = table::render(&document, &all);
    assert!(all.contains(head), "{all}");
}

#[test]
fn colours_are_only_added_to_the_words() {
    let document = sample::failing();
    let plain = table::render(&document, &columns(100));
    let colored = table::render(
        &document,
        &Options {
            color: true,
            ..columns(100)
        },
    );
    assert!(!plain.contains('\u{1b}'));
    assert!(colored.contains('\u{1b}'));
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    let trim = |text: &str| {
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(trim(&stripped), trim(&plain));
}

#[test]
fn the_json_report_fits_its_schema_and_reads_back() {
    let schema = serde_json::to_value(json::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in runs().into_iter().chain([("nasty", sample::nasty())]) {
        let text = json::render(&document).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
        assert_eq!(serde_json::from_value::<Document>(value).unwrap(), document);
    }
}

#[test]
fn a_report_without_a_required_field_does_not_fit_the_schema() {
    let schema = serde_json::to_value(json::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for field in [
        "schema_version",
        "tool",
        "run",
        "verdict",
        "counts",
        "drills",
        "attempts",
    ] {
        let mut value = serde_json::to_value(sample::passing()).unwrap();
        value.as_object_mut().unwrap().remove(field);
        assert!(!validator.is_valid(&value), "{field} is not required");
    }
}

#[test]
fn the_schemas_in_the_repository_are_the_generated_ones() {
    for (name, schema) in [("report", json::schema()), ("events", ndjson::schema())] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("fixtures/schema/{name}.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        assert_data_eq!(
            Data::text(text).raw(),
            Data::read_from(&path, Some(DataFormat::Text)).raw()
        );
    }
}

#[test]
fn every_line_of_ndjson_fits_its_schema_and_the_last_one_is_the_verdict() {
    let schema = serde_json::to_value(ndjson::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, document) in runs().into_iter().chain([("nasty", sample::nasty())]) {
        let text = ndjson::render(&document).unwrap();
        let mut kinds = Vec::new();
        for line in text.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Err(error) = validator.validate(&value) {
                panic!("{name}: {error} at {}", error.instance_path());
            }
            kinds.push(value["type"].as_str().unwrap().to_owned());
        }
        assert_eq!(kinds.first().map(String::as_str), Some("run"));
        assert_eq!(kinds.last().map(String::as_str), Some("end"));
        assert!(kinds.contains(&"begin".to_owned()), "{name}: {kinds:?}");
    }
}

/// The formats for programs, with the endings of their golden files.
const FORMATS: [(Format, &str); 9] = [
    (Format::Json, "json"),
    (Format::Ndjson, "ndjson"),
    (Format::Junit, "junit.xml"),
    (Format::Sarif, "sarif"),
    (Format::Markdown, "md"),
    (Format::Github, "github.txt"),
    (Format::Gitlab, "gitlab.json"),
    (Format::Tap, "tap"),
    (Format::Html, "html"),
];

#[test]
fn every_format_reads_as_its_golden_files() {
    for (name, document) in runs() {
        for (format, ending) in FORMATS {
            golden(
                &format!("{name}.{ending}"),
                render(&document, format, &Options::default()).unwrap(),
            );
        }
    }
}

#[test]
fn the_page_of_a_hostile_run_is_kept_for_a_real_browser() {
    // scripts/html-check opens it: nothing of it may run, be asked for, or leave its place
    let page = render(&sample::nasty(), Format::Html, &Options::default()).unwrap();
    golden("nasty.html", page);
}

#[test]
fn every_format_has_golden_files() {
    let names: Vec<String> = FORMATS
        .iter()
        .map(|(format, _)| format.to_string())
        .collect();
    let known: Vec<&str> = Format::WORDS
        .iter()
        .copied()
        .filter(|word| *word != "table")
        .collect();
    assert_eq!(names, known);
}

#[test]
fn a_race_is_repeated_by_the_tool_and_a_sequence_by_curl() {
    let report = table::render(&sample::failing(), &columns(120));
    assert!(
        report.contains("doubletap run shop.toml --copies 3 --rounds 1 --drill drill.concurrent\n"),
        "{report}"
    );
    assert!(
        report.contains("authorization: Bearer '\"$SHOP_TOKEN_A\""),
        "{report}"
    );
    assert!(report.contains("idempotency-key: '\"$KEY\""), "{report}");
}
