//! What the sandbox is told at its start, as meant.
//! Must not know how it was typed; the command line makes these values.

use std::net::SocketAddr;
use std::time::Duration;

use super::design::Design;
use super::faults::Selected;
use super::policy::Policy;

/// How a sandbox is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the first replica listens; port 0 takes a free one. Further replicas take free ports at the same address.
    pub listen: SocketAddr,
    /// The design in use.
    pub design: Design,
    /// Behave as this policy declares, instead of a design.
    pub policy: Option<Policy>,
    /// The faults switched on.
    pub faults: Vec<Selected>,
    /// PostgreSQL instead of memory.
    pub database_url: Option<String>,
    /// The name of the schema; a random one if none.
    pub schema: Option<String>,
    /// How many connections are opened before the first request.
    pub warm_connections: usize,
    /// How long a key is kept.
    pub retention: Duration,
    /// After how long a claim may be taken over; the design's own if none.
    pub lease: Option<Duration>,
    /// How long the work of every request takes at least.
    pub work_delay: Duration,
    /// Refuse a request without a key.
    pub require_key: bool,
    /// How many listeners share the store.
    pub replicas: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            design: Design::OneTransaction,
            policy: None,
            faults: Vec::new(),
            database_url: None,
            schema: None,
            warm_connections: 1,
            retention: Duration::from_secs(24 * 3600),
            lease: None,
            work_delay: Duration::ZERO,
            require_key: false,
            replicas: 1,
        }
    }
}

/// A duration such as `20ms`, `24h` or `100us`.
///
/// # Errors
/// With a text for people, if it is none or is negative.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let hint = "write a number with a unit, such as 20ms, 30s or 24h";
    let signed: jiff::SignedDuration = text
        .parse()
        .map_err(|_| format!("`{text}` is no duration; {hint}"))?;
    Duration::try_from(signed).map_err(|_| format!("`{text}` is negative; {hint}"))
}
