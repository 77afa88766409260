//! Every format against the same runs: golden files, the schema, and texts that want to leave the report.
//! It must not know how the runs came about.

use snapbox::{Data, assert_data_eq, data::DataFormat};

use super::github::MOST as MOST_ANNOTATIONS;
use super::{Document, Format, Options, json, junit, render, sample, table, text};

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
fn hostile_texts_steer_neither_a_terminal_nor_a_pipeline_in_any_format() {
    let document = sample::nasty();
    for format in FORMATS
        .iter()
        .map(|(format, _)| *format)
        .chain([Format::Table])
    {
        let report = render(&document, format, &Options::default()).unwrap();
        let hostile = report.chars().find(|c| *c != '\n' && text::is_hostile(*c));
        assert_eq!(hostile, None, "{format}");
        let obeyed = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
        let own = |line: &&str| {
            format == Format::Github && line.starts_with("::") && !line.contains("##[")
        };
        let command = report.lines().find(|line| obeyed(line) && !own(line));
        assert_eq!(command, None, "{format}");
    }
}

#[test]
fn hostile_texts_make_no_test_point_and_no_annotation() {
    let document = sample::nasty();
    let tap = render(&document, Format::Tap, &Options::default()).unwrap();
    let points: Vec<&str> = tap
        .lines()
        .filter(|line| line.starts_with("ok ") || line.starts_with("not ok "))
        .collect();
    assert_eq!(points, ["not ok 1 - drill.replay@payment (FAIL)"]);
    let github = render(&document, Format::Github, &Options::default()).unwrap();
    let kinds: Vec<&str> = github
        .lines()
        .map(|line| line.split_whitespace().next().unwrap_or(line))
        .collect();
    assert_eq!(kinds, ["::error", "::notice"]);
    let seen = cases(&render(&document, Format::Junit, &Options::default()).unwrap());
    assert_eq!(
        seen,
        [(
            "drill.replay@payment".to_owned(),
            vec!["failure".to_owned()]
        )]
    );
}

#[test]
fn hostile_texts_are_no_elements_of_the_page() {
    let page = render(&sample::nasty(), Format::Html, &Options::default()).unwrap();
    for element in ["<script", "<img", "onerror=alert(2)>", "49"] {
        // the template's arithmetic would have been done: 7 * 7
        let outside = page.contains(element) && element != "49";
        assert!(!outside, "{element}");
    }
    assert!(
        page.contains("{{ 7*7 }}"),
        "the text of the reply is missing"
    );
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt;"),
        "the text of the reply is missing"
    );
}

#[test]
fn hostile_texts_leave_no_fence_and_no_table_row_of_the_markdown() {
    let report = render(&sample::nasty(), Format::Markdown, &Options::default()).unwrap();
    assert!(
        !report
            .lines()
            .any(|line| line.starts_with("# heading") || line.starts_with("not ok")),
        "{report}"
    );
    let fences: Vec<&str> = report
        .lines()
        .filter(|line| line.starts_with("```"))
        .collect();
    // the reply holds three backticks: the fence has more, and is closed by as many
    assert_eq!(fences, ["````text", "````"], "{report}");
    let rows = report.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(rows, 2, "{report}");
}

#[test]
fn the_page_loads_nothing() {
    for (name, document) in runs() {
        let page = render(&document, Format::Html, &Options::default()).unwrap();
        for loads in ["src=", "@import", "url(", "<script", "http-equiv=\"refresh"] {
            assert!(!page.contains(loads), "{name}: {loads}");
        }
        let links = page.matches("<link ").count();
        assert_eq!(
            links,
            page.matches("<link rel=\"icon\" href=\"data:,\">").count(),
            "{name}"
        );
    }
}

#[test]
fn sarif_places_each_violation_at_its_clause_with_a_stable_fingerprint() {
    let read = |document: &Document| -> serde_json::Value {
        serde_json::from_str(&render(document, Format::Sarif, &Options::default()).unwrap())
            .unwrap()
    };
    let first = read(&sample::failing());
    let results = first["runs"][0]["results"].as_array().unwrap();
    let levels: Vec<&str> = results
        .iter()
        .map(|result| result["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["error", "warning"]);
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "policies/floor.toml");
    assert_eq!(place["region"]["startLine"], 12);
    let rules = first["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(
            rule["help"]["text"]
                .as_str()
                .unwrap()
                .contains("look for first")
        );
    }
    let mut later = sample::failing();
    later.run.id = "another".into();
    later.drills[1].reason = "seen otherwise".into();
    let later = read(&later);
    assert_eq!(
        first["runs"][0]["results"][0]["partialFingerprints"],
        later["runs"][0]["results"][0]["partialFingerprints"]
    );
}

#[test]
fn annotations_are_ten_at_the_most_and_say_how_many_there_are_more() {
    let mut document = sample::failing();
    let check = document.drills[1].checks[0].clone();
    document.drills[1].checks = vec![check; 23];
    let report = render(&document, Format::Github, &Options::default()).unwrap();
    let errors: Vec<&str> = report
        .lines()
        .filter(|line| line.starts_with("::error "))
        .collect();
    assert_eq!(errors.len(), MOST_ANNOTATIONS, "{report}");
    assert!(errors[MOST_ANNOTATIONS - 1].contains("15 more"), "{report}");
}

#[test]
fn markdown_stays_below_a_megabyte() {
    let mut document = sample::failing();
    let failing = document.drills[1].clone();
    for n in 0..900 {
        let mut drill = failing.clone();
        drill.id = format!("drill.concurrent/case-{n}@payment");
        document.drills.push(drill);
    }
    let report = render(&document, Format::Markdown, &Options::default()).unwrap();
    assert!(report.len() < 1024 * 1024, "{}", report.len());
    assert!(report.contains(" left out here"));
    assert!(report.contains("judged "), "the last lines are missing");
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
