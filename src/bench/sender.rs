//! A way to send copies at the same moment, ours or another tool's.
//! It must not know how arrivals are measured.

use std::net::SocketAddr;
use std::time::Instant;

/// The HTTP version that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Http {
    /// HTTP/1.1.
    One,
    /// HTTP/2 by prior knowledge.
    Two,
}

impl Http {
    /// As it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "HTTP/1.1",
            Self::Two => "HTTP/2",
        }
    }
}

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct Task<'t> {
    /// To whom.
    pub address: SocketAddr,
    /// The path.
    pub path: &'t str,
    /// The beginning of the keys; each round has one of its own.
    pub prefix: &'t str,
    /// Copies a round.
    pub copies: u32,
    /// Rounds.
    pub rounds: u32,
    /// No round is begun after it.
    pub until: Instant,
}

impl Task<'_> {
    /// The key of a round.
    #[must_use]
    pub fn key(&self, round: u32) -> String {
        format!("{}{round}", self.prefix)
    }
}

/// What a sender knows of its own rounds.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// From the first release to the last in microseconds, where the sender knows it.
    pub release_us: Vec<u64>,
    /// Rounds that the sender itself calls out of step.
    pub out_of_step: u32,
}

/// A way to send.
pub trait Sender {
    /// Its name.
    fn name(&self) -> String;
    /// The protocol that it speaks.
    fn http(&self) -> Http;
    /// Whether it is part of this program.
    fn is_ours(&self) -> bool {
        false
    }
    /// Sends the rounds one after the other, each when the one before is over.
    ///
    /// # Errors
    /// Where it cannot be done at all.
    fn send(&mut self, task: &Task<'_>) -> Result<Sent, String>;
}

/// The body of every request.
pub const BODY: &str = "{\"amount\":100,\"currency\":\"EUR\",\"reference\":\"bench\"}";
