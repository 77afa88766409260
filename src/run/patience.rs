//! When a well-behaved client sends again, and how long it waits before.
//! It must not judge: a reply that only may mean "in progress" is reason enough to ask once more.

use std::time::Duration;

use super::shot::RawReply;
use crate::contract::Contract;
use crate::contract::reading::{Identities, Situation, may_be_in_progress, read};

/// Why a request is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// The reply is a declared "in progress".
    InProgress,
    /// The reply may be "in progress", and may as well be final (the declared answer to another request under the key).
    PerhapsInProgress,
    /// 429 or 503.
    Busy,
}

/// Whether a reply asks for another try. `None`: it is final. `success` are the operation's declared statuses of a success.
#[must_use]
pub fn again(contract: &Contract, success: &[u16], reply: &RawReply) -> Option<Again> {
    let received = reply.received();
    let reading = read(contract, success, received, Identities::Unknown);
    // where any refusal may mean it (nothing is declared), only the statuses that mean "later" do
    let perhaps = may_be_in_progress(contract, success, received);
    if perhaps && reading.is_only(Situation::InProgress) {
        return Some(Again::InProgress);
    }
    if reading.may_be(Situation::RateLimited) || matches!(reply.status, 429 | 503) {
        return Some(Again::Busy);
    }
    if reading.is_success() {
        return None;
    }
    perhaps.then_some(Again::PerhapsInProgress)
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
    use crate::contract::Answer;

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

    fn refuse(text: &str) -> Answer {
        Answer::Refuse(toml::from_str(text).unwrap())
    }

    fn contract(in_progress: &str, mismatch: &str) -> Contract {
        let mut contract = crate::contract::terms::open();
        contract.in_progress.value = refuse(in_progress);
        contract.mismatch.value = refuse(mismatch);
        contract
    }

    #[test]
    fn a_declared_in_progress_is_asked_again_and_a_mismatch_is_final() {
        let contract = contract("status = [409]", "status = [422]");
        let asked = |status| again(&contract, &[], &reply(status, &[], "{}"));
        assert_eq!(asked(409), Some(Again::InProgress));
        assert_eq!(asked(422), None);
        assert_eq!(asked(201), None);
        assert_eq!(asked(500), None);
        assert_eq!(asked(429), Some(Again::Busy));
        assert_eq!(asked(503), Some(Again::Busy));
    }

    #[test]
    fn where_any_refusal_may_mean_in_progress_only_the_statuses_that_mean_later_are_asked_again() {
        let mut contract = contract("", "status = [422]");
        contract.mismatch.value = Answer::Replay;
        let asked = |status| again(&contract, &[], &reply(status, &[], "{}"));
        for status in [400, 401, 402, 405, 422, 431] {
            assert_eq!(asked(status), None, "{status}");
        }
        assert_eq!(asked(409), Some(Again::InProgress));
        assert_eq!(asked(423), Some(Again::InProgress));
    }

    #[test]
    fn a_status_that_means_both_is_asked_again_for_a_short_time() {
        let contract = contract("status = [409]", "status = [409]");
        assert_eq!(
            again(&contract, &[], &reply(409, &[], "{}")),
            Some(Again::PerhapsInProgress)
        );
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
