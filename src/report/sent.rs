//! The requests of a story as a table: what all of them share is said once, so that what came keeps its room.
//! It must not know the format that shows it; every text is safe to show.

use serde_json::Value;

use super::document::{AttemptRecord, OutcomeWord};
use super::story::Part;
use super::text;

/// Members that hold an error's code for programs, the most telling first.
const CODES: [&str; 9] = [
    "code",
    "error_code",
    "errorCode",
    "__type",
    "type",
    "name",
    "reason",
    "error",
    "title",
];

/// What a column says of an attempt.
type Cell = fn(&AttemptRecord) -> String;

/// Columns that are left out where every attempt says the same in them: that is said once above.
const SHARED: [(&str, Cell); 3] = [("account", account), ("key", key), ("body", body)];

/// What a key's column says beside other columns: both ends tell keys apart, also nearly equal ones.
fn narrow(cell: String, name: &str) -> String {
    let chars: Vec<char> = cell.chars().collect();
    if name != "key" || chars.len() <= 9 {
        return cell;
    }
    let (head, tail) = (&chars[..3], &chars[chars.len() - 4..]);
    head.iter().chain(['\u{2026}'].iter()).chain(tail).collect()
}

/// The table, and above it what all of them share.
#[must_use]
pub fn table(shown: &[&AttemptRecord]) -> Vec<Part> {
    let Some(first) = shown.first() else {
        return Vec::new();
    };
    let alike = |cell: &Cell| shown.iter().all(|attempt| cell(attempt) == cell(first));
    let (same, own): (Vec<_>, Vec<_>) = SHARED.into_iter().partition(|(_, cell)| alike(cell));
    let same: Vec<String> = same
        .iter()
        .map(|(name, cell)| format!("{name} {}", cell(first)))
        .collect();
    let mut head = vec!["#", "step", "ms"];
    head.extend(own.iter().map(|(name, _)| *name));
    head.extend(["status", "answer"]);
    let rounds = shown.iter().any(|attempt| attempt.round != 0);
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    rows.extend(shown.iter().map(|attempt| {
        let mut row = vec![
            attempt.id.to_string(),
            step(attempt, rounds),
            times(attempt, first.sent_us),
        ];
        row.extend(own.iter().map(|(name, cell)| narrow(cell(attempt), name)));
        row.push(match attempt.marked {
            Some(true) => format!("{} replay", status(attempt)),
            _ => status(attempt),
        });
        row.push(answer(attempt));
        row
    }));
    if same.is_empty() {
        return vec![Part::Rows("sent", rows)];
    }
    vec![Part::Text("sent", same.join(", ")), Part::Rows("", rows)]
}

fn step(attempt: &AttemptRecord, rounds: bool) -> String {
    let mut step = text::line(&attempt.step);
    if attempt.repeat > 0 {
        step.push_str(&format!(" (try {})", attempt.repeat + 1));
    }
    if rounds {
        step.push_str(&format!(", round {}", attempt.round + 1));
    }
    step
}

fn account(attempt: &AttemptRecord) -> String {
    text::line(&attempt.account)
}

fn key(attempt: &AttemptRecord) -> String {
    attempt
        .key
        .as_deref()
        .map_or_else(|| "none".to_owned(), text::abridged)
}

fn body(attempt: &AttemptRecord) -> String {
    let mut what = attempt.request.body_name.clone();
    if let Some(variation) = &attempt.request.variation {
        what.push_str(&format!(", {variation}"));
    }
    text::line(&what)
}

/// From its last byte to its end, beside the first attempt; whole milliseconds where there are many.
fn times(attempt: &AttemptRecord, start: u64) -> String {
    let short = |us: u64| {
        if us < 100_000 {
            text::millis(us)
        } else {
            ((us + 500) / 1000).to_string()
        }
    };
    let from = attempt
        .released_us
        .unwrap_or(attempt.sent_us)
        .saturating_sub(start);
    match attempt.end_us {
        Some(end) => format!("{}-{}", short(from), short(end.saturating_sub(start))),
        None => format!("{}-", short(from)),
    }
}

fn status(attempt: &AttemptRecord) -> String {
    match attempt.outcome {
        OutcomeWord::Replied => attempt
            .status
            .map_or_else(String::new, |status| status.to_string()),
        OutcomeWord::Unknown => "unknown".to_owned(),
        OutcomeWord::NotSent => "not sent".to_owned(),
    }
}

/// What the reply names: its identity, an error's code, or how it begins.
fn answer(attempt: &AttemptRecord) -> String {
    if attempt.outcome != OutcomeWord::Replied {
        return attempt
            .why
            .as_deref()
            .map_or_else(String::new, |why| text::short(why, 80));
    }
    if let Some(identity) = &attempt.identity {
        return text::abridged(identity);
    }
    let body = attempt.body.as_deref().unwrap_or_default();
    match code(body) {
        Some(code) => text::line(&code),
        None => text::short(body, 60),
    }
}

/// What came, in a few words: status, identity or code, whether it is marked as a replay.
#[must_use]
pub fn outcome(attempt: &AttemptRecord) -> String {
    let (status, answer) = (status(attempt), answer(attempt));
    let mut said = match (attempt.outcome, answer.is_empty()) {
        (_, true) => status,
        (OutcomeWord::Replied, _) => format!("{status} {answer}"),
        (OutcomeWord::Unknown | OutcomeWord::NotSent, _) => format!("{status}: {answer}"),
    };
    if attempt.marked == Some(true) {
        said.push_str(", replay mark");
    }
    said
}

/// The code for programs in a JSON error, at its top or one level below.
fn code(body: &str) -> Option<String> {
    let value: Value = serde_json::from_str(body).ok()?;
    let members = value.as_object()?;
    let inner = members.values().find_map(|member| match member {
        Value::Object(members) => Some(members),
        Value::Array(items) => items.first()?.as_object(),
        _ => None,
    });
    [Some(members), inner]
        .into_iter()
        .flatten()
        .find_map(|members| {
            let coded = |name: &str| match members.get(name)? {
                Value::String(text) if is_code(text) => Some(text.clone()),
                Value::Number(number) if name == "code" => Some(number.to_string()),
                _ => None,
            };
            CODES.iter().find_map(|name| coded(name))
        })
}

/// One word, and no address: an address names a page.
fn is_code(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || "-_.#".contains(c);
    !text.is_empty() && text.len() <= 60 && text.chars().all(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn what_all_share_is_said_once_and_what_differs_has_a_column() {
        let document = sample::failing();
        let of = |drill: &str| -> Vec<&AttemptRecord> {
            let of = |attempt: &&AttemptRecord| attempt.drill.starts_with(drill);
            document.attempts.iter().filter(of).collect()
        };
        let shown = of("drill.concurrent");
        let parts = table(&shown);
        let [Part::Text("sent", same), Part::Rows("", rows)] = parts.as_slice() else {
            panic!("{parts:?}");
        };
        assert!(same.starts_with("account a, key "), "{same}");
        assert!(!rows[0].contains(&"account".to_owned()), "{:?}", rows[0]);
        // two accounts under one key: who sent is told of each
        let mut other = shown[1].clone();
        other.account = "b".to_owned();
        let parts = table(&[shown[0], &other]);
        let rows = parts.iter().find_map(|part| match part {
            Part::Rows(_, rows) => Some(rows),
            _ => None,
        });
        assert_eq!(rows.unwrap()[0][3], "account");
    }

    #[test]
    fn an_error_is_named_by_its_code() {
        for (body, named) in [
            (
                r#"{"type":"about:blank","title":"Conflict","code":"in-progress"}"#,
                "in-progress",
            ),
            (
                r#"{"error":{"type":"idempotency_error","message":"Keys for"}}"#,
                "idempotency_error",
            ),
            (r#"{"errors":[{"code":704}]}"#, "704"),
            (r#"{"error":"key_in_use"}"#, "key_in_use"),
        ] {
            assert_eq!(code(body).as_deref(), Some(named), "{body}");
        }
        assert_eq!(code("<html>"), None);
        assert_eq!(code(r#"{"message":"wait a while"}"#), None);
    }
}
