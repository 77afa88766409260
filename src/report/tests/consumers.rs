//! Reports read the way their consumers read them.
//! It must not know how a format is made.

use super::super::github::MOST as MOST_ANNOTATIONS;
use super::*;

/// What a consumer sees of JUnit: the elements inside test cases, by the case's name.
pub fn cases(xml: &str) -> Vec<(String, Vec<String>)> {
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
        misconfigured: false,
    });
    let seen = cases(&junit::render(&document).unwrap());
    assert_eq!(seen, [("preflight".to_owned(), vec!["error".to_owned()])]);
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
fn what_is_known_is_skipped_in_junit_suppressed_in_sarif_and_todo_in_tap() {
    let document = sample::known();
    let seen = cases(&junit::render(&document).unwrap());
    let of = |name: &str| {
        let found = seen.iter().find(|(case, _)| case == name);
        found.map(|(_, kinds)| kinds.clone()).unwrap_or_default()
    };
    assert_eq!(of("drill.concurrent@payment"), ["skipped", "system-out"]);
    assert_eq!(of("drill.replay@payment, replay:repeat"), ["failure"]);
    let tap = render(&document, Format::Tap, &Options::default()).unwrap();
    assert!(
        tap.contains("not ok 2 - drill.concurrent@payment # TODO "),
        "{tap}"
    );
    assert!(
        tap.contains("1..7\n") && tap.contains("not ok 7 - baseline"),
        "{tap}"
    );
    let sarif = render(&document, Format::Sarif, &Options::default()).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let suppressed: Vec<(&str, usize)> = results
        .iter()
        .map(|result| {
            let rule = result["ruleId"].as_str().unwrap();
            (rule, result["suppressions"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(
        suppressed,
        [
            ("drill.mismatch/mismatch:changed", 0),
            ("drill.concurrent/concurrent:copies", 1),
            ("baseline/outdated", 0),
            ("baseline/outdated", 0),
        ]
    );
    let github = render(&document, Format::Github, &Options::default()).unwrap();
    assert!(!github.contains("concurrent"), "{github}");
    assert!(github.contains("::error file=ci/baseline.toml"), "{github}");
}
