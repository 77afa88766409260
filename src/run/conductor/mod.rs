//! The conductor: plain blocking code that walks the plan and hands every request to a lane.
//! It must not know how bytes travel, nor what a reply means beyond whether a client would send again.

mod again;
mod burst;
mod count;
mod counter;
mod drill;
mod end_of_run;
mod expire;
mod later;
mod overlap;
mod retry;
mod round;
mod send;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(super) use later::Past;
use round::Round;
pub(super) use round::is_success;
pub(super) use send::Spot;
use tokens::Tokens;

use super::client::{ClientMaker, Route, tls};
use super::clock::Clock;
use super::effects::Counters;
use super::fresh::Chance;
use super::hosts::{Hosts, Refused};
use super::lane::Lane;
use super::meter::{self, Meter};
use super::shot::{Flight, Shot};
use super::{RecordError, Request, RunError};
use crate::config::target::{Counter, Expire, Identity, Operation, Target};
use crate::contract::Contract;
use crate::journal::event::{End, Event, Note, Stopped};
use crate::plan::prepare;

/// Why something could not be carried to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The drill cannot go on.
    Broken(String),
    /// The user wants the run to end.
    Interrupted,
    /// The target cannot be tested.
    Stopped(Stopped),
    /// Events cannot be recorded.
    Record(RecordError),
}

impl From<RecordError> for Halt {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<meter::Refused> for Halt {
    fn from(refused: meter::Refused) -> Self {
        match refused {
            meter::Refused::Interrupted => Self::Interrupted,
            meter::Refused::Cap { .. } => Self::Broken(refused.to_string()),
        }
    }
}

impl From<Refused> for Halt {
    fn from(Refused { why, remedy }: Refused) -> Self {
        Self::Stopped(Stopped {
            why,
            remedy,
            misconfigured: false,
        })
    }
}

/// All that a run holds while it goes on.
pub(super) struct Conductor<'a> {
    pub(super) request: Request<'a>,
    record: &'a mut dyn FnMut(Event) -> Result<(), RecordError>,
    stop_early: &'a mut dyn FnMut(&str, u32) -> bool,
    pub(super) clock: Clock,
    pub(super) meter: Meter<'a>,
    pub(super) hosts: Arc<Hosts>,
    lanes: [Lane; 2],
    counting: Lane,
    pub(super) counters: Counters,
    pub(super) fresh: Chance,
    /// What tells results apart, once it is known.
    pub(super) identities: BTreeMap<String, Identity>,
    /// Operations that were answered over HTTP/2.
    pub(super) over_http2: BTreeSet<String>,
    /// The round trip, as opening a connection takes it.
    pub(super) round_trip: Duration,
    /// How much that varied: the mean distance from its mean.
    pub(super) jitter: Duration,
    /// Operations that answered on the head: a withheld last byte releases nothing there.
    decides_on_head: BTreeSet<String>,
    /// Operations whose counter was waited for in vain: it is not waited for again.
    never_rises: BTreeSet<String>,
    /// Counters that failed, by operation, since their last number.
    silent: BTreeMap<String, counter::Silence>,
    tokens: Tokens,
    attempts: u64,
    /// Requests of rounds beyond the planned ones, at the most.
    unplanned: u64,
    finished: Vec<(String, Vec<Round>)>,
    /// Drills that wait for the end of the run.
    resting: Vec<end_of_run::Resting<'a>>,
}

/// Carries the plan out; `past`: goes on with what waited.
pub(super) fn conduct<'a>(
    request: Request<'a>,
    past: Option<Past>,
    record: &'a mut dyn FnMut(Event) -> Result<(), RecordError>,
    stop_early: &'a mut dyn FnMut(&str, u32) -> bool,
    interrupted: &'a AtomicBool,
) -> Result<End, RunError> {
    let clock = past.as_ref().map_or_else(Clock::start, |past| past.clock);
    let target = request.target;
    let tls = tls(target.ca_pem.as_deref())?;
    let urls = urls(target);
    let checked = Hosts::check(&urls, &request.limits.allow_hosts)
        .map_err(Halt::from)
        .and_then(|hosts| match Counters::open(target) {
            Ok(counters) => Ok((hosts, counters)),
            Err(why) => Err(Halt::Stopped(Stopped {
                why,
                remedy: "mend the counter's declaration in the target file".to_owned(),
                misconfigured: true,
            })),
        });
    let (hosts, counters) = match checked {
        Ok(both) => both,
        Err(halt) => {
            let interrupted = stop(halt, record)?;
            let end = End {
                interrupted,
                requests: 0,
                at_us: clock.now(),
            };
            record(Event::End(end.clone()))?;
            return Ok(end);
        }
    };
    let cap = request
        .limits
        .max_requests
        .unwrap_or_else(|| meter::default_cap(hosts.all_on_this_machine()));
    let hosts = Arc::new(hosts);
    let maker = ClientMaker::new(hosts.clone(), tls, request.protocol, target.timeout.0);
    let lane = |name: &str| Lane::start(name, maker.clone(), clock);
    let mut conductor = Conductor {
        meter: Meter::new(cap, request.limits.rate, interrupted),
        lanes: [lane("1")?, lane("2")?],
        counting: lane("counting")?,
        request,
        record,
        stop_early,
        clock,
        hosts,
        counters,
        fresh: Chance::default(),
        identities: BTreeMap::new(),
        over_http2: BTreeSet::new(),
        round_trip: Duration::ZERO,
        jitter: Duration::ZERO,
        decides_on_head: BTreeSet::new(),
        never_rises: BTreeSet::new(),
        silent: BTreeMap::new(),
        tokens: Tokens::default(),
        attempts: 0,
        unplanned: 0,
        finished: Vec::new(),
        resting: Vec::new(),
    };
    let walked = match past {
        None => conductor.walk(),
        Some(past) => {
            conductor.attempts = past.attempts;
            conductor.identities = past.identities;
            conductor.over_http2 = past.over_http2;
            conductor.go_on(&past.waiting)
        }
    };
    let was_interrupted = match walked {
        Ok(()) => false,
        Err(halt) => stop(halt, conductor.record)?,
    };
    let end = End {
        interrupted: was_interrupted || conductor.meter.is_interrupted(),
        requests: conductor.meter.sent(),
        at_us: clock.now(),
    };
    (conductor.record)(Event::End(end.clone()))?;
    Ok(end)
}

/// Records why the run stops. Says whether it was interrupted.
fn stop(
    halt: Halt,
    record: &mut dyn FnMut(Event) -> Result<(), RecordError>,
) -> Result<bool, RecordError> {
    match halt {
        Halt::Record(error) => return Err(error),
        Halt::Interrupted => return Ok(true),
        Halt::Stopped(stopped) => record(Event::Stopped(stopped))?,
        Halt::Broken(why) => record(Event::Stopped(Stopped {
            why,
            remedy: "see the events before this one".to_owned(),
            misconfigured: false,
        }))?,
    }
    Ok(false)
}

/// Every URL that the target names.
fn urls(target: &Target) -> Vec<url::Url> {
    let mut urls: Vec<url::Url> = target
        .replicas
        .iter()
        .map(|replica| replica.url.clone())
        .collect();
    let counted = target
        .operations
        .iter()
        .filter_map(|operation| match &operation.count {
            Some(Counter::Get { path, .. }) => Some(path),
            _ => None,
        });
    let expired = match &target.expire {
        Some(Expire::Http { path, .. }) => Some(path),
        _ => None,
    };
    urls.extend(target.token_urls().cloned());
    let paths = target.operations.iter().map(|operation| &operation.path);
    let read = target
        .operations
        .iter()
        .filter_map(|operation| operation.read.as_ref());
    // placeholders stand in the path of a whole URL; one in its host would fail the guard when it is sent
    urls.extend(
        paths
            .chain(counted)
            .chain(read)
            .chain(expired)
            .filter(|path| path.starts_with("http://") || path.starts_with("https://"))
            .filter_map(|path| url::Url::parse(path).ok()),
    );
    urls
}

impl<'a> Conductor<'a> {
    fn walk(&mut self) -> Result<(), Halt> {
        self.prepare_target()?;
        for instance in end_of_run::in_order(self.request.plan) {
            self.go_on_with_what_is_due()?;
            self.drill(instance)?;
        }
        self.go_on_at_the_end()?;
        self.count_finally()
    }

    pub(super) fn record(&mut self, event: Event) -> Result<(), Halt> {
        Ok((self.record)(event)?)
    }

    pub(super) fn note(&mut self, instance: Option<&str>, text: String) -> Result<(), Halt> {
        self.record(Event::Note(Note {
            instance: instance.map(str::to_owned),
            text,
        }))
    }

    pub(super) fn target(&self) -> &'a Target {
        self.request.target
    }

    pub(super) fn operation(&self, name: &str) -> Result<&'a Operation, Halt> {
        prepare::operation(self.request.target, name).map_err(Halt::Broken)
    }

    pub(super) fn contract(&self, operation: &str) -> Result<&'a Contract, Halt> {
        let found = self.request.target.contracts.get(operation);
        found.ok_or_else(|| Halt::Broken(format!("the operation `{operation}` has no contract")))
    }

    /// What tells an operation's results apart.
    pub(super) fn identity(&self, operation: &Operation) -> Identity {
        let known = self.identities.get(&operation.name);
        known.unwrap_or(&operation.identity).clone()
    }

    /// How long everything rests before copies are released.
    pub(super) fn rest(&self) -> Duration {
        (self.round_trip * 3 / 2).clamp(Duration::from_millis(2), Duration::from_secs(2))
    }

    /// Sends a request that belongs to no drill and is not recorded (it is counted), and waits for its reply.
    pub(super) fn send_aside(
        &mut self,
        shot: Shot,
        route: Route,
        timeout: Duration,
    ) -> Result<Flight, Halt> {
        let pending = self.counting.send(shot, route, timeout);
        match self.await_flight(&pending) {
            (_, true) => Err(Halt::Interrupted),
            (flight, false) => Ok(flight),
        }
    }

    /// Lets time pass unless the run is interrupted.
    pub(super) fn pause(&self, length: Duration) -> Result<(), Halt> {
        if self.meter.pause(length) {
            Ok(())
        } else {
            Err(Halt::Interrupted)
        }
    }
}
