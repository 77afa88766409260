//! Permits to send: how many requests a run may send at all, and how many a second.
//! It must not know what is sent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a run may send.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Requests at the most; `None`: 20,000 on this machine, 1,000 elsewhere.
    pub max_requests: Option<u64>,
    /// Requests a second at the most.
    pub rate: Option<f64>,
    /// Copies of any burst at the most. The plan keeps it; here it is said.
    pub max_copies: Option<u32>,
    /// Hosts that are allowed by name although they are neither on this machine nor in a private network.
    pub allow_hosts: Vec<String>,
    /// How long to wait until the target answers.
    pub wait: Option<Duration>,
}

/// The longest that a Retry-After is obeyed: an absurd one must not stop the run.
const LONGEST_HOLD: Duration = Duration::from_secs(60);

/// The cap of a run that names none.
#[must_use]
pub fn default_cap(all_on_this_machine: bool) -> u64 {
    if all_on_this_machine { 20_000 } else { 1_000 }
}

/// Why nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The cap is reached.
    #[error("the cap of {cap} requests is reached (--max-requests)")]
    Cap {
        /// The cap.
        cap: u64,
    },
    /// The run was interrupted.
    #[error("the run was interrupted")]
    Interrupted,
}

/// Counts requests and spaces them.
#[derive(Debug)]
pub struct Meter<'a> {
    cap: u64,
    sent: u64,
    gap: Option<Duration>,
    next: Instant,
    not_before: Option<Instant>,
    interrupted: &'a AtomicBool,
}

impl<'a> Meter<'a> {
    /// A meter that nothing has been taken from.
    #[must_use]
    pub fn new(cap: u64, rate: Option<f64>, interrupted: &'a AtomicBool) -> Self {
        let gap = rate
            .filter(|rate| *rate > 0.0)
            .and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok());
        Self {
            cap,
            sent: 0,
            gap,
            next: Instant::now(),
            not_before: None,
            interrupted,
        }
    }

    /// Asks to send `count` requests together; waits where the rate wants it. All or none are permitted.
    pub fn permit(&mut self, count: u64) -> Result<(), Refused> {
        if self.sent.saturating_add(count) > self.cap {
            return Err(Refused::Cap { cap: self.cap });
        }
        if let Some(moment) = self.not_before.take() {
            self.pause(moment.saturating_duration_since(Instant::now()));
        }
        if let Some(gap) = self.gap {
            self.pause(self.next.saturating_duration_since(Instant::now()));
            let whole = gap.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
            self.next = self.next.max(Instant::now()) + whole;
        }
        if self.is_interrupted() {
            return Err(Refused::Interrupted);
        }
        self.sent += count;
        Ok(())
    }

    /// Nothing more is permitted for so long: the target asked for it.
    pub fn hold(&mut self, length: Duration) {
        let moment = Instant::now() + length.min(LONGEST_HOLD);
        self.not_before = Some(self.not_before.map_or(moment, |known| known.max(moment)));
    }

    /// How many were sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// How many may be sent at all.
    #[must_use]
    pub fn cap(&self) -> u64 {
        self.cap
    }

    /// Whether the user wants the run to end.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Lets time pass, unless the run is interrupted. Says whether all of it passed.
    pub fn pause(&self, length: Duration) -> bool {
        let end = Instant::now() + length;
        loop {
            if self.is_interrupted() {
                return false;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_cap_nothing_is_sent_not_even_a_part() {
        let interrupted = AtomicBool::new(false);
        let mut meter = Meter::new(10, None, &interrupted);
        assert_eq!(meter.permit(8), Ok(()));
        assert_eq!(meter.permit(3), Err(Refused::Cap { cap: 10 }));
        assert_eq!(meter.permit(2), Ok(()));
        assert_eq!(meter.sent(), 10);
    }

    #[test]
    fn the_rate_spaces_requests_and_makes_up_for_bursts() {
        let interrupted = AtomicBool::new(false);
        let mut meter = Meter::new(100, Some(100.0), &interrupted);
        let began = Instant::now();
        meter.permit(5).unwrap();
        assert!(began.elapsed() < Duration::from_millis(45));
        meter.permit(1).unwrap();
        assert!(began.elapsed() >= Duration::from_millis(50));
    }

    #[test]
    fn what_the_target_asked_for_is_waited_before_the_next_request() {
        let interrupted = AtomicBool::new(false);
        let mut meter = Meter::new(100, None, &interrupted);
        meter.hold(Duration::from_millis(60));
        meter.hold(Duration::from_millis(10));
        let began = Instant::now();
        meter.permit(1).unwrap();
        assert!(began.elapsed() >= Duration::from_millis(55));
        let again = Instant::now();
        meter.permit(1).unwrap();
        assert!(
            again.elapsed() < Duration::from_millis(50),
            "once is enough"
        );
    }

    #[test]
    fn an_interrupted_run_sends_nothing_more() {
        let interrupted = AtomicBool::new(true);
        let mut meter = Meter::new(10, None, &interrupted);
        assert_eq!(meter.permit(1), Err(Refused::Interrupted));
        assert!(!meter.pause(Duration::from_secs(60)));
        assert_eq!(meter.sent(), 0);
    }
}
