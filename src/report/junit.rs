//! JUnit XML for pipelines: one test case a drill and operation, the whole story in a failure's text.
//! It must not know which consumer reads it.

use std::time::Duration;

use quick_junit::{
    NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::document::DrillRecord;
use super::summary::{self, word};
use super::{Document, Options, story, table, text};
use crate::judge::Verdict;

/// The report as XML.
///
/// # Errors
/// Never for text made safe; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, SerializeError> {
    let mut report = Report::new("doubletap");
    if let Some(duration) = document.run.duration_us {
        report.set_time(Duration::from_micros(duration));
    }
    let mut suites: Vec<&str> = Vec::new();
    for drill in &document.drills {
        if !suites.contains(&drill.suite.as_str()) {
            suites.push(&drill.suite);
        }
    }
    for name in suites {
        let mut suite = TestSuite::new(text::line(name));
        for (name, value) in properties(document) {
            suite.add_property(Property::new(name, text::line(&value)));
        }
        for drill in document.drills.iter().filter(|drill| drill.suite == name) {
            suite.add_test_case(case(document, drill));
        }
        suite.set_system_out(summary::lines(document).join("\n"));
        report.add_test_suite(suite);
    }
    let outdated = summary::outdated(document);
    if !outdated.is_empty() {
        let mut suite = TestSuite::new("baseline");
        for entry in outdated {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(entry.why.clone());
            status.set_type("baseline");
            status.set_description(entry.why);
            let mut case = TestCase::new(entry.of, status);
            case.set_classname("baseline");
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    if let Some(stopped) = &document.stopped {
        // a run that tested nothing must not look like one without failures
        let mut suite = TestSuite::new("preflight");
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(text::line(&stopped.why));
        status.set_type("inconclusive");
        status.set_description(text::lines(&format!("{}\n{}", stopped.why, stopped.remedy)));
        let mut case = TestCase::new("preflight", status);
        case.set_classname("preflight");
        suite.add_test_case(case);
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn properties(document: &Document) -> [(&'static str, String); 5] {
    [
        ("policy", document.policy.id.clone()),
        ("seed", document.run.seed.to_string()),
        ("run", document.run.id.clone()),
        (
            "tool",
            format!("{} {}", document.tool.name, document.tool.version),
        ),
        ("verdict", word(document.verdict).to_owned()),
    ]
}

fn case(document: &Document, drill: &DrillRecord) -> TestCase {
    let told = || {
        let options = Options {
            width: 120,
            ..Options::default()
        };
        table::story(&story::tell(document, drill), &options)
    };
    let mut status = match drill.verdict {
        Verdict::Pass | Verdict::Warn | Verdict::Observed => TestCaseStatus::success(),
        Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Inconclusive => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::Skip | Verdict::Known => TestCaseStatus::skipped(),
    };
    match drill.verdict {
        Verdict::Fail | Verdict::Inconclusive => {
            status.set_message(text::line(&drill.reason));
            status.set_type(word(drill.verdict).to_ascii_lowercase());
            status.set_description(told());
        }
        Verdict::Skip | Verdict::Known => {
            status.set_message(text::line(&drill.reason));
        }
        Verdict::Pass | Verdict::Warn | Verdict::Observed => {}
    }
    let mut case = TestCase::new(text::line(&drill.id), status);
    case.set_classname(text::line(&drill.suite));
    case.set_assertions(drill.checks.len());
    if let Some(time) = elapsed(document, drill) {
        case.set_time(time);
    }
    if matches!(
        drill.verdict,
        Verdict::Known | Verdict::Warn | Verdict::Observed
    ) {
        // no consumer knows these words: the case passes, and says more in its output
        case.set_system_out(told());
    }
    case
}

fn elapsed(document: &Document, drill: &DrillRecord) -> Option<Duration> {
    let began = drill.began_us?;
    let ends = document
        .attempts
        .iter()
        .filter(|attempt| attempt.drill == drill.id)
        .filter_map(|attempt| attempt.end_us);
    ends.max()
        .map(|end| Duration::from_micros(end.saturating_sub(began)))
}
