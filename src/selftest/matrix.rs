//! What was found beside what had to be found: found, missed, false alarm.
//! It must not know how the findings came about.

use std::collections::BTreeMap;

use super::model::Case;
use crate::judge::Verdict;

/// What a drill said of a case, beside what it had to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The drill.
    pub id: String,
    /// What was expected, in a word.
    pub expected: &'static str,
    /// What it said.
    pub verdict: Option<Verdict>,
    /// Its evidence.
    pub reason: String,
}

/// One case, compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The case.
    pub case: Case,
    /// How many drills were run.
    pub drills: usize,
    /// Drills that saw what they had to see.
    pub found: usize,
    /// Drills that had to see it and did not.
    pub missed: Vec<Outcome>,
    /// Drills that blame what is right, or come to no verdict where they must.
    pub false_alarms: Vec<Outcome>,
}

impl Row {
    /// Compares the verdicts of a case, by drill, with the model.
    #[must_use]
    pub fn of(case: &Case, verdicts: &BTreeMap<String, (Verdict, String)>) -> Self {
        let mut row = Self {
            case: case.clone(),
            drills: verdicts.len(),
            found: 0,
            missed: Vec::new(),
            false_alarms: Vec::new(),
        };
        let wanted = case.fails.iter().map(|id| (id, Verdict::Fail, "fail"));
        let warned = case.warns.iter().map(|id| (id, Verdict::Warn, "warn"));
        for (id, verdict, word) in wanted.chain(warned) {
            let got = verdicts.get(id);
            if got.is_some_and(|(got, _)| *got == verdict) {
                row.found += 1;
            } else {
                row.missed.push(outcome(id, word, got));
            }
        }
        for (id, got) in verdicts {
            let named = case.fails.contains(id) || case.warns.contains(id) || case.may.contains(id);
            let calm = matches!(got.0, Verdict::Pass | Verdict::Skip | Verdict::Observed);
            if !named && !calm {
                row.false_alarms.push(outcome(id, "pass", Some(got)));
            }
        }
        row
    }

    /// Whether everything was as it had to be.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.missed.is_empty() && self.false_alarms.is_empty()
    }
}

fn outcome(id: &str, expected: &'static str, got: Option<&(Verdict, String)>) -> Outcome {
    Outcome {
        id: id.to_owned(),
        expected,
        verdict: got.map(|(verdict, _)| *verdict),
        reason: got.map(|(_, reason)| reason.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        Case {
            design: "claim-first".into(),
            fault: Some("some".into()),
            policy: "claim-first".into(),
            fails: ["a@payment".to_owned()].into(),
            warns: ["b@payment".to_owned()].into(),
            may: ["c@payment".to_owned()].into(),
            retention: None,
            lease: None,
            replicas: 1,
        }
    }

    fn row(verdicts: &[(&str, Verdict)]) -> Row {
        let verdicts = verdicts
            .iter()
            .map(|(id, v)| (format!("{id}@payment"), (*v, String::new())));
        Row::of(&case(), &verdicts.collect())
    }

    #[test]
    fn what_the_model_names_must_be_found_and_nothing_else() {
        use Verdict::{Fail, Inconclusive, Pass, Skip, Warn};
        let right = row(&[
            ("a", Fail),
            ("b", Warn),
            ("c", Fail),
            ("d", Pass),
            ("e", Skip),
        ]);
        assert!(right.is_right() && right.found == 2);
        assert_eq!(row(&[("a", Pass), ("b", Warn)]).missed.len(), 1);
        assert_eq!(
            row(&[("b", Warn)]).missed.len(),
            1,
            "a drill that did not run has missed it"
        );
        assert_eq!(
            row(&[("a", Fail), ("b", Fail)]).missed.len(),
            1,
            "a fail is no warning"
        );
        assert_eq!(
            row(&[("a", Fail), ("b", Warn), ("d", Fail)])
                .false_alarms
                .len(),
            1
        );
        assert_eq!(
            row(&[("a", Fail), ("b", Warn), ("d", Inconclusive)])
                .false_alarms
                .len(),
            1
        );
    }
}
