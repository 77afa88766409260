//! Small runs made by hand, for the tests of every format: one that passes, one that fails, one without a verdict, and a nasty one.
//! It must not know any format.

mod contract;
mod findings;
mod recorder;

use findings::{check, finding, judged};
use recorder::{Recorder, Sent, content, replied};

use super::{Document, build};
use crate::journal::{Event, HeldProof, Journal, Outcome, Reply};
use crate::judge::{Judged, Verdict};

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
    let kept_at = "~/.local/state/doubletap/runs/r7k2m9.jsonl";
    let mut document = build(judged, journal, Some(kept_at));
    // a new version of the tool is no new report
    document.tool.version = "0.0.0".into();
    document
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

/// The same as `failing` beside a baseline: the double charge is known, one entry is stale and one has expired.
pub fn known() -> Document {
    use crate::config::Known;
    use crate::judge::baseline::{Entry, Settled, Standing};
    let entry = |drill: &str, check: &str, clause: &str, until, standing| Entry {
        known: Known {
            drill: drill.into(),
            check: check.into(),
            clause: clause.into(),
            reason: "SHOP-123: the new checkout claims the key first".into(),
            until,
        },
        standing,
    };
    let until = jiff::civil::date(2030, 12, 31);
    let mut document = failing();
    let drill = &mut document.drills[1];
    let why = format!("known until {until}: SHOP-123: the new checkout claims the key first");
    drill.verdict = Verdict::Known;
    drill.reason = format!("{} ({why})", drill.reason);
    drill.checks[0].verdict = Verdict::Known;
    drill.checks[0].known = Some(why);
    document.counts.fail = 0;
    document.counts.known = 1;
    document.baseline = Some(Settled {
        file: "ci/baseline.toml".into(),
        entries: vec![
            entry(
                CONCURRENT,
                "concurrent:copies",
                "one-effect",
                until,
                Standing::Seen,
            ),
            entry(REPLAY, "replay:repeat", "replay", until, Standing::Stale),
            entry(
                "drill.mismatch@payment",
                "mismatch:changed",
                "isolation",
                jiff::civil::date(2026, 1, 31),
                Standing::Expired,
            ),
        ],
    });
    document
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
            headers: vec![("x-nasty".into(), NASTY.into())].into(),
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
