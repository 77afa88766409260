//! GitHub's workflow commands: annotations at the clauses, the worst first, ten at the most.
//! It must not know whether a workflow reads them.

use super::sarif::{open_checks, place};
use super::{Document, summary, text};
use crate::judge::Verdict;

/// GitHub shows ten annotations of a step; the last one says how many there are more.
pub(super) const MOST: usize = 10;

/// The annotations, one a line.
#[must_use]
pub fn render(document: &Document) -> String {
    // what is known is in the report; an annotation would only hide what is new
    let open: Vec<_> = open_checks(document)
        .into_iter()
        .filter(|(_, check)| check.verdict != Verdict::Known)
        .collect();
    let shown = if open.len() > MOST {
        MOST - 1
    } else {
        open.len()
    };
    let mut lines: Vec<String> = open
        .iter()
        .take(shown)
        .map(|(drill, check)| {
            let level = match check.verdict {
                Verdict::Fail => "error",
                Verdict::Warn => "warning",
                _ => "notice",
            };
            let (file, line) = place(document, check);
            let title = format!("{}: {}", summary::word(check.verdict), drill.id);
            let message = format!(
                "{}\nexpected: {}\nlook for: {}",
                check.observed, check.expected, drill.hint
            );
            annotation(
                level,
                &[
                    ("file", &file),
                    ("line", &line.to_string()),
                    ("title", &title),
                ],
                &message,
            )
        })
        .collect();
    if open.len() > shown {
        let more = open.len() - shown;
        let failing = open
            .iter()
            .skip(shown)
            .any(|(_, check)| check.verdict == Verdict::Fail);
        let level = if failing { "error" } else { "notice" };
        lines.push(annotation(
            level,
            &[("title", "doubletap")],
            &format!("{more} more; the report has them all"),
        ));
    }
    let outdated = summary::outdated(document);
    if let (Some(first), Some(settled)) = (outdated.first(), &document.baseline) {
        let mut message = format!("{}: {}", first.of, first.why);
        if outdated.len() > 1 {
            message.push_str(&format!(
                "\n{} more; the report has them all",
                outdated.len() - 1
            ));
        }
        let title = "the baseline is out of date";
        lines.push(annotation(
            "error",
            &[("file", &settled.file), ("title", title)],
            &message,
        ));
    }
    if let Some(stopped) = &document.stopped {
        let message = format!("{}\n{}", stopped.why, stopped.remedy);
        lines.push(annotation(
            "error",
            &[("title", "the target cannot be tested")],
            &message,
        ));
    }
    lines.push(annotation(
        "notice",
        &[("title", "doubletap")],
        &summary::judged(document),
    ));
    lines.push(String::new());
    lines.join("\n")
}

fn annotation(level: &str, properties: &[(&str, &str)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    format!("::{level} {}::{}", properties.join(","), data(message))
}

/// A message: percent signs first, so that an escape in it stays text.
fn data(message: &str) -> String {
    text::lines(message)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(value: &str) -> String {
    data(&text::line(value))
        .replace(':', "%3A")
        .replace(',', "%2C")
}
