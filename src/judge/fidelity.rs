//! How like the first reply a replay is: status, body, headers, cookies, as the policy declares.
//! It must not know how the replay came about.

use super::evidence::Seen;
use crate::contract::json::Json;
use crate::contract::{BodyFidelity, Same};
use crate::journal::Content;

/// A difference that the policy does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the clause: `status`, `body`, `headers`, `set-cookie`.
    pub part: &'static str,
    /// In words.
    pub text: String,
    /// What it means for a client.
    pub meaning: &'static str,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Differences.
    pub differences: Vec<Difference>,
    /// What could not be compared.
    pub doubts: Vec<String>,
}

/// Compares a replay with the first reply. `whole`: the policy promises a copy, not the state of now.
/// `fresh_cookies`: cookies that ordinary replies set; a cookie that all of them carry is no replayed one.
#[must_use]
pub fn compare(
    same: &Same,
    whole: bool,
    first: &Seen<'_>,
    second: &Seen<'_>,
    fresh_cookies: &[String],
) -> Compared {
    let mut out = Compared::default();
    let (Some(a), Some(b)) = (first.reply(), second.reply()) else {
        return out;
    };
    let allowed = same.status.get(&a.status.to_string());
    let fits = allowed.map_or(a.status == b.status, |list| list.contains(&b.status));
    if !fits {
        let wanted = allowed.map_or_else(
            || a.status.to_string(),
            |list| {
                list.iter()
                    .map(u16::to_string)
                    .collect::<Vec<_>>()
                    .join(" or ")
            },
        );
        out.differences.push(Difference {
            part: "status",
            text: format!("{} instead of {wanted}", b.status),
            meaning: "A client that reads the status takes the repeat for another outcome.",
        });
    }
    let fidelity = if whole {
        same.body
    } else {
        BodyFidelity::Identity
    };
    body(fidelity, &same.volatile, first, second, &mut out);
    for name in &same.headers {
        let values = |seen: &Seen<'_>| -> Vec<String> {
            seen.received()
                .map(|r| r.header(name).map(str::to_owned).collect())
                .unwrap_or_default()
        };
        let (before, after) = (values(first), values(second));
        if !before.is_empty() && before != after {
            let after = if after.is_empty() {
                "nothing".to_owned()
            } else {
                after.join(", ")
            };
            out.differences.push(Difference {
                part: "headers",
                text: format!("{name} was `{}` and came back as `{after}`", before.join(", ")),
                meaning: "A client that follows this header on the first reply cannot do so on the repeat.",
            });
        }
    }
    if whole && let Some(name) = replayed_cookie(first, second, fresh_cookies) {
        out.differences.push(Difference {
            part: "set-cookie",
            text: format!("the cookie `{name}` of the first reply was set again by the replay"),
            meaning: "A stored reply hands out a session that belongs to an earlier moment.",
        });
    }
    out
}

fn body(
    fidelity: BodyFidelity,
    volatile: &[String],
    first: &Seen<'_>,
    second: &Seen<'_>,
    out: &mut Compared,
) {
    let (Some(a), Some(b)) = (first.reply(), second.reply()) else {
        return;
    };
    let (a, b) = (&a.body, &b.body);
    let meaning =
        "A client that compares or signs replies, or parses them strictly, sees another outcome.";
    match fidelity {
        BodyFidelity::Ignore => {}
        BodyFidelity::Identity => {
            if let (Some(mine), None) = (first.identity(), second.identity()) {
                out.differences.push(Difference {
                    part: "body",
                    text: format!("the identity {mine} is missing in the repeat's reply"),
                    meaning: "The client cannot learn from the repeat what the first request made.",
                });
            }
        }
        BodyFidelity::Bytes if volatile.is_empty() => {
            if !same_bytes(a, b) {
                let place = json(a, &[])
                    .zip(json(b, &[]))
                    .and_then(|(x, y)| x.difference(&y));
                let text = match place {
                    Some(place) => format!("the body differs at {}", shown(&place)),
                    None => "the body means the same and has other bytes".to_owned(),
                };
                out.differences.push(Difference {
                    part: "body",
                    text,
                    meaning,
                });
            }
        }
        BodyFidelity::Bytes | BodyFidelity::Json => {
            if same_bytes(a, b) {
                return;
            }
            match (json(a, volatile), json(b, volatile)) {
                (Some(x), Some(y)) => {
                    if let Some(place) = x.difference(&y) {
                        let text = format!("the body differs at {}", shown(&place));
                        out.differences.push(Difference { part: "body", text, meaning });
                    }
                }
                // kept only in part: their meaning cannot be compared
                _ if a.truncated && b.truncated => out.doubts.push(
                    "the bodies are too long to be kept, and have other bytes: their meaning was not compared".to_owned(),
                ),
                _ => out.differences.push(Difference {
                    part: "body",
                    text: "the body differs".to_owned(),
                    meaning,
                }),
            }
        }
    }
}

fn shown(place: &str) -> &str {
    if place.is_empty() { "its root" } else { place }
}

/// Whether two bodies have the same bytes, told by length and keyed digest.
#[must_use]
pub fn same_bytes(a: &Content, b: &Content) -> bool {
    a.len == b.len
        && if a.hmac.is_empty() {
            a.text == b.text
        } else {
            a.hmac == b.hmac
        }
}

fn json(content: &Content, volatile: &[String]) -> Option<Json> {
    let mut json = content
        .text
        .as_deref()
        .filter(|_| !content.truncated)
        .and_then(Json::read)?;
    for pointer in volatile {
        json.remove(pointer);
    }
    Some(json)
}

/// The name of a cookie that both replies set to the same value, although ordinary replies set it to other ones.
fn replayed_cookie(first: &Seen<'_>, second: &Seen<'_>, fresh: &[String]) -> Option<String> {
    let cookies = |seen: &Seen<'_>| -> Vec<String> {
        let values = seen.received().map(|r| {
            r.header("set-cookie")
                .map(|c| c.split(';').next().unwrap_or(c).trim().to_owned())
                .collect::<Vec<_>>()
        });
        values.unwrap_or_default()
    };
    let again = cookies(second);
    cookies(first)
        .into_iter()
        .filter(|c| again.contains(c))
        .find_map(|cookie| {
            let name = cookie.split('=').next().unwrap_or(&cookie).to_owned();
            let prefix = format!("{name}=");
            let ordinary: Vec<&String> = fresh.iter().filter(|c| c.starts_with(&prefix)).collect();
            // only where ordinary replies show that the server makes a new one each time
            let renewed = ordinary.len() > 1 && ordinary.iter().any(|c| *c != ordinary[0]);
            (renewed && !ordinary.contains(&&cookie)).then_some(name)
        })
}
