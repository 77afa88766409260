//! A lane: an OS thread with its own current-thread runtime and its own clients. No client crosses threads.
//! It must not know what the jobs are that run on it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc as queue;
use url::Url;

use super::client::{ClientMaker, Route, Valve};
use super::clock::Clock;
use super::flight::{Passage, fly};
use super::gated_body::Stamp;
use super::shot::{Flight, Landing, Shot};

/// What lives on a lane's thread.
pub struct Deck {
    maker: ClientMaker,
    clients: RefCell<BTreeMap<Route, reqwest::Client>>,
    /// Connections of `Route::H1` that the last burst left open, by origin, and until when they are good.
    warm: RefCell<BTreeMap<String, (usize, Instant)>>,
    /// Holds opened connections back (`Route::H1Valved`).
    pub valve: Valve,
    /// The run's clock.
    pub clock: Clock,
}

impl Deck {
    /// The lane's client of a kind, made at its first use.
    pub fn client(&self, route: Route) -> Result<reqwest::Client, String> {
        if let Some(client) = self.clients.borrow().get(&route) {
            return Ok(client.clone());
        }
        let client = self.maker.make(route, &self.valve)?;
        // a relay serves one request: its client is not kept
        if !matches!(route, Route::Relay(_)) {
            self.clients.borrow_mut().insert(route, client.clone());
        }
        Ok(client)
    }
}

/// Below what the pool keeps: a connection that is about to be dropped is none.
const WARM: Duration = Duration::from_millis(600);

impl Deck {
    /// Whether a connection of `Route::H1` waits for each of these requests.
    pub fn has_warm<'u>(&self, urls: impl Iterator<Item = &'u Url>) -> bool {
        let (warm, now) = (self.warm.borrow(), Instant::now());
        by_origin(urls).iter().all(|(origin, needed)| {
            warm.get(origin)
                .is_some_and(|(there, until)| there >= needed && now < *until)
        })
    }

    /// Notes which connections of `Route::H1` a burst left open.
    pub fn keeps_warm(&self, urls: &[Url]) {
        let until = Instant::now() + WARM;
        let mut warm = self.warm.borrow_mut();
        warm.clear();
        for (origin, there) in by_origin(urls.iter()) {
            warm.insert(origin, (there, until));
        }
    }
}

fn by_origin<'u>(urls: impl Iterator<Item = &'u Url>) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for url in urls {
        *counted
            .entry(url.origin().ascii_serialization())
            .or_insert(0) += 1;
    }
    counted
}

type Work = Pin<Box<dyn Future<Output = ()>>>;
type Job = Box<dyn FnOnce(Rc<Deck>) -> Work + Send>;

/// After so many turns of tasks a lane looks at the time.
const LOOKS_UP_EVERY: u32 = 4;

/// A thread on which requests are sent.
pub struct Lane {
    jobs: Option<queue::UnboundedSender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
    clock: Clock,
}

impl Lane {
    /// Starts the thread.
    pub fn start(name: &str, maker: ClientMaker, clock: Clock) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            // a server that never stops sending keeps a connection's task busy: time must be looked at between its turns
            .event_interval(LOOKS_UP_EVERY)
            .enable_all()
            .build()?;
        let (jobs, mut inbox) = queue::unbounded_channel::<Job>();
        let thread = std::thread::Builder::new()
            .name(format!("lane-{name}"))
            .spawn(move || {
                let deck = Rc::new(Deck {
                    maker,
                    clients: RefCell::default(),
                    warm: RefCell::default(),
                    valve: Valve::default(),
                    clock,
                });
                let local = tokio::task::LocalSet::new();
                local.block_on(&runtime, async {
                    while let Some(job) = inbox.recv().await {
                        tokio::task::spawn_local(job(deck.clone()));
                    }
                });
                // replies that nobody waits for any more must not keep the process
                runtime.shutdown_background();
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            clock,
        })
    }

    /// Runs a job on the lane's thread.
    pub fn run(&self, job: impl FnOnce(Rc<Deck>) -> Work + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // the thread ends only after the sender is gone
            let _ = jobs.send(Box::new(job));
        }
    }

    /// The run's clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Sends a request without waiting for its reply.
    pub fn send(&self, shot: Shot, route: Route, timeout: Duration) -> Pending {
        let (done, reply) = mpsc::channel();
        let stamp = Stamp::new(self.clock);
        let passage = Passage {
            gate: None,
            stamp: stamp.clone(),
            timeout,
        };
        self.run(move |deck| {
            Box::pin(async move {
                let flight = match deck.client(route) {
                    Ok(client) => fly(&client, shot, passage, deck.clock).await,
                    Err(why) => Flight::not_sent(deck.clock.now(), why),
                };
                let _ = done.send(flight);
            })
        });
        let pending = Pending::new(reply, stamp);
        pending.until(self.clock, timeout)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A request that is out.
pub struct Pending {
    reply: mpsc::Receiver<Flight>,
    stamp: std::sync::Arc<Stamp>,
    overdue: Option<Overdue>,
}

/// When a reply is not waited for any more, whatever keeps its lane busy.
struct Overdue {
    at: Instant,
    timeout: Duration,
    clock: Clock,
}

/// A lane keeps time itself; so much later it is plain that something does not let it.
pub(super) const GRACE: Duration = Duration::from_millis(500);

impl Pending {
    /// A request whose flight comes through `reply`.
    #[must_use]
    pub fn new(reply: mpsc::Receiver<Flight>, stamp: std::sync::Arc<Stamp>) -> Self {
        Self {
            reply,
            stamp,
            overdue: None,
        }
    }

    /// The same, not waited for longer than its timeout, whatever its lane does.
    #[must_use]
    pub fn until(mut self, clock: Clock, timeout: Duration) -> Self {
        self.overdue = Some(Overdue {
            at: Instant::now() + timeout + GRACE,
            timeout,
            clock,
        });
        self
    }

    /// Waits a while for the reply.
    pub fn wait(&self, at_most: Duration) -> Option<Flight> {
        if let Ok(flight) = self.reply.recv_timeout(at_most) {
            return Some(flight);
        }
        let overdue = self.overdue.as_ref()?;
        (Instant::now() >= overdue.at).then(|| {
            let landing = Landing::Unknown(format!(
                "no whole reply within {} s",
                overdue.timeout.as_secs_f64()
            ));
            let mut flight = Flight::without_reply(overdue.clock.now(), landing);
            flight.released_us = self.stamp.get();
            flight
        })
    }

    /// When its last byte was handed to the connection, once that happened.
    #[must_use]
    pub fn released(&self) -> Option<u64> {
        self.stamp.get()
    }
}
