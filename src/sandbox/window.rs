//! A window of time between two steps, as long as a fault says: waiting as for a database, or on the CPU.
//! Must not know what the steps are.
//!
//! The timer of tokio has a grain of 1 ms. On Linux shorter windows are awaited as a reply of a database is: on a timer of the
//! kernel, in the runtime's own poll. Elsewhere a thread of our own sleeps until the next window ends; a window is then
//! longer by what it takes to wake two threads. Neither spins.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::options::parse_duration;

/// A window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    length: Duration,
    on_the_cpu: bool,
}

/// From here on tokio's timer is good enough.
const COARSE: Duration = Duration::from_millis(5);

impl Window {
    /// Reads `20ms`, `100us` or `100us-cpu`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (length, on_the_cpu) = match text.strip_suffix("-cpu") {
            Some(length) => (length, true),
            None => (text, false),
        };
        let length = parse_duration(length)?;
        Ok(Self { length, on_the_cpu })
    }

    /// Comes back when the window has passed.
    pub(crate) async fn pass(self) {
        let end = Instant::now() + self.length;
        if self.on_the_cpu {
            while Instant::now() < end {
                std::hint::spin_loop();
            }
        } else if self.length >= COARSE {
            tokio::time::sleep(self.length).await;
        } else if !self.length.is_zero() {
            #[cfg(target_os = "linux")]
            if by_kernel_timer(self.length).await.is_ok() {
                return;
            }
            timer().wait_until(end).await;
        }
    }

    /// The same for a thread that may block.
    pub(crate) fn sleep(self) {
        let end = Instant::now() + self.length;
        if self.on_the_cpu {
            while Instant::now() < end {
                std::hint::spin_loop();
            }
        } else if !self.length.is_zero() {
            std::thread::sleep(self.length);
        }
    }
}

/// Waits on a timer of the kernel. Where there is none to be had, nothing was waited for.
#[cfg(target_os = "linux")]
async fn by_kernel_timer(length: Duration) -> std::io::Result<()> {
    use nix::sys::time::TimeSpec;
    use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
    let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
    let when = Expiration::OneShot(TimeSpec::from_duration(length));
    timer.set(when, TimerSetTimeFlags::empty())?;
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for types that might close their descriptor meanwhile; an owned one does not"
    )]
    let timer = tokio::io::unix::AsyncFd::new(std::os::fd::OwnedFd::from(timer))?;
    timer.readable().await.map(drop)
}

#[derive(Default)]
struct Timer {
    due: Mutex<BTreeMap<(Instant, u64), oneshot::Sender<()>>>,
    changed: Condvar,
}

fn timer() -> &'static Timer {
    static TIMER: OnceLock<&'static Timer> = OnceLock::new();
    TIMER.get_or_init(|| {
        let timer: &'static Timer = Box::leak(Box::default());
        std::thread::spawn(|| timer.run());
        timer
    })
}

impl Timer {
    async fn wait_until(&self, end: Instant) {
        let (sender, receiver) = oneshot::channel();
        {
            let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            let mut number = 0;
            while due.contains_key(&(end, number)) {
                number += 1;
            }
            due.insert((end, number), sender);
        }
        self.changed.notify_one();
        // The sender lives until it has sent.
        let _ = receiver.await;
    }

    fn run(&self) {
        ask_for_fine_timers();
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = due.first_key_value().map(|((end, _), _)| *end);
            let now = Instant::now();
            due = match next {
                Some(end) if end <= now => {
                    if let Some((_, sender)) = due.pop_first() {
                        // Whoever waited may have gone away.
                        let _ = sender.send(());
                    }
                    due
                }
                Some(end) => {
                    let slept = self.changed.wait_timeout(due, end - now);
                    slept.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self
                    .changed
                    .wait(due)
                    .unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Linux rounds the sleeps of a thread by 50 µs unless told otherwise. Where this cannot be said, windows are a little longer.
pub(crate) fn ask_for_fine_timers() {
    if let Ok(thread) = std::fs::read_link("/proc/thread-self")
        && let Some(id) = thread.file_name()
    {
        let slack = std::path::Path::new("/proc").join(id).join("timerslack_ns");
        let _ = std::fs::write(slack, "1000");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_with_and_without_cpu() {
        let window = |length, on_the_cpu| Ok(Window { length, on_the_cpu });
        assert_eq!(
            Window::parse("20ms"),
            window(Duration::from_millis(20), false)
        );
        assert_eq!(
            Window::parse("100us"),
            window(Duration::from_micros(100), false)
        );
        assert_eq!(
            Window::parse("100us-cpu"),
            window(Duration::from_micros(100), true)
        );
        assert!(Window::parse("soon").is_err());
        assert!(Window::parse("-1ms").is_err());
    }

    #[tokio::test]
    async fn a_window_is_never_shorter_than_it_says() {
        for text in ["0ms", "50us", "100us-cpu", "2ms", "6ms"] {
            let window = Window::parse(text).unwrap();
            let start = Instant::now();
            window.pass().await;
            assert!(start.elapsed() >= window.length, "{text}");
        }
    }

    #[tokio::test]
    async fn a_short_window_is_not_rounded_up_to_the_grain_of_the_runtime() {
        let window = Window::parse("100us").unwrap();
        let mut shortest = Duration::MAX;
        for _ in 0..50 {
            let start = Instant::now();
            window.pass().await;
            shortest = shortest.min(start.elapsed());
        }
        assert!(shortest < Duration::from_millis(1), "{shortest:?}");
    }
}
