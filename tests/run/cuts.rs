//! A client that vanishes does so at the planned moment, and the server can tell.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use super::server::{Act, Server, json};
use super::wire::{lane, post};
use doubletap::config::suite::Cut;
use doubletap::config::target::{Stall, Variant};
use doubletap::journal::event::Outcome;
use doubletap::run::hosts::Hosts;
use doubletap::run::relay::send_cut;
use doubletap::run::shot::Landing;

/// What the server saw of the client after it had the request: what it could write, and how the connection ended.
type Report = mpsc::Receiver<(usize, String)>;

fn cutting(work: Duration, reply: usize, cut: &str) -> (Report, Outcome) {
    let (tell, report) = mpsc::channel();
    let tell = Arc::new(Mutex::new(tell));
    let server = Server::start(move |seen, n| {
        if n == 0 {
            return json(201, "", "{\"id\":\"p\"}");
        }
        assert!(seen.header("host").unwrap().starts_with("127.0.0.1:"));
        let tell = tell.clone();
        Act::Own(Box::new(move |mut stream| {
            std::thread::sleep(work);
            let head = format!("HTTP/1.1 201 Created\r\ncontent-length: {reply}\r\n\r\n");
            let body = vec![b'x'; reply];
            let mut written = 0;
            if stream.write_all(head.as_bytes()).is_ok() {
                for chunk in body.chunks(1024) {
                    if stream.write_all(chunk).is_err() {
                        break;
                    }
                    written += chunk.len();
                }
            }
            stream
                .set_read_timeout(Some(Duration::from_secs(10)))
                .unwrap();
            let mut rest = [0; 16];
            let end = match stream.read(&mut rest) {
                Ok(0) => "closed".to_owned(),
                Ok(n) => format!("{n} more bytes"),
                Err(error) => format!("{:?}", error.kind()),
            };
            let _ = tell.lock().unwrap().send((written, end));
        }))
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let text = format!("[[step]]\nsend = {{ as = \"lost\", key = \"k\", cut = \"{cut}\" }}\n");
    let story = Trial::new(&target).run(&drill(&text, false));
    let (_, done) = story.attempts("lost").remove(0);
    (report, done.outcome)
}

fn why(outcome: Outcome) -> String {
    match outcome {
        Outcome::Unknown { why } => why,
        other => panic!("the reply was not lost: {other:?}"),
    }
}

/// A busy machine may be late with the last byte: the cut must wait for it, however long.
#[test]
fn the_request_is_out_before_the_client_vanishes() {
    let server = Server::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        json(201, "", "{}")
    });
    let hosts = Arc::new(Hosts::check([&server.url("/")], &[]).unwrap());
    let lane = lane(&server);
    let body = "x".repeat(300_000);
    for n in 0..20 {
        let shot = post(&server, "/", &[], if n % 2 == 0 { "{}" } else { &body });
        // a line that is quiet at once: only the last byte's passage can hold the cut back
        let (quiet, timeout) = (Duration::ZERO, Duration::from_secs(20));
        let pending = send_cut(
            &lane,
            shot,
            Cut::WhileWorking,
            quiet,
            timeout,
            hosts.clone(),
        );
        assert!(pending.wait(Duration::from_secs(30)).is_some());
    }
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while server.requests().len() < 20 && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.requests().len(), 20, "every request arrived whole");
}

fn reported(report: &Report) -> (usize, String) {
    report
        .recv_timeout(Duration::from_secs(20))
        .expect("the server saw the end")
}

#[test]
fn while_the_server_works_the_client_is_gone_before_the_reply() {
    let (report, outcome) = cutting(Duration::from_millis(500), 2, "while-working");
    assert!(why(outcome).contains("while the server worked"));
    let (_, end) = reported(&report);
    assert!(end == "closed" || end == "ConnectionReset", "{end}");
}

#[test]
fn a_server_that_is_faster_than_the_cut_is_said() {
    let server = Server::start(|_, _| json(201, "", "{}"));
    let hosts = Hosts::check([&server.url("/")], &[]).unwrap();
    let shot = post(&server, "/", &[], "{}");
    let (cut, quiet) = (Cut::WhileWorking, Duration::from_secs(2));
    let timeout = Duration::from_secs(20);
    let lane = lane(&server);
    let pending = send_cut(&lane, shot, cut, quiet, timeout, Arc::new(hosts));
    let flight = pending.wait(Duration::from_secs(30)).unwrap();
    let Landing::Unknown(why) = flight.landing else {
        panic!("{flight:?}");
    };
    assert!(why.contains("before the planned cut"), "{why}");
}

#[test]
fn at_the_first_byte_the_reply_has_begun() {
    let (report, outcome) = cutting(Duration::from_millis(100), 2, "at-first-byte");
    assert!(why(outcome).contains("at the reply's first byte"));
    let (written, end) = reported(&report);
    assert_eq!(written, 2);
    assert_eq!(end, "ConnectionReset", "unread bytes make it a reset");
}

#[test]
fn in_the_middle_of_a_large_reply_the_server_is_still_writing() {
    let (report, outcome) = cutting(Duration::from_millis(50), 16 * 1024 * 1024, "mid-reply");
    assert!(why(outcome).contains("4096 bytes"));
    let (written, _) = reported(&report);
    assert!(written < 16 * 1024 * 1024, "the server could not write all");
}

#[test]
fn a_small_reply_has_no_middle_and_that_is_said() {
    let (_, outcome) = cutting(Duration::from_millis(50), 2, "mid-reply");
    assert!(why(outcome).contains("not in its middle"));
}

#[test]
fn after_the_last_byte_the_server_has_handed_over_everything() {
    let (report, outcome) = cutting(Duration::from_millis(100), 2_000, "after-last-byte");
    assert!(why(outcome).contains("after the reply's last byte"));
    let (written, end) = reported(&report);
    assert_eq!(written, 2_000);
    assert_eq!(end, "closed");
}

#[test]
fn a_server_that_is_held_slow_has_begun_before_its_client_vanishes() {
    let server = Server::start(|_, n| {
        std::thread::sleep(Duration::from_millis(if n == 0 { 0 } else { 600 }));
        json(201, "", "{\"id\":\"p\"}")
    });
    let mut operation = payment();
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies.insert("slow".into(), Variant::default());
    let target = target(server.url("/").as_str(), vec![operation]);
    let step = "[[step]]\nsend = { as = \"lost\", key = \"k\", cut = \"while-working\" }\n";
    let story = Trial::new(&target).run(&drill(step, false));
    let (_, done) = &story.attempts("lost")[0];
    assert!(why(done.outcome.clone()).contains("while the server worked"));
    let stayed = done.end_us - done.released_us.unwrap();
    assert!(stayed >= 100_000, "it left after {stayed} us");
}
