//! A small HTTP/1.1 server, one thread a connection, that notes every request's bytes and when its last byte came.
//! It must not know what is tested with it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Seen {
    pub head: String,
    pub body: Vec<u8>,
    pub headers_at: Instant,
    pub complete_at: Instant,
    pub connection: usize,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (other, value) = line.split_once(": ")?;
            other.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    }
}

/// What the server does with a request.
pub enum Act {
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Sends these bytes and closes the connection.
    Last(Vec<u8>),
    /// Takes the connection over.
    Own(Box<dyn FnOnce(TcpStream) + Send>),
}

/// A JSON reply.
pub fn json(status: u16, headers: &str, body: &str) -> Act {
    Act::Bytes(
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

type Handler = dyn Fn(&Seen, usize) -> Act + Send + Sync;
type EarlyHandler = dyn Fn(&Seen) -> Option<Act> + Send + Sync;

/// A server that lives as long as the test.
pub struct Server {
    pub address: SocketAddr,
    pub seen: Arc<Mutex<Vec<Seen>>>,
    pub connections: Arc<Mutex<usize>>,
}

impl Server {
    /// Answers every request when it is complete. The handler also gets the request's number, from 0.
    pub fn start(handler: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static) -> Self {
        Self::with_early(|_| None, handler)
    }

    /// May also answer when only the head has come.
    pub fn with_early(
        early: impl Fn(&Seen) -> Option<Act> + Send + Sync + 'static,
        handler: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), early, handler)
    }

    /// Listens at a known address.
    pub fn at(
        address: SocketAddr,
        handler: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind(address).unwrap(), |_| None, handler)
    }

    fn on(
        listener: TcpListener,
        early: impl Fn(&Seen) -> Option<Act> + Send + Sync + 'static,
        handler: impl Fn(&Seen, usize) -> Act + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let server = Self {
            address,
            seen: Arc::default(),
            connections: Arc::default(),
        };
        let (seen, connections) = (server.seen.clone(), server.connections.clone());
        let (early, handler): (Arc<EarlyHandler>, Arc<Handler>) =
            (Arc::new(early), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let number = {
                    let mut count = connections.lock().unwrap();
                    *count += 1;
                    *count
                };
                let (seen, early, handler) = (seen.clone(), early.clone(), handler.clone());
                std::thread::spawn(move || serve(stream, number, &seen, &*early, &*handler));
            }
        });
        server
    }

    pub fn url(&self, path: &str) -> url::Url {
        url::Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    connection: usize,
    seen: &Mutex<Vec<Seen>>,
    early: &EarlyHandler,
    handler: &Handler,
) {
    stream.set_nodelay(true).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let mut buffer: Vec<u8> = Vec::new();
    loop {
        let head_end = loop {
            if let Some(at) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if !fill(&mut stream, &mut buffer) {
                return;
            }
        };
        let headers_at = Instant::now();
        let head = String::from_utf8_lossy(&buffer[..head_end]).into_owned();
        buffer.drain(..head_end);
        let mut request = Seen {
            head,
            body: Vec::new(),
            headers_at,
            complete_at: headers_at,
            connection,
        };
        let act = match early(&request) {
            Some(act) => {
                seen.lock().unwrap().push(request);
                act
            }
            None => {
                let length: usize = request
                    .header("content-length")
                    .map_or(0, |length| length.parse().unwrap());
                while buffer.len() < length {
                    if !fill(&mut stream, &mut buffer) {
                        return;
                    }
                }
                request.complete_at = Instant::now();
                request.body = buffer.drain(..length).collect();
                let number = {
                    let mut all = seen.lock().unwrap();
                    all.push(request.clone());
                    all.len() - 1
                };
                handler(&request, number)
            }
        };
        match act {
            Act::Bytes(bytes) => {
                if stream.write_all(&bytes).is_err() {
                    return;
                }
            }
            Act::Last(bytes) => {
                let _ = stream.write_all(&bytes);
                return;
            }
            Act::Own(own) => {
                own(stream);
                return;
            }
        }
    }
}

fn fill(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> bool {
    let mut chunk = [0; 65_536];
    match stream.read(&mut chunk) {
        Ok(0) | Err(_) => false,
        Ok(n) => {
            buffer.extend_from_slice(&chunk[..n]);
            true
        }
    }
}
