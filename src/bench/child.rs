//! The probe server as a child process: started on a free loopback port, gone when its standard input closes.
//! It must not know what is measured with it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::probe::{Report, Seen};

/// How the probe serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Tokio, two workers.
    Awaited,
    /// One blocking thread a connection.
    Threads,
}

impl Kind {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Awaited => "tokio",
            Self::Threads => "threads",
        }
    }
}

/// A running probe.
#[derive(Debug)]
pub struct Probe {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Probe {
    /// Starts this program's own probe.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn start(kind: Kind) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the probe server did not start: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut child = Command::new(program)
            .args([
                "bench",
                "probe",
                "--serve",
                kind.name(),
                "--exit-with-stdin",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(failed)?;
        }
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .and_then(|address| address.parse().ok());
        match address {
            Some(address) => Ok(Self { child, address }),
            None => {
                // it did not say where: it is of no use
                let _ = child.kill();
                let _ = child.wait();
                Err("the probe server did not say where it listens".to_owned())
            }
        }
    }

    /// What was noted since the last time. Work that is still going on is waited for a moment.
    ///
    /// # Errors
    /// Where the probe does not answer.
    pub fn report(&self) -> Result<Report, String> {
        std::thread::sleep(Duration::from_millis(20));
        ask(self.address).map_err(|error| format!("the probe server does not answer: {error}"))
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // it holds nothing that would have to be put in order
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(address: SocketAddr) -> std::io::Result<Report> {
    let mut connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    connection.write_all(b"GET /report HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n")?;
    let mut reply = String::new();
    connection.read_to_string(&mut reply)?;
    let body = reply.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(body).map_err(std::io::Error::other)
}

/// The keys of one sender, in order, without those of others.
#[must_use]
pub fn of_sender<'r>(report: &'r Report, prefix: &str) -> BTreeMap<&'r str, &'r Seen> {
    report
        .keys
        .iter()
        .filter(|(key, _)| key.starts_with(prefix))
        .map(|(key, seen)| (key.as_str(), seen))
        .collect()
}
