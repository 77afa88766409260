//! A request body that can keep its last byte back until a gate opens, and that notes when its last byte was handed over.
//! It must not know how many copies wait at the gate, nor when it opens.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::Notify;

use super::clock::Clock;

/// When a request's last byte was handed to the connection.
#[derive(Debug)]
pub struct Stamp {
    clock: Clock,
    // 0: not yet; a stamp at 0 is moved to 1, which no one can tell apart
    micros: AtomicU64,
    at_gate: AtomicBool,
}

impl Stamp {
    /// A stamp that is not set.
    #[must_use]
    pub fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            clock,
            micros: AtomicU64::new(0),
            at_gate: AtomicBool::new(false),
        })
    }

    fn set(&self) {
        let now = self.clock.now().max(1);
        let _ = self
            .micros
            .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether all but the last byte was handed over and the last one waits at a gate.
    #[must_use]
    pub fn is_at_gate(&self) -> bool {
        self.at_gate.load(Ordering::Acquire)
    }

    /// The time, where it is set.
    #[must_use]
    pub fn get(&self) -> Option<u64> {
        match self.micros.load(Ordering::Relaxed) {
            0 => None,
            micros => Some(micros),
        }
    }
}

/// A gate of one thread: what waits at it, and whether it is open. It opens once.
#[derive(Debug, Default)]
pub struct Gate {
    waiting: Mutex<Waiting>,
    /// Told whenever one more waits at the gate.
    pub arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    open: bool,
    parked: usize,
    wakers: Vec<Option<Waker>>,
}

impl Gate {
    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many have come to the gate.
    #[must_use]
    pub fn parked(&self) -> usize {
        self.waiting().parked
    }

    /// Lets all pass that wait, and all that come later.
    pub fn open(&self) {
        let wakers = {
            let mut waiting = self.waiting();
            waiting.open = true;
            std::mem::take(&mut waiting.wakers)
        };
        for waker in wakers.into_iter().flatten() {
            waker.wake();
        }
    }

    /// Waits at the gate. `place` is kept by whoever waits, `None` at first.
    pub fn pass(&self, place: &mut Option<usize>, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.waiting();
        let is_new = place.is_none();
        if is_new {
            waiting.parked += 1;
        }
        if waiting.open {
            *place = Some(usize::MAX);
            return Poll::Ready(());
        }
        let waker = Some(cx.waker().clone());
        match *place {
            Some(at) if at < waiting.wakers.len() => waiting.wakers[at] = waker,
            _ => {
                *place = Some(waiting.wakers.len());
                waiting.wakers.push(waker);
            }
        }
        drop(waiting);
        if is_new {
            // whoever gathers the copies looks after this poll is over
            self.arrived.notify_one();
        }
        Poll::Pending
    }
}

/// A body of known length. Without a gate it is given out at once.
#[derive(Debug)]
pub struct GatedBody {
    rest: Bytes,
    gate: Option<Arc<Gate>>,
    place: Option<usize>,
    stamp: Arc<Stamp>,
}

impl GatedBody {
    /// A body that notes in `stamp` when its last byte was handed over.
    #[must_use]
    pub fn new(bytes: Bytes, gate: Option<Arc<Gate>>, stamp: Arc<Stamp>) -> Self {
        Self {
            rest: bytes,
            gate,
            place: None,
            stamp,
        }
    }
}

impl http_body::Body for GatedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if self.gate.is_some() && self.rest.len() > 1 {
            let all_but_last = self.rest.len() - 1;
            let head = self.rest.split_to(all_but_last);
            return Poll::Ready(Some(Ok(Frame::data(head))));
        }
        if let Some(gate) = self.gate.clone() {
            let mut place = self.place;
            let passed = gate.pass(&mut place, cx);
            self.place = place;
            if passed.is_pending() {
                self.stamp.at_gate.store(true, Ordering::Release);
                return Poll::Pending;
            }
        }
        let last = std::mem::take(&mut self.rest);
        self.stamp.set();
        Poll::Ready(Some(Ok(Frame::data(last))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

impl Drop for GatedBody {
    /// An empty body is never asked for a byte: it is let go when the head is written.
    fn drop(&mut self) {
        if self.rest.is_empty() {
            self.stamp.set();
        }
    }
}
