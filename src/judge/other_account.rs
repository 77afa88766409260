//! other-account: the same key from another account is another key.
//!
//! Read: the replies to both accounts, the counts before and after the second request, and a probe (the same reference under
//! a fresh key from the second account).
//! Pass (where `scope.account` says run): the second account's request succeeds with a result and an effect of its own.
//! Fail: it gets the first account's result, is refused although the probe succeeds, has no effect of its own, or gives the first
//! account another effect. Equal small identities are no proof of anything: accounts may number from 1; then counts decide.
//! Where the counter does not tell accounts apart (the control notices), the sum is judged.
//! Inconclusive: the probe is refused too (the refusal is not about the key), an unknown outcome, no control of that account.

use super::effects::{self, Change, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::leak;
use super::refusal::{Fit, allows, fit};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::{Steps, Vary};
use crate::contract::reading::{Identities, Situation};
use crate::contract::{Answer, Clause};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(
        format!("other-account:{second}"),
        evidence.instance.plan.rounds,
    );
    let Some(op) = evidence.op() else {
        return tally;
    };
    expect(&op.contract.scope.account, &mut tally);
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &op.contract.scope.account, &mut tally);
    }
    tally
}

/// The clause of a scope decides; where it is left open the situation is observed, the isolation of accounts apart.
pub fn expect(clause: &Clause<Answer>, tally: &mut Tally) {
    let cited = Cited::of(clause);
    let words = match clause.value {
        Answer::Run => "a result and an effect of its own".to_owned(),
        _ => cited.reference.declared.clone(),
    };
    tally.expect(cited, words);
    if clause.value.is_open() {
        tally.leave_open();
    }
}

/// Judges the same key sent elsewhere by the clause of that scope: another account, route, resource, query, ...
pub fn judge_scene(scene: &Scene<'_>, steps: &Steps, clause: &Clause<Answer>, tally: &mut Tally) {
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    if !first.is_success() {
        tally.doubt(
            format!("no first success: {}", first.words()),
            &[first.n(), second.n()],
        );
        return;
    }
    let probe = steps.probe.as_deref().and_then(|step| scene.last(step));
    let change = steps.counted.as_ref().map(|counted| {
        let (mine, theirs) = (&first.attempt.sent, &second.attempt.sent);
        let before = steps.before.as_deref();
        let own = effects::change(scene, theirs, before, counted);
        let firsts = effects::change(scene, mine, before, counted);
        (own, firsts)
    });
    let case = Case {
        first,
        second,
        probe,
        clause,
    };
    let (mine, theirs) = (&first.attempt.sent.account, &second.attempt.sent.account);
    let other_account = !scene.evidence.one_account(mine, theirs);
    case.answer(change.as_ref().map(|(own, _)| own), other_account, tally);
    if let Some((own, firsts)) = change {
        // without a count before, the first request's own effect is in the later one
        let included = i64::from(steps.before.is_none());
        case.effects((&own, &firsts), other_account, included, tally);
    }
}

/// Whether the second asks for something else: another operation, or another resource.
fn another_request(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    first.attempt.sent.operation != second.attempt.sent.operation
        || second.attempt.sent.vary == Some(Vary::Resource)
}

/// Whether the policy gives another request the first one's reply.
fn replays_to_another(first: &Seen<'_>) -> bool {
    allows(&first.op.contract.mismatch.value, |a| *a == Answer::Replay)
}

struct Case<'s, 'a> {
    first: Seen<'a>,
    second: Seen<'a>,
    probe: Option<Seen<'a>>,
    clause: &'s Clause<Answer>,
}

impl Case<'_, '_> {
    fn violated(
        &self,
        cited: Cited,
        part: Option<&'static str>,
        observed: String,
        meaning: &str,
    ) -> Violation {
        let mut attempts = vec![self.second.n(), self.first.n()];
        attempts.extend(self.probe.as_ref().map(Seen::n));
        Violation {
            cited,
            part,
            expected: match self.clause.value {
                Answer::Run => "a result and an effect of its own".to_owned(),
                ref answer => answer.to_string(),
            },
            observed,
            meaning: meaning.to_owned(),
            attempts,
        }
    }

    fn answer(&self, own: Option<&Change>, other_account: bool, tally: &mut Tally) {
        let (first, second) = (&self.first, &self.second);
        let attempts = [second.n(), first.n()];
        let contract = second.op.contract;
        let answer = &self.clause.value;
        let told = second.words();
        let Some(reading) = second.reading(Some(first)) else {
            tally.doubt(told, &attempts);
            return;
        };
        if reading.is_success() {
            self.success(own, other_account, &told, tally);
            return;
        }
        if reading.is_unknown() {
            tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
            return;
        }
        let failure = reading.may_be(Situation::ServerError);
        if !failure && matches!(fit(answer, second), Fit::Fits(_)) {
            tally.saw(format!("{told}, refused as declared"), &attempts);
            return;
        }
        // where nothing is declared of the key elsewhere, the floor alone speaks of a failure
        if answer.is_open() && !(failure && contract.no_server_error.value) {
            let how = if failure { "failed" } else { "refused" };
            tally.saw(format!("{told}: {how}"), &attempts);
            return;
        }
        // a refusal may have another reason than the key: the probe tells
        match &self.probe {
            Some(probe) if probe.is_success() => {
                let cited = if failure && contract.no_server_error.value {
                    Cited::of(&contract.no_server_error)
                } else {
                    Cited::of(self.clause)
                };
                let part = if let Fit::Near(part) = fit(answer, second) {
                    Some(part)
                } else {
                    None
                };
                tally.violated(self.violated(
                    cited,
                    part.filter(|_| !failure),
                    format!("{told}, and the same request under a fresh key succeeds ({})", probe.words()),
                    "Whoever uses a key first keeps others from their own requests: a payment is lost, or blocked on purpose.",
                ));
            }
            Some(probe) => tally.doubt(
                format!(
                    "{told}, and a fresh key is refused too ({}): the refusal is not about the key{}",
                    probe.words(),
                    if second.attempt.sent.vary == Some(Vary::Query) {
                        "; `other-query` in the operation names a parameter that the service knows"
                    } else {
                        ""
                    }
                ),
                &[second.n(), probe.n(), first.n()],
            ),
            None if failure && answer.is_open() => {
                tally.violated(self.violated(
                    Cited::of(&contract.no_server_error),
                    None,
                    told,
                    "A key that is taken elsewhere makes the server fail.",
                ));
            }
            None => tally.doubt(
                format!("{told}, and no probe tells whether the key is the reason"),
                &attempts,
            ),
        }
    }

    fn success(&self, own: Option<&Change>, other_account: bool, told: &str, tally: &mut Tally) {
        let (first, second) = (&self.first, &self.second);
        let attempts = [second.n(), first.n()];
        let contract = second.op.contract;
        let answer = &self.clause.value;
        let run = allows(answer, |a| matches!(a, Answer::Run | Answer::Accept));
        let replay = allows(answer, |a| *a == Answer::Replay);
        match second.identities(first) {
            Identities::Other if run => {
                tally.saw(format!("{told} with a result of its own"), &attempts)
            }
            Identities::Other => tally.violated(self.violated(
                Cited::of(self.clause),
                None,
                format!("{told} with a result of its own"),
                "What the policy calls the same key ran again: the customer pays twice.",
            )),
            Identities::Same => {
                let id = second.identity().unwrap_or_default();
                let own_effect = matches!(own, Some(Change::Changed { from, to, .. }) if to > from);
                let none = matches!(own, Some(Change::Changed { from, to, .. }) if to == from);
                let by_chance = other_account && !leak::is_unguessable(&id);
                if by_chance && own_effect {
                    tally.saw(
                        format!("{told} with a result {id} of its own, numbered as the first's"),
                        &attempts,
                    );
                } else if by_chance && !none {
                    tally.doubt(
                        format!("{told} with the identity {id}, as the first: by chance or not is not counted"),
                        &attempts,
                    );
                } else if other_account && contract.isolation.value {
                    tally.violated(self.violated(
                        Cited::of(&contract.isolation),
                        None,
                        format!("{told} with the result of account {}: {id}", first.attempt.sent.account),
                        if own_effect {
                            "One account reads another's reply, and its own request was carried out unseen."
                        } else {
                            "One account reads another's reply, and its own request was never carried out."
                        },
                    ));
                } else if another_request(first, second)
                    && !replays_to_another(first)
                    && answer.is_open()
                {
                    // what is no repeat of the first is another request under a used key, whatever else is left open
                    tally.violated(self.violated(
                        Cited::of(&first.op.contract.mismatch),
                        None,
                        format!(
                            "{told} with the first request's result ({id}), for another operation"
                        ),
                        "The request was never carried out, and its sender was told that it was.",
                    ));
                } else if replay {
                    tally.saw(
                        format!("{told} with the first's result, as declared"),
                        &attempts,
                    );
                } else {
                    tally.violated(self.violated(
                        Cited::of(self.clause),
                        None,
                        format!("{told} with the first request's result: {id}"),
                        "The request was never carried out, and its sender was told that it was.",
                    ));
                }
            }
            Identities::Unknown => match second.marked() {
                Some(true) if !replay => tally.violated(self.violated(
                    Cited::of(self.clause),
                    None,
                    format!("{told}, marked as a replay"),
                    "The request was never carried out, and its sender got a stored reply.",
                )),
                _ => tally.saw(told.to_owned(), &attempts),
            },
        }
    }

    fn effects(
        &self,
        (own, firsts): (&Change, &Change),
        other_account: bool,
        included: i64,
        tally: &mut Tally,
    ) {
        let answer = &self.clause.value;
        let (mine, theirs) = (&self.first.attempt.sent, &self.second.attempt.sent);
        let mixed = matches!(own, Change::Changed { mixed: true, .. });
        let shared = mine.operation == theirs.operation
            && mine.intent == theirs.intent
            && (mine.account == theirs.account || mixed || !other_account);
        let success = self.second.is_success();
        let (least, most) = effects::allowed(answer);
        // a refusal that is not about the key has no effect; it was judged above
        let least = if success { least } else { 0 };
        let added = if shared { included } else { 0 };
        let (least, most) = (least + added, most + added);
        let open = answer.is_open();
        let one_effect = &self.second.op.contract.one_effect;
        let counted = effects::judge(
            tally,
            own,
            Expected {
                least,
                most,
                // whatever the scope is, one request does one thing
                cited: if open {
                    Cited::of(one_effect)
                } else {
                    Cited::of(self.clause)
                },
                meaning: "The same key elsewhere did more than the policy allows.".to_owned(),
                attempts: vec![self.second.n(), self.first.n()],
                success_seen: success,
                words: if most == 0 {
                    "no effect".to_owned()
                } else {
                    "one effect of its own".to_owned()
                },
            },
        );
        if shared || counted == effects::Counted::Uncounted || !other_account {
            return;
        }
        effects::judge(
            tally,
            firsts,
            Expected {
                least: included,
                most: included,
                cited: Cited::of(&self.second.op.contract.isolation),
                meaning: "A request of one account did something in another.".to_owned(),
                attempts: vec![self.second.n(), self.first.n()],
                success_seen: false,
                words: "no new effect in the first account".to_owned(),
            },
        );
    }
}
