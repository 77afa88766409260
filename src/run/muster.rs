//! Where the lanes of a burst meet: first when their copies are at the gate, then to the microsecond.
//! It must not know what is released.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// The longest wait for the copies to come to the gate.
pub const GATHERING: Duration = Duration::from_secs(10);
/// The longest that a thread waits awake for the other.
const AWAKE: Duration = Duration::from_millis(50);
/// A thread that gave a sign within so many nanoseconds holds a core.
const FRESH: u64 = 2_000;
/// From the agreement to the release, in nanoseconds: time for both to read it.
const LEAD: u64 = 3_000;
/// A thread that has not given a sign for so long has lost its core: the other offers its own.
const LOST: u64 = 200_000;

/// Where lanes meet.
#[derive(Debug)]
pub struct Muster {
    began: Instant,
    lanes: usize,
    ready: AtomicUsize,
    all_ready: Notify,
    signs: [AtomicU64; 2],
    go_at: AtomicU64,
}

impl Muster {
    /// A place for so many lanes, two at the most.
    #[must_use]
    pub fn new(lanes: usize) -> Self {
        Self {
            began: Instant::now(),
            lanes: lanes.min(2),
            ready: AtomicUsize::new(0),
            all_ready: Notify::new(),
            signs: [AtomicU64::new(0), AtomicU64::new(0)],
            go_at: AtomicU64::new(0),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos())
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// Waits until every lane has its copies at the gate.
    pub async fn gather(&self) {
        let told = self.all_ready.notified();
        tokio::pin!(told);
        told.as_mut().enable();
        if self.ready.fetch_add(1, Ordering::AcqRel) + 1 >= self.lanes {
            self.all_ready.notify_waiters();
            return;
        }
        // a lane that does not come is not waited for long
        let _ = tokio::time::timeout(GATHERING + AWAKE, told).await;
    }

    /// Meets the other thread. To have been here is not enough: on a busy machine a thread that came first may have lost its
    /// core when the second comes. Both give signs of life until they see each other run, and agree on a moment just ahead.
    pub fn meet(&self, lane: usize) {
        let (Some(mine), Some(other)) = (self.signs.get(lane), self.signs.get(1 - lane.min(1)))
        else {
            return;
        };
        if self.lanes < 2 {
            return;
        }
        let came = self.now();
        let end = came + u64::try_from(AWAKE.as_nanos()).unwrap_or(0);
        loop {
            let now = self.now();
            mine.store(now, Ordering::Release);
            let go_at = self.go_at.load(Ordering::Acquire);
            if go_at > 0 {
                while self.now() < go_at {
                    std::hint::spin_loop();
                }
                return;
            }
            let seen = other.load(Ordering::Acquire);
            if seen > 0 && seen + FRESH >= now {
                // whoever is first decides for both
                let _ =
                    self.go_at
                        .compare_exchange(0, now + LEAD, Ordering::AcqRel, Ordering::Acquire);
            } else if now > end {
                return;
            } else if now > seen.max(came) + LOST {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn two_lanes_go_on_only_when_both_are_there() {
        let muster = Arc::new(Muster::new(2));
        let other = {
            let muster = Arc::clone(&muster);
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(10));
                let came = muster.now();
                muster.meet(1);
                (came, muster.now())
            })
        };
        muster.meet(0);
        let went = muster.now();
        let (came, _) = other.join().unwrap();
        assert!(went >= came, "the first waited for the second");
    }

    #[test]
    fn one_lane_meets_nobody() {
        let muster = Muster::new(1);
        muster.meet(0);
        assert!(muster.now() < 1_000_000_000);
    }

    #[test]
    fn a_lane_that_never_comes_is_not_waited_for_long() {
        let muster = Muster::new(2);
        let began = Instant::now();
        muster.meet(0);
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
