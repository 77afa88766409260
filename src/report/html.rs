//! One self-contained page: summary, contract, and for each drill its story, its timeline and its replies compared.
//! It must not know who reads it; it loads nothing, runs nothing, and takes every text as text.

use minijinja::Environment;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use super::document::{AttemptRecord, CheckRecord, ClauseRecord, DrillRecord};
use super::story::CodeLine;
use super::timeline::Timeline;
use super::{Document, sent, story, summary, text, timeline};
use crate::judge::Verdict;

const PAGE: &str = include_str!("html/page.html");

/// A page that could not be made.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HtmlError(#[from] minijinja::Error);

/// The report as a page.
///
/// # Errors
/// Where the template does not fit the data; a test renders every kind of run.
pub fn render(document: &Document) -> Result<String, HtmlError> {
    let mut environment = Environment::new();
    environment.add_template("page.html", PAGE)?;
    let page = Page {
        verdict: summary::word(document.verdict),
        class: class(document.verdict),
        run: &document.run.id,
        started_at: &document.run.started_at,
        urls: document.run.urls.join(", "),
        tool: format!("{} {}", document.tool.name, document.tool.version),
        policy: &document.policy.id,
        policy_title: &document.policy.title,
        stopped: document
            .stopped
            .as_ref()
            .map(|stopped| (text::lines(&stopped.why), text::lines(&stopped.remedy))),
        kinds: kinds(document),
        drills: summary::worst_first(document)
            .into_iter()
            .map(|drill| row(document, drill))
            .collect(),
        contract: document
            .contract
            .iter()
            .map(|(name, clauses)| (text::line(name), clauses.iter().map(said).collect()))
            .collect(),
        lines: summary::lines(document),
    };
    let page = environment
        .get_template("page.html")?
        .render(minijinja::value::Serde(page))?;
    Ok(without_commands(&page))
}

/// The page with character references where a pipeline's log would see a command of its own.
fn without_commands(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for line in page.split_inclusive('\n') {
        let body = line.trim_start();
        if let Some(rest) = body.strip_prefix("::") {
            out.push_str(&line[..line.len() - body.len()]);
            out.push_str("&#58;:");
            out.push_str(rest);
        } else {
            out.push_str(line);
        }
    }
    out.replace("##[", "#&#35;[")
}

#[derive(Serialize)]
struct Page<'d> {
    verdict: &'static str,
    class: &'static str,
    run: &'d str,
    started_at: &'d str,
    urls: String,
    tool: String,
    policy: &'d str,
    policy_title: &'d str,
    stopped: Option<(String, String)>,
    kinds: Vec<(&'static str, &'static str, usize)>,
    drills: Vec<Row>,
    contract: Vec<(String, Vec<Said>)>,
    lines: Vec<String>,
}

#[derive(Serialize)]
struct Said {
    name: String,
    declared: String,
    place: String,
}

#[derive(Serialize)]
struct Row {
    id: String,
    title: String,
    verdict: &'static str,
    class: &'static str,
    reason: String,
    open: bool,
    why: String,
    hint: Option<String>,
    checks: Vec<Check>,
    proof: Vec<String>,
    sources: Vec<Source>,
    timeline: Option<Timeline>,
    attempts: Vec<Attempt>,
    difference: Option<Difference>,
    repeat: String,
}

#[derive(Serialize)]
struct Check {
    id: String,
    verdict: &'static str,
    class: &'static str,
    expected: String,
    clause: Option<Said>,
    observed: String,
    meaning: Option<String>,
}

#[derive(Serialize)]
struct Source {
    text: String,
    link: Option<String>,
}

#[derive(Serialize)]
struct Attempt {
    id: u64,
    head: String,
    request: String,
    reply: String,
}

/// Two replies compared, line by line.
#[derive(Serialize)]
struct Difference {
    first: u64,
    second: u64,
    lines: Vec<(&'static str, String)>,
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "fail",
        other => summary::word(other),
    }
}

fn kinds(document: &Document) -> Vec<(&'static str, &'static str, usize)> {
    [
        Verdict::Fail,
        Verdict::Inconclusive,
        Verdict::Warn,
        Verdict::Known,
        Verdict::Observed,
        Verdict::Skip,
        Verdict::Pass,
    ]
    .into_iter()
    .map(|verdict| {
        (
            class(verdict),
            summary::word(verdict),
            document.with_verdict(verdict).count(),
        )
    })
    .filter(|(_, _, number)| *number > 0)
    .collect()
}

fn said(clause: &ClauseRecord) -> Said {
    let place = match (&clause.file, clause.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => "declared nowhere".to_owned(),
    };
    Said {
        name: text::line(&clause.name),
        declared: text::line(&clause.declared),
        place: text::line(&place),
    }
}

fn row(document: &Document, drill: &DrillRecord) -> Row {
    let shown = story::attempts(document, drill);
    let repeat: Vec<String> = story::repeat(document, drill)
        .iter()
        .map(|line: &CodeLine| line.folded(96))
        .collect();
    Row {
        id: text::line(&drill.id),
        title: text::line(&drill.title),
        verdict: summary::word(drill.verdict),
        class: class(drill.verdict),
        reason: text::line(&drill.reason),
        open: matches!(drill.verdict, Verdict::Fail),
        why: text::line(&drill.why),
        hint: matches!(
            drill.verdict,
            Verdict::Fail | Verdict::Known | Verdict::Warn
        )
        .then(|| text::line(&drill.hint)),
        checks: drill.checks.iter().map(check).collect(),
        proof: drill.proof.iter().map(|proof| text::line(proof)).collect(),
        sources: drill.sources.iter().map(|source| linked(source)).collect(),
        timeline: timeline::draw(drill, &shown),
        attempts: shown.iter().map(|attempt| told(attempt)).collect(),
        difference: difference(&shown),
        repeat: repeat.join("\n"),
    }
}

fn check(check: &CheckRecord) -> Check {
    Check {
        id: text::line(&check.id),
        verdict: summary::word(check.verdict),
        class: class(check.verdict),
        expected: text::line(&check.expected),
        clause: check.clause.as_ref().map(said),
        observed: text::line(&check.observed),
        meaning: check.meaning.as_deref().map(text::line),
    }
}

/// Only plain web addresses become links.
fn linked(source: &str) -> Source {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#%&=+,".contains(c);
    let link = source.starts_with("https://") && source.chars().all(plain);
    Source {
        text: text::line(source),
        link: link.then(|| source.to_owned()),
    }
}

fn told(attempt: &AttemptRecord) -> Attempt {
    let request = &attempt.request;
    let mut sent = format!(
        "{} {}\n",
        text::line(&request.method),
        text::line(&request.url)
    );
    for (name, value) in &request.headers {
        sent.push_str(&format!("{}: {}\n", text::line(name), text::line(value)));
    }
    if let Some(body) = &request.body {
        sent.push_str(&format!("\n{}", text::lines(body)));
    }
    let mut came = match attempt.status {
        Some(status) => format!("{status}\n"),
        None => sent::outcome(attempt),
    };
    for (name, value) in &attempt.headers {
        came.push_str(&format!("{}: {}\n", text::line(name), text::line(value)));
    }
    if let Some(body) = &attempt.body {
        came.push_str(&format!("\n{}", text::lines(body)));
    }
    Attempt {
        id: attempt.id,
        head: format!(
            "{}, account {}, {}",
            text::line(&attempt.step),
            text::line(&attempt.account),
            text::line(&request.body_name)
        ),
        request: sent,
        reply: came,
    }
}

/// The first two replies, where they differ.
fn difference(shown: &[&AttemptRecord]) -> Option<Difference> {
    let mut replied = shown.iter().filter(|attempt| attempt.status.is_some());
    let first = replied.next()?;
    let second =
        replied.find(|attempt| attempt.body != first.body || attempt.status != first.status)?;
    let (one, other) = (readable(first), readable(second));
    let lines = TextDiff::from_lines(&one, &other)
        .iter_all_changes()
        .map(|change| {
            let class = match change.tag() {
                ChangeTag::Equal => "same",
                ChangeTag::Delete => "gone",
                ChangeTag::Insert => "new",
            };
            (class, change.value().trim_end_matches('\n').to_owned())
        })
        .collect();
    Some(Difference {
        first: first.id,
        second: second.id,
        lines,
    })
}

/// Status and body, JSON laid out so that a changed member is a changed line.
fn readable(attempt: &AttemptRecord) -> String {
    let body = attempt.body.as_deref().unwrap_or_default();
    let laid_out = serde_json::from_str::<serde_json::Value>(body)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| body.to_owned());
    let status = attempt
        .status
        .map_or_else(String::new, |status| status.to_string());
    text::lines(&format!("{status}\n{laid_out}\n"))
}
