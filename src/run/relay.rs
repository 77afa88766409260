//! Cuts replies: a SOCKS5 relay in the process through which one request goes, and which vanishes at the planned moment.
//! It must not know what the request is. It sees bytes only, so that TLS and Host stay right.
//!
//! The request's last byte is withheld until the line is quiet: whatever the server sends after it is the reply, also where
//! TLS hides it. (An empty body cannot be withheld; there the relay is armed when the head is out.)

use std::cell::{Cell, RefCell};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::client::Route;
use super::flight::{Passage, fly};
use super::gated_body::{Gate, Stamp};
use super::hosts::Hosts;
use super::lane::{Deck, Lane, Pending};
use super::shot::{Flight, Landing, Shot};
use crate::config::suite::Cut;

/// What is read of a large reply before the client vanishes in the middle of it.
const MIDDLE: usize = 4 * 1024;

/// Sends a request whose client vanishes at the planned moment. `quiet` is how long a line rests before it counts as quiet.
pub fn send_cut(
    lane: &Lane,
    shot: Shot,
    cut: Cut,
    quiet: Duration,
    timeout: Duration,
    hosts: Arc<Hosts>,
) -> Pending {
    let (done, reply) = mpsc::channel();
    let stamp = Stamp::new(lane.clock());
    let pending = Pending::new(reply, stamp.clone());
    lane.run(move |deck| {
        Box::pin(async move {
            let flight = through_relay(&deck, shot, cut, quiet, timeout, hosts, stamp)
                .await
                .unwrap_or_else(|why| Flight::not_sent(deck.clock.now(), why));
            let _ = done.send(flight);
        })
    });
    pending
}

async fn through_relay(
    deck: &Deck,
    shot: Shot,
    cut: Cut,
    quiet: Duration,
    timeout: Duration,
    hosts: Arc<Hosts>,
    stamp: Arc<Stamp>,
) -> Result<Flight, String> {
    let cannot = |error: std::io::Error| format!("the relay cannot listen: {error}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let client = deck.client(Route::Relay(port))?;
    let state = Rc::new(State {
        cut,
        quiet,
        armed: Cell::new(None),
        is_gated: !shot.body.is_empty(),
        done: RefCell::new(None),
    });
    let relay = tokio::task::spawn_local(relay(listener, hosts, state.clone()));
    let gate = (!shot.body.is_empty()).then(Arc::<Gate>::default);
    let passage = Passage {
        gate: gate.clone(),
        stamp: stamp.clone(),
        timeout,
    };
    let flying = fly(&client, shot, passage, deck.clock);
    let arming = async {
        let is_out = || match gate {
            Some(_) => stamp.is_at_gate(),
            None => stamp.get().is_some(),
        };
        while !is_out() {
            tokio::time::sleep(Duration::from_micros(500)).await;
        }
        if let Some(gate) = gate {
            tokio::time::sleep(quiet).await;
            state.armed.set(Some(Instant::now()));
            gate.open();
        } else {
            state.armed.set(Some(Instant::now()));
        }
        std::future::pending::<()>().await;
    };
    let mut flight = tokio::select! {
        flight = flying => flight,
        () = arming => unreachable_flight(deck),
    };
    relay.abort();
    if let Some(how) = state.done.borrow_mut().take() {
        flight.landing = Landing::Unknown(how);
        flight.first_byte_us = None;
        flight.protocol = None;
    }
    Ok(flight)
}

/// The arming never ends before the flight; should it, nothing is known.
fn unreachable_flight(deck: &Deck) -> Flight {
    let landing = Landing::Unknown("the relay ended first".to_owned());
    Flight::without_reply(deck.clock.now(), landing)
}

struct State {
    cut: Cut,
    quiet: Duration,
    /// Since when the request's last byte is on its way: what the server sends now is the reply.
    armed: Cell<Option<Instant>>,
    /// The last byte was withheld: it passes here after the relay is armed.
    is_gated: bool,
    /// How the cut went, once it is done.
    done: RefCell<Option<String>>,
}

async fn relay(listener: TcpListener, hosts: Arc<Hosts>, state: Rc<State>) {
    let Ok((mut client, _)) = listener.accept().await else {
        return;
    };
    let _ = client.set_nodelay(true);
    let Ok(mut server) = greet(&mut client, &hosts, state.cut).await else {
        return;
    };
    let _ = server.set_nodelay(true);
    let how = pump(&mut client, &mut server, &state).await;
    if let Some(how) = how {
        *state.done.borrow_mut() = Some(how);
    }
    // both ends close here; what was not read makes it a reset, as when a process dies
}

/// Moves bytes until the moment comes. `None`: the exchange ended before.
async fn pump(client: &mut TcpStream, server: &mut TcpStream, state: &State) -> Option<String> {
    let mut up = vec![0; 64 * 1024];
    let mut down = vec![0; 64 * 1024];
    let mut reply = 0;
    let mut last_moved = Instant::now();
    // the withheld last byte has passed; an empty body has none
    let mut is_out = !state.is_gated;
    let after = (state.quiet * 4).max(Duration::from_millis(100));
    loop {
        let most = match state.cut {
            _ if state.armed.get().is_none() => down.len(),
            Cut::WhileWorking | Cut::AtFirstByte => 1,
            Cut::MidReply => MIDDLE - reply,
            Cut::AfterLastByte => down.len(),
        };
        tokio::select! {
            // the request goes first: its last byte must be out before the line counts as quiet
            biased;
            read = client.read(&mut up) => {
                let n = read.ok().filter(|n| *n > 0)?;
                server.write_all(&up[..n]).await.ok()?;
                last_moved = Instant::now();
                is_out |= state.armed.get().is_some();
            }
            read = server.read(&mut down[..most]) => {
                let n = read.unwrap_or(0);
                if state.armed.get().is_none() {
                    if n == 0 {
                        return None;
                    }
                    client.write_all(&down[..n]).await.ok()?;
                    last_moved = Instant::now();
                    continue;
                }
                if n == 0 {
                    return Some(match state.cut {
                        Cut::AfterLastByte => format!(
                            "cut as planned after the reply's last byte ({reply} bytes, then the server closed)"
                        ),
                        _ => format!("the server closed after {reply} bytes, before the planned cut"),
                    });
                }
                reply += n;
                last_moved = Instant::now();
                match state.cut {
                    Cut::WhileWorking => {
                        return Some("cut at the reply's first byte: it came before the planned cut while the server works".to_owned());
                    }
                    Cut::AtFirstByte => {
                        return Some("cut as planned at the reply's first byte".to_owned());
                    }
                    Cut::MidReply if reply >= MIDDLE => {
                        return Some(format!("cut as planned after {reply} bytes of the reply"));
                    }
                    Cut::MidReply | Cut::AfterLastByte => {}
                }
            }
            () = tokio::time::sleep(Duration::from_millis(2)) => {
                let Some(armed) = state.armed.get().filter(|_| is_out) else {
                    continue;
                };
                let rested = last_moved.max(armed).elapsed();
                match state.cut {
                    Cut::WhileWorking if rested >= state.quiet => {
                        return Some("cut as planned while the server worked: the request was out, nothing had come back".to_owned());
                    }
                    Cut::AfterLastByte if reply > 0 && rested >= after => {
                        return Some(format!("cut as planned after the reply's last byte ({reply} bytes)"));
                    }
                    Cut::MidReply if reply > 0 && rested >= after => {
                        return Some(format!("the reply has only {reply} bytes: it was cut after its last one, not in its middle"));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The SOCKS5 greeting (RFC 1928, no authentication), and the connection to a checked host.
async fn greet(client: &mut TcpStream, hosts: &Hosts, cut: Cut) -> std::io::Result<TcpStream> {
    let bad = |text: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, text.to_owned());
    let version = client.read_u8().await?;
    let methods = client.read_u8().await?;
    let mut offered = vec![0; usize::from(methods)];
    client.read_exact(&mut offered).await?;
    if version != 5 || !offered.contains(&0) {
        return Err(bad("no SOCKS5 without authentication"));
    }
    client.write_all(&[5, 0]).await?;
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let name = match head[3] {
        1 => {
            let mut ip = [0; 4];
            client.read_exact(&mut ip).await?;
            IpAddr::from(Ipv4Addr::from(ip)).to_string()
        }
        4 => {
            let mut ip = [0; 16];
            client.read_exact(&mut ip).await?;
            IpAddr::from(Ipv6Addr::from(ip)).to_string()
        }
        3 => {
            let length = client.read_u8().await?;
            let mut name = vec![0; usize::from(length)];
            client.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(|_| bad("a host name that is no text"))?
        }
        _ => return Err(bad("an address of no known kind")),
    };
    let port = client.read_u16().await?;
    let addresses = hosts.addresses(&name).unwrap_or_default();
    for ip in addresses {
        if let Ok(server) = connect(SocketAddr::new(*ip, port), cut).await {
            client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
            return Ok(server);
        }
    }
    client.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
    Err(bad("no address answers"))
}

async fn connect(address: SocketAddr, cut: Cut) -> std::io::Result<TcpStream> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    if cut == Cut::MidReply {
        // a server must still be writing when the client vanishes: little of its reply fits on the way
        socket.set_recv_buffer_size(4 * 1024)?;
    }
    socket.connect(address).await
}
