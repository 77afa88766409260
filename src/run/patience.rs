//! When a well-behaved client sends again, and how long it waits before.
//! It must not judge: a reply that only may mean "in progress" is reason enough to ask once more.

use std::time::Duration;

use serde_json::Value;

use super::shot::RawReply;
use crate::contract::{Answer, BodyMatch, Contract, Match};

/// Why a request is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// The reply is a declared "in progress".
    InProgress,
    /// The reply may be "in progress", and may as well be the declared answer to another request under the key.
    PerhapsInProgress,
    /// 429 or 503.
    Busy,
}

/// Whether a reply asks for another try. `None`: it is final.
#[must_use]
pub fn again(contract: &Contract, reply: &RawReply) -> Option<Again> {
    match may_be_in_progress(contract, reply) {
        Some(again) => Some(again),
        None if matches!(reply.status, 429 | 503) => Some(Again::Busy),
        None => None,
    }
}

/// Whether a reply fits the declared refusal of a duplicate that comes while the first is running.
#[must_use]
pub fn may_be_in_progress(contract: &Contract, reply: &RawReply) -> Option<Again> {
    let narrowest = |answer: &Answer| {
        answer
            .alternatives()
            .into_iter()
            .filter_map(|answer| match answer {
                Answer::Refuse(how) if fits(how, reply) => Some(narrowness(how)),
                _ => None,
            })
            .max()
    };
    let in_progress = narrowest(&contract.in_progress.value)?;
    match narrowest(&contract.mismatch.value) {
        // of two refusals the narrower takes the reply
        Some(mismatch) if mismatch > in_progress => None,
        Some(mismatch) if mismatch == in_progress => Some(Again::PerhapsInProgress),
        _ => Some(Again::InProgress),
    }
}

fn narrowness(how: &Match) -> usize {
    let status = usize::from(!how.status.is_empty());
    status + 2 * (how.body.len() + how.header.len())
}

/// Whether a reply fits a declared refusal.
#[must_use]
pub fn fits(how: &Match, reply: &RawReply) -> bool {
    how.status_fits(reply.status)
        && how.header.iter().all(|wanted| {
            let mut values = reply
                .headers
                .iter()
                .filter(|(name, _)| name.eq_ignore_ascii_case(&wanted.name))
                .map(|(_, value)| value);
            if wanted.is.is_empty() {
                values.next().is_some()
            } else {
                values.any(|value| wanted.is.contains(value))
            }
        })
        && how.body.iter().all(|wanted| body_fits(wanted, reply))
}

fn body_fits(wanted: &BodyMatch, reply: &RawReply) -> bool {
    let text = String::from_utf8_lossy(&reply.body);
    let found = if wanted.at == "text" {
        Some(text.into_owned())
    } else if let Some(name) = wanted.at.strip_prefix("form:") {
        url::form_urlencoded::parse(&reply.body)
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.into_owned())
    } else if wanted.at.starts_with("xml:") {
        let path = crate::config::target::Identity::Xml(wanted.at.clone());
        crate::contract::identity::value(&path, &[], &reply.body)
    } else {
        serde_json::from_slice::<Value>(&reply.body)
            .ok()
            .and_then(|body| body.pointer(&wanted.at).cloned())
            .map(|value| match value {
                Value::String(text) => text,
                other => other.to_string(),
            })
    };
    let Some(found) = found else {
        return false;
    };
    (wanted.is.is_empty() || wanted.is.contains(&found))
        && (wanted.has.is_empty() || wanted.has.iter().any(|part| found.contains(part)))
}

/// The reply's Retry-After, in seconds or as a date.
#[must_use]
pub fn retry_after(reply: &RawReply, now: jiff::Timestamp) -> Option<Duration> {
    let text = reply.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// The longest that a Retry-After of an "in progress" is obeyed: an absurd one must not stop the run. (429 and 503 are obeyed
/// as long as the bound allows.)
const IN_PROGRESS_CAP: Duration = Duration::from_secs(5);
/// How long a reply that may be final is asked again.
const PERHAPS_FOR: Duration = Duration::from_secs(3);

/// How long to wait before the next try; `None`: no further try. `passed` is the time since the first try, `bound` the longest
/// that a request may stay in progress. The last try comes when the bound is over.
#[must_use]
pub fn pause(
    again: Again,
    tries: u32,
    retry_after: Option<Duration>,
    passed: Duration,
    bound: Duration,
) -> Option<Duration> {
    let bound = match again {
        Again::PerhapsInProgress => bound.min(PERHAPS_FOR),
        Again::InProgress | Again::Busy => bound,
    };
    let left = bound.checked_sub(passed).filter(|left| !left.is_zero())?;
    let backoff = Duration::from_millis(50 << tries.min(5)).min(Duration::from_secs(1));
    let wish = match (again, retry_after) {
        (Again::Busy, Some(after)) => after,
        (_, Some(after)) => after.min(IN_PROGRESS_CAP),
        (_, None) => backoff,
    };
    // Retry-After: 0 is no invitation to spin
    Some(wish.max(Duration::from_millis(20)).min(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> RawReply {
        RawReply {
            status,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.to_owned().into(),
            truncated: false,
        }
    }

    fn refuse(toml: &str) -> Match {
        toml::from_str(toml).unwrap()
    }

    #[test]
    fn a_refusal_is_recognised_by_status_header_and_body() {
        let how = refuse(
            "status = [409]\nbody = [{ at = \"/error/type\", is = [\"idempotency_error\"] }]\nheader = [{ name = \"Retry-After\" }]",
        );
        let body = "{\"error\":{\"type\":\"idempotency_error\"}}";
        assert!(fits(&how, &reply(409, &[("retry-after", "1")], body)));
        assert!(!fits(&how, &reply(409, &[], body)));
        assert!(!fits(&how, &reply(409, &[("retry-after", "1")], "{}")));
        assert!(!fits(&how, &reply(400, &[("retry-after", "1")], body)));
        let text =
            refuse("status = [\"4xx\"]\nbody = [{ at = \"text\", has = [\"in progress\"] }]");
        assert!(fits(&text, &reply(425, &[], "still in progress")));
        assert!(!fits(&text, &reply(500, &[], "still in progress")));
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now: jiff::Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let after = |text| retry_after(&reply(409, &[("retry-after", text)], ""), now);
        assert_eq!(after("2"), Some(Duration::from_secs(2)));
        assert_eq!(
            after("Mon, 30 Nov 2026 12:00:07 GMT"),
            Some(Duration::from_secs(7))
        );
        assert_eq!(after("Mon, 30 Nov 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn an_absurd_retry_after_does_not_stop_the_run() {
        let hour = Some(Duration::from_secs(3_600));
        let bound = Duration::from_secs(30);
        assert_eq!(
            pause(Again::InProgress, 0, hour, Duration::ZERO, bound),
            Some(IN_PROGRESS_CAP)
        );
        assert_eq!(
            pause(Again::Busy, 0, hour, Duration::from_secs(10), bound),
            Some(Duration::from_secs(20)),
            "a rate limit is obeyed as long as the bound allows"
        );
    }

    #[test]
    fn the_bound_ends_the_tries_after_a_last_one() {
        let bound = Duration::from_secs(30);
        let last = pause(
            Again::InProgress,
            9,
            None,
            Duration::from_millis(29_900),
            bound,
        );
        assert_eq!(last, Some(Duration::from_millis(100)));
        assert_eq!(pause(Again::InProgress, 9, None, bound, bound), None);
        assert_eq!(
            pause(Again::PerhapsInProgress, 9, None, PERHAPS_FOR, bound),
            None,
            "what may be final is not asked for the whole bound"
        );
    }

    #[test]
    fn waits_grow_and_never_spin() {
        let bound = Duration::from_secs(30);
        let at = |tries| pause(Again::InProgress, tries, None, Duration::ZERO, bound).unwrap();
        assert!(at(0) < at(1) && at(1) < at(3));
        assert_eq!(at(30), Duration::from_secs(1));
        let zero = pause(
            Again::InProgress,
            0,
            Some(Duration::ZERO),
            Duration::ZERO,
            bound,
        );
        assert!(zero.unwrap() >= Duration::from_millis(20));
    }
}
