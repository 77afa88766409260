//! What several trials of one situation say together: one answer, its words, and the attempts behind it.
//! It must not know which situation it is.

use super::field::Trial;
use super::meeting::{Met, met};
use super::{either, refusal};
use crate::contract::{Answer, Match};
use crate::judge::evidence::Seen;
use crate::judge::leak;

/// What came of all trials of a situation.
#[derive(Default)]
pub struct Answered<'a> {
    /// The second requests that ran.
    pub ran: Vec<Seen<'a>>,
    /// Those that got the first's result.
    pub replayed: Vec<Seen<'a>>,
    /// Those that were refused.
    pub refused: Vec<Seen<'a>>,
    /// Those that were refused although something was done.
    pub refused_and_ran: Vec<Seen<'a>>,
    /// Those that met a server failure.
    pub failed: Vec<Seen<'a>>,
    /// Whether a refusal named what the first made; `None` where that cannot be told.
    pub reveals: Option<bool>,
    /// The first requests.
    firsts: Vec<u64>,
}

impl<'a> Answered<'a> {
    /// Sorts the trials. Only those count whose first request succeeded.
    pub fn of(trials: impl IntoIterator<Item = Trial<'a>>) -> Self {
        let mut this = Self::default();
        for trial in trials {
            let Some((first, second)) = trial.both() else {
                continue;
            };
            if first.is_success() {
                this.add(&first, second, met(&trial, &first, &second));
            }
        }
        this
    }

    /// Takes one in.
    pub fn add(&mut self, first: &Seen<'a>, second: Seen<'a>, met: Met) {
        match met {
            Met::Ran => self.ran.push(second),
            Met::Replayed => self.replayed.push(second),
            Met::Refused => {
                if let Some(id) = first.identity().filter(|id| leak::is_unguessable(id)) {
                    let named = leak::leaked(first, &second, "").contains(&id);
                    self.reveals = Some(named || self.reveals == Some(true));
                }
                self.refused.push(second);
            }
            Met::RefusedAndRan => self.refused_and_ran.push(second),
            Met::Failed => self.failed.push(second),
            Met::Unclear => return,
        }
        self.firsts.push(first.n());
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.firsts.is_empty()
    }

    /// The attempts, the second requests first.
    pub fn attempts(&self) -> Vec<u64> {
        let groups = [
            &self.ran,
            &self.replayed,
            &self.refused,
            &self.refused_and_ran,
            &self.failed,
        ];
        let seconds = groups.into_iter().flatten().map(Seen::n);
        seconds.chain(self.firsts.iter().copied()).collect()
    }

    /// As an answer of a contract.
    pub fn answer(&self) -> Answer {
        let mut answers = Vec::new();
        if !self.ran.is_empty() {
            answers.push(Answer::Run);
        }
        if !self.replayed.is_empty() {
            answers.push(Answer::Replay);
        }
        if !self.refused.is_empty() {
            answers.extend(
                refusal::of(&self.refused)
                    .alternatives()
                    .into_iter()
                    .cloned(),
            );
        }
        either(answers)
    }

    /// As an answer that says whether refusals name the first's result.
    pub fn revealing(&self) -> Answer {
        let told = |answer: Answer| match answer {
            Answer::Refuse(how) => Answer::Refuse(Match {
                reveals: self.reveals,
                ..how
            }),
            other => other,
        };
        match self.answer() {
            Answer::AnyOf(all) => Answer::AnyOf(all.into_iter().map(told).collect()),
            one => told(one),
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        let mut tell = |seen: &[Seen<'_>], what: &str| {
            if !seen.is_empty() {
                parts.push(format!("{what} ({})", statuses(seen)));
            }
        };
        tell(&self.ran, "it runs");
        tell(&self.replayed, "it gets the first's result");
        tell(&self.refused, "it is refused");
        tell(&self.refused_and_ran, "it is refused and runs all the same");
        tell(&self.failed, "the server fails");
        parts.join("; or ")
    }
}

/// The statuses of replies, each once, with how often where it is more than once.
pub fn statuses(seen: &[Seen<'_>]) -> String {
    let mut counted: Vec<(u16, usize)> = Vec::new();
    for status in seen.iter().filter_map(Seen::status) {
        match counted.iter_mut().find(|(known, _)| *known == status) {
            Some((_, n)) => *n += 1,
            None => counted.push((status, 1)),
        }
    }
    let told: Vec<String> = counted
        .into_iter()
        .map(|(status, n)| {
            if n == 1 {
                status.to_string()
            } else {
                format!("{n} x {status}")
            }
        })
        .collect();
    told.join(", ")
}

/// What one request got.
pub fn got(seen: &Seen<'_>) -> String {
    seen.status()
        .map_or_else(|| "no whole reply".to_owned(), |status| status.to_string())
}
