//! GitLab's code-quality list: one entry a check that did not pass.
//! It must not know where it is shown.

use serde_json::{Value, json};

use super::sarif::{digest, fingerprint, open_checks, place};
use super::{Document, json, summary, text};
use crate::judge::Verdict;

/// The report as GitLab reads it.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    let mut entries: Vec<Value> = open_checks(document)
        .into_iter()
        .map(|(drill, check)| {
            let severity = match check.verdict {
                Verdict::Fail => "critical",
                Verdict::Warn => "minor",
                _ => "info",
            };
            let (path, line) = place(document, check);
            let known = check.known.as_deref().map_or_else(String::new, |why| format!("; {why}"));
            json!({
                "description": text::line(&format!("{}: {} (expected: {}){known}", drill.id, check.observed, check.expected)),
                "check_name": text::line(&format!("{}/{}", drill.id, check.id)),
                "fingerprint": fingerprint(drill, check),
                "severity": severity,
                "location": { "path": path.trim_start_matches("./"), "lines": { "begin": line } },
            })
        })
        .collect();
    let file = document
        .baseline
        .as_ref()
        .map_or("", |settled| &settled.file);
    entries.extend(summary::outdated(document).into_iter().map(|entry| {
        json!({
            "description": format!("{}: {}", entry.of, entry.why),
            "check_name": "baseline/outdated",
            "fingerprint": digest(&entry.of),
            "severity": "major",
            "location": { "path": file.trim_start_matches("./"), "lines": { "begin": 1 } },
        })
    }));
    json::pretty(&entries)
}
