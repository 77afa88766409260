//! Small runs made by hand, for the tests of every format: one that passes, one that fails, one without a verdict, and a nasty one.
//! It must not know any format.

use std::collections::BTreeMap;

use crate::config::target::{Identity, PolicyFacts};
use crate::contract::{
    Answer, Clause, Contract, Covers, Fingerprint, KeyRule, Length, Level, Malformed, Marker,
    Methods, Origin, Replay, Retention, Sameness, Scope, Storage, Stored,
};
use crate::journal::{
    AccountFacts, AttemptDone, AttemptSent, Content, CountEntry, CountTaken, CounterFacts, End,
    Event, GateKind, GateProof, HeldProof, IdentityFound, Journal, OperationFacts, Outcome, Reply,
    Start,
};
use crate::judge::{CheckResult, ClauseRef, Counts, Finding, Judged, Verdict};
use crate::plan::Instance;

use super::{Document, build};

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
            ],
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
        headers,
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

/// A contract that leaves everything open but the marker and the floor.
fn contract() -> Contract {
    fn open(name: &str) -> Clause<Answer> {
        Clause::undeclared(name, Answer::Unspecified)
    }
    fn same(name: &str) -> Clause<Sameness> {
        Clause::undeclared(name, Sameness::Unspecified)
    }
    fn stored(name: &str) -> Clause<Storage> {
        Clause::undeclared(name, Storage::Unspecified)
    }
    Contract {
        key: Clause::undeclared("key", KeyRule::default()),
        missing: open("missing"),
        malformed: Malformed {
            empty: open("malformed.empty"),
            too_short: open("malformed.too-short"),
            too_long: open("malformed.too-long"),
            charset: open("malformed.charset"),
            form: open("malformed.form"),
            twice: open("malformed.twice"),
        },
        mismatch: open("mismatch"),
        in_progress: open("in-progress"),
        in_progress_for: Clause::undeclared("in-progress-for", Length::seconds(30)),
        replay: Clause::undeclared("replay", Replay::Unspecified),
        marker: Clause {
            value: Marker::Header {
                name: "Idempotent-Replayed".into(),
                replay: vec!["true".into()],
                first: Vec::new(),
            },
            name: "marker".into(),
            origin: Some(origin("policies/one-transaction.toml", 21)),
            level: Level::Must,
            should_parts: Vec::new(),
        },
        scope: Scope {
            account: open("scope.account"),
            credential: open("scope.credential"),
            anonymous: open("scope.anonymous"),
            route: open("scope.route"),
            resource: open("scope.resource"),
            query: open("scope.query"),
            method: open("scope.method"),
            region: open("scope.region"),
        },
        fingerprint: Fingerprint {
            covers: Clause::undeclared("fingerprint.covers", Covers::Unspecified),
            ignores: Clause::undeclared("fingerprint.ignores", Vec::new()),
            members_reordered: same("fingerprint.members-reordered"),
            whitespace: same("fingerprint.whitespace"),
            number_form: same("fingerprint.number-form"),
            null_member: same("fingerprint.null-member"),
            array_reordered: same("fingerprint.array-reordered"),
            unicode_escapes: same("fingerprint.unicode-escapes"),
            content_type_charset: same("fingerprint.content-type-charset"),
            unrelated_header: same("fingerprint.unrelated-header"),
            added_member: same("fingerprint.added-member"),
        },
        stored: Stored {
            success: stored("stored.success"),
            validation: stored("stored.validation"),
            business: stored("stored.business"),
            auth: stored("stored.auth"),
            rate_limited: stored("stored.rate-limited"),
            server_error: stored("stored.server-error"),
        },
        retention: Clause::undeclared("retention", Retention::default()),
        after_retention: open("after-retention"),
        methods: Methods {
            get: open("methods.get"),
            put: open("methods.put"),
            delete: open("methods.delete"),
        },
        one_effect: Clause::undeclared("one-effect", true),
        isolation: Clause::undeclared("isolation", true),
        no_server_error: Clause::undeclared("no-server-error", true),
    }
}

pub fn origin(file: &str, line: u32) -> Origin {
    Origin {
        file: file.into(),
        line,
    }
}

pub fn check(
    id: &str,
    clause: &str,
    line: u32,
    verdict: Verdict,
    observed: &str,
    attempts: &[u64],
) -> CheckResult {
    let kept = verdict == Verdict::Pass;
    CheckResult {
        id: id.into(),
        clause: Some(ClauseRef {
            name: clause.into(),
            declared: format!("what `{clause}` declares"),
            origin: Some(origin("policies/floor.toml", line)),
        }),
        level: if verdict == Verdict::Warn {
            Level::Should
        } else {
            Level::Must
        },
        verdict,
        expected: format!("what {clause} asks for"),
        observed: observed.into(),
        meaning: (!kept).then(|| "a customer who taps twice pays twice".into()),
        attempts: attempts.to_vec(),
    }
}

pub fn finding(
    journal: &Journal,
    id: &str,
    verdict: Verdict,
    reason: &str,
    checks: Vec<CheckResult>,
) -> Finding {
    let plan = &journal.instance(id).unwrap().plan;
    Finding {
        id: id.into(),
        suite: plan.drill.suite().into(),
        operation: plan.operation.clone(),
        title: plan.drill.title.clone(),
        why: plan.drill.why.clone(),
        hint: plan.drill.hint.clone(),
        sources: plan.drill.sources.clone(),
        verdict,
        reason: reason.into(),
        checks,
        proof: Vec::new(),
    }
}

pub fn judged(verdict: Verdict, findings: Vec<Finding>) -> Judged {
    let of = |verdict: Verdict| findings.iter().filter(|f| f.verdict == verdict).count() as u32;
    Judged {
        verdict,
        counts: Counts {
            pass: of(Verdict::Pass),
            fail: of(Verdict::Fail),
            warn: of(Verdict::Warn),
            inconclusive: of(Verdict::Inconclusive),
            skip: of(Verdict::Skip),
            observed: of(Verdict::Observed),
        },
        findings,
        notes: Vec::new(),
        power: Some("1 round of 3 copies, released within 0.1 ms: a window of 20 ms or more would have shown itself".into()),
        interrupted: false,
    }
}

const CONCURRENT: &str = "drill.concurrent@payment";
const REPLAY: &str = "drill.replay@payment";
const PAID: &str = r#"{"id":"pay_0001","amount":49900}"#;

fn copy(round: u32, copy: u32) -> Sent<'static> {
    Sent {
        drill: CONCURRENT,
        step: "copies",
        round,
        copy,
        account: "a",
        key: 0,
        body: "base",
        at_us: 10_000 + u64::from(copy) * 40,
    }
}

fn simple(step: &'static str, body: &'static str, at_us: u64) -> Sent<'static> {
    Sent {
        drill: REPLAY,
        step,
        round: 0,
        copy: 0,
        account: "a",
        key: 1,
        body,
        at_us,
    }
}

fn document(judged: &Judged, journal: &Journal) -> Document {
    build(
        judged,
        journal,
        Some("~/.local/state/doubletap/runs/r7k2m9.jsonl"),
    )
}

/// Everything holds.
pub fn passing() -> Document {
    let mut record = Recorder::new(&[REPLAY, CONCURRENT]);
    record.attempt(
        &simple("first", "base", 1_000),
        8_000,
        replied(201, PAID, false),
    );
    record.attempt(
        &simple("repeat", "base", 10_000),
        2_000,
        replied(201, PAID, true),
    );
    for n in 0..3 {
        record.attempt(&copy(0, n), 21_300, replied(201, PAID, n > 0));
    }
    record.gate(CONCURRENT, 3, true);
    record.count(CONCURRENT, 0, 1, 600_000);
    let journal = record.end(6, 700_000);
    let findings = vec![
        finding(
            &journal,
            REPLAY,
            Verdict::Pass,
            "201 with the same bytes, marked, 1 effect",
            vec![check(
                "replay:repeat",
                "replay",
                14,
                Verdict::Pass,
                "the same reply",
                &[2],
            )],
        ),
        finding(
            &journal,
            CONCURRENT,
            Verdict::Pass,
            "3 copies, one identity, 1 effect",
            vec![check(
                "concurrent:copies",
                "one-effect",
                12,
                Verdict::Pass,
                "1 effect",
                &[3, 4, 5],
            )],
        ),
    ];
    document(&judged(Verdict::Pass, findings), &journal)
}

/// A double charge, a warning, an observation and a skip beside a pass.
pub fn failing() -> Document {
    let ids = [
        REPLAY,
        CONCURRENT,
        "drill.mismatch@payment",
        "drill.after-retention@payment",
        "drill.in-progress@payment",
    ];
    let mut record = Recorder::new(&ids);
    record.attempt(
        &simple("first", "base", 1_000),
        8_000,
        replied(201, PAID, false),
    );
    record.attempt(
        &simple("repeat", "base", 10_000),
        2_000,
        replied(201, PAID, true),
    );
    for (n, body) in [PAID, r#"{"id":"pay_0002","amount":49900}"#, PAID]
        .into_iter()
        .enumerate()
    {
        record.attempt(
            &copy(0, n as u32),
            21_300 + n as u64 * 300,
            replied(201, body, n == 2),
        );
    }
    record.gate(CONCURRENT, 3, true);
    record.count(CONCURRENT, 0, 2, 600_000);
    let mut other = simple("first", "base", 700_000);
    other.drill = ids[2];
    other.key = 2;
    let first = record.attempt(
        &other,
        8_000,
        replied(201, r#"{"id":"pay_0003","amount":49900}"#, false),
    );
    other.step = "changed";
    other.body = "changed";
    other.at_us = 710_000;
    let changed = record.attempt(
        &other,
        2_000,
        replied(
            400,
            r#"{"type":"about:blank","title":"it's another request"}"#,
            false,
        ),
    );
    let journal = record.end(9, 1_400_000);
    let findings = vec![
        finding(
            &journal,
            REPLAY,
            Verdict::Pass,
            "201 with the same bytes, marked, 1 effect",
            vec![check(
                "replay:repeat",
                "replay",
                14,
                Verdict::Pass,
                "the same reply",
                &[2],
            )],
        ),
        finding(
            &journal,
            CONCURRENT,
            Verdict::Fail,
            "3 copies made 2 effects and 2 identities in 1 of 1 rounds",
            vec![
                check(
                    "concurrent:copies",
                    "one-effect",
                    12,
                    Verdict::Fail,
                    "round 1: 2 effects, identities pay_0001 and pay_0002",
                    &[4, 3, 5],
                ),
                check(
                    "concurrent:later",
                    "replay",
                    14,
                    Verdict::Pass,
                    "the same reply",
                    &[],
                ),
            ],
        ),
        finding(
            &journal,
            ids[2],
            Verdict::Warn,
            "400 instead of 422; nothing ran",
            vec![check(
                "mismatch:changed",
                "mismatch",
                31,
                Verdict::Warn,
                "400",
                &[changed, first],
            )],
        ),
        finding(
            &journal,
            ids[3],
            Verdict::Skip,
            "the target declares no way to make a key expire",
            Vec::new(),
        ),
        finding(
            &journal,
            ids[4],
            Verdict::Observed,
            "the policy leaves in-progress open: 201 after 24 ms",
            Vec::new(),
        ),
    ];
    document(&judged(Verdict::Fail, findings), &journal)
}

/// Copies that never overlapped.
pub fn inconclusive() -> Document {
    let mut record = Recorder::new(&[REPLAY, CONCURRENT]);
    record.attempt(
        &simple("first", "base", 1_000),
        8_000,
        replied(201, PAID, false),
    );
    record.attempt(
        &simple("repeat", "base", 10_000),
        30_000,
        Outcome::Unknown {
            why: "connection reset by peer".into(),
        },
    );
    for n in 0..3 {
        record.attempt(&copy(0, n), 21_300, replied(201, PAID, n > 0));
    }
    record.gate(CONCURRENT, 3, false);
    record.add(Event::Held(HeldProof {
        instance: CONCURRENT.into(),
        round: 0,
        how: "luck".into(),
        proven: false,
        detail: "the first answer came before the last copy was out".into(),
        held_us: None,
        released_us: None,
    }));
    let journal = record.end(5, 700_000);
    let mut overlap = check(
        "concurrent:copies",
        "one-effect",
        12,
        Verdict::Inconclusive,
        "no round had all copies in flight at once",
        &[3, 4, 5],
    );
    overlap.clause = None;
    let findings = vec![
        finding(
            &journal,
            REPLAY,
            Verdict::Inconclusive,
            "the repeat got no reply",
            vec![check(
                "replay:repeat",
                "replay",
                14,
                Verdict::Inconclusive,
                "connection reset by peer",
                &[2],
            )],
        ),
        finding(
            &journal,
            CONCURRENT,
            Verdict::Inconclusive,
            "the copies did not overlap",
            vec![overlap],
        ),
    ];
    let mut judged = judged(Verdict::Inconclusive, findings);
    judged.power = None;
    judged.notes = vec!["no burst of this run overlapped, so nothing is said about races".into()];
    document(&judged, &journal)
}

/// Texts that want to leave the report.
pub const NASTY: &str = "\u{1b}[2J\u{1b}]0;owned\u{7} ]]> </script><script>alert(1)</script> <img src=x onerror=alert(2)>\n::error file=x::gotcha\n%0A \u{0}\u{202e}drawkcab\u{2066}\u{feff} | `code` ```\n# heading\nnot ok 99 - forged\n{{ 7*7 }} \u{fffe}";

/// A run whose replies, headers and reasons are all hostile.
pub fn nasty() -> Document {
    let mut record = Recorder::new(&[REPLAY]);
    let body = serde_json::json!({ "id": NASTY }).to_string();
    record.attempt(
        &simple("first", "base", 1_000),
        8_000,
        replied(201, &body, false),
    );
    record.attempt(
        &simple("repeat", "base", 10_000),
        2_000,
        Outcome::Replied(Reply {
            status: 500,
            headers: vec![("x-nasty".into(), NASTY.into())],
            body: content(NASTY),
        }),
    );
    record.attempt(
        &simple("again", "base", 20_000),
        2_000,
        Outcome::Unknown { why: NASTY.into() },
    );
    let journal = record.end(3, 700_000);
    let mut bad = check(
        "replay:repeat",
        "replay",
        14,
        Verdict::Fail,
        NASTY,
        &[2, 1, 3],
    );
    bad.meaning = Some(NASTY.into());
    let findings = vec![finding(&journal, REPLAY, Verdict::Fail, NASTY, vec![bad])];
    let mut judged = judged(Verdict::Fail, findings);
    judged.notes = vec![NASTY.into()];
    document(&judged, &journal)
}
