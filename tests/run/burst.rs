//! Copies that are released together arrive together, and what the proof says is true.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::server::{Act, Server, json};
use super::wire::{maker, post};
use doubletap::config::settings::Protocol;
use doubletap::journal::event::GateKind;
use doubletap::run::clock::Clock;
use doubletap::run::gate::{Release, Volley, release};
use doubletap::run::lane::Lane;
use doubletap::run::shot::{Landing, Shot};

fn lanes(server: &Server) -> [Lane; 2] {
    let clock = Clock::start();
    ["one", "two"].map(|name| Lane::start(name, maker(server, Protocol::Auto), clock).unwrap())
}

fn burst(lanes: &[Lane; 2], shots: Vec<Shot>, kind: GateKind, http2: bool) -> Volley {
    let how = Release {
        kind,
        http2,
        settle: Duration::from_millis(2),
        timeout: Duration::from_secs(10),
    };
    release(&[&lanes[0], &lanes[1]], shots, how, &|| false)
}

#[test]
fn a_flood_of_informational_replies_to_copies_does_not_outlast_the_timeout() {
    for kind in [GateKind::Body, GateKind::Whole] {
        let server = Server::start(|_, _| {
            Act::Own(Box::new(|mut stream| {
                let early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(1000);
                while stream.write_all(&early).is_ok() {}
            }))
        });
        let lanes = lanes(&server);
        let shots = (0..10)
            .map(|_| post(&server, "/", &[], "{\"amount\":1}"))
            .collect();
        let how = Release {
            kind,
            http2: false,
            settle: Duration::from_millis(2),
            timeout: Duration::from_secs(1),
        };
        let began = Instant::now();
        let volley = release(&[&lanes[0], &lanes[1]], shots, how, &|| false);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(4), "{kind:?}: {took:?}");
        for flight in &volley.flights {
            assert!(
                matches!(&flight.landing, Landing::Unknown(why) if why.contains("no whole reply within 1 s")),
                "{flight:?}"
            );
            assert!(flight.end_us > 0);
        }
        // the lanes get rid of it, and can be used again
        let ended = Instant::now();
        drop(lanes);
        assert!(
            ended.elapsed() < Duration::from_secs(60),
            "{:?}",
            ended.elapsed()
        );
    }
}

/// Works long enough that all copies are in before the first is answered.
fn slow_server() -> Server {
    Server::start(|_, _| {
        std::thread::sleep(Duration::from_millis(150));
        json(201, "", "{\"id\":1}")
    })
}

#[test]
fn all_but_the_last_byte_arrives_before_the_release() {
    for body in ["{\"amount\":1}", "1"] {
        let server = slow_server();
        let lanes = lanes(&server);
        let shots = (0..6).map(|_| post(&server, "/", &[], body)).collect();
        let volley = burst(&lanes, shots, GateKind::Body, false);
        assert_eq!(volley.timing.copies, 6);
        assert!(volley.timing.all_in_flight, "{:?}", volley.timing);
        assert_eq!(volley.timing.early_answers, 0);
        let seen = server.requests();
        let first_complete = seen.iter().map(|seen| seen.complete_at).min().unwrap();
        let last_headers = seen.iter().map(|seen| seen.headers_at).max().unwrap();
        assert!(last_headers < first_complete, "the heads were in first");
        assert!(seen.iter().all(|seen| seen.body == body.as_bytes()));
        assert!(
            seen.iter()
                .all(|seen| seen.header("content-length") == Some(body.len().to_string()))
        );
    }
}

#[test]
fn the_whole_gate_opens_connections_and_sends_nothing_before_the_release() {
    for body in ["{\"amount\":1}", ""] {
        let server = slow_server();
        let connections = server.connections.clone();
        let lanes = lanes(&server);
        let shots = (0..6).map(|_| post(&server, "/", &[], body)).collect();
        let began = Instant::now();
        let volley = burst(&lanes, shots, GateKind::Whole, false);
        assert_eq!(volley.kind, GateKind::Whole);
        assert!(volley.timing.all_in_flight, "{:?}", volley.timing);
        assert_eq!(*connections.lock().unwrap(), 6);
        let seen = server.requests();
        assert_eq!(seen.len(), 6, "no request warmed anything up");
        assert!(
            seen.iter()
                .all(|seen| seen.headers_at - began >= Duration::from_millis(2))
        );
    }
}

#[test]
fn an_empty_body_falls_back_to_the_whole_gate() {
    let server = slow_server();
    let lanes = lanes(&server);
    let shots = (0..4).map(|_| post(&server, "/", &[], "")).collect();
    let volley = burst(&lanes, shots, GateKind::Body, false);
    assert_eq!(volley.kind, GateKind::Whole);
    assert!(volley.timing.spread_us > 0, "empty bodies are stamped");
}

#[test]
fn big_bodies_arrive_whole_and_late_by_their_last_byte() {
    let server = slow_server();
    let lanes = lanes(&server);
    let body = "x".repeat(1024 * 1024);
    let shots = (0..4).map(|_| post(&server, "/", &[], &body)).collect();
    let volley = burst(&lanes, shots, GateKind::Body, false);
    assert!(volley.timing.all_in_flight, "{:?}", volley.timing);
    assert!(
        server
            .requests()
            .iter()
            .all(|seen| seen.body.len() == body.len())
    );
}

#[test]
fn refusals_on_the_head_are_early_answers_and_no_failure() {
    let heads: Arc<Mutex<usize>> = Arc::default();
    let server = Server::with_early(
        move |_| {
            let mut heads = heads.lock().unwrap();
            *heads += 1;
            (*heads > 1).then(|| {
                Act::Last(
                    b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}"
                        .to_vec(),
                )
            })
        },
        |_, _| {
            std::thread::sleep(Duration::from_millis(50));
            json(201, "", "{}")
        },
    );
    let lanes = lanes(&server);
    let shots = (0..5)
        .map(|_| post(&server, "/", &[], "{\"a\":1}"))
        .collect();
    let how = Release {
        kind: GateKind::Body,
        http2: false,
        // long enough for every answer on a busy machine
        settle: Duration::from_millis(500),
        timeout: Duration::from_secs(10),
    };
    let volley = release(&[&lanes[0], &lanes[1]], shots, how, &|| false);
    assert_eq!(volley.timing.early_answers, 4, "{volley:?}");
    assert!(volley.timing.in_step);
    assert!(!volley.timing.all_in_flight);
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for flight in &volley.flights {
        *statuses.entry(flight.reply().unwrap().status).or_default() += 1;
    }
    assert_eq!(statuses, BTreeMap::from([(201, 1), (409, 4)]));
}

#[test]
fn a_server_that_closes_after_every_reply_is_raced_like_any_other() {
    let server = Server::start(|_, _| {
        std::thread::sleep(Duration::from_millis(100));
        Act::Last(
            b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_vec(),
        )
    });
    let lanes = lanes(&server);
    for kind in [
        GateKind::Body,
        GateKind::Whole,
        GateKind::Body,
        GateKind::Whole,
    ] {
        let shots = (0..5).map(|_| post(&server, "/", &[], "{}")).collect();
        let volley = burst(&lanes, shots, kind, false);
        assert!(
            volley.timing.all_in_flight,
            "{kind:?}: {:?}",
            volley.flights
        );
    }
}

#[test]
fn different_bodies_keep_their_order() {
    let server =
        Server::start(|seen, _| json(200, "", &String::from_utf8(seen.body.clone()).unwrap()));
    let lanes = lanes(&server);
    let shots = (0..7)
        .map(|n| post(&server, "/", &[], &format!("{{\"n\":{n}}}")))
        .collect();
    let volley = burst(&lanes, shots, GateKind::Body, false);
    for (n, flight) in volley.flights.iter().enumerate() {
        assert_eq!(flight.reply().unwrap().body, format!("{{\"n\":{n}}}"));
    }
}

mod http2 {
    use super::*;
    use axum::body::Bytes;
    use axum::http::StatusCode;
    use axum::routing::post as route;

    type Arrivals = Arc<Mutex<Vec<Instant>>>;

    /// An HTTP/2 server without TLS on a thread of its own.
    fn serve(arrivals: Arrivals, connections: Arc<Mutex<usize>>) -> std::net::SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let app = axum::Router::new().route(
                    "/",
                    route(move |body: Bytes| {
                        arrivals.lock().unwrap().push(Instant::now());
                        async move {
                            tokio::time::sleep(Duration::from_millis(100)).await;
                            (StatusCode::CREATED, body)
                        }
                    }),
                );
                let counted = Counted {
                    listener,
                    connections,
                };
                axum::serve(counted, app).await.unwrap();
            });
        });
        address
    }

    struct Counted {
        listener: tokio::net::TcpListener,
        connections: Arc<Mutex<usize>>,
    }

    impl axum::serve::Listener for Counted {
        type Io = tokio::net::TcpStream;
        type Addr = std::net::SocketAddr;

        async fn accept(&mut self) -> (Self::Io, Self::Addr) {
            let accepted = self.listener.accept().await.unwrap();
            *self.connections.lock().unwrap() += 1;
            accepted
        }

        fn local_addr(&self) -> std::io::Result<Self::Addr> {
            self.listener.local_addr()
        }
    }

    #[test]
    fn all_copies_share_one_connection_and_leave_in_one_write() {
        for (kind, body) in [
            (GateKind::Body, "{\"a\":1}"),
            (GateKind::Body, "1"),
            (GateKind::Whole, "{\"a\":1}"),
            (GateKind::Whole, ""),
        ] {
            let (arrivals, connections): (Arrivals, Arc<Mutex<usize>>) = Default::default();
            let address = serve(arrivals.clone(), connections.clone());
            let unused = Server::start(|_, _| json(200, "", ""));
            let lanes = lanes(&unused);
            for _ in 0..2 {
                let shots = (0..10)
                    .map(|_| {
                        let mut shot = post(&unused, "/", &[], body);
                        shot.url.set_port(Some(address.port())).unwrap();
                        shot
                    })
                    .collect();
                let volley = burst(&lanes, shots, kind, true);
                assert_eq!(volley.timing.copies, 10, "{volley:?}");
                assert!(volley.timing.all_in_flight, "{kind:?} {volley:?}");
                assert!(
                    volley
                        .flights
                        .iter()
                        .all(|flight| flight.protocol == Some("HTTP/2"))
                );
            }
            assert_eq!(*connections.lock().unwrap(), 1, "{kind:?} {body:?}");
            assert_eq!(arrivals.lock().unwrap().len(), 20);
        }
    }
}
