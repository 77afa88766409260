//! The engine of `run` as a sender: the same lanes, clients and gates as in a drill.
//! It must not hold an engine of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::sender::{BODY, Http, Sender, Sent, Task};
use crate::config::settings::Protocol;
use crate::journal::event::GateKind;
use crate::run::client::{ClientMaker, tls};
use crate::run::clock::Clock;
use crate::run::gate::{Release, release};
use crate::run::hosts::Hosts;
use crate::run::lane::Lane;
use crate::run::shot::Shot;

/// The rest before a release, as on loopback.
const SETTLE: Duration = Duration::from_millis(2);

/// What is withheld in which round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gates {
    /// In turns, as a drill does.
    Alternating,
    /// Always the same.
    Only(GateKind),
}

/// The engine.
pub struct Ours {
    http: Http,
    gates: Gates,
    lanes: [Lane; 2],
}

impl Ours {
    /// An engine with warm lanes of its own.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn new(http: Http, gates: Gates) -> Result<Self, String> {
        let url: url::Url = "http://127.0.0.1/"
            .parse()
            .map_err(|error: url::ParseError| error.to_string())?;
        let hosts = Hosts::check([&url], &[]).map_err(|refused| refused.to_string())?;
        let tls = tls(None).map_err(|error| error.to_string())?;
        let protocol = match http {
            Http::One => Protocol::Http1,
            Http::Two => Protocol::Http2PriorKnowledge,
        };
        let maker = ClientMaker::new(Arc::new(hosts), tls, protocol, Duration::from_secs(10));
        let clock = Clock::start();
        let lane = |name| {
            Lane::start(name, maker.clone(), clock)
                .map_err(|error: std::io::Error| error.to_string())
        };
        Ok(Self {
            http,
            gates,
            lanes: [lane("1")?, lane("2")?],
        })
    }

    fn kind(&self, round: u32) -> GateKind {
        match self.gates {
            Gates::Only(kind) => kind,
            Gates::Alternating if round.is_multiple_of(2) => GateKind::Body,
            Gates::Alternating => GateKind::Whole,
        }
    }
}

impl Sender for Ours {
    fn name(&self) -> String {
        match self.gates {
            Gates::Alternating => "doubletap".to_owned(),
            Gates::Only(GateKind::Body) => "doubletap, gate body".to_owned(),
            Gates::Only(GateKind::Whole) => "doubletap, gate whole".to_owned(),
        }
    }

    fn http(&self) -> Http {
        self.http
    }

    fn is_ours(&self) -> bool {
        true
    }

    fn send(&mut self, task: &Task<'_>) -> Result<Sent, String> {
        let url: url::Url = format!("http://{}{}", task.address, task.path)
            .parse()
            .map_err(|error: url::ParseError| error.to_string())?;
        let mut sent = Sent::default();
        for round in 0..task.rounds {
            if Instant::now() >= task.until {
                break;
            }
            let headers = [
                ("Idempotency-Key".to_owned(), task.key(round).into_bytes()),
                ("Content-Type".to_owned(), b"application/json".to_vec()),
            ];
            let shot = Shot::new("POST", url.clone(), &headers, BODY.into())?;
            let shots = vec![shot; task.copies as usize];
            let how = Release {
                kind: self.kind(round),
                http2: self.http == Http::Two,
                settle: SETTLE,
                timeout: Duration::from_secs(10),
            };
            let volley = release(&[&self.lanes[0], &self.lanes[1]], shots, how, &|| false);
            sent.release_us.push(volley.timing.spread_us);
            sent.out_of_step += u32::from(!volley.timing.in_step);
        }
        Ok(sent)
    }
}
