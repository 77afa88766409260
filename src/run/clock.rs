//! The run's one clock: microseconds since the run began, from one `Instant`.
//! It must not know what is timed.

use std::time::{Duration, Instant};

/// The moment the run began. Copies of it tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            began: Instant::now(),
        }
    }

    /// Microseconds since the run began.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.at(Instant::now())
    }

    /// A moment in microseconds since the run began.
    #[must_use]
    pub fn at(&self, moment: Instant) -> u64 {
        micros(moment.saturating_duration_since(self.began))
    }
}

/// A length in whole microseconds.
#[must_use]
pub fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}
