//! Journals written by hand, event by event.
//! It must not know what they are judged to be.

use std::collections::BTreeMap;

use super::contract::contract;
use crate::config::target::{Identity, PolicyFacts};
use crate::journal::{
    AccountFacts, AttemptDone, AttemptSent, Content, CountEntry, CountTaken, CounterFacts, End,
    Event, GateKind, GateProof, IdentityFound, Journal, OperationFacts, Outcome, Reply, Start,
};
use crate::plan::Instance;

pub const RUN: &str = "r7k2m9";
const KEYS: [&str; 4] = [
    "3f2b8c1e-6d0a-4c55-9b1e-7a2f4c9d0e11",
    "9c4f0a77-2b1d-4e0a-8f53-b1c2d3e4f506",
    "d0e1f2a3-b4c5-4d6e-8f90-112233445566",
    "a1a2a3a4-b5b6-4c7c-9d8d-e9e0e1e2e3e4",
];

/// A journal that grows event by event.
pub struct Recorder {
    journal: Journal,
    next: u64,
}

/// A request as the samples vary it.
pub struct Sent<'s> {
    pub drill: &'s str,
    pub step: &'s str,
    pub round: u32,
    pub copy: u32,
    pub account: &'s str,
    pub key: usize,
    pub body: &'s str,
    pub at_us: u64,
}

impl Recorder {
    pub fn new(drills: &[&str]) -> Self {
        let mut journal = Journal::new(start(drills));
        journal
            .add(Event::Identity(IdentityFound {
                operation: "payment".into(),
                identity: Identity::Pointer("/id".into()),
                detected: false,
            }))
            .unwrap();
        Self { journal, next: 1 }
    }

    pub fn add(&mut self, event: Event) {
        self.journal.add(event).unwrap();
    }

    /// Sends and gets an outcome; gives the attempt's number.
    pub fn attempt(&mut self, sent: &Sent<'_>, took_us: u64, outcome: Outcome) -> u64 {
        let n = self.next;
        self.next += 1;
        let key = KEYS[sent.key];
        let reference = format!("dt-{RUN}-{:06}", sent.key + 1);
        let amount = if sent.body == "changed" { 49901 } else { 49900 };
        let body = format!(r#"{{"amount":{amount},"currency":"INR","reference":"{reference}"}}"#);
        self.add(Event::Attempt(Box::new(AttemptSent {
            n,
            instance: sent.drill.into(),
            round: sent.round,
            step: sent.step.into(),
            copy: sent.copy,
            repeat: 0,
            operation: "payment".into(),
            account: sent.account.into(),
            intent: "k".into(),
            key: Some(key.into()),
            wire_key: Some(key.into()),
            form: None,
            reference,
            body_name: sent.body.into(),
            written: None,
            vary: None,
            cut: None,
            method: "POST".into(),
            url: "http://127.0.0.1:8080/payments".into(),
            headers: vec![
                (
                    "authorization".into(),
                    format!("Bearer $SHOP_TOKEN_{}", sent.account.to_uppercase()),
                ),
                ("content-type".into(), "application/json".into()),
                ("idempotency-key".into(), key.into()),
            ]
            .into(),
            body: content(&body),
            at_us: sent.at_us,
        })));
        let replied = matches!(outcome, Outcome::Replied(_));
        self.add(Event::Outcome(Box::new(AttemptDone {
            n,
            outcome,
            protocol: replied.then(|| "HTTP/1.1".into()),
            released_us: (sent.step == "copies").then_some(sent.at_us + 900),
            first_byte_us: replied.then_some(sent.at_us + took_us - 100),
            end_us: sent.at_us + took_us,
        })));
        n
    }

    pub fn count(&mut self, drill: &str, round: u32, value: i64, at_us: u64) {
        self.add(Event::Count(CountTaken {
            instance: drill.into(),
            round,
            name: "effects".into(),
            entries: vec![CountEntry {
                intent: "k".into(),
                operation: "payment".into(),
                account: "a".into(),
                key: Some(KEYS[0].into()),
                reference: format!("dt-{RUN}-000001"),
                value: Some(value),
                error: None,
            }],
            at_us,
        }));
    }

    pub fn gate(&mut self, drill: &str, copies: u32, together: bool) {
        self.add(Event::Gate(GateProof {
            instance: drill.into(),
            round: 0,
            gate: GateKind::Body,
            copies,
            protocol: "HTTP/1.1".into(),
            spread_us: if together { 140 } else { 48_000 },
            gap12_us: 60,
            jitter_us: 0,
            all_in_flight: together,
            early_answers: 0,
            in_step: together,
            repeated: false,
        }));
    }

    pub fn end(mut self, requests: u64, at_us: u64) -> Journal {
        self.add(Event::End(End {
            interrupted: false,
            requests,
            at_us,
        }));
        self.journal
    }
}

pub fn content(text: &str) -> Content {
    Content {
        text: Some(text.into()),
        len: text.len() as u64,
        hmac: "00".repeat(32),
        truncated: false,
    }
}

/// A payment's reply, marked as a replay or not.
pub fn replied(status: u16, body: &str, replay: bool) -> Outcome {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    if replay {
        headers.push(("idempotent-replayed".into(), "true".into()));
    }
    Outcome::Replied(Reply {
        status,
        headers: headers.into(),
        body: content(body),
    })
}

fn start(drills: &[&str]) -> Start {
    Start {
        schema_version: 1,
        tool: "doubletap 0.1.0".into(),
        run: RUN.into(),
        seed: 42,
        started_at: "2026-11-30T17:41:49Z".into(),
        urls: vec!["http://127.0.0.1:8080".into()],
        regions: Vec::new(),
        policy: PolicyFacts {
            id: "one-transaction".into(),
            title: "The sandbox's one transaction".into(),
            file: "policies/one-transaction.toml".into(),
            seen: Some("2026-11-30".into()),
            sources: Vec::new(),
        },
        contracts: BTreeMap::from([("payment".into(), contract())]),
        operations: vec![OperationFacts {
            name: "payment".into(),
            method: "POST".into(),
            path: "/payments".into(),
            success: vec![201],
            identity: Identity::Pointer("/id".into()),
            counter: Some(CounterFacts {
                kind: "sql".into(),
                text:
                    "SELECT count(*) FROM payments WHERE account_id = :account AND reference = :ref"
                        .into(),
                by_key: false,
                by_reference: true,
                by_account: true,
                page: None,
            }),
            stall: None,
            expect: BTreeMap::new(),
            carries_reference: true,
            unique_reference: None,
        }],
        accounts: ["a", "b"]
            .map(|name| AccountFacts {
                name: name.into(),
                same_as: None,
            })
            .to_vec(),
        plan: drills.iter().map(|id| instance(id)).collect(),
        settle_us: 500_000,
        command: "doubletap run shop.toml --copies 3 --rounds 1".into(),
        stage: None,
    }
}

fn instance(id: &str) -> Instance {
    let (name, operation) = id.split_once('@').unwrap();
    let (drill, case) = name
        .split_once('/')
        .map_or((name, None), |(d, c)| (d, Some(c)));
    let file = format!("suites/{}.toml", drill.replacen('.', "/", 1));
    let (_, text) = *crate::bundled::drills()
        .iter()
        .find(|(name, _)| **name == *file)
        .unwrap();
    Instance {
        id: id.into(),
        drill: toml::from_str(text).unwrap(),
        case: case.map(str::to_owned),
        operation: operation.into(),
        other_operation: None,
        rounds: 1,
        copies: 3,
        skip: None,
        left_out: Vec::new(),
    }
}
