//! stored: a result that is no success, then the same key again.
//!
//! Read: the first reply and its class (validation, business, auth, rate-limited, server-error, by what was provoked and by its
//! status), the last reply to the second request (the same again, or corrected), the count of the intent.
//! Pass, stored: the same result again, marked where a marker is declared; a corrected body is another request and gets the
//! mismatch answer. Pass, not stored: it runs again: a success, or an unmarked failure of its own kind.
//! Fail: the opposite, work done behind a stored result, more than one effect in all (`one-effect`), still "in progress" past the declared bound.
//! Observed: the clause is open. Inconclusive: the first was no such result, unknown outcomes.

use super::effects::{self, Change, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::tally::{Cited, Tally, Violation};
use super::{fidelity, marker, mismatch, refusal, replay};
use crate::config::suite::{Steps, Vary};
use crate::contract::reading::Situation;
use crate::contract::relation::relation;
use crate::contract::{Clause, Contract, Sameness, Storage};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(format!("stored:{second}"), evidence.instance.plan.rounds);
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

/// The clause of a first result; `None` where it is none of the classes.
fn clause_of<'c>(contract: &'c Contract, first: &Seen<'_>) -> Option<&'c Clause<Storage>> {
    let stored = &contract.stored;
    let sent = &first.attempt.sent;
    let credentials = matches!(sent.vary, Some(Vary::BadCredentials | Vary::NoCredentials));
    Some(match first.status()? {
        401 | 403 => &stored.auth,
        // whatever it is: it was provoked by credentials
        400..=499 if credentials => &stored.auth,
        429 => &stored.rate_limited,
        500..=599 => &stored.server_error,
        402 => &stored.business,
        400..=499 if sent.body_name == "declined" => &stored.business,
        400..=499 => &stored.validation,
        _ => return None,
    })
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    let contract = second.op.contract;
    let attempts = [second.n(), first.n()];
    let name = &first.attempt.sent.body_name;
    let declared = first
        .op
        .facts
        .expect
        .get(name)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let unexpected = first
        .status()
        .is_some_and(|s| !declared.is_empty() && !declared.contains(&s));
    let Some(clause) = clause_of(contract, &first).filter(|_| !unexpected) else {
        tally.doubt(
            format!(
                "the request that was to be refused was not: {}",
                first.words()
            ),
            &attempts,
        );
        return;
    };
    tally.expect(
        Cited::of(clause),
        format!("{} is {}", first.words(), words(clause.value)),
    );
    if clause.value == Storage::Unspecified {
        tally.leave_open();
    }
    let change = steps.counted.as_ref().map(|counted| {
        let sent = &second.attempt.sent;
        effects::change(scene, sent, None, counted)
    });
    if let Some(Change::Changed {
        to: 0, late: None, ..
    }) = change
        && second.is_success()
        && second.marked() == Some(true)
    {
        tally.violated(Violation {
            cited: Cited::of(clause),
            part: None,
            expected: words(clause.value).to_owned(),
            observed: format!("{}, then {}, a stored success, and nothing was done", first.words(), second.words()),
            meaning: "The record says that the work was done, and it was undone: the client is told that it paid.".to_owned(),
            attempts: attempts.to_vec(),
        });
        return;
    }
    if let Some(change) = &change {
        effects(change, &first, &second, tally);
    }
    if clause.value == Storage::Stored && done_behind(scene, steps, &first, &second, clause, tally)
    {
        return;
    }
    let Some(reading) = second.reading(None) else {
        tally.doubt(second.words(), &attempts);
        return;
    };
    // credentials are no part of the request's meaning
    let same = first.attempt.sent.body_name == second.attempt.sent.body_name
        || relation(contract, first.asked(), second.asked()).sameness == Sameness::Same;
    let again = first.status() == second.status();
    // where the word for "in progress" is the word for another request, too, it is what a key gets that was burnt
    let burnt = !same && clause.value == Storage::Stored && reading.may_be(Situation::Mismatch);
    if !again && reading.is_refusal() && second.may_be_in_progress() && !burnt {
        replay::still_in_progress(scene, &first, &second, &second.words(), tally);
        return;
    }
    if !again && reading.is_unknown() {
        tally.doubt(
            format!("{}: whether it ran is unknown", second.words()),
            &attempts,
        );
        return;
    }
    let case = Case {
        scene,
        first: &first,
        second: &second,
        clause,
        same,
        again,
    };
    match clause.value {
        Storage::Unspecified => tally.saw(
            format!("{}, then {}", first.words(), second.words()),
            &attempts,
        ),
        Storage::Stored => case.stored(tally),
        Storage::NotStored => case.not_stored(tally),
    }
}

fn words(storage: Storage) -> &'static str {
    match storage {
        Storage::Unspecified => "stored or not: left open",
        Storage::Stored => "stored: the same again",
        Storage::NotStored => "not stored: it runs again",
    }
}

struct Case<'c, 'a> {
    scene: &'c Scene<'a>,
    first: &'c Seen<'a>,
    second: &'c Seen<'a>,
    clause: &'c Clause<Storage>,
    /// The second is the same request.
    same: bool,
    /// The second got the same status.
    again: bool,
}

impl Case<'_, '_> {
    fn violated(&self, observed: String, meaning: &str) -> Violation {
        Violation {
            cited: Cited::of(self.clause),
            part: None,
            expected: words(self.clause.value).to_owned(),
            observed,
            meaning: meaning.to_owned(),
            attempts: vec![self.second.n(), self.first.n()],
        }
    }

    fn told(&self) -> String {
        format!("{}, then {}", self.first.words(), self.second.words())
    }

    fn attempts(&self) -> [u64; 2] {
        [self.second.n(), self.first.n()]
    }

    fn stored(&self, tally: &mut Tally) {
        let contract = self.second.op.contract;
        if !self.same {
            // the key belongs to the first body now
            let matched = matches!(
                refusal::fit(&contract.mismatch.value, self.second),
                refusal::Fit::Fits(_)
            );
            if matched && !(self.again && self.alike()) {
                tally.saw(self.told(), &self.attempts());
            } else if self.second.is_success() {
                tally.violated(self.violated(
                    format!(
                        "{}: the corrected request ran under the same key",
                        self.told()
                    ),
                    "The result was not kept although that is declared.",
                ));
            } else if self.again && self.alike() {
                tally.violated(Violation {
                    cited: Cited::of(&contract.mismatch),
                    ..self.violated(
                        format!("{}: the first refusal again, for another body", self.told()),
                        "A customer who corrects a mistake is told the old one.",
                    )
                });
            } else if contract.mismatch.value.is_open() {
                tally.saw(self.told(), &self.attempts());
            } else {
                tally.violated(Violation {
                    cited: Cited::of(&contract.mismatch),
                    ..self.violated(
                        self.told(),
                        "The corrected request gets neither a result nor the mismatch answer.",
                    )
                });
            }
            return;
        }
        if !self.again {
            tally.violated(self.violated(
                format!("{}: another result", self.told()),
                "What was declared final was done again: a declined payment may be charged by its retry.",
            ));
            return;
        }
        if !self.alike() {
            tally.violated(self.violated(
                format!("{}: the same status with another body", self.told()),
                "The stored error is not what comes back.",
            ));
        }
        marker::on_replay(self.second, tally);
        tally.saw(format!("{}: the same again", self.told()), &self.attempts());
    }

    fn not_stored(&self, tally: &mut Tally) {
        if self.second.is_success() {
            tally.saw(format!("{}: it ran again", self.told()), &self.attempts());
            return;
        }
        let marked = self.second.marked() == Some(true);
        if marked {
            tally.violated(self.violated(
                format!("{}, marked as a replay: the error was stored", self.told()),
                "The key is burnt: whatever the client does, it is told the old error.",
            ));
            return;
        }
        // a request that stays what it was may be refused anew for the same reason
        let [first, second] =
            [self.first, self.second].map(|seen| seen.attempt.sent.body_name.as_str());
        let provoked = first == second && first != "base";
        let limited = self.first.status() == Some(429);
        if provoked && self.again && !limited {
            tally.saw(format!("{}: refused anew", self.told()), &self.attempts());
            return;
        }
        if limited && self.again && !self.waited_long() {
            tally.doubt(
                format!("{}: the limit still holds", self.told()),
                &self.attempts(),
            );
            return;
        }
        if let Some(why) = mismatch::plain_validation(self.scene, self.second) {
            tally.doubt(format!("{}, and {why}", self.told()), &self.attempts());
            return;
        }
        let how = if self.again {
            "the old error came back"
        } else {
            "the key was burnt by the error"
        };
        tally.violated(self.violated(
            format!("{}: {how}", self.told()),
            "A client that cures the reason of the error cannot use its key again, and may be tempted to take a new one.",
        ));
    }

    /// Whether a client waited about as long as a request may be in progress.
    fn waited_long(&self) -> bool {
        let bound = u64::try_from(self.second.op.contract.in_progress_for.value.0.as_micros());
        let bound = bound.unwrap_or(u64::MAX);
        self.second.ended_us().saturating_sub(self.first.began_us()) >= bound - bound / 10
    }

    /// Whether the bodies are the same, bytes or JSON value.
    fn alike(&self) -> bool {
        let (Some(a), Some(b)) = (self.first.reply(), self.second.reply()) else {
            return false;
        };
        let json =
            |text: &Option<String>| text.as_deref().and_then(crate::contract::json::Json::read);
        fidelity::same_bytes(&a.body, &b.body)
            || json(&a.body.text).is_some() && json(&a.body.text) == json(&b.body.text)
    }
}

/// A stored result that comes back stands for no work: what was done meanwhile was done behind it.
fn done_behind(
    scene: &Scene<'_>,
    steps: &Steps,
    first: &Seen<'_>,
    second: &Seen<'_>,
    clause: &Clause<Storage>,
    tally: &mut Tally,
) -> bool {
    let (Some(before), Some(counted)) = (&steps.before, &steps.counted) else {
        return false;
    };
    let sent = &second.attempt.sent;
    let change = effects::change(scene, sent, Some(before), counted);
    let Change::Changed { from, to, late, .. } = change else {
        return false;
    };
    let to = late.unwrap_or(to);
    if second.is_success() || second.reply().is_none() || to <= from {
        return false;
    }
    let told = format!("{}, and the count went from {from} to {to}", second.words());
    let attempts = vec![second.n(), first.n()];
    // a failure after the work may show its effect late; one before it, or a refusal, has none
    let may_be_late = matches!(first.status(), Some(500..=599))
        && first.attempt.sent.body_name == "failing-after";
    if may_be_late {
        tally.doubt(
            format!("{told}: the first's effect came late, or the work was done behind the stored result"),
            &attempts,
        );
        return true;
    }
    tally.violated(Violation {
        cited: Cited::of(clause),
        part: None,
        expected: words(clause.value).to_owned(),
        observed: format!("{told}: the work was done behind the stored result"),
        meaning: "The client is told that it failed, and it has paid.".to_owned(),
        attempts,
    });
    true
}

/// One key, one effect at the most, over both requests; one where the second succeeded.
fn effects(change: &Change, first: &Seen<'_>, second: &Seen<'_>, tally: &mut Tally) {
    let contract = second.op.contract;
    if !contract.one_effect.value {
        return;
    }
    effects::judge(
        tally,
        change,
        Expected {
            least: i64::from(second.is_success()),
            most: 1,
            cited: Cited::of(&contract.one_effect),
            meaning: "The first request did its work although it said that it failed, and its retry did it again: the customer pays twice."
                .to_owned(),
            attempts: vec![second.n(), first.n()],
            success_seen: second.is_success(),
            words: "one effect at the most".to_owned(),
        },
    );
}
