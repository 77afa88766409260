//! What `bench race` found, as values, and as rows of tables.
//! It must not know how it was measured.

use serde::Serialize;

use super::cell::{Cell, figure, quantile};
use super::child::Kind;
use super::machine::Machine;
use super::race::Scope;
use super::sender::Sender;

/// Everything.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Where it was measured.
    pub machine: Machine,
    /// Copies of a round.
    pub copies: Vec<u32>,
    /// Windows.
    pub windows: Vec<String>,
    /// Rounds of a cell at the most.
    pub rounds: u32,
    /// How close together requests arrive on loopback.
    pub spreads: Vec<Spread>,
    /// The engine's two gates one by one.
    pub gates: Vec<Spread>,
    /// The same through a relay with a random delay of 1 ms for each connection.
    pub network: Vec<Spread>,
    /// How often windows are hit.
    pub detections: Vec<Detection>,
    /// The engine against an endpoint without a window.
    pub locked: Vec<Spread>,
    /// Whether time was up before everything was measured.
    pub cut_short: bool,
}

impl Results {
    /// Results without any yet.
    #[must_use]
    pub fn new(machine: Machine, scope: &Scope) -> Self {
        Self {
            machine,
            copies: scope.copies.clone(),
            windows: scope.windows.clone(),
            rounds: scope.rounds,
            spreads: Vec::new(),
            gates: Vec::new(),
            network: Vec::new(),
            detections: Vec::new(),
            locked: Vec::new(),
            cut_short: false,
        }
    }
}

/// How close together a sender's requests arrive. Microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// The sender.
    pub sender: String,
    /// Its protocol.
    pub protocol: String,
    /// Whether it is this program's engine.
    pub ours: bool,
    /// Copies of a round.
    pub copies: u32,
    /// From the first arrival to the last, median.
    pub spread: Option<f64>,
    /// The same, 95th percentile.
    pub spread_p95: Option<f64>,
    /// From the first arrival to the second, median.
    pub gap12: Option<f64>,
    /// From the first release to the last as the sender saw it, median.
    pub release: Option<f64>,
    /// The rounds.
    #[serde(flatten)]
    pub cell: Cell,
}

impl Spread {
    /// A row.
    #[must_use]
    pub fn new(sender: &dyn Sender, cell: Cell, copies: u32) -> Self {
        Self {
            sender: sender.name(),
            protocol: sender.http().name().to_owned(),
            ours: sender.is_ours(),
            copies,
            spread: quantile(&cell.spread_us, 0.5),
            spread_p95: quantile(&cell.spread_us, 0.95),
            gap12: quantile(&cell.gap12_us, 0.5),
            release: quantile(&cell.release_us, 0.5),
            cell,
        }
    }

    /// The rows of several senders.
    pub fn of(
        senders: &[Box<dyn Sender>],
        cells: Vec<Cell>,
        copies: u32,
    ) -> impl Iterator<Item = Self> {
        let pairs = senders.iter().zip(cells);
        pairs.map(move |(sender, cell)| Self::new(sender.as_ref(), cell, copies))
    }
}

/// How often a sender hits a window.
#[derive(Clone, Debug, Serialize)]
pub struct Detection {
    /// The server.
    pub server: String,
    /// The sender.
    pub sender: String,
    /// Its protocol.
    pub protocol: String,
    /// Whether it is this program's engine.
    pub ours: bool,
    /// Copies of a round.
    pub copies: u32,
    /// The window as declared.
    pub window: String,
    /// The window as it really was, median in microseconds.
    pub window_us: Option<f64>,
    /// The share of rounds in which it was hit.
    pub detection: Option<f64>,
    /// The rounds.
    #[serde(flatten)]
    pub cell: Cell,
}

impl Detection {
    /// The rows of several senders. `real`: windows as they were, in nanoseconds.
    pub fn of(
        kind: Kind,
        senders: &[Box<dyn Sender>],
        cells: Vec<Cell>,
        copies: u32,
        window: &str,
        real: &mut [u64],
    ) -> impl Iterator<Item = Self> {
        real.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "figures for people")]
        let window_us = real.get(real.len() / 2).map(|ns| *ns as f64 / 1_000.0);
        let window = window.to_owned();
        let rows = senders.iter().zip(cells);
        rows.map(move |(sender, cell)| Self {
            server: kind.name().to_owned(),
            sender: sender.name(),
            protocol: sender.http().name().to_owned(),
            ours: sender.is_ours(),
            copies,
            window: window.clone(),
            window_us,
            detection: cell.detection(),
            cell,
        })
    }
}

/// A table as texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// The columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// All tables.
#[must_use]
pub fn grids(results: &Results) -> Vec<Grid> {
    let mut grids = vec![
        spread_grid(results, "Arrival spread on loopback", &results.spreads),
        spread_grid(results, "The two gates one by one", &results.gates),
        spread_grid(
            results,
            "Arrival spread through a relay that holds each connection up by 1 ms (mean, at random)",
            &results.network,
        ),
    ];
    for server in ["tokio", "threads"] {
        grids.push(detection_grid(results, server));
    }
    grids.push(locked_grid(results));
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

fn spread_grid(results: &Results, title: &str, rows: &[Spread]) -> Grid {
    let mut header = vec!["sender".to_owned(), "protocol".to_owned()];
    header.extend(results.copies.iter().map(|n| format!("N={n}")));
    let middle = results.copies.get(results.copies.len() / 2).copied();
    let middle = middle.unwrap_or_default();
    header.extend(
        ["first two", "release", "rounds", "times the shell loop"]
            .map(|what| format!("{what}, N={middle}")),
    );
    let at = |name: &str, protocol: &str, n: u32| {
        rows.iter()
            .find(|row| row.sender == name && row.protocol == protocol && row.copies == n)
    };
    let shell = at("curl in a shell loop", "HTTP/1.1", middle).and_then(|row| row.spread);
    let mut told: Vec<Vec<String>> = Vec::new();
    for first in rows.iter().filter(|row| row.copies == results.copies[0]) {
        let mut line = vec![first.sender.clone(), first.protocol.clone()];
        for n in &results.copies {
            let row = at(&first.sender, &first.protocol, *n);
            line.push(match row {
                Some(row) if row.cell.rounds > 0 => {
                    format!("{} ({})", figure(row.spread), figure(row.spread_p95))
                }
                Some(row) if row.cell.incomplete > 0 => "does not arrive".to_owned(),
                _ => "-".to_owned(),
            });
        }
        let row = at(&first.sender, &first.protocol, middle);
        line.push(figure(row.and_then(|row| row.gap12)));
        line.push(figure(row.and_then(|row| row.release)));
        line.push(row.map_or(0, |row| row.cell.rounds).to_string());
        line.push(match (shell, row.and_then(|row| row.spread)) {
            (Some(shell), Some(spread)) if spread > 0.0 => format!("{:.1}", shell / spread),
            _ => "-".to_owned(),
        });
        told.push(line);
    }
    Grid {
        title: format!("{title} (us: median, in brackets the 95th percentile)"),
        header,
        rows: told,
    }
}

fn detection_grid(results: &Results, server: &str) -> Grid {
    let rows: Vec<&Detection> = results
        .detections
        .iter()
        .filter(|row| row.server == server)
        .collect();
    let mut header = vec!["sender".to_owned(), "protocol".to_owned(), "N".to_owned()];
    for window in &results.windows {
        let real = rows.iter().find(|row| row.window == *window);
        let real = real.and_then(|row| row.window_us);
        header.push(format!("{window} (was {} us)", figure(real)));
    }
    header.push("rounds".to_owned());
    let mut told = Vec::new();
    let first_window = results.windows.first();
    for first in rows.iter().filter(|row| Some(&row.window) == first_window) {
        let mut line = vec![
            first.sender.clone(),
            first.protocol.clone(),
            first.copies.to_string(),
        ];
        let (mut fewest, mut most) = (u32::MAX, 0);
        for window in &results.windows {
            let row = rows.iter().find(|row| {
                row.window == *window
                    && row.sender == first.sender
                    && row.protocol == first.protocol
                    && row.copies == first.copies
            });
            let share = row.and_then(|row| row.detection);
            line.push(share.map_or("-".to_owned(), |share| format!("{share:.2}")));
            let rounds = row.map_or(0, |row| row.cell.rounds);
            (fewest, most) = (fewest.min(rounds), most.max(rounds));
        }
        line.push(if fewest == most {
            most.to_string()
        } else {
            format!("{fewest} to {most}")
        });
        told.push(line);
    }
    let what = if server == "tokio" {
        "a tokio server with two workers, windows awaited"
    } else {
        "a server with one thread a connection, windows slept"
    };
    Grid {
        title: format!("Share of rounds that hit the window: {what}"),
        header,
        rows: told,
    }
}

fn locked_grid(results: &Results) -> Grid {
    let header = [
        "sender",
        "protocol",
        "N",
        "rounds",
        "findings",
        "out of step",
    ];
    let rows = results.locked.iter().map(|row| {
        vec![
            row.sender.clone(),
            row.protocol.clone(),
            row.copies.to_string(),
            row.cell.rounds.to_string(),
            row.cell.hits.to_string(),
            row.cell.out_of_step.to_string(),
        ]
    });
    Grid {
        title: "No false alarm: the endpoint that claims under a lock".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}
