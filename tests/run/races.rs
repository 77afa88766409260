//! Copies released together: their gates, how many there are, and when rounds end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::drills::paying;
use super::harness::{Story, Trial, drill, payment, target};
use super::server::{Act, Server, json};
use doubletap::journal::event::GateKind;
use doubletap::plan::chance::Aim;

#[test]
fn bursts_alternate_their_gates_and_prove_their_overlap() {
    let server = Server::start(|_, n| {
        std::thread::sleep(Duration::from_millis(60));
        json(201, "", &format!("{{\"id\":\"p{n}\"}}"))
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.rounds = 4;
    trial.copies = 5;
    let story = trial.run(&drill);
    let gates = story.gates();
    let planned: Vec<GateKind> = gates
        .iter()
        .filter(|gate| !gate.repeated)
        .map(|gate| gate.gate)
        .collect();
    assert_eq!(
        planned,
        [
            GateKind::Body,
            GateKind::Whole,
            GateKind::Body,
            GateKind::Whole
        ]
    );
    for gate in &gates {
        assert_eq!(gate.copies, 5);
        assert!(gate.all_in_flight, "{gate:?}");
        assert_eq!(gate.protocol, "HTTP/1.1");
        if gate.repeated {
            assert!(gate.round >= 4, "a repeated round has a number of its own");
        }
    }
    assert!(gates.len() <= 8, "at most twice the rounds");
    let out_of_step = gates.iter().filter(|gate| !gate.in_step).count();
    assert!(
        gates.len() == 8 || gates.len() == 4 + out_of_step,
        "{gates:?}"
    );
    let copies: Vec<u32> = story
        .attempts("copies")
        .iter()
        .take(5)
        .map(|(sent, _)| sent.copy)
        .collect();
    assert_eq!(copies, [0, 1, 2, 3, 4]);
}

#[test]
fn two_bodies_are_dealt_out_evenly_over_one_burst() {
    let server = paying();
    let mut operation = payment();
    operation.bodies.insert(
        "changed".into(),
        doubletap::config::target::Variant {
            set: vec![("/amount".into(), serde_json::json!(2))],
            ..Default::default()
        },
    );
    let target = target(server.url("/").as_str(), vec![operation]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"base\", key = \"k\" }, { as = \"changed\", key = \"k\", body = \"changed\" }] }\n",
        false,
    );
    let mut trial = Trial::new(&target);
    trial.copies = 6;
    let story = trial.run(&drill);
    // a round out of step is repeated under a number of its own
    let of_round_0 = |step| {
        let mut attempts = story.attempts(step);
        attempts.retain(|(sent, _)| sent.round == 0);
        attempts
    };
    let base = of_round_0("base");
    assert_eq!(base.len(), 3);
    assert_eq!(of_round_0("changed").len(), 3);
    assert_eq!(base[0].0.key, story.attempts("changed")[0].0.key);
}

#[test]
fn a_server_that_refuses_on_the_head_is_raced_with_whole_requests_from_then_on() {
    let taken: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
    let server = Server::with_early(
        {
            let taken = taken.clone();
            move |seen| {
                let key = seen.header("idempotency-key").unwrap();
                let mut taken = taken.lock().unwrap();
                let times = taken.entry(key).or_default();
                *times += 1;
                (*times > 1).then(|| {
                    Act::Last(b"HTTP/1.1 409 Conflict\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}".to_vec())
                })
            }
        },
        |_, _| {
            std::thread::sleep(Duration::from_millis(30));
            json(201, "", "{\"id\":\"p\"}")
        },
    );
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.rounds = 8;
    let story = trial.run(&drill);
    let gates = story.gates();
    // on a busy machine the answers of one round may come after the release; not those of every round
    let first = gates.iter().position(|gate| gate.early_answers > 0);
    let first = first.expect("answers came before the release");
    assert_eq!(gates[first].gate, GateKind::Body);
    assert!(
        gates[first + 1..]
            .iter()
            .all(|gate| gate.gate == GateKind::Whole && gate.early_answers == 0)
    );
    for round in 0..8_usize {
        let statuses = &story.statuses("copies")[round * 4..round * 4 + 4];
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1);
    }
}

#[test]
fn a_busy_target_gets_fewer_copies_and_a_note_says_so() {
    let server = Server::start(|_, n| match n {
        0 => json(201, "", "{\"id\":\"p\"}"),
        _ => json(429, "", "{}"),
    });
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.copies = 8;
    trial.rounds = 4;
    let story = trial.run(&drill);
    let copies: Vec<u32> = story
        .gates()
        .iter()
        .map(|gate| gate.copies)
        .take(4)
        .collect();
    assert_eq!(copies, [8, 4, 2, 2]);
    assert!(story.notes().iter().any(|note| note.contains("429")));
}

#[test]
fn rounds_end_early_when_the_replies_show_enough() {
    let server = paying();
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill("[[step]]\nsend = { as = \"first\", key = \"k\" }\n", true);
    let mut trial = Trial::new(&target);
    trial.rounds = 5;
    trial.stop_after = Some(1);
    let story = trial.run(&drill);
    assert_eq!(story.attempts("first").len(), 2);
    assert!(story.ended().stopped_early);
    assert_eq!(story.ended().rounds, 2);
}

#[test]
fn a_window_that_is_to_be_seen_asks_for_rounds_until_it_is() {
    let server = paying();
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let run = |window_us| {
        let mut trial = Trial::new(&target);
        trial.rounds = 2;
        trial.aim = Some(Aim {
            confidence: 0.9,
            window_us,
        });
        trial.run(&drill)
    };
    // an hour: whatever is in step reaches it
    let wide = run(3_600_000_000);
    let reaching = |story: &Story| story.gates().iter().filter(|gate| gate.in_step).count();
    assert!(reaching(&wide) >= 3, "{:?}", wide.gates());
    assert!(wide.notes().is_empty(), "{:?}", wide.notes());
    // nothing reaches no time at all: it gives up, and says so
    let none = run(0);
    let gates = none.gates();
    assert_eq!(gates.len(), 200);
    let numbers: BTreeSet<u32> = gates.iter().map(|gate| gate.round).collect();
    assert_eq!(numbers.len(), 200, "every round is one of its own");
    let notes = none.notes().join("\n");
    assert!(
        notes.contains("not enough to see a window of 0 us"),
        "{notes}"
    );
}

#[test]
fn copies_without_a_gap_alternate_on_connections_that_wait() {
    let server = paying();
    let connections = server.connections.clone();
    let target = target(server.url("/").as_str(), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.rounds = 6;
    let story = trial.run(&drill);
    let kinds: BTreeSet<GateKind> = story.gates().iter().map(|gate| gate.gate).collect();
    assert_eq!(kinds.len(), 2, "both gates are used");
    let bursts = story.gates().len();
    // a new connection for every copy would be four for every burst
    let opened = *connections.lock().unwrap();
    assert!(
        opened < 4 * bursts,
        "{opened} connections for {bursts} bursts"
    );
}
