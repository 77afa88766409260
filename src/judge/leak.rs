//! Values that the server made: which texts of one reply can only come from there, and where they turn up again.
//! It must not know whether a value may be shown: that is for the situation to say.

use super::evidence::Seen;
use crate::contract::json::Json;
use crate::journal::Reply;

/// Shorter texts turn up by chance.
const UNGUESSABLE: usize = 8;
/// Headers that name things; all others are the business of the connection and the time.
const NAMING: [&str; 5] = ["location", "content-location", "etag", "set-cookie", "link"];

/// Whether a text cannot turn up in two replies by chance: long enough, no number, no date.
#[must_use]
pub fn is_unguessable(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() >= UNGUESSABLE && !is_number(text) && !is_date(text) && !is_hidden(text)
}

/// What stands in a journal instead of a secret, such as `$AUTHORIZATION_A`: the tool's own text.
fn is_hidden(text: &str) -> bool {
    text.strip_prefix('$').is_some_and(|name| {
        name.bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    })
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
        || text
            .chars()
            .all(|c| c.is_ascii_digit() || ".,-+ ".contains(c))
}

/// Dates and times as APIs write them: 2026-01-31T..., 20260131..., Sat, 31 Jan 2026 ...
fn is_date(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let year_first = text.get(..5).is_some_and(|head| {
        head.bytes().take(4).all(|b| b.is_ascii_digit())
            && matches!(head.as_bytes()[4], b'-' | b'/')
    });
    let others = text.bytes().filter(|b| !b.is_ascii_digit());
    let only_time = others.clone().all(|b| b"-:/.,+ TZtz".contains(&b));
    if year_first && (only_time || text.parse::<jiff::Timestamp>().is_ok()) {
        return true;
    }
    (digits >= 6 && only_time) || jiff::fmt::rfc2822::parse(text).is_ok()
}

/// The values that the server made for `mine` and that its reply shows, the identity first.
#[must_use]
pub fn made_for(mine: &Seen<'_>) -> Vec<String> {
    let mut values: Vec<String> = mine.identity().into_iter().collect();
    let Some(reply) = mine.reply() else {
        return values;
    };
    for text in texts(reply) {
        if is_unguessable(&text) && !values.contains(&text) {
            values.push(text);
        }
    }
    values
}

/// The texts in a reply that may hold values: all texts of a JSON body, words of another, and headers that name things.
fn texts(reply: &Reply) -> Vec<String> {
    let mut found = Vec::new();
    let text = reply.body.text.as_deref().unwrap_or_default();
    match Json::read(text) {
        Some(json) => found.extend(json.texts().into_iter().map(str::to_owned)),
        None => found.extend(
            text.split(|c: char| c.is_whitespace() || "<>\"'&=,;".contains(c))
                .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
                .map(str::to_owned),
        ),
    }
    for (name, value) in &reply.headers {
        if NAMING.contains(&name.to_ascii_lowercase().as_str()) {
            // of a cookie the attributes are no value
            let value = if name.eq_ignore_ascii_case("set-cookie") {
                value.split(';').next().unwrap_or(value)
            } else {
                value
            };
            found.push(value.trim().to_owned());
        }
    }
    found
}

/// The values of the first reply that turn up in the other's. `ordinary`: what replies to its sender hold anyway.
#[must_use]
pub fn leaked(first: &Seen<'_>, other: &Seen<'_>, ordinary: &str) -> Vec<String> {
    let Some(reply) = other.reply() else {
        return Vec::new();
    };
    let shown = shown(reply);
    let sent = &other.attempt.sent;
    let mut asked = sent.body.text.clone().unwrap_or_default();
    for text in [
        Some(&sent.url),
        sent.key.as_ref(),
        sent.wire_key.as_ref(),
        Some(&sent.reference),
    ] {
        asked.push('\n');
        asked.push_str(text.map_or("", String::as_str));
    }
    for (_, value) in &sent.headers {
        asked.push('\n');
        asked.push_str(value);
    }
    let identity = first.identity();
    made_for(first)
        .into_iter()
        .filter(|value| !asked.contains(value.as_str()) && !ordinary.contains(value.as_str()))
        .filter(|value| {
            if is_unguessable(value) {
                return shown.contains(value.as_str());
            }
            // a short identity says something only where the other has no result of its own that may be numbered alike
            Some(value) == identity.as_ref()
                && !other.is_success()
                && value.chars().count() >= 4
                && stands_alone(&shown, value)
        })
        .collect()
}

/// Whether a text stands in another with no letter or digit beside it.
fn stands_alone(text: &str, value: &str) -> bool {
    text.match_indices(value).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + value.len()..].chars().next();
        let touches = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !touches(before) && !touches(after)
    })
}

fn shown(reply: &Reply) -> String {
    let mut shown = reply.body.text.clone().unwrap_or_default();
    // texts as they are meant, not only as they are escaped
    if let Some(json) = Json::read(&shown) {
        for text in json.texts() {
            shown.push('\n');
            shown.push_str(text);
        }
    }
    for (_, value) in &reply.headers {
        shown.push('\n');
        shown.push_str(value);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::is_unguessable;

    #[test]
    fn only_long_texts_that_are_no_number_and_no_date_are_unguessable() {
        for text in [
            "pay_65742ee6f9",
            "0b7f1c9e-3f6a-4a55-9d0e-1c2d3e4f5a6b",
            "Alice Smith",
            "2026-invoice-7f3a",
        ] {
            assert!(is_unguessable(text), "{text}");
        }
        for text in [
            "pay_1",
            "created",
            "1796054169",
            "12345678.90",
            "2026-01-31T10:00:00Z",
            "2026-01-31 10:00:00",
            "Sat, 31 Jan 2026 10:00:00 GMT",
            "2026-01-31T10:00:00.123+02:00",
            "31/01/2026",
            "2026-01-31T10:00:00+00:00[UTC]",
            "1.5000e+03",
            "1, 2, 3, 4",
        ] {
            assert!(!is_unguessable(text), "{text}");
        }
    }
}
