//! What one check saw in all its rounds, and the result that follows: violations, doubts, observations.
//! It must not know any situation.

use super::words::{Declares, without_numbers};
use super::{CheckResult, ClauseRef, Verdict};
use crate::contract::{Clause, Level};

/// A clause as a check cites it.
#[derive(Clone, Debug)]
pub struct Cited {
    /// Name, words and place.
    pub reference: ClauseRef,
    level: Level,
    should_parts: Vec<String>,
}

impl Cited {
    /// Cites a clause.
    pub fn of<T: Declares>(clause: &Clause<T>) -> Self {
        Self {
            reference: ClauseRef {
                name: clause.name.clone(),
                declared: clause.value.words(&clause.name),
                origin: clause.origin.clone(),
            },
            level: clause.level,
            should_parts: clause.should_parts.clone(),
        }
    }

    /// Advice that no policy declares: it warns at the most.
    pub fn advice(name: &str, declared: &str, origin: Option<crate::contract::Origin>) -> Self {
        Self {
            reference: ClauseRef {
                name: name.to_owned(),
                declared: declared.to_owned(),
                origin,
            },
            level: Level::Should,
            should_parts: Vec::new(),
        }
    }

    fn level_of(&self, part: Option<&str>) -> Level {
        match part {
            Some(part) if self.should_parts.iter().any(|p| p == part) => Level::Should,
            _ => self.level,
        }
    }
}

/// A clause violated.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The clause.
    pub cited: Cited,
    /// The part of it (`status`), where only a part is violated.
    pub part: Option<&'static str>,
    /// What it asks for.
    pub expected: String,
    /// What was seen instead.
    pub observed: String,
    /// What that means for a user of the API.
    pub meaning: String,
    /// The attempts that show it, the decisive ones first.
    pub attempts: Vec<u64>,
}

/// What one check saw.
#[derive(Debug)]
pub struct Tally {
    id: String,
    cited: Option<Cited>,
    expected: String,
    violations: Vec<(u32, Violation)>,
    doubts: Vec<(u32, String, Vec<u64>)>,
    seen: Vec<(u32, String, Vec<u64>)>,
    /// What all rounds together showed.
    sum: Option<String>,
    open: bool,
    skip: Option<String>,
    /// What a pass rests on.
    pub proof: Vec<String>,
    round: u32,
    rounds: u32,
}

impl Tally {
    /// An empty one. `rounds`: how many there are, so that texts name the round only where there are several.
    #[must_use]
    pub fn new(id: String, rounds: u32) -> Self {
        Self {
            id,
            cited: None,
            expected: String::new(),
            violations: Vec::new(),
            doubts: Vec::new(),
            seen: Vec::new(),
            sum: None,
            open: false,
            skip: None,
            proof: Vec::new(),
            round: 0,
            rounds,
        }
    }

    /// Everything that follows was seen in this round.
    pub fn in_round(&mut self, round: u32) {
        self.round = round;
        // rounds that were out of step are repeated: there may be more than were planned
        self.rounds = self.rounds.max(round + 1);
    }

    /// The clause that decides when nothing is violated, and what it asks for.
    pub fn expect(&mut self, cited: Cited, expected: impl Into<String>) {
        self.cited = Some(cited);
        self.expected = expected.into();
    }

    /// What a premise asks for: no clause decides.
    pub fn premise(&mut self, expected: impl Into<String>) {
        self.expected = expected.into();
    }

    /// A clause was violated.
    pub fn violated(&mut self, violation: Violation) {
        self.violations.push((self.round, violation));
    }

    /// No verdict can be given.
    pub fn doubt(&mut self, why: impl Into<String>, attempts: &[u64]) {
        self.doubts
            .push((self.round, why.into(), attempts.to_vec()));
    }

    /// Something was seen that is as it should be, or is worth telling.
    pub fn saw(&mut self, what: impl Into<String>, attempts: &[u64]) {
        self.seen.push((self.round, what.into(), attempts.to_vec()));
    }

    /// What all rounds together showed: told of a pass instead of what was seen in the first of them.
    pub fn sum_up(&mut self, what: impl Into<String>) {
        self.sum = Some(what.into());
    }

    /// The policy leaves the situation open: without a violation of the floor or a doubt it is only observed.
    pub fn leave_open(&mut self) {
        self.open = true;
    }

    /// The check could not be tried.
    pub fn skip(&mut self, why: impl Into<String>) {
        self.skip = Some(why.into());
    }

    /// What a pass rests on, once.
    pub fn prove(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.proof.contains(&what) {
            self.proof.push(what);
        }
    }

    /// Whether a must was violated.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.violations
            .iter()
            .any(|(_, v)| v.cited.level_of(v.part) == Level::Must)
    }

    fn at(&self, round: u32, text: &str) -> String {
        if self.rounds > 1 {
            format!("round {}: {text}", round + 1)
        } else {
            text.to_owned()
        }
    }

    /// The result.
    #[must_use]
    pub fn finish(mut self, strict: bool) -> CheckResult {
        let level = |v: &Violation| v.cited.level_of(v.part);
        // musts first, in the order in which they were found
        self.violations
            .sort_by_key(|(_, v)| level(v) == Level::Should);
        let default_level = self.cited.as_ref().map_or(Level::Must, |c| c.level);
        let clause = self.cited.as_ref().map(|c| c.reference.clone());
        let first = self.violations.first().cloned();
        let must = first
            .as_ref()
            .is_some_and(|(_, v)| strict || level(v) == Level::Must);
        if let Some((round, violation)) = first
            && (must || self.doubts.is_empty())
        {
            let counts = |v: &&(u32, Violation)| !must || strict || level(&v.1) == Level::Must;
            let mut violated: Vec<String> = Vec::new();
            for (_, v) in self.violations.iter().filter(counts) {
                if !violated.contains(&v.cited.reference.name) {
                    violated.push(v.cited.reference.name.clone());
                }
            }
            return CheckResult {
                violated,
                part: violation.part.map(str::to_owned),
                known: None,
                observed: self.told(round, &violation),
                attempts: attempts(self.violations.iter().map(|(_, v)| &v.attempts)),
                id: self.id,
                level: level(&violation),
                clause: Some(violation.cited.reference),
                verdict: if must { Verdict::Fail } else { Verdict::Warn },
                expected: violation.expected,
                meaning: Some(violation.meaning),
            };
        }
        let (verdict, told, meaning) = if let Some((round, why, _)) = self.doubts.first() {
            let more = match self.doubts.iter().filter(|d| d.1 != *why).count() {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            let meaning = "Nothing can be said for or against the API here.".to_owned();
            (
                Verdict::Inconclusive,
                format!("{}{more}", self.at(*round, why)),
                Some(meaning),
            )
        } else if let Some(why) = &self.skip {
            (Verdict::Skip, why.clone(), None)
        } else if self.open {
            let meaning = "The policy leaves this open: it was sent and observed.".to_owned();
            (Verdict::Observed, self.summary(), Some(meaning))
        } else {
            (Verdict::Pass, self.summary(), None)
        };
        let doubted = self.doubts.iter().map(|(_, _, a)| a);
        let seen = self.seen.iter().map(|(_, _, a)| a);
        CheckResult {
            attempts: attempts(doubted.chain(seen)),
            id: self.id,
            clause,
            level: default_level,
            verdict,
            expected: self.expected,
            observed: told,
            meaning,
            violated: Vec::new(),
            part: None,
            known: None,
        }
    }

    /// The violation that decides, in how many rounds, and what else was violated.
    fn told(&self, round: u32, violation: &Violation) -> String {
        let mut told = self.at(round, &violation.observed);
        let name = &violation.cited.reference.name;
        let same = |v: &Violation| v.cited.reference.name == *name;
        let mut rounds: Vec<u32> = self
            .violations
            .iter()
            .filter(|(_, v)| same(v))
            .map(|(r, _)| *r)
            .collect();
        rounds.dedup();
        if self.rounds > 1 && rounds.len() > 1 {
            told.push_str(&format!(" ({} of {} rounds)", rounds.len(), self.rounds));
        }
        let mut others: Vec<&str> = vec![name];
        for (round, other) in &self.violations {
            let name = other.cited.reference.name.as_str();
            if !others.contains(&name) {
                others.push(name);
                told.push_str(&format!("; also {}", self.at(*round, &other.observed)));
            }
        }
        told
    }

    fn summary(&self) -> String {
        if let Some(sum) = &self.sum {
            return sum.clone();
        }
        // one round tells it for all; what replies say comes first, then what was counted
        let first = self.seen.first().map(|(round, ..)| *round);
        let of_first = || self.seen.iter().filter(|(round, ..)| Some(*round) == first);
        let replies = of_first().filter(|(_, _, attempts)| !attempts.is_empty());
        let counted = of_first().filter(|(_, _, attempts)| attempts.is_empty());
        let mut texts: Vec<String> = Vec::new();
        for (_, text, _) in replies.chain(counted) {
            let text = without_numbers(text);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.is_empty() {
            "as declared".to_owned()
        } else {
            texts.join("; ")
        }
    }
}

fn attempts<'a>(lists: impl Iterator<Item = &'a Vec<u64>>) -> Vec<u64> {
    let mut all = Vec::new();
    for n in lists.flatten() {
        if !all.contains(n) {
            all.push(*n);
        }
    }
    all
}
