//! Histories for tests, told in a few lines: a drill, what was answered to each step, what was counted.
//! It must not judge anything itself.

mod answers;
mod counts;
mod drills;
mod verdicts;

pub use answers::*;
pub use drills::steps_of;
use drills::{content, fields, instance, keyed};

use std::collections::BTreeMap;

use crate::config::suite::{Drill, Vary};
use crate::config::target::{Identity, PolicyFacts};
use crate::contract::Contract;
use crate::journal::*;

/// A run in the making.
#[derive(Clone)]
pub struct Story {
    start: Start,
    events: Vec<Event>,
    us: u64,
    n: u64,
    round: u32,
    instance: usize,
}

impl Story {
    /// A run of the control, passed, and of one bundled drill.
    pub fn of(drill: &str) -> Self {
        Self::bare(drill).control()
    }

    /// A run of one drill that is not bundled.
    pub fn text(toml: &str) -> Self {
        Self::bare_text(toml).control()
    }

    /// The same, with the control still to be told.
    pub fn bare_text(toml: &str) -> Self {
        Self::with_drill(toml::from_str(toml).unwrap())
    }

    /// The same, with the control still to be told.
    pub fn bare(drill: &str) -> Self {
        Self::with_drill(drills::drill(drill))
    }

    fn with_drill(drill: Drill) -> Self {
        let control = drills::drill("drill/control");
        let mut plan = vec![instance(control, "pay", None)];
        if plan[0].drill.id != drill.id {
            plan.push(instance(drill, "pay", None));
        }
        let account = |name: &str| AccountFacts {
            name: name.into(),
            same_as: None,
        };
        Self {
            start: Start {
                schema_version: SCHEMA_VERSION,
                tool: "doubletap 0".into(),
                run: "r1".into(),
                seed: 0,
                started_at: "2026-01-01T00:00:00Z".into(),
                urls: vec!["http://127.0.0.1:1".into()],
                regions: Vec::new(),
                policy: PolicyFacts {
                    id: "story".into(),
                    title: "story".into(),
                    file: "policies/story.toml".into(),
                    seen: None,
                    sources: vec![],
                },
                contracts: BTreeMap::from([("pay".into(), contract())]),
                operations: vec![OperationFacts {
                    name: "pay".into(),
                    method: "POST".into(),
                    path: "/payments".into(),
                    success: vec![201],
                    identity: Identity::Pointer("/id".into()),
                    counter: Some(CounterFacts {
                        kind: "sql".into(),
                        text: "SELECT ...".into(),
                        by_key: false,
                        by_reference: true,
                        by_account: true,
                        page: None,
                    }),
                    stall: None,
                    carries_reference: true,
                    unique_reference: None,
                    expect: BTreeMap::new(),
                }],
                accounts: vec![account("a"), account("b")],
                plan,
                settle_us: 0,
                command: "doubletap run".into(),
                stage: None,
            },
            events: Vec::new(),
            us: 1000,
            n: 0,
            round: 0,
            instance: 0,
        }
    }

    /// A control that passes, and then on to the drill.
    pub fn control(self) -> Self {
        self.control_begun().end()
    }

    /// The same without its end.
    pub fn control_begun(self) -> Self {
        self.count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", ran("ctl_one_0001"))
            .count(
                "one",
                &[("k1", 1), ("k1@b", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)],
            )
            .send("fresh", ran("ctl_two_0002"))
            .send("changed", ran("ctl_chg_0003"))
            .send("second-account", ran("ctl_acc_0004"))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)])
    }

    /// A second operation, its control passed; told before the first one's control.
    pub fn with_refund(self) -> Self {
        self.refund().control()
    }

    /// A second operation, its control still to be told, before the first one's.
    pub fn refund(mut self) -> Self {
        let mut facts = self.start.operations[0].clone();
        facts.name = "refund".into();
        self.start.operations.push(facts);
        self.start.contracts.insert("refund".into(), contract());
        self.start
            .plan
            .insert(0, instance(drills::drill("drill/control"), "refund", None));
        self
    }

    /// The next drill of the plan.
    pub fn end(mut self) -> Self {
        let instance = self.id();
        let rounds = self.round + 1;
        self.events.push(Event::InstanceEnd(InstanceEnded {
            instance,
            rounds,
            broken: None,
            stopped_early: false,
            at_us: self.us,
        }));
        self.instance = (self.instance + 1).min(self.start.plan.len() - 1);
        self.round = 0;
        self
    }

    /// Another contract.
    pub fn contract(mut self, change: impl FnOnce(&mut Contract)) -> Self {
        change(self.start.contracts.get_mut("pay").unwrap());
        self
    }

    /// Another start.
    pub fn start(mut self, change: impl FnOnce(&mut Start)) -> Self {
        change(&mut self.start);
        self
    }

    /// No counter.
    pub fn uncounted(self) -> Self {
        self.start(|s| s.operations[0].counter = None)
    }

    /// The case of the drill, by its id.
    pub fn case(mut self, id: &str) -> Self {
        let plan = self.start.plan.last_mut().unwrap();
        *plan = instance(plan.drill.clone(), "pay", Some(id));
        self
    }

    /// So many rounds are planned.
    pub fn rounds(self, rounds: u32) -> Self {
        self.start(|s| s.plan.last_mut().unwrap().rounds = rounds)
    }

    /// The next round.
    pub fn next_round(mut self) -> Self {
        self.round += 1;
        self
    }

    /// Time passes.
    pub fn wait_ms(mut self, ms: u64) -> Self {
        self.us += ms * 1000;
        self
    }

    /// Any event.
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Changes what was told so far.
    pub fn edit(mut self, change: impl FnMut(&mut Event)) -> Self {
        self.events.iter_mut().for_each(change);
        self
    }

    /// One request, answered after a millisecond.
    pub fn send(mut self, step: &str, answer: Got) -> Self {
        let from = self.us + 10;
        self.us += 1010;
        let to = self.us;
        self.attempt(step, 0, from, to, answer)
    }

    /// A retry that is told several answers, one every `every_ms`.
    pub fn retry(mut self, step: &str, every_ms: u64, answers: &[Got]) -> Self {
        for answer in answers {
            self = self.send(step, answer.clone()).wait_ms(every_ms);
        }
        self
    }

    /// Copies of one step (or of several: `one,other` in turn), all open at once.
    pub fn burst(self, steps: &str, answers: &[Got]) -> Self {
        let (from, to) = (self.us + 10, self.us + 5000);
        self.copies(steps, answers, |i| (from + i, to + i))
    }

    /// Copies that came one after the other.
    pub fn queue(self, steps: &str, answers: &[Got]) -> Self {
        let from = self.us + 10;
        self.copies(steps, answers, |i| (from + 100 * i, from + 100 * i + 50))
    }

    fn copies(mut self, steps: &str, answers: &[Got], time: impl Fn(u64) -> (u64, u64)) -> Self {
        let steps: Vec<&str> = steps.split(',').collect();
        for (i, answer) in answers.iter().enumerate() {
            let (from, to) = time(i as u64);
            let copy = u32::try_from(i).unwrap();
            self = self.attempt(steps[i % steps.len()], copy, from, to, answer.clone());
        }
        self.us += 10_000;
        self
    }

    /// One request from one time to another, both in milliseconds from now.
    pub fn during(self, step: &str, from_ms: u64, to_ms: u64, answer: Got) -> Self {
        let (from, to) = (self.us + from_ms * 1000, self.us + to_ms * 1000);
        self.attempt(step, 0, from, to, answer)
    }

    fn attempt(mut self, step: &str, copy: u32, from: u64, to: u64, answer: Got) -> Self {
        self.n += 1;
        let plan = &self.start.plan[self.instance];
        let fields = fields(&plan.drill, step);
        let intent = fields.key.clone().unwrap_or_default();
        let keyed = keyed(&plan.drill, &self.place(), &intent);
        let body_name = fields.body.clone().unwrap_or_else(|| "base".into());
        let written = fields.written.map_or(String::new(), |w| format!("{w:?}"));
        let body = format!(
            r#"{{"body":"{body_name}{written}","ref":"{}"}}"#,
            keyed.reference
        );
        let method = match &fields.vary {
            Some(Vary::Method(method)) => method.clone(),
            _ => self.start.operations[0].method.clone(),
        };
        let operation = match fields.operation.as_deref() {
            Some("other") => "refund".to_owned(),
            _ => plan.operation.clone(),
        };
        let lines = keyed.lines.iter();
        self.events.push(Event::Attempt(Box::new(AttemptSent {
            n: self.n,
            instance: self.id(),
            round: self.round,
            step: step.to_owned(),
            copy,
            repeat: 0,
            operation,
            account: fields.account.clone().unwrap_or_else(|| "a".into()),
            headers: lines
                .map(|line| ("Idempotency-Key".into(), line.clone()))
                .collect(),
            wire_key: keyed.lines.first().cloned(),
            reference: keyed.reference,
            key: keyed.key,
            intent,
            form: None,
            body_name,
            written: fields.written,
            vary: fields.vary,
            cut: fields.cut,
            method,
            url: "http://127.0.0.1:1/payments".into(),
            body: content(&body),
            at_us: from,
        })));
        self.events.push(Event::Outcome(Box::new(AttemptDone {
            n: self.n,
            outcome: match answer {
                Got::Reply(status, body, headers) => Outcome::Replied(Reply {
                    status,
                    headers: headers.into(),
                    body: content(&body),
                }),
                Got::Nothing => Outcome::Unknown {
                    why: "no reply within 30 s".into(),
                },
                Got::NotSent => Outcome::NotSent {
                    why: "connection refused".into(),
                },
            },
            protocol: Some("HTTP/1.1".into()),
            released_us: Some(from + 1),
            first_byte_us: Some(to - 1),
            end_us: to,
        })));
        self
    }

    fn id(&self) -> String {
        self.start.plan[self.instance].id.clone()
    }

    /// What makes keys and references of this round its own.
    fn place(&self) -> String {
        format!("{}-{}", self.instance, self.round)
    }
}
