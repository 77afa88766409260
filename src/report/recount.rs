//! The counts at the end of a repetition: the request that asks, or how to count with the values that it needs.
//! It must not know how many effects there should be.

use super::Document;
use super::bash::literal;
use super::curl::{self, Fill};
use super::document::{AttemptRecord, DrillRecord};
use super::repeat::Line;
use super::text;
use crate::journal::CountEntry;

/// Counts that are asked for at the most.
const MOST: usize = 6;

/// The counts of what is sent, by account and intent.
pub fn counts(
    document: &Document,
    drill: &DrillRecord,
    sent: &[&AttemptRecord],
    fill: &Fill,
) -> Vec<Line> {
    let Some(first) = sent.first() else {
        return Vec::new();
    };
    let mut taken = drill
        .effects
        .iter()
        .filter(|taken| taken.round == first.round);
    let Some(last) = taken.next_back() else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for entry in &last.entries {
        let is_sent = |attempt: &&&AttemptRecord| {
            attempt.step != "setup"
                && attempt.reference == entry.reference
                && attempt.account == entry.account
                && attempt.key == entry.key
        };
        let Some(attempt) = sent.iter().find(is_sent) else {
            continue;
        };
        let counter = document
            .operations
            .iter()
            .find(|operation| operation.name == entry.operation)
            .and_then(|operation| operation.counter.as_ref());
        let Some(counter) = counter else { continue };
        if lines.len() == MOST {
            break;
        }
        let name = text::line(&format!("{} of account {}", entry.intent, entry.account));
        let base = document.run.urls.first().map(String::as_str);
        let asked = (counter.kind == "http")
            .then(|| url(base?, &counter.text, entry))
            .flatten();
        lines.push(match asked {
            Some(url) => Line::Shown(format!("effects of {name}"), curl::get(&url, attempt, fill)),
            None => {
                let how = format!("count by {}: {}", counter.kind, counter.text);
                let mut words = vec!["echo".to_owned(), literal(&text::line(&how))];
                if counter.by_reference {
                    words.push(literal("; reference"));
                    words.push(fill.word(&entry.reference));
                }
                if let Some(key) = entry.key.as_deref().filter(|_| counter.by_key) {
                    words.push(literal("; key"));
                    words.push(fill.word(key));
                }
                Line::Quiet(words)
            }
        });
    }
    lines.dedup();
    lines
}

/// The URL of a counter that is asked over HTTP; `None` where it needs more than key and reference.
fn url(base: &str, asked: &str, entry: &CountEntry) -> Option<String> {
    let (path, _) = asked.strip_prefix("GET ")?.rsplit_once(", ")?;
    let mut path = path.replace("{{ref}}", &entry.reference);
    if let Some(key) = &entry.key {
        path = path.replace("{{key}}", key);
    }
    // what would have to be escaped in a URL is not put into one
    let plain = |c: char| c.is_ascii_graphic() && !"{}\"'<>\\`".contains(c);
    if !path.chars().all(plain) {
        return None;
    }
    if path.starts_with("http://") || path.starts_with("https://") {
        return Some(path);
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some(format!("{}{slash}{path}", base.trim_end_matches('/')))
}
