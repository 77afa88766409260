//! The limit for HTTP/2: frames written by hand on a warm connection, all last DATA frames in one write.
//! It must not use an HTTP library, for it measures what one costs.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::sender::{BODY, Http, Sender, Sent, Task};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
/// The rest before the release, as the engine takes it.
const SETTLE: Duration = Duration::from_millis(2);

/// Frames by hand.
#[derive(Debug, Default)]
pub struct Frames {
    connection: Option<Connection>,
}

impl Sender for Frames {
    fn name(&self) -> String {
        "hand-written frames, one write".to_owned()
    }

    fn http(&self) -> Http {
        Http::Two
    }

    fn send(&mut self, task: &Task<'_>) -> Result<Sent, String> {
        let mut sent = Sent::default();
        for round in 0..task.rounds {
            if Instant::now() >= task.until {
                break;
            }
            let connection = match self.connection.take() {
                Some(open) if open.to == task.address && open.next_stream < 1_000_000 => open,
                _ => Connection::open(task.address).map_err(|error| error.to_string())?,
            };
            let connection = self.connection.insert(connection);
            match connection.round(task, &task.key(round)) {
                Ok(released) => sent.release_us.push(released),
                Err(error) => {
                    self.connection = None;
                    return Err(error.to_string());
                }
            }
        }
        Ok(sent)
    }
}

#[derive(Debug)]
struct Connection {
    to: SocketAddr,
    stream: TcpStream,
    next_stream: u32,
}

impl Connection {
    fn open(to: SocketAddr) -> io::Result<Self> {
        let mut stream = TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut hello = PREFACE.to_vec();
        frame(&mut hello, SETTINGS, 0, 0, &[]);
        // what comes back is never short of room
        frame(
            &mut hello,
            WINDOW_UPDATE,
            0,
            0,
            &0x3fff_0000_u32.to_be_bytes(),
        );
        stream.write_all(&hello)?;
        Ok(Self {
            to,
            stream,
            next_stream: 1,
        })
    }

    /// One round; says how long the write took, in microseconds.
    fn round(&mut self, task: &Task<'_>, key: &str) -> io::Result<u64> {
        let streams: Vec<u32> = (0..task.copies).map(|n| self.next_stream + 2 * n).collect();
        self.next_stream += 2 * task.copies;
        let (early, last) = BODY.as_bytes().split_at(BODY.len() - 1);
        let block = header_block(&self.to.to_string(), task.path, key);
        let (mut heads, mut tails) = (Vec::new(), Vec::new());
        for stream in &streams {
            frame(&mut heads, HEADERS, END_HEADERS, *stream, &block);
            frame(&mut heads, DATA, 0, *stream, early);
            frame(&mut tails, DATA, END_STREAM, *stream, last);
        }
        self.stream.write_all(&heads)?;
        std::thread::sleep(SETTLE);
        let began = Instant::now();
        self.stream.write_all(&tails)?;
        let took = began.elapsed();
        let mut open = streams.len();
        while open > 0 {
            open -= usize::from(self.ends_a_stream()?);
        }
        Ok(crate::run::clock::micros(took))
    }

    /// Reads one frame, answers it where it asks for an answer, and says whether it ends a stream.
    fn ends_a_stream(&mut self) -> io::Result<bool> {
        let mut head = [0_u8; 9];
        self.stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload)?;
        let (kind, flags) = (head[3], head[4]);
        if matches!(kind, SETTINGS | PING) && flags & ACK == 0 {
            let mut answer = Vec::new();
            let echo: &[u8] = if kind == PING { &payload } else { &[] };
            frame(&mut answer, kind, ACK, 0, echo);
            self.stream.write_all(&answer)?;
        }
        let is_reply = matches!(kind, DATA | HEADERS);
        // a stream that is reset, or a connection that is closed, ends no round well
        if matches!(kind, 3 | 7) {
            return Err(io::Error::other("the server gave the connection up"));
        }
        Ok(is_reply && flags & END_STREAM != 0)
    }
}

fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
    out.extend_from_slice(&[length[1], length[2], length[3], kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

/// The headers as literals that are not indexed (RFC 7541, section 6.2.2): no state, no Huffman code.
fn header_block(authority: &str, path: &str, key: &str) -> Vec<u8> {
    let length = BODY.len().to_string();
    // indexed fields of the static table: `:method: POST`, `:scheme: http`
    let mut block = vec![0x83, 0x86];
    let fields = [
        (":authority", authority),
        (":path", path),
        ("content-type", "application/json"),
        ("content-length", &length),
        ("idempotency-key", key),
    ];
    for (name, value) in fields {
        block.push(0);
        for text in [name, value] {
            // texts are shorter than 127 bytes: one byte holds the length
            block.push(u8::try_from(text.len().min(126)).unwrap_or(0));
            block.extend_from_slice(&text.as_bytes()[..text.len().min(126)]);
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_its_head_and_its_payload() {
        let mut out = Vec::new();
        frame(&mut out, DATA, END_STREAM, 5, b"}");
        assert_eq!(out, [0, 0, 1, 0, 1, 0, 0, 0, 5, b'}']);
    }

    #[test]
    fn headers_are_plain_literals() {
        let block = header_block("h", "/p", "k");
        assert!(block.starts_with(&[0x83, 0x86, 0, 10]));
        assert!(block.ends_with(b"\x00\x0fidempotency-key\x01k"));
    }
}
