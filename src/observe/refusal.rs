//! How a refusal is recognised again: the status, a code in the body, a header, all taken from what was seen.
//! It must not know what was refused.

use serde_json::Value;

use crate::contract::{Answer, BodyMatch, HeaderMatch, Match, StatusPattern};
use crate::judge::evidence::Seen;
use crate::judge::leak;

/// Members that hold a code for programs, wherever they stand in an error.
const CODES: [&str; 14] = [
    "code",
    "errorCode",
    "error_code",
    "type",
    "errorType",
    "error_type",
    "__type",
    "reason",
    "error",
    "errorcode",
    "faultcode",
    "key",
    "name",
    "kind",
];

/// Headers that say something of the key, by a part of their name.
const TELLING: [&str; 4] = ["idempot", "repeat", "replay", "transient"];

/// One answer for several refusals: their statuses, and what all of one status share.
pub fn of(refused: &[Seen<'_>]) -> Answer {
    let mut statuses: Vec<u16> = refused.iter().filter_map(Seen::status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let answers = statuses
        .into_iter()
        .map(|status| {
            let alike: Vec<&Seen<'_>> = refused
                .iter()
                .filter(|s| s.status() == Some(status))
                .collect();
            Answer::Refuse(Match {
                status: vec![StatusPattern::Exact(status)],
                body: code(&alike).into_iter().collect(),
                header: header(&alike),
                reveals: None,
            })
        })
        .collect();
    super::either(answers)
}

/// The code that all of them carry at one place.
fn code(alike: &[&Seen<'_>]) -> Option<BodyMatch> {
    let places = |seen: &Seen<'_>| -> Vec<(String, String)> {
        let text = seen.reply().and_then(|r| r.body.text.clone());
        let text = text.unwrap_or_default();
        match serde_json::from_str::<Value>(&text) {
            Ok(value) => {
                let mut found = Vec::new();
                collect(&value, "", 0, &mut found);
                found
            }
            Err(_) => xml_code(seen).into_iter().collect(),
        }
    };
    let (first, rest) = alike.split_first()?;
    let others: Vec<Vec<(String, String)>> = rest.iter().map(|seen| places(seen)).collect();
    let mut shared = places(first)
        .into_iter()
        .filter(|place| others.iter().all(|there| there.contains(place)));
    let (at, is) = shared.next()?;
    Some(BodyMatch {
        at,
        is: vec![is],
        has: Vec::new(),
    })
}

fn collect(value: &Value, at: &str, depth: usize, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let place = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                if let Value::String(text) = member {
                    if CODES.contains(&name.as_str()) && is_code(text) {
                        found.push((place, text.clone()));
                    }
                } else if depth < 4 {
                    collect(member, &place, depth + 1, found);
                }
            }
        }
        Value::Array(items) => {
            if let Some(item) = items.first() {
                collect(item, &format!("{at}/0"), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// A word for programs: no sentence, no id of this one request.
fn is_code(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || "_-./:#".contains(c);
    (2..=120).contains(&text.len())
        && text.chars().all(fine)
        && text != "about:blank"
        && !text
            .chars()
            .any(|c| c.is_ascii_digit() && text.len() > 24 && !text.contains('/'))
        && uuid::Uuid::try_parse(text).is_err()
}

fn xml_code(seen: &Seen<'_>) -> Option<(String, String)> {
    let reply = seen.received()?;
    let text = reply.text?;
    let root = text.split('<').find_map(|tag| {
        let name: String = tag.chars().take_while(|c| c.is_alphanumeric()).collect();
        (!name.is_empty() && name != "xml").then_some(name)
    })?;
    [
        format!("xml:/{root}/Errors/Error/Code"),
        format!("xml:/{root}/Error/Code"),
        format!("xml:/{root}/Code"),
    ]
    .into_iter()
    .find_map(|place| {
        let code = reply.at(&place).into_iter().next()?;
        is_code(&code).then_some((place, code))
    })
}

/// Headers about the key that all of them carry with one value; `Retry-After` by its presence.
fn header(alike: &[&Seen<'_>]) -> Vec<HeaderMatch> {
    let Some((first, rest)) = alike.split_first() else {
        return Vec::new();
    };
    let Some(reply) = first.reply() else {
        return Vec::new();
    };
    let key = first.attempt.sent.wire_key.clone().unwrap_or_default();
    let mut found = Vec::new();
    for (name, value) in &reply.headers {
        let lower = name.to_ascii_lowercase();
        let everywhere = rest
            .iter()
            .all(|seen| seen.received().is_some_and(|r| r.has_header(name)));
        let same = rest.iter().all(|seen| {
            seen.received()
                .is_some_and(|r| r.header(name).any(|other| other == value))
        });
        if lower == "retry-after" && everywhere {
            found.push(HeaderMatch {
                name: "Retry-After".to_owned(),
                is: Vec::new(),
            });
        } else if TELLING.iter().any(|part| lower.contains(part))
            && same
            && *value != key
            && !leak::is_unguessable(value)
                | matches!(value.to_ascii_lowercase().as_str(), "rejected" | "accepted")
        {
            found.push(HeaderMatch {
                name: name.clone(),
                is: vec![value.clone()],
            });
        }
    }
    found
}
