//! keyed-method: a key on a method that needs none.
//!
//! GET (first, probe = a write in between, second): `run` means that the key changes nothing: after the write another state
//! comes back; `replay` means that the first state does. PUT and DELETE (first, second, counts): twice leaves one state: no new
//! effect, no other identity, and the repeat is a success or finds what is gone (404, 410); with a probe: see `keyed_write`. PATCH with a stale `If-Match`: refused
//! as `methods.stale-if-match` declares, and without effect.
//! Inconclusive: reads that do not succeed, or do not show the write under any key; unknown outcomes. Observed: the clause of the method is open.

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::fidelity::same_bytes;
use super::keyed_write;
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::{Steps, Vary};
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Clause, Contract};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("keyed-method:{second}"),
        evidence.instance.plan.rounds,
    );
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

fn clause_of<'c>(contract: &'c Contract, method: &str) -> Option<&'c Clause<Answer>> {
    match method {
        "GET" | "HEAD" => Some(&contract.methods.get),
        "PUT" => Some(&contract.methods.put),
        "DELETE" => Some(&contract.methods.delete),
        _ => None,
    }
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    if second.attempt.sent.vary == Some(Vary::StaleIfMatch) {
        stale(scene, steps, &second, tally);
        return;
    }
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(clause) = clause_of(second.op.contract, &second.attempt.sent.method) else {
        tally.doubt(
            format!("no clause speaks of {}", second.attempt.sent.method),
            &[second.n()],
        );
        return;
    };
    tally.expect(Cited::of(clause), clause.value.to_string());
    if clause.value.is_open() {
        tally.leave_open();
    }
    if clause.name == second.op.contract.methods.get.name {
        let Some(probe) = scene.need(steps.probe.as_ref(), tally) else {
            return;
        };
        let elsewhere = steps.later.first().and_then(|step| scene.last(step));
        if !clause.value.is_open() && shows_nothing(&first, &second, elsewhere.as_ref()) {
            tally.doubt(
                format!(
                    "{}: the state of before the write came back, and so it did under a key that was never used: the GET does not \
                     show what was written (read, or count.get)",
                    second.words()
                ),
                &[second.n(), first.n(), probe.n()],
            );
            return;
        }
        read(&first, &probe, &second, clause, tally);
    } else if steps.probe.is_some() {
        keyed_write::judge_scene(scene, steps, (&first, &second), clause, tally);
    } else {
        twice(scene, steps, &first, &second, clause, tally);
    }
}

/// Whether the GET says the same before and after the write, whatever its key: then no key is to blame.
fn shows_nothing(first: &Seen<'_>, second: &Seen<'_>, elsewhere: Option<&Seen<'_>>) -> bool {
    let body = |seen: &Seen<'_>| seen.reply().map(|reply| reply.body.clone());
    let (Some(a), Some(b), Some(c)) = (body(first), body(second), elsewhere.and_then(body)) else {
        return false;
    };
    same_bytes(&a, &b) && same_bytes(&a, &c)
}

fn read(
    first: &Seen<'_>,
    write: &Seen<'_>,
    second: &Seen<'_>,
    clause: &Clause<Answer>,
    tally: &mut Tally,
) {
    let attempts = [second.n(), first.n(), write.n()];
    for seen in [first, write, second] {
        if seen.status().is_none_or(|s| s / 100 != 2) {
            tally.doubt(format!("{}: nothing to compare", seen.words()), &attempts);
            return;
        }
    }
    let (Some(a), Some(b)) = (first.reply(), second.reply()) else {
        return;
    };
    let stale = same_bytes(&a.body, &b.body);
    let allows = |what: &Answer| clause.value.alternatives().contains(&what);
    let told = if stale {
        "the state of before the write came back"
    } else {
        "the state of now came back"
    };
    let told = format!("{}: {told}", second.words());
    let right = clause.value.is_open()
        || if stale {
            allows(&Answer::Replay)
        } else {
            allows(&Answer::Run) || allows(&Answer::Accept)
        };
    if right {
        tally.saw(told, &attempts);
    } else {
        tally.violated(Violation {
            cited: Cited::of(clause),
            part: None,
            expected: if stale {
                "the state of now"
            } else {
                "the first reply again"
            }
            .to_owned(),
            observed: told,
            meaning: "A client that sends its key with every request reads what is no longer true."
                .to_owned(),
            attempts: attempts.to_vec(),
        });
    }
}

fn twice(
    scene: &Scene<'_>,
    steps: &Steps,
    first: &Seen<'_>,
    second: &Seen<'_>,
    clause: &Clause<Answer>,
    tally: &mut Tally,
) {
    let attempts = [second.n(), first.n()];
    let told = second.words();
    if !first.is_success() {
        tally.doubt(format!("no first success: {}", first.words()), &attempts);
        return;
    }
    let Some(reading) = second.reading(Some(first)) else {
        tally.doubt(told, &attempts);
        return;
    };
    if reading.is_unknown() {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        return;
    }
    let gone = matches!(second.status(), Some(404 | 410));
    let other = second.identities(first) == Identities::Other;
    let wrong = !clause.value.is_open() && (other || !gone && !reading.is_success())
        || reading.may_be(Situation::ServerError);
    if wrong {
        tally.violated(Violation {
            cited: Cited::of(clause),
            part: None,
            expected: "a success, or what is gone".to_owned(),
            observed: if other {
                format!("{told} with another result")
            } else {
                told
            },
            meaning:
                "These methods promise that twice is as good as once; a retry meets something else."
                    .to_owned(),
            attempts: attempts.to_vec(),
        });
    } else {
        tally.saw(told, &attempts);
    }
    if let Some(counted) = &steps.counted {
        let sent = &second.attempt.sent;
        let before = steps.before.as_deref();
        let change = effects::change(scene, sent, before, counted);
        effects::judge(
            tally,
            &change,
            Expected {
                least: i64::MIN / 1_000_000,
                most: i64::from(before.is_none()),
                cited: Cited::of(clause),
                meaning: "Twice left more than once does.".to_owned(),
                attempts: attempts.to_vec(),
                success_seen: false,
                words: "one state".to_owned(),
            },
        );
    }
}

fn stale(scene: &Scene<'_>, steps: &Steps, second: &Seen<'_>, tally: &mut Tally) {
    let clause = &second.op.contract.methods.stale_if_match;
    tally.expect(Cited::of(clause), clause.value.to_string());
    if clause.value.is_open() {
        tally.leave_open();
    }
    let attempts = [second.n()];
    let told = second.words();
    let Some(status) = second.status() else {
        tally.doubt(told, &attempts);
        return;
    };
    match (status / 100, fit(&clause.value, second)) {
        _ if clause.value.is_open() => {
            tally.saw(told, &attempts);
            return;
        }
        (_, Fit::Fits(_)) => tally.saw(format!("{told}, refused"), &attempts),
        (2, _) => {
            tally.violated(Violation {
                cited: Cited::of(clause),
                part: None,
                expected: clause.value.to_string(),
                observed: format!("{told}: the precondition was ignored"),
                meaning: "A client that knows an old state writes over a newer one.".to_owned(),
                attempts: attempts.to_vec(),
            });
            return;
        }
        (4, _) if status != 429 => tally.violated(Violation {
            cited: Cited::of(clause),
            part: Some("status"),
            expected: clause.value.to_string(),
            observed: told,
            meaning: "A client does not recognise this refusal as a lost precondition.".to_owned(),
            attempts: attempts.to_vec(),
        }),
        _ => {
            tally.doubt(told, &attempts);
            return;
        }
    }
    if let Some(counted) = &steps.counted {
        let sent = &second.attempt.sent;
        let before = steps.before.as_deref();
        let change = effects::change(scene, sent, before, counted);
        effects::judge(
            tally,
            &change,
            Expected {
                least: 0,
                most: 0,
                cited: Cited::of(&second.op.contract.one_effect),
                meaning: "The request was refused and something was done all the same.".to_owned(),
                attempts: attempts.to_vec(),
                success_seen: false,
                words: "no effect".to_owned(),
            },
        );
    }
}
