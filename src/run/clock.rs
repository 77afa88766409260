//! The run's one clock: microseconds since the run began, from one `Instant`.
//! It must not know what is timed.

use std::time::{Duration, Instant};

/// The moment the run began. Copies of it tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
    /// What had passed already: a run that is gone on with.
    before: Duration,
}

impl Clock {
    /// A clock that begins now.
    #[must_use]
    pub fn start() -> Self {
        Self::going_on(Duration::ZERO)
    }

    /// A clock by which so much has passed already.
    #[must_use]
    pub fn going_on(before: Duration) -> Self {
        Self {
            began: Instant::now(),
            before,
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
        micros(self.before + moment.saturating_duration_since(self.began))
    }
}

/// A length in whole microseconds.
#[must_use]
pub fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}
