//! Copies of one burst taken together: whether they overlapped, what they got, in one line.
//! It must not give a verdict.

use std::collections::BTreeSet;

use super::evidence::{Scene, Seen};
use super::refusal::{Fit, fit};

/// Whether at least two copies were open at once.
pub(super) fn overlapped(scene: &Scene<'_>, copies: &[Seen<'_>]) -> bool {
    if scene
        .round
        .gates
        .iter()
        .any(|g| g.all_in_flight && g.copies > 1)
    {
        return true;
    }
    let pair = copies
        .iter()
        .enumerate()
        .any(|(i, a)| copies[i + 1..].iter().any(|b| a.overlaps(b)));
    // a server that says "in progress" while another copy is open has seen them both
    pair || copies.iter().any(|early| {
        matches!(
            fit(&early.op.contract.in_progress.value, early),
            Fit::Fits(_)
        ) && copies.iter().any(|other| {
            other.n() != early.n()
                && other.attempt.sent.at_us <= early.answered_us()
                && early.answered_us() < other.ended_us()
        })
    })
}

/// What the copies of all rounds got, for the one line of a pass.
#[derive(Default)]
pub(super) struct Together {
    kinds: Vec<(String, usize)>,
    /// Rounds in which every success had the same identity.
    identified: u32,
    /// Rounds in which one effect was counted.
    pub(super) counted: u32,
}

impl Together {
    pub(super) fn add(&mut self, copies: &[Seen<'_>]) {
        add_kinds(copies, &mut self.kinds);
        let identities: BTreeSet<String> = copies.iter().filter_map(Seen::identity).collect();
        self.identified += u32::from(identities.len() == 1);
    }

    /// `10 of 10 rounds: one effect, one identity; 100 copies: 10 x 201, 90 x 409`.
    pub(super) fn told(&self, rounds: u32) -> String {
        let mut said: Vec<&str> = Vec::new();
        if self.counted == rounds {
            said.push("one effect");
        }
        if self.identified == rounds {
            said.push("one identity");
        }
        let copies: usize = self.kinds.iter().map(|(_, n)| n).sum();
        let came = format!("{copies} copies: {}", words(&self.kinds));
        if said.is_empty() {
            return came;
        }
        let said = said.join(", ");
        if rounds == 1 {
            format!("{said}; {came}")
        } else {
            format!("{rounds} of {rounds} rounds: {said}; {came}")
        }
    }
}

/// `1 x 201, 9 x 409`.
pub(super) fn told(copies: &[Seen<'_>]) -> String {
    let mut kinds = Vec::new();
    add_kinds(copies, &mut kinds);
    words(&kinds)
}

fn add_kinds(copies: &[Seen<'_>], kinds: &mut Vec<(String, usize)>) {
    for copy in copies {
        let kind = match copy.status() {
            Some(status) if copy.marked() == Some(true) => format!("{status} marked as replay"),
            Some(status) => status.to_string(),
            None => "unknown".to_owned(),
        };
        match kinds.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((kind, 1)),
        }
    }
}

fn words(kinds: &[(String, usize)]) -> String {
    // a success first, then what its duplicates got
    let mut kinds: Vec<&(String, usize)> = kinds.iter().collect();
    kinds.sort();
    let shown: Vec<String> = kinds
        .iter()
        .map(|(kind, n)| format!("{n} x {kind}"))
        .collect();
    shown.join(", ")
}

pub(super) fn numbers(copies: &[Seen<'_>]) -> Vec<u64> {
    copies.iter().map(Seen::n).collect()
}
