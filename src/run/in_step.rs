//! What the times of a burst prove: spread, overlap, and whether the copies left close enough together to count.
//! It must not know how the copies were sent; it reads times only.

use super::shot::{Flight, Landing};

/// What a burst's times say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Copies that left.
    pub copies: u32,
    /// From the first release to the last, in microseconds.
    pub spread_us: u64,
    /// From the first release to the second, in microseconds.
    pub gap12_us: u64,
    /// All copies were out before the first answer came.
    pub all_in_flight: bool,
    /// Answers that came before the copy's own last byte was released.
    pub early_answers: u32,
    /// The release was tight enough to count.
    pub in_step: bool,
}

/// The widest spread that counts as together: beyond it the releasing thread was put off its core.
#[must_use]
pub fn widest_spread_us(http2: bool, copies: u32) -> u64 {
    let copies = u64::from(copies);
    if http2 {
        50 + 2 * copies
    } else {
        100 + 20 * copies
    }
}

/// Reads the times of a burst that was released at `opened_us`. An answer before the release is no failure and not out of
/// step: the server decided when it had read the head.
#[must_use]
pub fn timing(flights: &[Flight], opened_us: u64, http2: bool) -> Timing {
    let left: Vec<&Flight> = flights
        .iter()
        .filter(|flight| !matches!(flight.landing, Landing::NotSent(_)))
        .collect();
    let is_early = |flight: &Flight| {
        let released = flight.released_us.unwrap_or(u64::MAX).max(opened_us);
        flight.first_byte_us.is_some_and(|at| at < released)
    };
    let early_answers = left.iter().filter(|flight| is_early(flight)).count();
    let mut released: Vec<u64> = left
        .iter()
        .filter(|flight| !is_early(flight))
        .filter_map(|flight| flight.released_us)
        .collect();
    released.sort_unstable();
    let spread_us = match (released.first(), released.last()) {
        (Some(first), Some(last)) => last - first,
        _ => 0,
    };
    let gap12_us = match released[..] {
        [first, second, ..] => second - first,
        _ => 0,
    };
    let first_answer = left.iter().filter_map(|flight| flight.first_byte_us).min();
    let all_released = released.len() == left.len() && left.len() == flights.len();
    let all_in_flight = all_released
        && left.len() > 1
        && match (first_answer, released.last()) {
            (Some(answer), Some(last)) => answer > *last,
            (None, Some(_)) => true,
            _ => false,
        };
    let copies = u32::try_from(left.len()).unwrap_or(u32::MAX);
    Timing {
        copies,
        spread_us,
        gap12_us,
        all_in_flight,
        early_answers: u32::try_from(early_answers).unwrap_or(u32::MAX),
        in_step: spread_us <= widest_spread_us(http2, copies),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::shot::RawReply;

    fn flight(released: u64, answered: u64) -> Flight {
        Flight {
            at_us: 0,
            released_us: Some(released),
            first_byte_us: Some(answered),
            end_us: answered,
            protocol: Some("HTTP/1.1"),
            landing: Landing::Replied(RawReply {
                status: 201,
                headers: vec![],
                body: bytes::Bytes::new(),
                truncated: false,
            }),
        }
    }

    #[test]
    fn copies_that_left_before_the_first_answer_were_all_in_flight() {
        let timing = timing(
            &[
                flight(1_010, 2_000),
                flight(1_000, 1_900),
                flight(1_045, 2_100),
            ],
            1_000,
            false,
        );
        assert_eq!(
            timing,
            Timing {
                copies: 3,
                spread_us: 45,
                gap12_us: 10,
                all_in_flight: true,
                early_answers: 0,
                in_step: true
            }
        );
    }

    #[test]
    fn an_answer_before_the_last_release_is_no_proof_of_overlap() {
        let timing = timing(&[flight(1_000, 1_040), flight(1_050, 2_000)], 1_000, false);
        assert!(!timing.all_in_flight);
        assert_eq!(timing.early_answers, 0, "it came after the gate opened");
    }

    #[test]
    fn a_release_that_was_interrupted_is_out_of_step() {
        let late = [flight(1_000, 3_000), flight(1_560, 3_000)];
        assert!(!timing(&late, 1_000, false).in_step);
        let h2 = [flight(1_000, 3_000), flight(1_060, 3_000)];
        assert!(!timing(&h2, 1_000, true).in_step);
        assert!(timing(&h2, 1_000, false).in_step);
    }

    #[test]
    fn answers_before_the_release_are_counted_and_put_nothing_out_of_step() {
        let mut early = flight(1_020, 900);
        early.end_us = 950;
        let timing = timing(&[early, flight(1_010, 2_000)], 1_000, false);
        assert_eq!(timing.early_answers, 1);
        assert!(timing.in_step);
        assert!(!timing.all_in_flight);
    }

    #[test]
    fn a_copy_that_never_left_is_no_copy() {
        let never = Flight::not_sent(0, "refused".into());
        let timing = timing(&[never, flight(1_000, 2_000)], 1_000, false);
        assert_eq!(timing.copies, 1);
        assert!(!timing.all_in_flight);
    }
}
