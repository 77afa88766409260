//! The probe as a server with one blocking thread a connection, as many frameworks work: HTTP/1.1 only, windows slept.
//! It must not know what is noted.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Instant;

use super::{ANSWER, Asked, Ledger, status};
use crate::sandbox::window::{Window, ask_for_fine_timers};

/// A body beyond this is refused.
const LARGEST: usize = 4 * 1024 * 1024;

/// Serves for as long as the process lives; `ready` is told the address.
///
/// # Errors
/// If it cannot listen.
pub fn serve(ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    ready(listener.local_addr()?);
    let ledger: Arc<Ledger> = Arc::default();
    for connection in listener.incoming() {
        let ledger = Arc::clone(&ledger);
        let connection = connection?;
        std::thread::spawn(move || {
            ask_for_fine_timers();
            // a client that breaks off ends its connection
            let _ = talk(&connection, &ledger);
        });
    }
    Ok(())
}

fn talk(connection: &TcpStream, ledger: &Ledger) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    while let Some(request) = Request::read(&mut reader)? {
        let complete = Instant::now();
        let (status, body) = match Asked::of(&request.path) {
            Asked::Race(window) => match Window::parse(&window) {
                Ok(window) => {
                    let is_new = ledger.arrived(&request.key, complete);
                    if is_new {
                        let looked = Instant::now();
                        window.sleep();
                        ledger.done(&request.key, looked.elapsed());
                    }
                    (status(is_new), ANSWER.to_owned())
                }
                Err(_) => (400, String::new()),
            },
            Asked::Locked => (
                status(ledger.claimed(&request.key, complete)),
                ANSWER.to_owned(),
            ),
            Asked::Report => (200, ledger.report()),
            Asked::Nothing => (404, String::new()),
        };
        let close = if request.close {
            "connection: close\r\n"
        } else {
            ""
        };
        let reply = format!(
            "HTTP/1.1 {status} Answer\r\ncontent-length: {}\r\n{close}\r\n{body}",
            body.len()
        );
        let mut writer = connection;
        writer.write_all(reply.as_bytes())?;
        if request.close {
            return Ok(());
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Request {
    path: String,
    key: String,
    close: bool,
}

impl Request {
    /// Reads one request whole. `None`: the connection ended between two.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut key, mut length, mut close) = (String::new(), 0_usize, false);
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "idempotency-key" => key = value.to_owned(),
                "content-length" => {
                    length = value.parse().map_err(|_| io::ErrorKind::InvalidData)?;
                }
                "connection" => close = value.eq_ignore_ascii_case("close"),
                _ => {}
            }
        }
        if length > LARGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Some(Self { path, key, close }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let text = "POST /race/1ms HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}GET /report HTTP/1.1\r\nConnection: close\r\n\r\n";
        let mut reader = text.as_bytes();
        let first = Request::read(&mut reader).unwrap().unwrap();
        assert_eq!(
            (first.path.as_str(), first.key.as_str()),
            ("/race/1ms", "k")
        );
        let second = Request::read(&mut reader).unwrap().unwrap();
        assert!(second.close);
        assert_eq!(Request::read(&mut reader).unwrap(), None);
    }

    #[test]
    fn a_request_that_breaks_off_is_none() {
        let mut reader: &[u8] = b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n{}";
        assert!(Request::read(&mut reader).is_err());
    }
}
