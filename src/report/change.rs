//! Two judged runs compared, drill by drill: what is new, what is fixed, what is still violated.
//! It must not know which of the two is right.

use super::Document;
use super::document::DrillRecord;
use crate::judge::Verdict;

/// How a drill changed between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Violated now, and not before.
    New,
    /// Violated before, and kept now.
    Fixed,
    /// Violated in both.
    Still,
    /// Another verdict, with no violation that came or was shown to be gone.
    Other,
    /// Only in the first run.
    Gone,
    /// Only in the second run.
    Added,
}

/// A drill that changed, or is still violated.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed<'d> {
    /// How.
    pub change: Change,
    /// The drill in the first run.
    pub before: Option<&'d DrillRecord>,
    /// The drill in the second run.
    pub now: Option<&'d DrillRecord>,
}

impl Changed<'_> {
    /// Whether it is only that one of the runs did not have the drill; a violation that was not tried again is more than that.
    #[must_use]
    pub fn is_only_missing(&self) -> bool {
        let violated = self
            .before
            .is_some_and(|drill| drill.verdict == Verdict::Fail);
        match self.change {
            Change::Added => true,
            Change::Gone => !violated,
            Change::New | Change::Fixed | Change::Still | Change::Other => false,
        }
    }

    /// The drill's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.now.or(self.before).map_or("", |drill| &drill.id)
    }
}

/// What changed from one run to another, new violations first. Drills with the same verdict are left out unless it is a violation.
#[must_use]
pub fn between<'d>(before: &'d Document, now: &'d Document) -> Vec<Changed<'d>> {
    let find =
        |document: &'d Document, id: &str| document.drills.iter().find(|drill| drill.id == id);
    let mut changed: Vec<Changed<'d>> = now
        .drills
        .iter()
        .filter_map(|drill| {
            let earlier = find(before, &drill.id);
            change(earlier.map(|drill| drill.verdict), drill.verdict).map(|change| Changed {
                change,
                before: earlier,
                now: Some(drill),
            })
        })
        .collect();
    changed.extend(
        before
            .drills
            .iter()
            .filter(|drill| find(now, &drill.id).is_none())
            .map(|drill| Changed {
                change: Change::Gone,
                before: Some(drill),
                now: None,
            }),
    );
    changed.sort_by_key(|changed| match changed.change {
        Change::New => 0,
        Change::Fixed => 1,
        Change::Still => 2,
        Change::Other => 3,
        Change::Added => 4,
        Change::Gone => 5,
    });
    changed
}

fn change(before: Option<Verdict>, now: Verdict) -> Option<Change> {
    match (before, now) {
        (Some(Verdict::Fail), Verdict::Fail) => Some(Change::Still),
        (_, Verdict::Fail) => Some(Change::New),
        // only a kept clause shows that a violation is gone: a skip or no verdict does not
        (Some(Verdict::Fail), Verdict::Pass | Verdict::Warn) => Some(Change::Fixed),
        (Some(before), now) if before == now => None,
        (Some(_), _) => Some(Change::Other),
        (None, _) => Some(Change::Added),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn changes(before: &Document, now: &Document) -> Vec<(Change, String)> {
        between(before, now)
            .iter()
            .map(|changed| (changed.change, changed.id().to_owned()))
            .collect()
    }

    #[test]
    fn a_violation_is_new_in_one_direction_and_fixed_in_the_other() {
        let (passing, failing) = (sample::passing(), sample::failing());
        assert_eq!(
            changes(&passing, &failing)[0],
            (Change::New, "drill.concurrent@payment".to_owned())
        );
        assert_eq!(
            changes(&failing, &passing)[0],
            (Change::Fixed, "drill.concurrent@payment".to_owned())
        );
        let back = changes(&failing, &passing);
        assert!(
            back.contains(&(Change::Fixed, "drill.concurrent@payment".to_owned())),
            "{back:?}"
        );
        assert!(
            back.contains(&(Change::Gone, "drill.mismatch@payment".to_owned())),
            "{back:?}"
        );
    }

    #[test]
    fn a_violation_that_could_not_be_judged_again_is_not_fixed() {
        let back = changes(&sample::failing(), &sample::inconclusive());
        assert!(
            back.contains(&(Change::Other, "drill.concurrent@payment".to_owned())),
            "{back:?}"
        );
    }

    #[test]
    fn what_is_violated_in_both_is_still_told() {
        let failing = sample::failing();
        assert_eq!(
            changes(&failing, &failing),
            [(Change::Still, "drill.concurrent@payment".to_owned())]
        );
    }
}
