//! What came beside a first request that was held: another result, a server failure, a claim that lapsed while the work went on.
//! It must not know what is declared of requests in progress, beyond quoting it.

use super::evidence::Seen;
use super::tally::{Cited, Tally, Violation};
use crate::contract::reading::{Identities, Situation};

/// A refused duplicate that was sent again while the first was held may meet a claim that has lapsed, and run. One that left
/// when the first had its answer proves nothing; the first's result or a refusal may be that of its end.
pub(super) fn still_held(first: &Seen<'_>, repeats: &[Seen<'_>], tally: &mut Tally) {
    let open = |repeat: &&Seen<'_>| {
        repeat.attempt.left() && repeat.began_us() < first.answered_us() && first.attempt.left()
    };
    for repeat in repeats.iter().filter(open) {
        if repeat.identities(first) == Identities::Other {
            another_result(first, repeat, &repeat.words(), tally);
        } else if first.is_success()
            && let Some(reading) = repeat.reading(Some(first))
        {
            if reading.may_be(Situation::ServerError) {
                server_error(first, repeat, tally);
            } else if reading.is_only(Situation::Mismatch)
                && repeat.answered_us() < first.answered_us()
            {
                another_request(first, repeat, tally);
            }
        }
    }
}

/// The first request itself, refused as another one: something that came meanwhile has changed what the key stands for.
fn another_request(first: &Seen<'_>, repeat: &Seen<'_>, tally: &mut Tally) {
    let declared = &repeat.op.contract.in_progress;
    if declared.value.is_open() {
        return;
    }
    tally.violated(Violation {
        cited: Cited::of(declared),
        part: None,
        expected: declared.value.to_string(),
        observed: format!("{}: refused as another request under the key", repeat.words()),
        meaning: "What came while the first was in progress took its key: the first client is refused its own result."
            .to_owned(),
        attempts: vec![repeat.n(), first.n()],
    });
}

/// A duplicate that was answered by a server failure.
pub(super) fn server_error(first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    if contract.no_server_error.value {
        tally.violated(Violation {
            cited: Cited::of(&contract.no_server_error),
            part: None,
            expected: contract.in_progress.value.to_string(),
            observed: second.words(),
            meaning: "The first retry of a slow request gets a server failure, and the client may start over under a new key."
                .to_owned(),
            attempts: vec![second.n(), first.n()],
        });
    }
}

/// A duplicate that ran beside the first.
pub(super) fn another_result(first: &Seen<'_>, second: &Seen<'_>, told: &str, tally: &mut Tally) {
    let contract = second.op.contract;
    if contract.one_effect.value {
        let ids = (
            first.identity().unwrap_or_default(),
            second.identity().unwrap_or_default(),
        );
        tally.violated(Violation {
            cited: Cited::of(&contract.one_effect),
            part: None,
            expected: "one result for one key".to_owned(),
            observed: format!(
                "{told} with a result of its own: {} beside {}",
                ids.1, ids.0
            ),
            meaning: "The duplicate ran beside the first request: the customer pays twice."
                .to_owned(),
            attempts: vec![second.n(), first.n()],
        });
    }
}
