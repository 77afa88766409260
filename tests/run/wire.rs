//! The bytes on the wire are those of the request, and no reply makes the tool hang or lie.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::harness::{Trial, drill, payment, target};
use super::server::{Act, Server, json};
use doubletap::config::settings::Protocol;
use doubletap::contract::Length;
use doubletap::run::client::{ClientMaker, Route, tls};
use doubletap::run::clock::Clock;
use doubletap::run::hosts::Hosts;
use doubletap::run::lane::Lane;
use doubletap::run::shot::{BODY_CAP, Flight, Landing, Shot};

pub fn maker(server: &Server, protocol: Protocol) -> ClientMaker {
    let hosts = Hosts::check([&server.url("/")], &[]).unwrap();
    ClientMaker::new(
        Arc::new(hosts),
        tls(None).unwrap(),
        protocol,
        Duration::from_secs(5),
    )
}

pub fn lane(server: &Server) -> Lane {
    Lane::start("test", maker(server, Protocol::Auto), Clock::start()).unwrap()
}

pub fn post(server: &Server, path: &str, headers: &[(&str, &str)], body: &str) -> Shot {
    let headers: Vec<(String, Vec<u8>)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
        .collect();
    Shot::new("POST", server.url(path), &headers, body.into()).unwrap()
}

fn fly(lane: &Lane, shot: Shot, route: Route) -> Flight {
    lane.send(shot, route, Duration::from_secs(2))
        .wait(Duration::from_secs(10))
        .expect("a flight always ends")
}

#[test]
fn a_flood_of_informational_replies_does_not_outlast_the_timeout() {
    let server = Server::start(|_, _| {
        Act::Own(Box::new(|mut stream| {
            let early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(1000);
            // until the client has enough of it
            while stream.write_all(&early).is_ok() {}
        }))
    });
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    target.timeout = Length::seconds(1);
    let began = std::time::Instant::now();
    let story = Trial::new(&target).run(&drill(
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n",
        false,
    ));
    assert!(
        story.stopped().unwrap().why.contains("no reply"),
        "{:?}",
        story.stopped()
    );
    assert!(
        // without optimisation a turn of reading takes its time; before, sixty of them came before the clock was looked at
        began.elapsed() < std::time::Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn only_host_and_content_length_are_added() {
    let server = Server::start(|_, _| json(201, "", "{}"));
    let lane = lane(&server);
    let headers = [
        ("Idempotency-Key", "\"k-1\""),
        ("Idempotency-Key", "\"k-2\""),
        ("Accept", "*/*"),
        ("User-Agent", "doubletap/0"),
    ];
    let flight = fly(
        &lane,
        post(&server, "/p?q=1", &headers, "{\"a\":1}"),
        Route::Ordinary,
    );
    assert_eq!(flight.reply().unwrap().status, 201);
    assert!(flight.released_us.unwrap() <= flight.first_byte_us.unwrap());
    let seen = &server.requests()[0];
    let mut lines: Vec<&str> = seen.head.trim_end().lines().collect();
    assert_eq!(lines.remove(0), "POST /p?q=1 HTTP/1.1");
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "accept: */*",
            "content-length: 7",
            &format!("host: {}", server.address),
            "idempotency-key: \"k-1\"",
            "idempotency-key: \"k-2\"",
            "user-agent: doubletap/0",
        ]
    );
    assert_eq!(seen.body, b"{\"a\":1}");
}

#[test]
fn a_post_without_content_says_so_and_a_get_says_nothing() {
    let server = Server::start(|_, _| json(200, "", "{}"));
    let lane = lane(&server);
    let accept = ("Accept".to_owned(), b"*/*".to_vec());
    fly(
        &lane,
        post(&server, "/", &[("Accept", "*/*")], ""),
        Route::Ordinary,
    );
    let get = Shot::new("GET", server.url("/"), &[accept], vec![]).unwrap();
    let flight = fly(&lane, get, Route::Ordinary);
    assert!(flight.released_us.is_some(), "an empty body is stamped too");
    let seen = server.requests();
    assert_eq!(seen[0].header("content-length").as_deref(), Some("0"));
    assert_eq!(seen[1].header("content-length"), None);
}

#[test]
fn redirects_and_cookies_are_not_followed() {
    let server = Server::start(|_, _| json(307, "location: /other\r\nset-cookie: a=b\r\n", ""));
    let lane = lane(&server);
    for _ in 0..2 {
        let flight = fly(&lane, post(&server, "/", &[], "x"), Route::Ordinary);
        assert_eq!(flight.reply().unwrap().status, 307);
    }
    let seen = server.requests();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[1].header("cookie"), None);
}

#[test]
fn a_connection_of_its_own_is_not_shared() {
    let server = Server::start(|_, _| json(200, "", "{}"));
    let lane = lane(&server);
    for route in [Route::Ordinary, Route::Ordinary, Route::Fresh, Route::Fresh] {
        fly(&lane, post(&server, "/", &[], "x"), route);
    }
    let connections: Vec<usize> = server
        .requests()
        .iter()
        .map(|seen| seen.connection)
        .collect();
    assert_eq!(connections, [1, 1, 2, 3]);
}

#[test]
fn a_reset_after_the_request_is_unknown_and_is_not_sent_again() {
    let server = Server::start(|_, _| Act::Last(vec![]));
    let flight = fly(
        &lane(&server),
        post(&server, "/", &[], "x"),
        Route::Ordinary,
    );
    assert!(matches!(flight.landing, Landing::Unknown(_)), "{flight:?}");
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_refused_connection_means_that_nothing_was_sent() {
    let server = Server::start(|_, _| json(200, "", "{}"));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let mut shot = post(&server, "/", &[], "x");
    shot.url.set_port(Some(port)).unwrap();
    let flight = fly(&lane(&server), shot, Route::Ordinary);
    assert!(matches!(flight.landing, Landing::NotSent(_)), "{flight:?}");
    assert_eq!(flight.released_us, None);
}

fn hostile(
    reply: impl Fn(std::net::TcpStream) + Send + Sync + Clone + 'static,
) -> (Flight, Duration) {
    let server = Server::start(move |_, _| {
        let reply = reply.clone();
        Act::Own(Box::new(reply))
    });
    let began = Instant::now();
    let flight = fly(
        &lane(&server),
        post(&server, "/", &[], "x"),
        Route::Ordinary,
    );
    (flight, began.elapsed())
}

#[test]
fn an_endless_body_is_cut_at_the_cap() {
    let (flight, _) = hostile(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n");
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    });
    let reply = flight.reply().unwrap();
    assert!(reply.truncated);
    assert_eq!(reply.body.len(), BODY_CAP);
}

#[test]
fn headers_without_end_are_unknown() {
    let (flight, _) = hostile(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x-more: and more and more\r\n").is_ok() {}
    });
    assert!(matches!(flight.landing, Landing::Unknown(_)), "{flight:?}");
}

#[test]
fn garbage_and_cut_replies_are_unknown() {
    for bytes in [
        &b"\x16\x03\x01garbage"[..],
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
        b"HTTP/1.1 2000 OK\r\n\r\n",
    ] {
        let (flight, _) = hostile(move |mut stream| stream.write_all(bytes).unwrap());
        assert!(matches!(flight.landing, Landing::Unknown(_)), "{flight:?}");
    }
}

#[test]
fn a_reply_that_drips_ends_at_the_timeout() {
    let (flight, took) = hostile(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
        while stream.write_all(b".").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let Landing::Unknown(why) = &flight.landing else {
        panic!("{flight:?}")
    };
    assert!(why.contains("2 s"), "{why}");
    assert!(took < Duration::from_secs(8), "{took:?}");
}
