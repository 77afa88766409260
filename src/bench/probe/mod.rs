//! The server at which arrivals are measured: it notes when each request was complete, and has a window to be hit.
//! It must not know who sends.
//!
//! `POST /race/100us` looks its key up, lets the window pass, and inserts the key whatever came in between. `POST /locked` claims
//! the key under a lock. `GET /report` gives what was noted and forgets it. The key is the header `Idempotency-Key`.

pub mod awaited;
pub mod threads;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// What one key saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// When each request was complete, in nanoseconds of the server's clock.
    pub arrivals_ns: Vec<u64>,
    /// How often the work was done.
    pub effects: u32,
}

/// What the server noted since it was last asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// By key.
    pub keys: BTreeMap<String, Seen>,
    /// How long windows really were, in nanoseconds.
    pub windows_ns: Vec<u64>,
}

/// What is asked of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Look up, wait, insert.
    Race(String),
    /// Claim under a lock.
    Locked,
    /// What was noted.
    Report,
    /// Nothing that it knows.
    Nothing,
}

impl Asked {
    /// Reads a request's path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        match path {
            "/locked" => Self::Locked,
            "/report" => Self::Report,
            _ => path
                .strip_prefix("/race/")
                .map_or(Self::Nothing, |window| Self::Race(window.to_owned())),
        }
    }
}

/// What the server knows.
#[derive(Debug)]
pub struct Ledger {
    began: Instant,
    noted: Mutex<Report>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            noted: Mutex::default(),
        }
    }
}

impl Ledger {
    fn noted(&self) -> MutexGuard<'_, Report> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an arrival, and says whether the key has no effect yet. `complete` was taken before any lock.
    #[must_use]
    pub fn arrived(&self, key: &str, complete: Instant) -> bool {
        let mut noted = self.noted();
        let seen = noted.keys.entry(key.to_owned()).or_default();
        seen.arrivals_ns.push(nanos(complete - self.began));
        seen.effects == 0
    }

    /// Notes that the work was done, after a window of this length.
    pub fn done(&self, key: &str, window: std::time::Duration) {
        let mut noted = self.noted();
        noted.keys.entry(key.to_owned()).or_default().effects += 1;
        noted.windows_ns.push(nanos(window));
    }

    /// Notes an arrival, and claims the key where nobody did.
    #[must_use]
    pub fn claimed(&self, key: &str, complete: Instant) -> bool {
        let mut noted = self.noted();
        let seen = noted.keys.entry(key.to_owned()).or_default();
        seen.arrivals_ns.push(nanos(complete - self.began));
        if seen.effects > 0 {
            return false;
        }
        seen.effects = 1;
        true
    }

    /// Gives what was noted, as JSON, and forgets it.
    #[must_use]
    pub fn report(&self) -> String {
        let report = std::mem::take(&mut *self.noted());
        serde_json::to_string(&report).unwrap_or_default()
    }
}

fn nanos(length: std::time::Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// The status of an answer.
#[must_use]
pub fn status(ran: bool) -> u16 {
    if ran { 201 } else { 200 }
}

/// The body of every answer to a POST.
pub const ANSWER: &str = "{\"id\":1}";

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_key_looked_up_twice_before_it_is_inserted_is_worked_on_twice() {
        let ledger = Ledger::default();
        let now = Instant::now();
        assert!(ledger.arrived("k", now));
        assert!(ledger.arrived("k", now + Duration::from_micros(3)));
        ledger.done("k", Duration::ZERO);
        ledger.done("k", Duration::ZERO);
        assert!(!ledger.arrived("k", now));
        let report: Report = serde_json::from_str(&ledger.report()).unwrap();
        let seen = &report.keys["k"];
        assert_eq!(seen.effects, 2);
        assert_eq!(seen.arrivals_ns[1] - seen.arrivals_ns[0], 3_000);
        assert!(!ledger.report().contains("\"k\""), "it was forgotten");
    }

    #[test]
    fn a_claimed_key_is_worked_on_once() {
        let ledger = Ledger::default();
        let now = Instant::now();
        assert!(ledger.claimed("k", now));
        assert!(!ledger.claimed("k", now));
    }

    #[test]
    fn paths_are_read() {
        assert_eq!(Asked::of("/race/100us"), Asked::Race("100us".to_owned()));
        assert_eq!(Asked::of("/locked"), Asked::Locked);
        assert_eq!(Asked::of("/report"), Asked::Report);
        assert_eq!(Asked::of("/"), Asked::Nothing);
    }
}
