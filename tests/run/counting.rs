//! Effects are counted as declared, for every account, and what cannot be counted is said.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::harness::{Trial, drill, payment, target, values};
use super::holds::sql;
use super::server::{Server, json};
use crate::support::postgres;
use doubletap::config::target::{CommandLine, Counter, Postgres, Target};
use doubletap::contract::Length;

pub(super) const SEND_AND_COUNT: &str = "[[step]]\ncount = { as = \"none\", keys = [\"k\"] }\n[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nsend = { as = \"second\", account = \"b\", key = \"j\" }\n[[step]]\ncount = { as = \"all\" }\n";

pub(super) fn pair(intent: &str, account: &str) -> (String, String) {
    (intent.to_owned(), account.to_owned())
}

/// Books every request into a table, with the key, the account and the reference.
pub(super) fn booking(table: &'static str) -> Server {
    Server::start(move |seen, _| {
        let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
        let account = if seen.header("authorization").unwrap().ends_with('a') {
            17
        } else {
            18
        };
        sql(&format!(
            "INSERT INTO {table} VALUES ('{}', {account}, '{}')",
            seen.header("idempotency-key").unwrap(),
            body["reference"].as_str().unwrap(),
        ));
        json(201, "", "{\"id\":\"p\"}")
    })
}

pub(super) fn counted_by(server: &Server, sql: &str) -> Target {
    let mut operation = payment();
    operation.count = Some(Counter::Sql { sql: sql.into() });
    let mut target = target(server.url("/").as_str(), vec![operation]);
    target.accounts[0].id = Some("17".into());
    target.accounts[1].id = Some("18".into());
    target.postgres = Some(Postgres {
        url: postgres::url().to_owned().into(),
        statement_timeout: Length::millis(500),
    });
    target
}

#[test]
fn parameters_fit_uuid_bigint_and_text_columns() {
    sql("CREATE TABLE IF NOT EXISTS book_one (key uuid, account bigint, reference text)");
    let server = booking("book_one");
    for statement in [
        "SELECT count(*) FROM book_one WHERE key = :key AND account = :account",
        "SELECT count(*)::int FROM book_one WHERE reference = :ref AND account = :account -- :nothing",
        "SELECT sum(1)::numeric FROM (SELECT 1 FROM book_one WHERE reference = :ref AND account = :account UNION ALL SELECT 0 WHERE false) t HAVING count(*) > 0 UNION ALL SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM book_one WHERE reference = :ref AND account = :account)",
        "SELECT count(*)::text FROM book_one WHERE key::text = :wire_key AND account = :account",
    ] {
        let target = counted_by(&server, statement);
        let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
        let none = values(&story.counts("none")[0]);
        assert_eq!(none[&pair("k", "a")], Some(0), "{:?}", story.counts("none"));
        let all = values(&story.counts("all")[0]);
        assert_eq!(
            all,
            BTreeMap::from([
                (pair("k", "a"), Some(1)),
                (pair("k", "b"), Some(0)),
                (pair("j", "a"), Some(0)),
                (pair("j", "b"), Some(1)),
            ]),
            "{statement}: {:?}",
            story.counts("all")
        );
        assert_eq!(values(&story.counts("final")[0]), all);
    }
}

#[test]
fn what_is_no_number_is_an_error_and_no_zero() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    for (statement, words) in [
        ("SELECT NULL::bigint", "NULL"),
        ("SELECT 1, 2", "2 columns"),
        ("SELECT 1 WHERE false", "0 rows"),
        ("SELECT true", "bool"),
        ("SELECT count(*) FROM no_such_table", "no_such_table"),
        ("SELECT 1 WHERE 1 = :order", ":order"),
        ("SELECT pg_sleep(3)::text", "statement timeout"),
        (
            "WITH gone AS (DELETE FROM pg_class RETURNING 1) SELECT count(*) FROM gone",
            "read-only",
        ),
    ] {
        let target = counted_by(&server, statement);
        let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
        let stopped = story.stopped().expect("no drill is begun");
        assert!(stopped.misconfigured, "{stopped:?}");
        assert!(stopped.why.contains(words), "{statement}: {stopped:?}");
        assert_eq!(story.end.requests, 1, "nothing beyond the ordinary request");
    }
}

#[test]
fn a_database_that_is_not_there_or_forbids_stops_the_run_with_one_message() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":\"p\"}"));
    let port = {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        closed.local_addr().unwrap().port()
    };
    let mut target = counted_by(&server, "SELECT 1");
    target.postgres = Some(Postgres {
        url: format!("postgres://nobody@127.0.0.1:{port}/nothing").into(),
        statement_timeout: Length::millis(500),
    });
    let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
    let stopped = story.stopped().unwrap();
    assert!(stopped.why.contains("cannot be reached"), "{stopped:?}");
    assert!(stopped.remedy.contains("[postgres]"), "{stopped:?}");
    assert_eq!(story.end.requests, 1);
}

#[test]
fn a_counter_that_falls_silent_does_not_hold_the_run_up() {
    let server = Server::start(|seen, _| {
        let asked = seen.head.starts_with("GET");
        // the preflight's own intent is the first that is asked for
        if asked && LATER.fetch_add(1, Ordering::SeqCst) > 0 {
            let keep_open = |stream| {
                std::thread::sleep(Duration::from_secs(60));
                drop::<std::net::TcpStream>(stream);
            };
            return super::server::Act::Own(Box::new(keep_open));
        }
        json(201, "", "{\"id\":\"p\",\"items\":[]}")
    });
    static LATER: AtomicUsize = AtomicUsize::new(0);
    let mut target = counted_over_http(&server);
    target.operations[0].success = vec![201];
    target.timeout = Length::seconds(6);
    let began = Instant::now();
    let mut trial = Trial::new(&target);
    trial.rounds = 10;
    let story = trial.run(&drill(SEND_AND_COUNT, true));
    assert!(
        began.elapsed() < Duration::from_secs(40),
        "{:?}",
        began.elapsed()
    );
    let last = &story.counts("all")[9].entries[0];
    assert!(
        last.error.as_ref().unwrap().contains("given up"),
        "{last:?}"
    );
    let said = |note: &&String| note.contains("given up");
    assert_eq!(story.notes().iter().filter(said).count(), 1);
}

#[test]
fn a_busy_counter_is_asked_again_after_what_it_says() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |seen, _| {
        if !seen.head.starts_with("GET") {
            return json(201, "", "{\"id\":\"p\"}");
        }
        if asked.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            json(503, "retry-after: 0\r\n", "{}")
        } else {
            json(200, "", "{\"items\":[{}]}")
        }
    });
    let story = Trial::new(&counted_over_http(&server)).run(&drill(SEND_AND_COUNT, false));
    assert_eq!(values(&story.counts("all")[0])[&pair("k", "a")], Some(1));
    assert_eq!(
        story.end.requests,
        server.requests().len() as u64,
        "all are counted"
    );
}

#[test]
fn all_rounds_meet_at_the_count_with_one_settle_time() {
    sql("CREATE TABLE IF NOT EXISTS book_two (key uuid, account bigint, reference text)");
    let server = booking("book_two");
    let mut target = counted_by(
        &server,
        "SELECT count(*) FROM book_two WHERE reference = :ref",
    );
    target.settle = Length::millis(300);
    let text =
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\ncount = { as = \"all\" }\n";
    let mut trial = Trial::new(&target);
    trial.rounds = 6;
    let began = Instant::now();
    let story = trial.run(&drill(text, true));
    let rounds: Vec<u32> = story
        .counts("all")
        .iter()
        .map(|count| count.round)
        .collect();
    assert_eq!(rounds, [0, 1, 2, 3, 4, 5]);
    let last_sent = story
        .attempts("first")
        .iter()
        .map(|(_, done)| done.end_us)
        .max()
        .unwrap();
    let counts = story.counts("all");
    assert!(counts[0].at_us - last_sent >= 300_000);
    assert!(
        counts[5].at_us - counts[0].at_us < 1_500_000,
        "one settle time for all"
    );
    assert!(began.elapsed() < Duration::from_secs(20));
}

/// A counter over HTTP that shows an effect late.
fn late(delay: Duration) -> Server {
    let booked: Arc<Mutex<BTreeMap<String, Instant>>> = Arc::default();
    Server::start(move |seen, _| {
        let mut booked = booked.lock().unwrap();
        if seen.head.starts_with("GET") {
            let reference = seen.head.split("reference=").nth(1).unwrap();
            let reference = reference.split(' ').next().unwrap();
            let seen = booked.get(reference).is_some_and(|at| at.elapsed() > delay);
            return json(
                200,
                "",
                &format!("{{\"items\":[{}]}}", if seen { "{}" } else { "" }),
            );
        }
        let body: serde_json::Value = serde_json::from_slice(&seen.body).unwrap();
        booked.insert(
            body["reference"].as_str().unwrap().to_owned(),
            Instant::now(),
        );
        json(201, "", "{\"id\":\"p\"}")
    })
}

fn counted_over_http(server: &Server) -> Target {
    let mut operation = payment();
    operation.count = Some(Counter::Get {
        path: "/payments?reference={{ref}}".into(),
        headers: vec![("X-Reader".into(), "{{account_id}}".into())],
        at: "/items".into(),
        matching: None,
        page: None,
    });
    target(server.url("/").as_str(), vec![operation])
}

#[test]
fn a_late_effect_is_waited_for_and_counting_sends_the_accounts_credentials() {
    let server = late(Duration::from_millis(200));
    let mut target = counted_over_http(&server);
    target.settle = Length::millis(100);
    let text =
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\ncount = { as = \"all\" }\n";
    let story = Trial::new(&target).run(&drill(text, false));
    assert_eq!(values(&story.counts("all")[0])[&pair("k", "a")], Some(1));
    let get = server
        .requests()
        .into_iter()
        .find(|seen| seen.head.starts_with("GET"))
        .unwrap();
    assert_eq!(get.header("authorization").as_deref(), Some("Bearer a"));
    assert_eq!(get.header("x-reader").as_deref(), Some("a-id"));
    assert_eq!(get.header("idempotency-key"), None);
    let gets = server.requests().len() as u64;
    assert_eq!(story.end.requests, gets, "counting is counted");
}

#[test]
fn a_counter_that_never_rises_is_waited_for_once() {
    let server = late(Duration::from_secs(1_000));
    let mut target = counted_over_http(&server);
    target.settle = Length::millis(100);
    let text = "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\ncount = { as = \"one\" }\n[[step]]\ncount = { as = \"two\" }\n";
    let story = Trial::new(&target).run(&drill(text, false));
    let (one, two) = (&story.counts("one")[0], &story.counts("two")[0]);
    assert_eq!(values(one)[&pair("k", "a")], Some(0));
    assert!(two.at_us - one.at_us < 400_000);
}

#[test]
fn a_counter_that_is_refused_stops_the_run() {
    let server = Server::start(|seen, _| {
        if seen.head.starts_with("GET") {
            json(404, "", "{}")
        } else {
            json(201, "", "{\"id\":1}")
        }
    });
    let story = Trial::new(&counted_over_http(&server)).run(&drill(SEND_AND_COUNT, false));
    let stopped = story.stopped().expect("no drill is begun");
    assert!(stopped.why.contains("404"), "{stopped:?}");
}

#[test]
fn a_command_counts_with_the_intent_in_its_environment() {
    let server = Server::start(|_, _| json(201, "", "{\"id\":1}"));
    let mut operation = payment();
    operation.count = Some(Counter::Command(CommandLine {
        argv: vec!["/bin/sh".into(), "-c".into(), "test -n \"$DOUBLETAP_REF\" -a -n \"$DOUBLETAP_KEY\" && test \"$DOUBLETAP_ACCOUNT\" = a-id && echo 3 || echo none".into()],
        timeout: Length::seconds(10),
    }));
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
    let count = &story.counts("all")[0];
    assert_eq!(values(count)[&pair("k", "a")], Some(3));
    let b = count
        .entries
        .iter()
        .find(|entry| entry.account == "b")
        .unwrap();
    assert!(b.error.as_ref().unwrap().contains("`none`"), "{b:?}");
}

#[test]
fn a_counter_that_looks_into_what_a_set_up_made_has_it_before_the_first_request() {
    let server = Server::start(|seen, _| {
        if seen.head.starts_with("GET /shops/shop-7/") {
            json(200, "", "{\"count\":0}")
        } else {
            json(201, "", "{\"id\":\"shop-7\"}")
        }
    });
    let look = "test \"$DOUBLETAP_NEED_SHOP\" = shop-7 && echo 0";
    let command = CommandLine {
        argv: vec!["/bin/sh".into(), "-c".into(), look.into()],
        timeout: Length::seconds(10),
    };
    let get = Counter::Get {
        path: "/shops/{{shop}}/payments".into(),
        headers: vec![],
        at: "/count".into(),
        matching: None,
        page: None,
    };
    for counter in [Counter::Command(command), get] {
        let mut shop = payment();
        shop.name = "shop".into();
        shop.setup_only = true;
        let mut operation = payment();
        operation.needs.insert("shop".into(), "shop".into());
        operation.count = Some(counter);
        let target = target(server.url("/").as_str(), vec![operation, shop]);
        let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
        let none = values(&story.counts("none")[0]);
        assert_eq!(none[&pair("k", "a")], Some(0));
    }
}

#[test]
fn a_sink_counts_the_calls_that_carry_the_reference() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |seen, _| {
        let body = String::from_utf8(seen.body.clone()).unwrap();
        let times = 1 + calls.fetch_add(1, Ordering::SeqCst) % 2;
        for _ in 0..times {
            use std::io::{Read, Write};
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            write!(stream, "POST /charge HTTP/1.1\r\nhost: s\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap();
        }
        json(201, "", "{\"id\":1}")
    });
    let mut operation = payment();
    operation.count = Some(Counter::Sink {
        listen: format!("127.0.0.1:{port}"),
        path: Some("/charge".into()),
    });
    let target = target(server.url("/").as_str(), vec![operation]);
    let story = Trial::new(&target).run(&drill(SEND_AND_COUNT, false));
    let all = values(&story.counts("all")[0]);
    assert_eq!(
        all[&pair("k", "a")],
        Some(2),
        "the second request called twice"
    );
    assert_eq!(all[&pair("j", "b")], Some(1));
}
