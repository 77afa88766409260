//! How old a key was when its request was repeated, beside what the policy promises: only drills that wait for it are meant.
//! It must not judge the reply, nor know how a key grew old.

use super::effects::{self, Change};
use super::evidence::{Evidence, Scene, Seen};
use super::tally::Tally;
use super::{Finding, Verdict};
use crate::config::suite::{Check, Step, Steps};
use crate::contract::Length;
use crate::contract::reading::{Identities, Situation};
use crate::journal::Journal;

/// The age of a key at a repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// From the first reply until the repeat left, in microseconds: it is no less.
    pub least_us: u64,
    /// From before the first request until the repeat was answered: it is no more.
    most_us: u64,
    promised: Option<Length>,
}

impl Age {
    /// The age at the repeat, where the drill waits so that keys grow old.
    #[must_use]
    pub fn of(scene: &Scene<'_>, first: &Seen<'_>, second: &Seen<'_>) -> Option<Self> {
        let steps = &scene.evidence.instance.plan.drill.step;
        let grows = |step: &Step| matches!(step, Step::Wait(wait) if wait.length.is_none());
        steps.iter().any(grows).then(|| Self {
            least_us: second.attempt.sent.at_us.saturating_sub(first.ended_us()),
            most_us: second.answered_us().saturating_sub(first.began_us()),
            promised: second.op.contract.retention.value.at_least,
        })
    }

    /// Whether nobody says how long keys are kept.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.promised.is_none()
    }

    /// Why nothing can be said: the promised time may have been over.
    #[must_use]
    pub fn too_old(&self) -> Option<String> {
        let promised = self.promised?;
        let over = u128::from(self.most_us) > promised.0.as_micros();
        over.then(|| {
            format!(
                "the key may have been {} old when its request was repeated, and keys are promised for {promised}: too late to \
                 judge it",
                seconds(self.most_us)
            )
        })
    }

    /// What a key that holds shows.
    #[must_use]
    pub fn holds(&self) -> String {
        let promised = self.promised.map_or_else(String::new, |promised| {
            format!(" (promised: at least {promised})")
        });
        format!(
            "a key was seen to hold at an age of {}{promised}",
            seconds(self.least_us)
        )
    }

    /// What it means that a repeat ran.
    #[must_use]
    pub fn forgotten(&self) -> String {
        let promised = self.promised.map_or_else(String::new, |promised| {
            format!(", although {promised} are promised")
        });
        format!(
            "The key was forgotten within {}{promised}: a late retry is a second payment.",
            seconds(self.most_us)
        )
    }

    /// After how long, in words.
    #[must_use]
    pub fn after(&self) -> String {
        format!("{} after the first reply", seconds(self.least_us))
    }
}

/// What a repeat got, where no retention is declared: a run is no violation, and worth telling.
pub fn observe(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    second: &Seen<'_>,
    counted: Option<&String>,
    age: &Age,
    tally: &mut Tally,
) {
    let attempts = [second.n(), first.n()];
    let told = format!("{}, {}", second.words(), age.after());
    let more = counted.and_then(|counted| more_than_one(scene, first, counted));
    let reading = second.reading(Some(first));
    let words = match (more, second.identities(first)) {
        (Some(effects), _) => {
            format!("{told}, and {effects} effects were counted: the key was forgotten")
        }
        (None, Identities::Other) => format!("{told}, with another result: the key was forgotten"),
        (None, Identities::Same) => format!("{told}, with the same result"),
        (None, Identities::Unknown) if reading.is_some_and(|r| r.may_be(Situation::Duplicate)) => {
            format!("{told}: refused as a duplicate")
        }
        (None, Identities::Unknown) => told,
    };
    tally.saw(
        format!("{words}; the policy does not say how long keys are kept (retention)"),
        &attempts,
    );
}

fn more_than_one(scene: &Scene<'_>, first: &Seen<'_>, counted: &str) -> Option<i64> {
    let sent = &first.attempt.sent;
    match effects::change(scene, sent, None, counted) {
        Change::Changed { to, unit, .. } if to / unit.max(1) > 1 => Some(to / unit.max(1)),
        _ => None,
    }
}

/// How old the oldest key was that was seen to hold, in one sentence.
#[must_use]
pub fn oldest(
    journal: &Journal,
    contracts: &std::collections::BTreeMap<String, crate::contract::Contract>,
    findings: &[Finding],
) -> Option<String> {
    let both = journal.instances.iter().zip(findings);
    let held = both.filter(|(_, finding)| finding.verdict == Verdict::Pass);
    let ages = held.flat_map(|(instance, _)| {
        let evidence = Evidence {
            journal,
            contracts,
            instance,
            controls: None,
            replies_only: true,
        };
        let checks = instance.plan.drill.check.iter();
        checks
            .filter_map(|check| match check {
                Check::Replay(steps) => Some(steps),
                _ => None,
            })
            .flat_map(move |steps| {
                evidence
                    .scenes()
                    .filter_map(move |scene| age(&scene, steps))
            })
    });
    let oldest = ages.map(|age| age.least_us).max()?;
    Some(format!(
        "keys of up to {} of age were seen to hold",
        seconds(oldest)
    ))
}

fn age(scene: &Scene<'_>, steps: &Steps) -> Option<Age> {
    let first = scene.last(steps.first.as_ref()?)?;
    let second = scene.last(steps.second.as_ref()?)?;
    Age::of(scene, &first, &second)
}

#[expect(clippy::cast_precision_loss, reason = "seconds for people")]
fn seconds(us: u64) -> String {
    format!("{:.1} s", us as f64 / 1_000_000.0)
}
