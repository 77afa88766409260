//! Every exit code of the command, with what it means, and which one a judged run ends with.
//! It must not know which subcommand asks.

use crate::judge::{Judged, Verdict};

/// Nothing that was judged violates a must, and everything tried got a verdict. Skips and warnings alone keep it.
pub const PASSED: u8 = 0;
/// A must of the declared contract was violated.
pub const VIOLATED: u8 = 1;
/// The command line, the configuration or the policy is wrong: nothing was sent, or no more than the ordinary request after
/// which a counter could not be read.
pub const USAGE: u8 = 2;
/// Nothing was violated, but something that was tried got no verdict, the target was unreachable, nothing beyond the control
/// was judged, or a required drill was skipped.
pub const INCONCLUSIVE: u8 = 3;
/// A report or the journal could not be written.
pub const OUTPUT: u8 = 4;
/// Interrupted; the journal is kept and can be judged.
pub const INTERRUPTED: u8 = 130;

/// The codes as `--help` and `explain` show them.
pub const CODES: [(u8, &str, &str); 6] = [
    (
        PASSED,
        "passed",
        "no must was violated and everything tried got a verdict (skips and warnings alone keep 0)",
    ),
    (
        VIOLATED,
        "violated",
        "a must of the declared contract was violated",
    ),
    (
        USAGE,
        "usage",
        "the command line, the configuration or the policy is wrong (nothing was sent), or the declared counter cannot be read, or the declared identity is in no reply (no drill was sent)",
    ),
    (
        INCONCLUSIVE,
        "inconclusive",
        "nothing was violated, but something tried got no verdict, the target was unreachable, nothing beyond the control was judged, or a required drill was skipped",
    ),
    (
        OUTPUT,
        "output",
        "a report or the journal could not be written",
    ),
    (
        INTERRUPTED,
        "interrupted",
        "stopped by Ctrl-C or SIGTERM; the journal is kept and can be judged",
    ),
];

/// The exit code of a judged run; `written` is whether every output was.
#[must_use]
pub fn of(judged: &Judged, written: bool) -> u8 {
    let verdict = match judged.verdict {
        _ if judged.interrupted => INTERRUPTED,
        _ if judged.misconfigured => USAGE,
        Verdict::Fail => VIOLATED,
        Verdict::Inconclusive => INCONCLUSIVE,
        Verdict::Pass | Verdict::Known | Verdict::Warn | Verdict::Skip | Verdict::Observed => {
            PASSED
        }
    };
    if written {
        verdict
    } else {
        worst(verdict, OUTPUT)
    }
}

/// The one of two codes that takes precedence: 130, 2, 1, 4, 3, 0.
#[must_use]
pub fn worst(one: u8, other: u8) -> u8 {
    let rank = |code: u8| match code {
        INTERRUPTED => 5,
        USAGE => 4,
        VIOLATED => 3,
        OUTPUT => 2,
        INCONCLUSIVE => 1,
        _ => 0,
    };
    if rank(one) >= rank(other) { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Counts;

    fn judged(verdict: Verdict, interrupted: bool) -> Judged {
        Judged {
            verdict,
            counts: Counts::default(),
            findings: Vec::new(),
            notes: Vec::new(),
            power: None,
            interrupted,
            incomplete: false,
            misconfigured: false,
            baseline: None,
        }
    }

    #[test]
    fn an_interrupted_run_says_so_even_when_a_must_was_violated() {
        assert_eq!(of(&judged(Verdict::Fail, true), false), INTERRUPTED);
    }

    #[test]
    fn a_violation_outranks_a_report_that_could_not_be_written() {
        assert_eq!(of(&judged(Verdict::Fail, false), false), VIOLATED);
        assert_eq!(of(&judged(Verdict::Inconclusive, false), false), OUTPUT);
        assert_eq!(of(&judged(Verdict::Pass, false), false), OUTPUT);
    }

    #[test]
    fn a_counter_that_cannot_be_read_is_wrong_configuration() {
        let stopped = Judged {
            misconfigured: true,
            ..judged(Verdict::Inconclusive, false)
        };
        assert_eq!(of(&stopped, true), USAGE);
        assert_eq!(of(&stopped, false), USAGE);
    }

    #[test]
    fn warnings_and_skips_alone_pass() {
        assert_eq!(of(&judged(Verdict::Warn, false), true), PASSED);
        assert_eq!(of(&judged(Verdict::Pass, false), true), PASSED);
        assert_eq!(
            of(&judged(Verdict::Inconclusive, false), true),
            INCONCLUSIVE
        );
    }

    #[test]
    fn every_code_is_listed_once() {
        let mut codes: Vec<u8> = CODES.iter().map(|(code, _, _)| *code).collect();
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 3, 4, 130]);
    }
}
