//! A first request is held, the others come meanwhile, and the proof is honest.

use std::collections::BTreeMap;
use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use super::server::{Server, json};
use crate::support::postgres;
use doubletap::config::target::{Body, Postgres, Stall, Target, Variant};
use doubletap::contract::Length;

const OVERLAP: &str = "[[step]]\n[step.overlap]\nfirst = { as = \"first\", key = \"k\" }\nduring = [{ as = \"second\", key = \"k\" }, { as = \"third\", key = \"k\" }]\n";

#[test]
fn a_slow_variant_applies_to_every_request_and_proves_the_hold() {
    let server = Server::start(|seen, _| {
        if seen.header("x-slow").is_some() {
            std::thread::sleep(Duration::from_millis(300));
        }
        json(201, "", "{\"id\":\"p\"}")
    });
    let mut operation = payment();
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies.insert(
        "slow".into(),
        Variant {
            headers: vec![("X-Slow".into(), "1".into())],
            ..Variant::default()
        },
    );
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    let held = &story.held()[0];
    assert!(held.proven, "{held:?}");
    assert_eq!(held.how, "slow");
    for step in ["first", "second", "third"] {
        assert!(
            story.attempts(step)[0]
                .0
                .headers
                .iter()
                .any(|(name, _)| name == "X-Slow")
        );
    }
    let (first, second) = (&story.attempts("first")[0], &story.attempts("second")[0]);
    assert!(second.0.at_us > first.1.released_us.unwrap());
    assert!(second.0.at_us < first.1.first_byte_us.unwrap());
}

#[test]
fn what_comes_during_a_hold_comes_after_the_refusal_of_what_came_before() {
    // a lock beside the reply, released at the end of every request: only what follows a refusal runs
    let locked = std::sync::Mutex::new(false);
    let server = Server::start(move |_, _| {
        let mine = !std::mem::replace(&mut *locked.lock().unwrap(), true);
        std::thread::sleep(Duration::from_millis(if mine { 400 } else { 15 }));
        *locked.lock().unwrap() = false;
        if mine {
            json(201, "", "{\"id\":\"p\"}")
        } else {
            json(409, "", "{}")
        }
    });
    let mut operation = payment();
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies.insert("slow".into(), Variant::default());
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    assert!(story.held()[0].proven, "{:?}", story.held());
    // the second comes again: by its first answer the third could run
    assert_eq!(story.statuses("second").first(), Some(&409));
    assert_eq!(story.statuses("third"), [201]);
}

/// A target whose first request takes long, by a variant that changes nothing.
fn slow(server: &Server) -> Target {
    let mut operation = payment();
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies.insert("slow".into(), Variant::default());
    target(server.url("/").as_str(), vec![operation])
}

#[test]
fn a_refused_duplicate_comes_again_until_the_first_is_answered() {
    // a lease of 500 ms and work of 800 ms: only what comes in the last 300 ms runs
    let server = Server::start(|_, n| {
        // the very first request looks how far the server is away
        static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        if n == 1 {
            BEGAN.get_or_init(std::time::Instant::now);
            std::thread::sleep(Duration::from_millis(800));
        } else if n > 1
            && BEGAN
                .get()
                .is_some_and(|began| began.elapsed().as_millis() < 500)
        {
            return json(409, "", "{}");
        }
        json(201, "", "{\"id\":\"p\"}")
    });
    let story = Trial::new(&slow(&server)).run(&drill(OVERLAP, false));
    let held = &story.held()[0];
    assert!(held.proven, "{held:?}");
    let statuses = story.statuses("second");
    assert!(statuses.len() >= 3, "{statuses:?}");
    assert_eq!(statuses.last(), Some(&201), "{statuses:?}");
    assert_eq!(
        statuses.iter().filter(|s| **s == 201).count(),
        1,
        "{statuses:?}"
    );
    let (first, seconds) = (&story.attempts("first")[0], story.attempts("second"));
    let repeats: Vec<u32> = seconds.iter().map(|(sent, _)| sent.repeat).collect();
    let in_order: Vec<u32> = (0..).take(repeats.len()).collect();
    assert_eq!(repeats, in_order);
    let last = seconds.last().unwrap();
    assert!(last.1.released_us.unwrap() < first.1.first_byte_us.unwrap());
    assert!(
        held.detail.contains("a claim that lapses later"),
        "{}",
        held.detail
    );
    assert_eq!(story.attempts("third").len(), 1, "one of them is enough");
}

#[test]
fn a_duplicate_that_waits_or_is_told_to_go_away_is_not_sent_again() {
    for refusal in [429, 503, 0] {
        let server = Server::start(move |_, n| {
            if n < 2 || refusal == 0 {
                std::thread::sleep(Duration::from_millis([0, 500, 450][n.min(2)]));
                json(201, "", "{\"id\":\"p\"}")
            } else {
                json(refusal, "", "{}")
            }
        });
        let story = Trial::new(&slow(&server)).run(&drill(OVERLAP, false));
        assert!(story.held()[0].proven, "{:?}", story.held());
        assert_eq!(story.statuses("second").len(), 1, "{refusal}");
        assert!(
            !story.held()[0].detail.contains("more"),
            "{:?}",
            story.held()
        );
    }
}

#[test]
fn a_slow_variant_that_is_not_slow_proves_nothing() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    let mut operation = payment();
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies.insert("slow".into(), Variant::default());
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    assert!(!story.held()[0].proven, "{:?}", story.held());
}

#[test]
fn luck_says_that_it_is_luck() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    let target = target(server.url("/").as_str(), vec![payment()]);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    assert_eq!(story.held()[0].how, "luck");
    assert_eq!(story.statuses("third"), [201]);
}

/// A service that writes one row a request into `payments_held`, like any handler.
fn writing(table: &'static str) -> Server {
    let url = postgres::url();
    Server::start(move |seen, _| {
        let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
        let reference = body["reference"].as_str().unwrap().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let (client, driven) = tokio_postgres::connect(url, tokio_postgres::NoTls)
                .await
                .unwrap();
            tokio::spawn(driven);
            let insert = format!("INSERT INTO {table} (reference) VALUES ($1)");
            client.execute(&insert, &[&reference]).await.unwrap();
        });
        json(201, "", "{\"id\":\"p\"}")
    })
}

fn with_lock(server: &Server, lock: &str, is_statement: bool) -> Target {
    let mut operation = payment();
    operation.stall = Some(Stall::Postgres {
        lock: lock.into(),
        is_statement,
        hold: Length::millis(700),
    });
    let mut target = target(server.url("/").as_str(), vec![operation]);
    target.postgres = Some(Postgres {
        url: postgres::url().to_owned().into(),
        statement_timeout: Length::seconds(5),
    });
    target
}

pub fn sql(statements: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (client, driven) = tokio_postgres::connect(postgres::url(), tokio_postgres::NoTls)
            .await
            .unwrap();
        tokio::spawn(driven);
        client.batch_execute(statements).await.unwrap();
    });
}

#[test]
fn a_lock_holds_the_first_and_the_waiting_backend_proves_it() {
    sql("CREATE TABLE IF NOT EXISTS held_one (reference text)");
    let server = writing("held_one");
    for (lock, is_statement) in [
        ("held_one", false),
        ("LOCK TABLE held_one IN EXCLUSIVE MODE", true),
    ] {
        let target = with_lock(&server, lock, is_statement);
        let story = Trial::new(&target).run(&drill(OVERLAP, false));
        let held = &story.held()[0];
        assert!(held.proven, "{held:?}");
        assert_eq!(held.how, "postgres");
        assert!(held.detail.contains("pg_blocking_pids"), "{}", held.detail);
        let (first, second) = (&story.attempts("first")[0], &story.attempts("second")[0]);
        let released = held.released_us.unwrap();
        assert!(
            first.1.first_byte_us.unwrap() >= released - 5_000,
            "{first:?} {held:?}"
        );
        assert!(second.0.at_us >= held.held_us.unwrap());
        assert!(second.0.at_us < released);
        assert_eq!(story.statuses("third"), [201]);
    }
}

#[test]
fn a_first_that_never_touches_the_table_is_not_held() {
    sql(
        "CREATE TABLE IF NOT EXISTS held_other (reference text); CREATE TABLE IF NOT EXISTS held_two (reference text)",
    );
    let server = writing("held_two");
    let target = with_lock(&server, "held_other", false);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    let held = &story.held()[0];
    assert!(!held.proven);
    assert!(held.detail.contains("without waiting"), "{}", held.detail);
}

#[test]
fn a_lock_that_cannot_be_had_names_what_is_missing() {
    sql(
        "DROP TABLE IF EXISTS held_three; CREATE TABLE held_three (reference text); DROP ROLE IF EXISTS reader_only; CREATE ROLE reader_only LOGIN; GRANT SELECT ON held_three TO reader_only",
    );
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    let mut target = with_lock(&server, "held_three", false);
    let mut url = url::Url::parse(postgres::url()).unwrap();
    url.set_username("reader_only").unwrap();
    target.postgres = Some(Postgres {
        url: url.to_string().into(),
        statement_timeout: Length::seconds(5),
    });
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    let held = &story.held()[0];
    // what was declared and did not work is no luck
    assert_eq!(held.how, "postgres");
    assert!(held.detail.contains("GRANT UPDATE"), "{}", held.detail);
    assert_eq!(story.statuses("second"), [201], "it was sent all the same");
}

#[test]
fn what_is_no_table_name_goes_into_no_statement() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    let target = with_lock(&server, "payments; DROP TABLE payments", false);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    assert!(story.held()[0].detail.contains("no table name"));
}

#[test]
fn a_body_without_bytes_can_be_held_too() {
    let server = Server::start(|_, n| {
        std::thread::sleep(Duration::from_millis(if n == 0 { 0 } else { 200 }));
        json(201, "", "{\"id\":\"p\"}")
    });
    let mut operation = payment();
    operation.body = Body::Empty;
    operation.stall = Some(Stall::Slow("slow".into()));
    operation.bodies = BTreeMap::from([("slow".to_owned(), Variant::default())]);
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(OVERLAP, false));
    assert!(story.held()[0].proven, "{:?}", story.held());
}
