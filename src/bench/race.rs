//! The measurements of `bench race`: every sender in turns, for each number of copies, window and server.
//! It must not know how a table looks.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::cell::Cell;
use super::child::{Kind, Probe, of_sender};
use super::frames::Frames;
use super::machine::Machine;
use super::ours::{Gates, Ours};
use super::relay;
use super::rival;
use super::sender::{Http, Sender, Sent, Task};
use super::table::{Detection, Results, Spread};
use crate::journal::event::GateKind;

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Copies of a round.
    pub copies: Vec<u32>,
    /// Windows, as the probe reads them: `100us`, `100us-cpu`.
    pub windows: Vec<String>,
    /// Rounds of a cell.
    pub rounds: u32,
    /// Rounds against the locked endpoint.
    pub locked_rounds: u32,
    /// All senders are measured so often in turns; rounds are dealt out over the turns.
    pub turns: u32,
    /// The longest that one sender is measured for one cell.
    pub cell: Duration,
    /// The longest that everything takes.
    pub whole: Duration,
}

/// The random delay of the relay.
const NETWORK: Duration = Duration::from_millis(1);

/// Measures everything, and tells how far it is.
///
/// # Errors
/// Where the engine or the probe cannot be started.
pub fn measure(scope: &Scope, tell: &mut dyn FnMut(&str)) -> Result<Results, String> {
    let machine = Machine::here();
    let end = Instant::now() + scope.whole;
    let mut senders: Vec<Box<dyn Sender>> = vec![
        Box::new(Ours::new(Http::Two, Gates::Alternating)?),
        Box::new(Frames::default()),
        Box::new(Ours::new(Http::One, Gates::Alternating)?),
    ];
    senders.extend(rival::installed());
    let mut bench = Bench {
        scope,
        end,
        number: 0,
        tell,
    };
    let mut results = Results::new(machine, scope);
    let probe = Probe::start(Kind::Awaited)?;
    results.locked = bench.locked(&probe)?;
    bench.spreads(&probe, &mut senders, &mut results.spreads)?;
    bench.gates(&probe, &mut results.gates)?;
    let address = relay::start(probe.address, NETWORK).map_err(|error| error.to_string())?;
    bench.network(&probe, address, &mut senders, &mut results.network)?;
    bench.detections(Kind::Awaited, &probe, &mut senders, &mut results.detections)?;
    drop(probe);
    let probe = Probe::start(Kind::Threads)?;
    senders.retain(|sender| sender.http() == Http::One);
    bench.detections(Kind::Threads, &probe, &mut senders, &mut results.detections)?;
    results.cut_short = Instant::now() >= end;
    Ok(results)
}

struct Bench<'b> {
    scope: &'b Scope,
    end: Instant,
    number: u32,
    tell: &'b mut dyn FnMut(&str),
}

impl Bench<'_> {
    fn spreads(
        &mut self,
        probe: &Probe,
        senders: &mut [Box<dyn Sender>],
        into: &mut Vec<Spread>,
    ) -> Result<(), String> {
        for copies in self.scope.copies.clone() {
            (self.tell)(&format!("arrival spread, {copies} copies"));
            let cells = self.row(probe, probe.address, senders, "/race/0us", copies)?;
            into.extend(Spread::of(senders, cells, copies));
        }
        Ok(())
    }

    /// The two gates of the engine one by one.
    fn gates(&mut self, probe: &Probe, into: &mut Vec<Spread>) -> Result<(), String> {
        let mut engines: Vec<Box<dyn Sender>> = Vec::new();
        for http in [Http::One, Http::Two] {
            for kind in [GateKind::Body, GateKind::Whole] {
                engines.push(Box::new(Ours::new(http, Gates::Only(kind))?));
            }
        }
        for copies in self.scope.copies.clone() {
            (self.tell)(&format!("the two gates, {copies} copies"));
            let cells = self.row(probe, probe.address, &mut engines, "/race/0us", copies)?;
            into.extend(Spread::of(&engines, cells, copies));
        }
        Ok(())
    }

    fn network(
        &mut self,
        probe: &Probe,
        relay: SocketAddr,
        senders: &mut [Box<dyn Sender>],
        into: &mut Vec<Spread>,
    ) -> Result<(), String> {
        for copies in self.scope.copies.clone() {
            (self.tell)(&format!("through a relay of 1 ms, {copies} copies"));
            let cells = self.row(probe, relay, senders, "/race/0us", copies)?;
            into.extend(Spread::of(senders, cells, copies));
        }
        Ok(())
    }

    fn detections(
        &mut self,
        kind: Kind,
        probe: &Probe,
        senders: &mut [Box<dyn Sender>],
        into: &mut Vec<Detection>,
    ) -> Result<(), String> {
        for copies in self.scope.copies.clone() {
            for window in self.scope.windows.clone() {
                (self.tell)(&format!(
                    "windows of {window} on {}, {copies} copies",
                    kind.name()
                ));
                let path = format!("/race/{window}");
                let mut real = Vec::new();
                let cells = self.cells(probe, probe.address, senders, &path, copies, &mut real)?;
                into.extend(Detection::of(
                    kind, senders, cells, copies, &window, &mut real,
                ));
            }
        }
        Ok(())
    }

    /// The endpoint that claims under a lock: it has nothing to find.
    fn locked(&mut self, probe: &Probe) -> Result<Vec<Spread>, String> {
        (self.tell)("the locked endpoint");
        let mut found = Vec::new();
        for http in [Http::One, Http::Two] {
            let mut engine = Ours::new(http, Gates::Alternating)?;
            let (mut cell, mut left) = (Cell::default(), self.scope.locked_rounds);
            while left > 0 && Instant::now() < self.end {
                let rounds = left.min(100);
                left -= rounds;
                self.turn(
                    (probe, probe.address),
                    (&mut engine, &mut cell),
                    ("/locked", 10, rounds),
                    Duration::from_secs(20),
                    &mut Vec::new(),
                )?;
            }
            found.push(Spread::new(&engine, cell, 10));
        }
        Ok(found)
    }

    fn row(
        &mut self,
        probe: &Probe,
        to: SocketAddr,
        senders: &mut [Box<dyn Sender>],
        path: &str,
        copies: u32,
    ) -> Result<Vec<Cell>, String> {
        self.cells(probe, to, senders, path, copies, &mut Vec::new())
    }

    fn cells(
        &mut self,
        probe: &Probe,
        to: SocketAddr,
        senders: &mut [Box<dyn Sender>],
        path: &str,
        copies: u32,
        real: &mut Vec<u64>,
    ) -> Result<Vec<Cell>, String> {
        let mut cells = vec![Cell::default(); senders.len()];
        let turns = self.scope.turns.max(1);
        let rounds = self.scope.rounds.div_ceil(turns);
        for _ in 0..turns {
            for (sender, cell) in senders.iter_mut().zip(&mut cells) {
                self.turn(
                    (probe, to),
                    (sender.as_mut(), cell),
                    (path, copies, rounds),
                    self.scope.cell / turns,
                    real,
                )?;
            }
        }
        Ok(cells)
    }

    fn turn(
        &mut self,
        (probe, to): (&Probe, SocketAddr),
        (sender, cell): (&mut dyn Sender, &mut Cell),
        (path, copies, rounds): (&str, u32, u32),
        at_most: Duration,
        real: &mut Vec<u64>,
    ) -> Result<(), String> {
        let now = Instant::now();
        if now >= self.end || cell.failed.is_some() {
            return Ok(());
        }
        self.number += 1;
        let prefix = format!("{}-", self.number);
        let task = Task {
            address: to,
            path,
            prefix: &prefix,
            copies,
            rounds,
            until: self.end.min(now + at_most),
        };
        let sent = sender.send(&task);
        let report = probe.report()?;
        let sent = sent.unwrap_or_else(|why| {
            cell.failed = Some(why);
            Sent::default()
        });
        real.extend(&report.windows_ns);
        cell.add(&sent, of_sender(&report, &prefix).into_values(), copies);
        Ok(())
    }
}
