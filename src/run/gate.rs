//! The burst engine: copies are brought to the brink on one or two lanes and released together.
//! It must not know what the copies are, nor how many rounds there are.
//!
//! HTTP/2: one lane, one connection; the last DATA frame of every stream is withheld, so that all leave in one write.
//! HTTP/1.1: two lanes that meet at a spin barrier; one thread alone is put off its core by the server that it wakes.
//! The gate `whole` sends nothing before the release. Over HTTP/1.1 it uses the connections that the burst before left open; where
//! there are too few, each copy's connection is opened (TCP and TLS) and held back before HTTP is spoken on it. No request is
//! sent to warm anything up.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use url::Url;

use super::client::Route;
use super::clock::{Clock, micros};
use super::flight::{Passage, fly};
use super::gated_body::{Gate, Stamp};
use super::in_step::{Timing, timing};
use super::lane::{Deck, GRACE, Lane};
use super::muster::{GATHERING, Muster};
use super::shot::{Flight, Landing, Shot};
use crate::journal::event::GateKind;

/// How a burst is released.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// What is withheld.
    pub kind: GateKind,
    /// Whether the copies share one HTTP/2 connection.
    pub http2: bool,
    /// How long everything rests before the release, so that no copy is still on its way.
    pub settle: Duration,
    /// How long one request may take.
    pub timeout: Duration,
}

/// A burst that was carried out.
#[derive(Clone, Debug)]
pub struct Volley {
    /// What became of each copy, in the order given.
    pub flights: Vec<Flight>,
    /// What the times say.
    pub timing: Timing,
    /// What was withheld in the end.
    pub kind: GateKind,
    /// Copies that did not come to the gate in time: no connection, or too many streams for the server.
    pub missing: usize,
}

/// How many lanes release a burst.
#[must_use]
pub fn lanes_for(copies: usize, http2: bool) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if http2 {
        1
    } else {
        copies.min(cores).clamp(1, 2)
    }
}

/// Releases all shots together. An empty body has no byte to keep back: then nothing is sent before the release.
/// `give_up` ends the wait for replies (an interrupted run), and so does the timeout, even where a server that never stops
/// sending keeps the lanes from looking at the time: what is still out then is unknown.
pub fn release(
    lanes: &[&Lane],
    shots: Vec<Shot>,
    mut how: Release,
    give_up: &dyn Fn() -> bool,
) -> Volley {
    if shots.iter().any(|shot| shot.body.is_empty()) {
        how.kind = GateKind::Whole;
    }
    let copies = shots.len();
    let used = lanes_for(copies, how.http2).min(lanes.len()).max(1);
    let muster = Arc::new(Muster::new(used));
    let tally = Arc::new(Tally {
        opened_us: AtomicU64::new(u64::MAX),
        missing: AtomicUsize::new(0),
    });
    let mut parts: Vec<Vec<(usize, Shot)>> = vec![Vec::new(); used];
    for (index, shot) in shots.into_iter().enumerate() {
        parts[index % used].push((index, shot));
    }
    let (done, landed) = mpsc::channel();
    for (number, (lane, part)) in lanes.iter().zip(parts).enumerate() {
        let orders = Orders {
            number,
            how,
            muster: muster.clone(),
            tally: tally.clone(),
            done: done.clone(),
        };
        lane.run(move |deck| Box::pin(carry_out(deck, part, orders)));
    }
    drop(done);
    let mut flights: Vec<Option<Flight>> = vec![None; copies];
    let mut why = "its lane ended before it came back".to_owned();
    let clock = lanes.first().map(|lane| lane.clock());
    let began = Instant::now();
    loop {
        match landed.recv_timeout(Duration::from_millis(100)) {
            Ok((index, flight)) => flights[index] = Some(flight),
            Err(mpsc::RecvTimeoutError::Timeout) if give_up() => {
                "the run was interrupted".clone_into(&mut why);
                break;
            }
            Err(mpsc::RecvTimeoutError::Timeout) if tally.is_overdue(clock, began, &how) => {
                why = format!("no whole reply within {} s", how.timeout.as_secs_f64());
                break;
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let flights: Vec<Flight> = flights
        .into_iter()
        .map(|flight| {
            let now = clock.map_or(0, |clock| clock.now());
            flight.unwrap_or_else(|| Flight::without_reply(now, Landing::Unknown(why.clone())))
        })
        .collect();
    let opened_us = tally.opened_us.load(Ordering::Acquire);
    Volley {
        timing: timing(&flights, opened_us, how.http2),
        flights,
        kind: how.kind,
        missing: tally.missing.load(Ordering::Acquire),
    }
}

/// What the lanes of a burst tell the thread that ordered it.
#[derive(Debug)]
struct Tally {
    opened_us: AtomicU64,
    missing: AtomicUsize,
}

impl Tally {
    /// Whether no reply is waited for any more: from the release on a copy has its timeout. Where nothing is released at all, it
    /// has as much beyond the time in which lanes and copies gather.
    fn is_overdue(&self, clock: Option<Clock>, began: Instant, how: &Release) -> bool {
        let patience = how.timeout + GRACE;
        match (self.opened_us.load(Ordering::Acquire), clock) {
            (u64::MAX, _) | (_, None) => began.elapsed() > GATHERING * 2 + how.settle + patience,
            (opened, Some(clock)) => clock.now().saturating_sub(opened) > micros(patience),
        }
    }
}

/// What a lane is told.
struct Orders {
    /// Which lane it is.
    number: usize,
    how: Release,
    muster: Arc<Muster>,
    tally: Arc<Tally>,
    done: mpsc::Sender<(usize, Flight)>,
}

/// One lane's part of a burst.
async fn carry_out(deck: Rc<Deck>, part: Vec<(usize, Shot)>, orders: Orders) {
    let Orders {
        number,
        how,
        muster,
        tally,
        done,
    } = orders;
    let gate = Arc::new(Gate::default());
    let whole = how.kind == GateKind::Whole;
    let is_warm = whole && !how.http2 && deck.has_warm(part.iter().map(|(_, shot)| &shot.url));
    let route = match (how.http2, whole && !is_warm) {
        (true, _) => Route::H2,
        (false, true) => Route::H1Valved,
        (false, false) => Route::H1,
    };
    let client = match deck.client(route) {
        Ok(client) => client,
        Err(why) => {
            for (index, _) in part {
                let _ = done.send((index, Flight::not_sent(deck.clock.now(), why.clone())));
            }
            muster.gather().await;
            muster.meet(number);
            return;
        }
    };
    if route == Route::H1Valved {
        deck.valve.set(Some(gate.clone()));
    }
    let clock = deck.clock;
    let launch = |index: usize, shot: Shot| -> Copy {
        let stamp = Stamp::new(clock);
        let passage = Passage {
            gate: (!whole).then(|| gate.clone()),
            stamp: stamp.clone(),
            timeout: how.timeout,
        };
        let (client, gate, done) = (client.clone(), gate.clone(), done.clone());
        let url = shot.url.clone();
        let task = tokio::spawn(async move {
            let flight = fly(&client, shot, passage, clock).await;
            let stays_open = flight.leaves_its_connection_open();
            let _ = done.send((index, flight));
            gate.arrived.notify_one();
            stays_open
        });
        Copy { task, stamp, url }
    };

    let mut waiting: Vec<(usize, Shot)> = Vec::new();
    let mut copies: Vec<Copy> = Vec::new();
    if whole && (how.http2 || is_warm) {
        // what is launched together leaves together: on one connection, or on some that wait for it
        waiting = part;
    } else if how.http2 {
        // the first copy to each host opens the connection; the others find it
        let mut known = BTreeSet::new();
        let mut later = Vec::new();
        for (index, shot) in part {
            let origin = shot.url.origin().ascii_serialization();
            if known.insert(origin) {
                copies.push(launch(index, shot));
            } else {
                later.push((index, shot));
            }
        }
        gathered(&gate, &copies, whole, &how).await;
        copies.extend(later.into_iter().map(|(index, shot)| launch(index, shot)));
    } else {
        copies.extend(part.into_iter().map(|(index, shot)| launch(index, shot)));
    }
    let missing = gathered(&gate, &copies, whole, &how).await;
    tally.missing.fetch_add(missing, Ordering::AcqRel);
    muster.gather().await;
    tokio::time::sleep(how.settle).await;
    muster.meet(number);
    tally.opened_us.fetch_min(clock.now(), Ordering::AcqRel);
    gate.open();
    copies.extend(waiting.into_iter().map(|(index, shot)| launch(index, shot)));
    let mut open = Vec::new();
    for copy in copies {
        if copy.task.await.unwrap_or(false) {
            open.push(copy.url);
        }
    }
    if route == Route::H1 {
        deck.keeps_warm(&open);
    }
    deck.valve.set(None);
}

/// A copy under way.
struct Copy {
    /// Says whether the copy's connection can be used again.
    task: JoinHandle<bool>,
    stamp: Arc<Stamp>,
    url: Url,
}

/// Waits until every copy is at the gate or over. Says how many are not.
async fn gathered(gate: &Gate, copies: &[Copy], whole: bool, how: &Release) -> usize {
    let there = || {
        let over = |copy: &&Copy| copy.task.is_finished();
        if whole {
            // connections wait here; none of them can be answered before the release
            gate.parked() + copies.iter().filter(over).count()
        } else {
            let there = |copy: &&Copy| over(copy) || copy.stamp.is_at_gate();
            copies.iter().filter(there).count()
        }
    };
    // streams beyond the server's limit do not come before others have gone: that is seen early
    let patience = if how.http2 {
        GATHERING.min(STALLED.max(how.settle * 20))
    } else {
        GATHERING
    };
    let (began, mut since, mut before) = (Instant::now(), Instant::now(), 0);
    loop {
        let now = there();
        if now >= copies.len() || began.elapsed() > GATHERING {
            break;
        }
        if now > before {
            (before, since) = (now, Instant::now());
        }
        if before > 0 && since.elapsed() > patience {
            break;
        }
        // a copy that ends just before it counts as finished is seen at the next look
        let _ = tokio::time::timeout(Duration::from_millis(5), gate.arrived.notified()).await;
    }
    copies.len().saturating_sub(there())
}

/// Copies on one HTTP/2 connection of which none came to the gate for so long wait for the others to be over.
const STALLED: Duration = Duration::from_secs(2);
