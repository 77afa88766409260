//! Drills are carried out as they are written: rounds, retries, set-ups, caps, interruption.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use super::server::{Act, Server, json};
use doubletap::config::target::{CommandLine, Identity};
use doubletap::contract::Length;
use doubletap::journal::event::{Event, Outcome};

/// Makes a payment for each request.
pub(super) fn paying() -> Server {
    Server::start(|_, n| json(201, "", &format!("{{\"id\":\"p{n}\"}}")))
}

#[test]
fn an_intent_keeps_its_key_and_reference_and_rounds_have_fresh_ones() {
    let server = paying();
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nsend = { as = \"second\", key = \"k\" }\n[[step]]\nsend = { as = \"other\", account = \"b\", key = \"j\" }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.rounds = 3;
    let story = trial.run(&drill);
    let first = story.attempts("first");
    let second = story.attempts("second");
    let other = story.attempts("other");
    assert_eq!(first.len(), 3);
    let mut keys = BTreeSet::new();
    for round in 0..3 {
        assert_eq!(first[round].0.key, second[round].0.key);
        assert_eq!(first[round].0.body.text, second[round].0.body.text);
        assert_ne!(first[round].0.key, other[round].0.key);
        assert_eq!(first[round].0.round as usize, round);
        keys.insert(first[round].0.key.clone());
    }
    assert_eq!(keys.len(), 3);
    let seen = server.requests();
    assert_eq!(
        seen[1].header("idempotency-key"),
        first[0].0.key,
        "the key went out as recorded (after one preflight)"
    );
    assert_eq!(
        seen[3].header("authorization").as_deref(),
        Some("Bearer b"),
        "account b sent"
    );
    assert_eq!(story.end.requests, 1 + 9);
    assert_eq!(story.ended().rounds, 3);
    assert_eq!(story.ended().broken, None);
}

#[test]
fn a_retry_waits_while_it_is_told_to_and_each_try_is_recorded() {
    let tries = AtomicUsize::new(0);
    let server = Server::start(move |seen, n| {
        if n == 0 || seen.head.contains("first") {
            return json(201, "", "{\"id\":\"p\"}");
        }
        match tries.fetch_add(1, Ordering::SeqCst) {
            0 => json(409, "retry-after: 1\r\n", "{}"),
            1 => json(503, "", "{}"),
            2 => Act::Last(vec![]),
            _ => json(201, "", "{\"id\":\"p\"}"),
        }
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill("[[step]]\nretry = { as = \"again\", key = \"k\" }\n", false);
    let story = Trial::new(&target).run(&drill);
    assert_eq!(story.statuses("again"), [409, 503, 0, 201]);
    let attempts = story.attempts("again");
    let repeats: Vec<u32> = attempts.iter().map(|(sent, _)| sent.repeat).collect();
    assert_eq!(repeats, [0, 1, 2, 3]);
    let waited = attempts[1].0.at_us - attempts[0].1.end_us;
    assert!(waited >= 1_000_000, "Retry-After was obeyed: {waited}");
}

#[test]
fn a_retry_ends_at_the_declared_bound() {
    let server = Server::start(|_, n| match n {
        0 => json(201, "", "{\"id\":\"p\"}"),
        _ => json(409, "", "{}"),
    });
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    for contract in target.contracts.values_mut() {
        contract.in_progress_for.value = Length::millis(600);
    }
    let drill = drill("[[step]]\nretry = { as = \"again\", key = \"k\" }\n", false);
    let story = Trial::new(&target).run(&drill);
    let attempts = story.attempts("again");
    let (first, last) = (&attempts[0].0, &attempts[attempts.len() - 1].0);
    assert!(attempts.len() > 2);
    assert!(
        last.at_us - first.at_us >= 550_000,
        "the last try comes at the bound"
    );
}

#[test]
fn a_mismatch_is_final_and_is_not_sent_again() {
    let server = Server::start(|_, n| match n {
        0 => json(201, "", "{\"id\":\"p\"}"),
        _ => json(422, "", "{}"),
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill("[[step]]\nretry = { as = \"again\", key = \"k\" }\n", false);
    assert_eq!(Trial::new(&target).run(&drill).statuses("again"), [422]);
}

#[test]
fn set_ups_run_once_an_intent_and_fill_placeholders() {
    let server = Server::start(|seen, n| {
        if seen.head.starts_with("POST /payments ") {
            json(201, &format!("location: /payments/p{n}?x=1\r\n"), "{}")
        } else {
            json(201, "", "{\"id\":\"r\"}")
        }
    });
    let mut setup = payment();
    setup.setup_only = true;
    setup.identity = Identity::Header("Location".into());
    let mut refund = payment();
    refund.name = "refund".into();
    refund.path = "/payments/{{payment}}/refunds".into();
    refund.needs = BTreeMap::from([("payment".to_owned(), "payment".to_owned())]);
    let target = target(server.url("/").as_str(), vec![setup, refund]);
    let drill = drill(
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nsend = { as = \"second\", key = \"k\" }\n[[step]]\nsend = { as = \"fresh\", key = \"j\" }\n",
        false,
    );
    let story = Trial::new(&target).run(&drill);
    assert_eq!(story.ended().broken, None);
    let url = |step: &str| story.attempts(step)[0].0.url.clone();
    assert_eq!(url("first"), url("second"));
    assert_ne!(url("first"), url("fresh"));
    assert!(url("first").contains("/payments/p"), "{}", url("first"));
    assert!(!url("first").contains("x=1"));
    let of_drill =
        |sent: &doubletap::journal::event::AttemptSent| sent.instance.starts_with("test.");
    let setups = story
        .attempts("setup")
        .iter()
        .filter(|(sent, _)| of_drill(sent))
        .count();
    assert_eq!(setups, 2, "one for each intent");
}

#[test]
fn beyond_the_cap_the_drill_is_broken_and_says_why() {
    let server = paying();
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        false,
    );
    let mut trial = Trial::new(&target);
    trial.limits.max_requests = Some(4);
    let story = trial.run(&drill);
    assert_eq!(story.attempts("copies").len(), 0, "all of a burst, or none");
    assert!(story.ended().broken.unwrap().contains("--max-requests"));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(story.end.requests, 2);
}

#[test]
fn an_interrupted_run_sends_nothing_more_and_ends_properly() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let server = Server::start(|_, n| {
        if n == 2 {
            STOP.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_secs(5));
        }
        json(201, "", "{\"id\":\"p\"}")
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill("[[step]]\nsend = { as = \"first\", key = \"k\" }\n", true);
    let mut trial = Trial::new(&target);
    trial.rounds = 9;
    trial.interrupted = &STOP;
    let story = trial.run(&drill);
    assert!(story.end.interrupted);
    assert_eq!(server.requests().len(), 3);
    let attempts = story.attempts("first");
    assert!(
        matches!(&attempts[1].1.outcome, Outcome::Unknown { why } if why.contains("interrupted"))
    );
    assert!(story.ended().broken.unwrap().contains("interrupted"));
}

#[test]
fn commands_run_by_name_and_a_missing_reply_is_recorded_as_unknown() {
    let server = Server::start(|_, n| match n {
        0 => json(201, "", "{\"id\":\"p\"}"),
        _ => Act::Last(b"HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\nhalf".to_vec()),
    });
    let mut target = target(server.url("/").as_str(), vec![payment()]);
    target.hooks.insert(
        "restart".into(),
        CommandLine {
            argv: vec![
                "/bin/sh".into(),
                "-c".into(),
                "echo $DOUBLETAP_RUN; exit 7".into(),
            ],
            timeout: Length::seconds(10),
        },
    );
    let drill = drill(
        "[[step]]\nhook = { run = \"restart\" }\n[[step]]\nsend = { as = \"first\", key = \"k\" }\n",
        false,
    );
    let story = Trial::new(&target).run(&drill);
    let hooks = story.pick(|event| match event {
        Event::Hook(hook) => Some(hook.clone()),
        _ => None,
    });
    assert_eq!((hooks[0].exit, hooks[0].output.as_str()), (Some(7), "r1"));
    let attempts = story.attempts("first");
    assert!(matches!(&attempts[0].1.outcome, Outcome::Unknown { why } if why.contains("4 bytes")));
}

#[test]
fn a_busy_target_is_left_alone_for_as_long_as_it_says() {
    let server = Server::start(|_, n| match n {
        1 => json(429, "retry-after: 1\r\n", "{}"),
        _ => json(201, "", &format!("{{\"id\":\"p{n}\"}}")),
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let steps = "[[step]]\nsend = { as = \"first\", key = \"k\" }\n[[step]]\nsend = { as = \"second\", key = \"k\" }\n";
    let story = Trial::new(&target).run(&drill(steps, false));
    assert_eq!(
        (story.statuses("first"), story.statuses("second")),
        (vec![429], vec![201])
    );
    let seen = server.requests();
    let waited = seen[2].complete_at.duration_since(seen[1].complete_at);
    assert!(waited.as_millis() >= 950, "{waited:?}");
}
