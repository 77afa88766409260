//! Every format against the same runs: golden files, the schema, and texts that want to leave the report.
//! It must not know how the runs came about.

use snapbox::{Data, assert_data_eq, data::DataFormat};

use super::{Document, Options, json, junit, sample, table, text};

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

fn runs() -> [(&'static str, Document); 3] {
    [
        ("passing", sample::passing()),
        ("failing", sample::failing()),
        ("inconclusive", sample::inconclusive()),
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
        if name != "nasty" {
            golden(&format!("{name}.json"), text);
        }
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
fn the_schema_in_the_repository_is_the_generated_one() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schema/report.json");
    let text = serde_json::to_string_pretty(&json::schema()).unwrap() + "\n";
    assert_data_eq!(
        Data::text(text).raw(),
        Data::read_from(&path, Some(DataFormat::Text)).raw()
    );
}

#[test]
fn junit_reads_as_its_golden_files() {
    for (name, document) in runs() {
        golden(
            &format!("{name}.junit.xml"),
            junit::render(&document).unwrap(),
        );
    }
}

/// What a consumer sees of JUnit: the elements inside test cases, by the case's name.
fn cases(xml: &str) -> Vec<(String, Vec<String>)> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut cases: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Eof => return cases,
            Event::Start(tag) | Event::Empty(tag) => {
                let tag_name = String::from_utf8(tag.name().as_ref().to_vec()).unwrap();
                if tag_name == "testcase" {
                    let name = tag.try_get_attribute("name").unwrap().unwrap();
                    cases.push((String::from_utf8(name.value.to_vec()).unwrap(), Vec::new()));
                    inside = matches!(event, Event::Start(_));
                } else if inside {
                    cases.last_mut().unwrap().1.push(tag_name);
                }
            }
            Event::End(tag) if tag.name().as_ref() == b"testcase" => inside = false,
            _ => {}
        }
    }
}

#[test]
fn a_junit_consumer_sees_failures_errors_and_skips() {
    let seen = cases(&junit::render(&sample::failing()).unwrap());
    let kinds: Vec<(&str, Vec<&str>)> = seen
        .iter()
        .map(|(name, kinds)| (name.as_str(), kinds.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        kinds,
        [
            ("drill.replay@payment", vec![]),
            ("drill.concurrent@payment", vec!["failure"]),
            ("drill.mismatch@payment", vec!["system-out"]),
            ("drill.after-retention@payment", vec!["skipped"]),
            ("drill.in-progress@payment", vec!["system-out"]),
        ]
    );
    let seen = cases(&junit::render(&sample::inconclusive()).unwrap());
    assert!(
        seen.iter().all(|(_, kinds)| *kinds == ["error"]),
        "{seen:?}"
    );
}

#[test]
fn a_run_that_was_stopped_before_it_began_is_an_error_in_junit() {
    let mut document = sample::passing();
    document.drills.clear();
    document.stopped = Some(crate::journal::Stopped {
        why: "POST /payments answers 401".into(),
        remedy: "check the token".into(),
    });
    let seen = cases(&junit::render(&document).unwrap());
    assert_eq!(seen, [("preflight".to_owned(), vec!["error".to_owned()])]);
}

#[test]
fn hostile_texts_stay_text_in_every_format() {
    let document = sample::nasty();
    let report = table::render(&document, &columns(100));
    assert!(
        !report.chars().any(|c| c != '\n' && text::is_hostile(c)),
        "{report}"
    );
    let xml = junit::render(&document).unwrap();
    assert!(
        !xml.chars().any(|c| c != '\n' && text::is_hostile(c)),
        "{xml}"
    );
    let seen = cases(&xml);
    assert_eq!(
        seen,
        [(
            "drill.replay@payment".to_owned(),
            vec!["failure".to_owned()]
        )]
    );
    let raw = json::render(&document).unwrap();
    assert!(!raw.contains(['\u{1b}', '\u{0}', '\u{7}']), "{raw}");
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
