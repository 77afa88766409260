//! SARIF 2.1.0 for code-scanning pages: a rule a check, a result a check that did not pass, at the clause that asks for it.
//! It must not know which page shows it.

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::document::{CheckRecord, DrillRecord};
use super::summary::{self, Outdated};
use super::{Document, Options, json, story, table, text};
use crate::judge::Verdict;

/// The report as SARIF.
///
/// # Errors
/// Never for a [`Document`]; the serializer's interface has one.
pub fn render(document: &Document) -> Result<String, serde_json::Error> {
    let mut rules: Vec<Value> = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    for (drill, check) in open_checks(document) {
        let id = rule_id(drill, check);
        let known = rules.iter().position(|rule| rule["id"] == id.as_str());
        let index = known.unwrap_or_else(|| {
            rules.push(rule(drill, &id));
            rules.len() - 1
        });
        results.push(result(document, drill, check, &id, index));
    }
    for entry in summary::outdated(document) {
        let known = rules.iter().position(|rule| rule["id"] == OUTDATED);
        let index = known.unwrap_or_else(|| {
            rules.push(outdated_rule());
            rules.len() - 1
        });
        results.push(outdated(document, &entry, index));
    }
    let complete = document.stopped.is_none() && !document.run.interrupted;
    json::pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": document.tool.name,
                "version": document.tool.version,
                "semanticVersion": document.tool.version,
                "rules": rules,
            }},
            "automationDetails": { "id": format!("doubletap/{}/", document.policy.id) },
            "invocations": [invocation(document, complete)],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "run": document.run.id,
                "seed": document.run.seed,
                "policy": document.policy.id,
                "verdict": document.verdict,
            },
        }],
    }))
}

fn invocation(document: &Document, complete: bool) -> Value {
    let mut invocation = json!({ "executionSuccessful": complete });
    if let Some(stopped) = &document.stopped {
        invocation["toolExecutionNotifications"] = json!([{
            "level": "error",
            "message": { "text": text::lines(&format!("{} {}", stopped.why, stopped.remedy)) },
        }]);
    }
    invocation
}

/// The checks that did not pass, the worst first, with their drills.
pub(super) fn open_checks(document: &Document) -> Vec<(&DrillRecord, &CheckRecord)> {
    let mut open: Vec<(&DrillRecord, &CheckRecord)> = document
        .drills
        .iter()
        .flat_map(|drill| drill.checks.iter().map(move |check| (drill, check)))
        .filter(|(_, check)| {
            matches!(
                check.verdict,
                Verdict::Fail | Verdict::Inconclusive | Verdict::Warn | Verdict::Known
            )
        })
        .collect();
    open.sort_by_key(|(_, check)| super::summary::rank(check.verdict));
    open
}

/// The drill without case and operation, and the check: what a reader looks up.
fn rule_id(drill: &DrillRecord, check: &CheckRecord) -> String {
    let name = drill.id.split(['/', '@']).next().unwrap_or(&drill.id);
    text::line(&format!("{name}/{}", check.id))
}

fn rule(drill: &DrillRecord, id: &str) -> Value {
    let sources = text::line(&drill.sources.join("; "));
    let help = format!(
        "{}\n\nWhat to look for first: {}\n\nSource: {sources}",
        text::line(&drill.why),
        text::line(&drill.hint)
    );
    let mut rule = json!({
        "id": id,
        "shortDescription": { "text": text::line(&drill.title) },
        "fullDescription": { "text": text::line(&drill.why) },
        "help": { "text": help },
        "properties": { "tags": ["idempotency", text::line(&drill.suite)] },
    });
    if let Some(uri) = drill
        .sources
        .iter()
        .find(|source| source.starts_with("https://"))
    {
        rule["helpUri"] = json!(uri);
    }
    rule
}

fn result(
    document: &Document,
    drill: &DrillRecord,
    check: &CheckRecord,
    id: &str,
    index: usize,
) -> Value {
    // what is no violation is `open`: pages do not count it as one
    let (kind, level) = match check.verdict {
        Verdict::Fail | Verdict::Known => ("fail", "error"),
        Verdict::Warn => ("fail", "warning"),
        _ => ("open", "none"),
    };
    let options = Options {
        width: 100,
        ..Options::default()
    };
    let message = format!(
        "{}: {}. Expected: {}.\n\n{}",
        text::line(&drill.id),
        text::line(&check.observed),
        text::line(&check.expected),
        table::story(&story::tell(document, drill), &options)
    );
    let (file, line) = place(document, check);
    let mut result = json!({
        "ruleId": id,
        "ruleIndex": index,
        "kind": kind,
        "level": level,
        "message": { "text": message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&file),
                "region": { "startLine": line },
            },
            "logicalLocations": [{ "name": text::line(&drill.operation), "fullyQualifiedName": text::line(&drill.id) }],
        }],
        "partialFingerprints": { "doubletapCheck/v1": fingerprint(drill, check) },
    });
    if document.baseline.is_some() {
        // with a baseline every result says whether it is suppressed
        let why = check.known.as_deref().map(|why| {
            json!({ "kind": "external", "status": "accepted", "justification": text::line(why) })
        });
        result["suppressions"] = why.into_iter().collect();
    }
    result
}

/// The rule that entries of a baseline are kept up to date.
const OUTDATED: &str = "baseline/outdated";

fn outdated_rule() -> Value {
    let why = "An entry of the baseline whose last day is over, or whose violation is not seen any more, fails the run.";
    json!({
        "id": OUTDATED,
        "shortDescription": { "text": "the baseline is up to date" },
        "fullDescription": { "text": why },
        "help": { "text": format!("{why} Take out what is fixed; mend what has expired, or give it a new day.") },
        "properties": { "tags": ["idempotency", "baseline"] },
    })
}

fn outdated(document: &Document, entry: &Outdated, index: usize) -> Value {
    let file = document
        .baseline
        .as_ref()
        .map_or("", |settled| &settled.file);
    json!({
        "ruleId": OUTDATED,
        "ruleIndex": index,
        "kind": "fail",
        "level": "error",
        "message": { "text": format!("{}: {}", entry.of, entry.why) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": artifact(file),
            "region": { "startLine": 1 },
        }}],
        "partialFingerprints": { "doubletapBaseline/v1": digest(&entry.of) },
        "suppressions": [],
    })
}

/// Where the clause stands; the policy's first line for what is no clause.
pub(super) fn place(document: &Document, check: &CheckRecord) -> (String, u32) {
    let clause = check.clause.as_ref();
    let file = clause
        .and_then(|clause| clause.file.clone().filter(|_| clause.line.is_some()))
        .unwrap_or_else(|| document.policy.file.clone());
    let line = clause.and_then(|clause| clause.line).unwrap_or(1);
    let file = if file.is_empty() {
        "doubletap.toml".to_owned()
    } else {
        file
    };
    (file, line)
}

fn artifact(file: &str) -> Value {
    let uri = encoded(file);
    if file.starts_with('/') {
        json!({ "uri": format!("file://{uri}") })
    } else {
        json!({ "uri": uri, "uriBaseId": "%SRCROOT%" })
    }
}

/// A path as a URI's path.
fn encoded(file: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
    const PATH: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_')
        .remove(b'~');
    let relative = file.strip_prefix("./").unwrap_or(file);
    utf8_percent_encode(relative, PATH).to_string()
}

/// The same over runs: what is violated, not what was seen.
pub(super) fn fingerprint(drill: &DrillRecord, check: &CheckRecord) -> String {
    digest(&format!("{}\n{}", drill.id, check.id))
}

pub(super) fn digest(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().fold(String::new(), |mut out, byte| {
        // writing to a String cannot fail
        let _ = write!(out, "{byte:02x}");
        out
    })
}
