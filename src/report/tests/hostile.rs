//! Texts that want to leave the report, in every format.
//! It must not know how a format is made.

use super::consumers::cases;
use super::*;

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
