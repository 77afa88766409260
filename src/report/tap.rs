//! TAP 13 (`prove` knows no later version): one test point a drill.
//! It must not know who counts the points.

use super::document::DrillRecord;
use super::summary::{self, word};
use super::{Document, text};
use crate::judge::Verdict;

/// The report as TAP.
#[must_use]
pub fn render(document: &Document) -> String {
    let mut out = String::from("TAP version 13\n");
    if let Some(stopped) = &document.stopped {
        out.push_str(&format!("1..0\nBail out! {}\n", escaped(&stopped.why)));
        return out;
    }
    let outdated = summary::outdated(document);
    let points = document.drills.len() + outdated.len();
    out.push_str(&format!("1..{points}\n"));
    for (at, drill) in document.drills.iter().enumerate() {
        out.push_str(&point(at + 1, drill));
    }
    for (at, entry) in outdated.iter().enumerate() {
        let number = document.drills.len() + at + 1;
        let of = escaped(&format!("baseline {}: {}", entry.of, entry.why));
        out.push_str(&format!("not ok {number} - {of}\n"));
    }
    for line in summary::lines(document) {
        out.push_str(&format!("# {line}\n"));
    }
    text::without_commands(&out)
}

fn point(number: usize, drill: &DrillRecord) -> String {
    let id = escaped(&drill.id);
    match drill.verdict {
        Verdict::Pass => format!("ok {number} - {id}\n"),
        Verdict::Skip => format!("ok {number} - {id} # SKIP {}\n", escaped(&drill.reason)),
        // what TAP calls a failure that is meant to be there
        Verdict::Known => format!(
            "not ok {number} - {id} # TODO {}\n{}",
            escaped(&drill.reason),
            diagnostics(drill)
        ),
        Verdict::Warn | Verdict::Observed => {
            format!(
                "ok {number} - {id} ({})\n{}",
                word(drill.verdict),
                diagnostics(drill)
            )
        }
        Verdict::Fail | Verdict::Inconclusive => {
            format!(
                "not ok {number} - {id} ({})\n{}",
                word(drill.verdict),
                diagnostics(drill)
            )
        }
    }
}

/// A YAML block; texts are quoted as JSON, which YAML reads as it is.
fn diagnostics(drill: &DrillRecord) -> String {
    let quoted = |text: &str| serde_json::Value::from(text::line(text)).to_string();
    let mut lines = vec![
        format!("verdict: {}", quoted(word(drill.verdict))),
        format!("message: {}", quoted(&drill.reason)),
        format!("hint: {}", quoted(&drill.hint)),
    ];
    let open: Vec<_> = drill
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::Pass)
        .collect();
    if !open.is_empty() {
        lines.push("checks:".to_owned());
    }
    for check in open {
        lines.push(format!("  - id: {}", quoted(&check.id)));
        lines.push(format!("    expected: {}", quoted(&check.expected)));
        lines.push(format!("    observed: {}", quoted(&check.observed)));
        if let Some(clause) = &check.clause {
            lines.push(format!("    clause: {}", quoted(&clause.place())));
        }
    }
    let body: Vec<String> = lines.iter().map(|line| format!("  {line}\n")).collect();
    format!("  ---\n{}  ...\n", body.concat())
}

/// A description: a number sign would begin a directive.
fn escaped(text: &str) -> String {
    text::line(text).replace('\\', "\\\\").replace('#', "\\#")
}
