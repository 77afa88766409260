//! A reply read by the contract: the set of situations that it may stand for.
//! It must not know which situation the drill meant to provoke, nor what follows from a reading.

use std::collections::BTreeSet;

use super::{Answer, Contract, HeaderMatch, Marker, Match, Received, Replay};

/// What a reply may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Situation {
    /// The request ran and succeeded.
    Run,
    /// The stored success came back.
    Replay,
    /// Refused with the error that the policy declares for a finished duplicate.
    Duplicate,
    /// Refused: the first request is still running.
    InProgress,
    /// Refused: the key belongs to another request.
    Mismatch,
    /// Refused in a way that the contract does not name.
    Refused,
    /// 500 and other statuses of the server's own failure.
    ServerError,
    /// 502, 503, 504: may come from a gateway, so whether the request ran is unknown.
    Gateway,
    /// 429, 503: too many requests.
    RateLimited,
}

/// The situations that one reply may stand for. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading(pub BTreeSet<Situation>);

impl Reading {
    /// Whether it may be this.
    #[must_use]
    pub fn may_be(&self, situation: Situation) -> bool {
        self.0.contains(&situation)
    }

    /// Whether it can be nothing else.
    #[must_use]
    pub fn is_only(&self, situation: Situation) -> bool {
        self.0.len() == 1 && self.may_be(situation)
    }

    /// Whether it is a success, run or replayed.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.may_be(Situation::Run) || self.may_be(Situation::Replay)
    }

    /// Whether the request was refused.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.may_be(Situation::InProgress)
            || self.may_be(Situation::Mismatch)
            || self.may_be(Situation::Duplicate)
            || self.may_be(Situation::Refused)
    }

    /// Whether it leaves open what the server did: a gateway's reply, or a limit.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.may_be(Situation::Gateway) || self.may_be(Situation::RateLimited)
    }
}

/// How a reply stands to the first reply under its key, as far as identities tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identities {
    /// The same identity.
    Same,
    /// Another identity.
    Other,
    /// One of the two has none, or there is no first reply.
    Unknown,
}

/// Reads a reply. `success` are the operation's declared statuses of a success (empty: any 2xx).
#[must_use]
pub fn read(
    contract: &Contract,
    success: &[u16],
    reply: Received<'_>,
    identities: Identities,
) -> Reading {
    let mut candidates: Vec<(Situation, &Match)> = Vec::new();
    let refusals = |answer| refusals_of(answer).into_iter();
    candidates.extend(refusals(&contract.in_progress.value).map(|m| (Situation::InProgress, m)));
    candidates.extend(refusals(&contract.mismatch.value).map(|m| (Situation::Mismatch, m)));
    if let Replay::Refuse(how) = &contract.replay.value {
        candidates.push((Situation::Duplicate, how));
    }
    candidates.retain(|(_, how)| matches(how, reply));
    // of two refusals the narrower takes it
    let narrowest = candidates.iter().map(|(_, how)| narrowness(how)).max();
    candidates.retain(|(_, how)| Some(narrowness(how)) == narrowest);

    let status = reply.status;
    // a class of statuses alone does not tell a refusal from a success, a limit or a gateway
    let named = candidates.iter().any(|(_, how)| {
        let exact = |s: &super::StatusPattern| matches!(s, super::StatusPattern::Exact(_));
        how.status.iter().any(exact) || !how.body.is_empty() || !how.header.is_empty()
    });
    let mut set: BTreeSet<Situation> = candidates.iter().map(|(s, _)| *s).collect();
    if is_success_status(contract, success, status) && !named && !holds_errors(contract, reply) {
        set = success_of(contract, reply, identities);
    } else if !named {
        match status {
            502 | 504 => {
                set.insert(Situation::Gateway);
            }
            503 => {
                set.insert(Situation::Gateway);
                set.insert(Situation::RateLimited);
            }
            429 => {
                set.insert(Situation::RateLimited);
            }
            500..=599 => {
                set.insert(Situation::ServerError);
            }
            _ => {}
        }
    }
    if set.is_empty() {
        set.insert(Situation::Refused);
    }
    Reading(set)
}

fn success_of(contract: &Contract, reply: Received<'_>, ids: Identities) -> BTreeSet<Situation> {
    match ids {
        Identities::Same => return BTreeSet::from([Situation::Replay]),
        Identities::Other => return BTreeSet::from([Situation::Run]),
        Identities::Unknown => {}
    }
    match marked(&contract.marker.value, reply) {
        Some(true) => BTreeSet::from([Situation::Replay]),
        // an unmarked reply may be a replay whose marker is missing
        _ => BTreeSet::from([Situation::Run, Situation::Replay]),
    }
}

/// Whether a reply says in its body that it is no success, whatever its status says.
#[must_use]
pub fn holds_errors(contract: &Contract, reply: Received<'_>) -> bool {
    let mut places = contract.errors_at.value.iter();
    places.any(|place| reply.has(place))
}

/// Whether a status is one of a success: declared, any 2xx, or one that replaces a success on a replay.
/// A 2xx that is not declared counts too: that it is another one is for the comparison to say.
#[must_use]
pub fn is_success_status(contract: &Contract, success: &[u16], status: u16) -> bool {
    if success.contains(&status) || status / 100 == 2 {
        return true;
    }
    match &contract.replay.value {
        Replay::Same(same) | Replay::Current(same) => same
            .status
            .values()
            .any(|replaced| replaced.contains(&status)),
        Replay::Unspecified | Replay::Refuse(_) => false,
    }
}

/// Whether a reply carries the mark of a replay; `None` where the policy declares no marker.
#[must_use]
pub fn marked(marker: &Marker, reply: Received<'_>) -> Option<bool> {
    match marker {
        // what stands on every reply tells a replay from nothing
        Marker::Unspecified | Marker::None | Marker::Always { .. } => None,
        Marker::Header { name, replay, .. } => Some(if replay.is_empty() {
            reply.has_header(name)
        } else {
            reply.header(name).any(|value| one_of(value, replay))
        }),
    }
}

/// Whether a reply fits a declared refusal.
#[must_use]
pub fn matches(how: &Match, reply: Received<'_>) -> bool {
    how.status_fits(reply.status) && body_fits(how, reply) && headers_fit(how, reply)
}

/// Whether the body holds what the refusal declares.
#[must_use]
pub fn body_fits(how: &Match, reply: Received<'_>) -> bool {
    how.body.iter().all(|place| {
        if place.is.is_empty() && place.has.is_empty() {
            return reply.has(&place.at);
        }
        reply.at(&place.at).iter().any(|value| {
            (place.is.is_empty() || place.is.contains(value))
                && (place.has.is_empty() || place.has.iter().any(|part| value.contains(part)))
        })
    })
}

/// Whether the headers hold what the refusal declares.
#[must_use]
pub fn headers_fit(how: &Match, reply: Received<'_>) -> bool {
    how.header.iter().all(|header| header_fits(header, reply))
}

fn header_fits(header: &HeaderMatch, reply: Received<'_>) -> bool {
    if header.is.is_empty() {
        reply.has_header(&header.name)
    } else {
        reply
            .header(&header.name)
            .any(|value| one_of(value, &header.is))
    }
}

fn one_of(value: &str, values: &[String]) -> bool {
    values
        .iter()
        .any(|v| v.trim().eq_ignore_ascii_case(value.trim()))
}

/// The declared refusals among an answer's alternatives.
#[must_use]
pub fn refusals_of(answer: &Answer) -> Vec<&Match> {
    let alternatives = answer.alternatives().into_iter();
    alternatives
        .filter_map(|a| match a {
            Answer::Refuse(how) => Some(how),
            _ => None,
        })
        .collect()
}

/// The more a refusal asks for, the narrower it is: first by places and headers, then by how few statuses it lists.
fn narrowness(how: &Match) -> (usize, usize) {
    let places = how
        .body
        .iter()
        .map(|b| 1 + usize::from(!b.is.is_empty() || !b.has.is_empty()));
    let headers = how.header.iter().map(|h| 1 + usize::from(!h.is.is_empty()));
    let asked = places.chain(headers).sum();
    let width = |status: &super::StatusPattern| match status {
        super::StatusPattern::Exact(_) => 1,
        super::StatusPattern::Class(_) => 100,
    };
    let statuses: usize = how.status.iter().map(width).sum();
    (
        asked,
        1_000_usize.saturating_sub(if how.status.is_empty() { 100 } else { statuses }),
    )
}

/// Whether a well-behaved client would wait and send again: the declared in-progress answer, a limit, a busy gateway;
/// where the policy names no status or code for the in-progress answer, the statuses that commonly say so.
#[must_use]
pub fn may_be_in_progress(contract: &Contract, success: &[u16], reply: Received<'_>) -> bool {
    let reading = read(contract, success, reply, Identities::Unknown);
    if reading.may_be(Situation::RateLimited) {
        return true;
    }
    let refused = reading.may_be(Situation::InProgress)
        || contract.in_progress.value.is_open() && reading.may_be(Situation::Refused);
    refused && (in_progress_is_named(contract, reply) || matches!(reply.status, 409 | 423 | 425))
}

/// Whether the policy names this reply as an in-progress answer, by a status, a place in the body or a header.
#[must_use]
pub fn in_progress_is_named(contract: &Contract, reply: Received<'_>) -> bool {
    refusals_of(&contract.in_progress.value)
        .into_iter()
        .any(|how| {
            let named = !how.status.is_empty() || !how.body.is_empty() || !how.header.is_empty();
            named && matches(how, reply)
        })
}

/// Whether a `Retry-After` value is one that a client can follow: whole seconds or an HTTP date, and not beyond `most` seconds.
#[must_use]
pub fn retry_after_is_sane(value: &str, most: u64) -> bool {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return value.bytes().all(|b| b.is_ascii_digit()) && seconds <= most;
    }
    // a date cannot be compared without the server's clock; that it is one is what can be said
    jiff::fmt::rfc2822::parse(value).is_ok()
}

#[cfg(test)]
mod tests;
