//! Which header tells a replay from a first reply: the one that all replays have and first replies have not, or otherwise.
//! It must not know what a replay is.

use std::collections::BTreeSet;

use super::{Book, Question};
use crate::contract::Marker;
use crate::judge::evidence::Seen;
use crate::judge::leak;

/// Headers of the connection, the time and the exchange: they differ between replies for reasons of their own.
const OTHERS: [&str; 22] = [
    "date",
    "age",
    "etag",
    "expires",
    "last-modified",
    "content-length",
    "content-type",
    "content-encoding",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "vary",
    "server",
    "set-cookie",
    "location",
    "retry-after",
    "via",
    "trailer",
    "alt-svc",
    "cf-ray",
    "x-runtime",
    "server-timing",
];

/// Reads it from first replies and from pairs of a first reply and its replay.
pub fn read(firsts: &[Seen<'_>], replayed: &[(Seen<'_>, Seen<'_>)], book: &mut Book) {
    if firsts.is_empty() || replayed.len() < 2 {
        return;
    }
    let replays: Vec<Seen<'_>> = replayed.iter().map(|(_, second)| *second).collect();
    let mut attempts: Vec<u64> = replays.iter().take(3).map(Seen::n).collect();
    attempts.extend(firsts.iter().take(1).map(Seen::n));
    for name in names(&replays) {
        let on_replays = values(&replays, &name);
        let on_firsts = values(firsts, &name);
        let everywhere = replays.iter().all(|s| has(s, &name));
        if !everywhere {
            continue;
        }
        let on_all_firsts = firsts.iter().all(|s| has(s, &name));
        let apart = on_replays.is_disjoint(&on_firsts);
        let said = words(&on_replays);
        let marker = if on_firsts.is_empty() {
            Marker::Header {
                name: name.clone(),
                replay: said.clone(),
                first: Vec::new(),
            }
        } else if on_all_firsts && apart && !said.is_empty() && !words(&on_firsts).is_empty() {
            Marker::Header {
                name: name.clone(),
                replay: said.clone(),
                first: words(&on_firsts),
            }
        } else {
            continue;
        };
        let words = match said.as_slice() {
            [] => format!("a replay carries {name}, a first reply does not"),
            said if on_firsts.is_empty() => {
                format!(
                    "a replay carries {name}: {}, a first reply does not",
                    said.join(" or ")
                )
            }
            said => format!(
                "{name} tells a replay ({}) from a first reply ({})",
                said.join(" or "),
                self::words(&on_firsts).join(" or ")
            ),
        };
        book.contract.marker.value = marker;
        book.saw(Question::Operations, "marker", words, &attempts);
        return;
    }
    if let Some(marker) = always(firsts, &replays) {
        if let Marker::Always { name, .. } = &marker {
            let words =
                format!("{name} stands on first replies and replays alike: it tells nothing apart");
            book.saw(Question::Operations, "marker", words, &attempts);
        }
        book.contract.marker.value = marker;
        return;
    }
    book.contract.marker.value = Marker::None;
    book.saw(
        Question::Operations,
        "marker",
        "no header tells a replay from a first reply",
        &attempts,
    );
}

/// A header about the key that every reply carries: an echo of the key, or one word.
fn always(firsts: &[Seen<'_>], replays: &[Seen<'_>]) -> Option<Marker> {
    let all: Vec<Seen<'_>> = firsts.iter().chain(replays).copied().collect();
    names(replays).into_iter().find_map(|name| {
        if !all.iter().all(|seen| has(seen, &name)) {
            return None;
        }
        let echo = all.iter().all(|seen| {
            let key = seen.attempt.sent.key.as_deref();
            let received = seen.received();
            key.is_some_and(|key| received.is_some_and(|r| r.header(&name).any(|v| v == key)))
        });
        let said = words(&values(&all, &name));
        let tells = ["idempot", "repeat", "replay"]
            .iter()
            .any(|part| name.contains(part));
        if echo {
            Some(Marker::Always {
                name,
                is: Vec::new(),
            })
        } else if tells && !said.is_empty() {
            Some(Marker::Always { name, is: said })
        } else {
            None
        }
    })
}

fn names(replays: &[Seen<'_>]) -> Vec<String> {
    let headers = replays.first().and_then(Seen::reply).map(|r| &r.headers);
    let mut names: Vec<String> = headers
        .into_iter()
        .flatten()
        .map(|(name, _)| name.to_ascii_lowercase())
        .filter(|name| !OTHERS.contains(&name.as_str()))
        .filter(|name| {
            !name.contains("request-id") && !name.contains("trace") && !name.contains("ratelimit")
        })
        .collect();
    // a name that speaks of it goes first
    names.sort_by_key(|name| {
        !["idempot", "replay", "repeat", "cache"]
            .iter()
            .any(|part| name.contains(part))
    });
    names.dedup();
    names
}

fn has(seen: &Seen<'_>, name: &str) -> bool {
    seen.received().is_some_and(|reply| reply.has_header(name))
}

fn values(seen: &[Seen<'_>], name: &str) -> BTreeSet<String> {
    let of = |s: &Seen<'_>| -> Vec<String> {
        let reply = s.received();
        reply.map_or_else(Vec::new, |r| r.header(name).map(str::to_owned).collect())
    };
    seen.iter().flat_map(of).collect()
}

/// Values that are words, few and not made for one reply. None: only the header's presence tells.
fn words(values: &BTreeSet<String>) -> Vec<String> {
    let plain = |value: &String| {
        value.len() <= 24
            && (!leak::is_unguessable(value)
                || value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-'))
            && !value.bytes().any(|b| b.is_ascii_digit())
    };
    if values.len() <= 2 && values.iter().all(plain) {
        values.iter().cloned().collect()
    } else {
        Vec::new()
    }
}
