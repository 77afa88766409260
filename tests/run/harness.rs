//! A target, a drill from its TOML text, and the events of the run.
//! It must not know what the drill is about.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use doubletap::config::settings::Protocol;
use doubletap::config::suite::Drill;
use doubletap::config::target::{Account, Body, Identity, Operation, PolicyFacts, Replica, Target};
use doubletap::contract::{Answer, Length, Match, StatusPattern, terms};
use doubletap::journal::event::{
    AttemptDone, AttemptSent, Content, CountTaken, End, Event, GateProof, HeldProof, InstanceEnded,
    Outcome, Stopped,
};
use doubletap::plan::chance::Aim;
use doubletap::plan::{Races, plan};
use doubletap::run::{Limits, RecordError, Request, run};

/// An operation `POST /payments` that succeeds with 201 and names what it made `id`.
pub fn payment() -> Operation {
    Operation {
        name: "payment".into(),
        method: "POST".into(),
        path: "/payments".into(),
        headers: vec![],
        body: Body::Json("{\"amount\":1,\"reference\":\"{{ref}}\"}".into()),
        reference_at: None,
        read: None,
        unique_reference: None,
        success: vec![201],
        identity: Identity::Pointer("/id".into()),
        bodies: BTreeMap::new(),
        count: None,
        other_query: vec![],
        stall: None,
        needs: BTreeMap::new(),
        setup_only: false,
    }
}

/// A target with accounts a and b, and a contract in which 409 means "in progress" and 422 "another request".
pub fn target(url: &str, operations: Vec<Operation>) -> Target {
    let mut contract = terms::open();
    let refuse = |status| {
        Answer::Refuse(Match {
            status: vec![StatusPattern::Exact(status)],
            ..Match::default()
        })
    };
    contract.in_progress.value = refuse(409);
    contract.mismatch.value = refuse(422);
    contract.in_progress_for.value = Length::seconds(5);
    let account = |name: &str| Account {
        oauth: None,
        name: name.into(),
        id: Some(format!("{name}-id")),
        same_as: None,
        headers: vec![("Authorization".into(), format!("Bearer {name}"))],
        values: BTreeMap::new(),
    };
    Target {
        replicas: vec![Replica {
            url: url.parse().unwrap(),
            region: None,
        }],
        accounts: vec![account("a"), account("b")],
        contracts: operations
            .iter()
            .map(|operation| (operation.name.clone(), contract.clone()))
            .collect(),
        operations,
        policy: PolicyFacts {
            id: "test".into(),
            title: "test".into(),
            file: "test.toml".into(),
            seen: None,
            sources: vec![],
        },
        postgres: None,
        expire: None,
        hooks: BTreeMap::new(),
        settle: Length::millis(20),
        timeout: Length::seconds(10),
        secrets: vec![],
        ca_pem: None,
    }
}

/// A drill of these steps (and keys); its check is of no matter to the run.
pub fn drill(text: &str, rounds: bool) -> Drill {
    let head = format!(
        "id = \"test.drill\"\ntitle = \"t\"\nwhy = \"w\"\nhint = \"h\"\nrounds = {rounds}\n"
    );
    let check = "\n[[check]]\nreplay = {}\n";
    toml::from_str(&format!("{head}{text}{check}")).unwrap()
}

/// How a test runs its drill.
pub struct Trial<'a> {
    pub target: &'a Target,
    pub copies: u32,
    pub rounds: u32,
    pub limits: Limits,
    pub protocol: Protocol,
    pub stop_after: Option<u32>,
    pub aim: Option<Aim>,
    pub key_age: Duration,
    pub interrupted: &'a AtomicBool,
}

pub static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Trial<'a> {
    pub fn new(target: &'a Target) -> Self {
        Self {
            target,
            copies: 4,
            rounds: 1,
            limits: Limits::default(),
            protocol: Protocol::Auto,
            stop_after: None,
            aim: None,
            key_age: Duration::ZERO,
            interrupted: &NEVER,
        }
    }

    pub fn run(self, drill: &Drill) -> Story {
        self.run_all(std::slice::from_ref(drill))
    }

    pub fn run_all(self, drills: &[Drill]) -> Story {
        let races = Races {
            copies: self.copies,
            rounds: self.rounds,
            max_copies: None,
        };
        let plan = plan(self.target, drills, races, "r1", &|_| true);
        let mut events = Vec::new();
        let stop_after = self.stop_after;
        let end = run(
            Request {
                target: self.target,
                plan: &plan,
                limits: self.limits,
                protocol: self.protocol,
                keep_going: false,
                key_age: self.key_age,
                aim: self.aim,
                content: &|bytes, truncated| Content {
                    text: std::str::from_utf8(bytes).ok().map(str::to_owned),
                    len: bytes.len() as u64,
                    hmac: String::new(),
                    truncated,
                },
                header: &|_, value| String::from_utf8_lossy(value).into_owned(),
            },
            &mut |event| {
                events.push(event);
                Ok::<(), RecordError>(())
            },
            &mut |_, round| stop_after == Some(round),
            self.interrupted,
        )
        .unwrap();
        assert!(matches!(events.last(), Some(Event::End(_))));
        Story { events, end }
    }
}

/// The events of a run.
pub struct Story {
    pub events: Vec<Event>,
    pub end: End,
}

impl Story {
    /// Attempts of this step, with what came of them, in order. Preflight steps have their own names.
    pub fn attempts(&self, step: &str) -> Vec<(AttemptSent, AttemptDone)> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Attempt(sent) if sent.step == step => {
                    let done = self.events.iter().find_map(|event| match event {
                        Event::Outcome(done) if done.n == sent.n => Some((**done).clone()),
                        _ => None,
                    });
                    Some((
                        (**sent).clone(),
                        done.expect("every attempt has an outcome"),
                    ))
                }
                _ => None,
            })
            .collect()
    }

    pub fn statuses(&self, step: &str) -> Vec<u16> {
        self.attempts(step)
            .iter()
            .map(|(_, done)| match &done.outcome {
                Outcome::Replied(reply) => reply.status,
                Outcome::Unknown { .. } => 0,
                Outcome::NotSent { .. } => 1,
            })
            .collect()
    }

    pub fn counts(&self, name: &str) -> Vec<CountTaken> {
        self.pick(|event| match event {
            Event::Count(count) if count.name == name => Some(count.clone()),
            _ => None,
        })
    }

    pub fn gates(&self) -> Vec<GateProof> {
        self.pick(|event| match event {
            Event::Gate(gate) => Some(gate.clone()),
            _ => None,
        })
    }

    pub fn held(&self) -> Vec<HeldProof> {
        self.pick(|event| match event {
            Event::Held(held) => Some(held.clone()),
            _ => None,
        })
    }

    pub fn notes(&self) -> Vec<String> {
        self.pick(|event| match event {
            Event::Note(note) => Some(note.text.clone()),
            _ => None,
        })
    }

    pub fn stopped(&self) -> Option<Stopped> {
        self.pick(|event| match event {
            Event::Stopped(stopped) => Some(stopped.clone()),
            _ => None,
        })
        .pop()
    }

    pub fn ended(&self) -> InstanceEnded {
        self.pick(|event| match event {
            Event::InstanceEnd(ended) => Some(ended.clone()),
            _ => None,
        })
        .pop()
        .expect("the drill ended")
    }

    pub fn pick<T>(&self, choose: impl Fn(&Event) -> Option<T>) -> Vec<T> {
        self.events.iter().filter_map(choose).collect()
    }
}

/// The values of a count: (intent, account) -> value.
pub fn values(count: &CountTaken) -> BTreeMap<(String, String), Option<i64>> {
    count
        .entries
        .iter()
        .map(|entry| ((entry.intent.clone(), entry.account.clone()), entry.value))
        .collect()
}
