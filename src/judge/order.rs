//! The order of verdicts, and what follows from several: of checks for a drill, of drills for a run.
//! It must not know what any verdict was given for.

use super::{Counts, Finding, Verdict};

/// The place in `pass < known < warn < inconclusive < fail`; `None` for what stands outside the order.
fn rank(verdict: Verdict) -> Option<u8> {
    match verdict {
        Verdict::Pass => Some(0),
        Verdict::Known => Some(1),
        Verdict::Warn => Some(2),
        Verdict::Inconclusive => Some(3),
        Verdict::Fail => Some(4),
        Verdict::Skip | Verdict::Observed => None,
    }
}

/// The worst of several. Observed only where nothing stands in the order, skip only where nothing was tried at all.
#[must_use]
pub fn worst(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut worst = None;
    let mut observed = false;
    let mut any = false;
    for verdict in verdicts {
        any = true;
        observed |= verdict == Verdict::Observed;
        if let Some(rank) = rank(verdict)
            && worst.is_none_or(|(w, _)| rank > w)
        {
            worst = Some((rank, verdict));
        }
    }
    match worst {
        Some((_, verdict)) => verdict,
        None if observed => Verdict::Observed,
        None if any => Verdict::Skip,
        // a drill without checks showed nothing
        None => Verdict::Inconclusive,
    }
}

/// What the verdict of a run depends on beside its findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunFacts {
    /// The target could not be tested, or the record breaks off.
    pub incomplete: bool,
    /// Drills beyond the control that got a verdict in the order, other than inconclusive.
    pub judged: u32,
    /// Required drills that were skipped.
    pub required_skipped: u32,
}

impl RunFacts {
    /// Whether the run cannot pass whatever its drills say.
    #[must_use]
    pub fn forbid_a_pass(self) -> bool {
        self.incomplete || self.judged == 0 || self.required_skipped > 0
    }
}

/// The verdict of a run. `incomplete`: it cannot pass whatever its drills say.
#[must_use]
pub fn of_run(findings: &[Finding], incomplete: bool) -> Verdict {
    let worst = worst(findings.iter().map(|f| f.verdict));
    if worst == Verdict::Fail {
        return Verdict::Fail;
    }
    if incomplete {
        return Verdict::Inconclusive;
    }
    match worst {
        Verdict::Skip | Verdict::Observed => Verdict::Inconclusive,
        verdict => verdict,
    }
}

/// How many of what.
#[must_use]
pub fn count(findings: &[Finding]) -> Counts {
    let mut counts = Counts::default();
    for finding in findings {
        let one = match finding.verdict {
            Verdict::Pass => &mut counts.pass,
            Verdict::Known => &mut counts.known,
            Verdict::Warn => &mut counts.warn,
            Verdict::Inconclusive => &mut counts.inconclusive,
            Verdict::Fail => &mut counts.fail,
            Verdict::Skip => &mut counts.skip,
            Verdict::Observed => &mut counts.observed,
        };
        *one += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Fail, Inconclusive, Observed, Pass, Skip, Warn};

    #[test]
    fn pass_warn_inconclusive_fail_is_the_order() {
        assert_eq!(worst([Pass, Warn]), Warn);
        assert_eq!(worst([Warn, Inconclusive, Pass]), Inconclusive);
        assert_eq!(worst([Inconclusive, Fail, Warn]), Fail);
    }

    #[test]
    fn skip_and_observed_stand_outside() {
        assert_eq!(worst([Pass, Skip, Observed]), Pass);
        assert_eq!(worst([Skip, Observed]), Observed);
        assert_eq!(worst([Skip]), Skip);
        assert_eq!(worst([]), Inconclusive);
    }
}
