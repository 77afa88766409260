//! keyed-method with a probe on PUT and DELETE: another body, or another resource, under a used key.
//!
//! Read: the first reply, the same other write under a fresh key (probe), what was written back (later), the one that is judged, the
//! counts before and after, reads around it (shown while the other body stood, earlier and still before, after).
//! Pass: `run` or `accept`, and something changed. Fail: a success and nothing changed (the write is lost), a refusal, a 5xx, a
//! marker of a replay. Where the key is honoured (`replay`), the clause of the difference decides: mismatch, scope.resource.
//! What shows a change must have shown it before: a counter that counted each of the earlier writes, a read that told the
//! bodies apart and was the same twice. Skipped: nothing does. Inconclusive: an earlier write did not succeed; unknown outcomes.

use super::effects::{self, Change};
use super::evidence::{Scene, Seen};
use super::fidelity::same_bytes;
use super::tally::{Cited, Tally, Violation};
use super::{mismatch, other_scope};
use crate::config::suite::{Steps, Vary};
use crate::contract::reading::Situation;
use crate::contract::{Answer, Clause};

/// Whether a write under a used key changed anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Something changed.
    Done,
    /// What shows every such write shows none.
    Lost,
    /// Nothing shows such writes.
    Unseen,
}

/// Judges one round.
pub fn judge_scene(
    scene: &Scene<'_>,
    steps: &Steps,
    (first, second): (&Seen<'_>, &Seen<'_>),
    clause: &Clause<Answer>,
    tally: &mut Tally,
) {
    let answers = clause.value.alternatives();
    let runs = |a: &&Answer| matches!(a, Answer::Run | Answer::Accept);
    let ran = answers.iter().all(runs);
    if clause.value == Answer::Replay {
        honoured(scene, steps, (first, second), tally);
        return;
    }
    let Some(probe) = scene.need(steps.probe.as_ref(), tally) else {
        return;
    };
    let attempts = [second.n(), first.n(), probe.n()];
    let back = steps.later.first().and_then(|step| scene.last(step));
    for earlier in [Some(*first), Some(probe), back].into_iter().flatten() {
        if !earlier.is_success() {
            let told = format!(
                "an earlier write was no success, so that nothing is known of this one: {}",
                earlier.words()
            );
            tally.doubt(told, &attempts);
            return;
        }
    }
    let told = second.words();
    let Some(reading) = second.reading(None) else {
        tally.doubt(told, &attempts);
        return;
    };
    if reading.is_unknown() || second.status() == Some(429) {
        tally.doubt(format!("{told}: whether it ran is unknown"), &attempts);
        return;
    }
    let violated = |observed: String, meaning: &str| Violation {
        cited: Cited::of(clause),
        part: None,
        expected: "a write that is carried out".to_owned(),
        observed,
        meaning: meaning.to_owned(),
        attempts: attempts.to_vec(),
    };
    if !reading.is_success() {
        if reading.may_be(Situation::ServerError) || ran {
            tally.violated(violated(
                format!("{told}, and the same under a fresh key succeeds"),
                "A key on a method that needs none keeps a client from writing.",
            ));
        } else {
            tally.saw(told, &attempts);
        }
        return;
    }
    let change = steps.counted.as_deref().map(|counted| {
        effects::change(
            scene,
            &second.attempt.sent,
            steps.before.as_deref(),
            counted,
        )
    });
    if let Some(Change::Unknown(why)) = &change {
        tally.doubt(why.clone(), &attempts);
        return;
    }
    let written = written(scene, steps, change.as_ref());
    let replayed = second.marked() == Some(true);
    match written {
        Written::Lost if !ran => tally.saw(format!("{told}, and nothing was written"), &attempts),
        Written::Lost => tally.violated(violated(
            format!("{told}, and nothing was written"),
            "The write is lost: the client was told that it was done, and the state is the old one.",
        )),
        Written::Done if replayed && ran => tally.violated(violated(
            format!("{told}, written, and marked as the replay of another request"),
            "The client is told that its write is an older one.",
        )),
        Written::Done => tally.saw(format!("{told}, and it was written"), &attempts),
        Written::Unseen if replayed && ran => tally.violated(violated(
            format!("{told}, marked as a replay"),
            "The reply to another write came back: this one is lost.",
        )),
        Written::Unseen if !ran => tally.saw(told, &attempts),
        Written::Unseen => tally.skip(
            "neither the counter nor the operation's GET shows that one thing was written more than once: declare a `read` that shows \
             the state, or count changes",
        ),
    }
}

/// The key is honoured as on a POST: what differs decides.
fn honoured(
    scene: &Scene<'_>,
    steps: &Steps,
    (first, second): (&Seen<'_>, &Seen<'_>),
    tally: &mut Tally,
) {
    let contract = second.op.contract;
    if second.attempt.sent.vary == Some(Vary::Resource) {
        other_scope::by_clause(
            scene,
            steps,
            (first, second),
            &contract.scope.resource,
            tally,
        );
    } else {
        let clause = &contract.mismatch;
        tally.expect(Cited::of(clause), clause.value.to_string());
        if clause.value.is_open() {
            tally.leave_open();
        }
        mismatch::judge_scene(scene, steps, tally);
    }
}

/// Whether the second write changed anything, by counts and reads that showed the earlier writes.
#[must_use]
pub fn written(scene: &Scene<'_>, steps: &Steps, change: Option<&Change>) -> Written {
    let reply = |place: usize| {
        let seen = steps.later.get(place).and_then(|step| scene.last(step))?;
        let fine = seen.status().is_some_and(|status| status / 100 == 2);
        seen.reply().filter(|_| fine)
    };
    let same = |one: usize, other: usize| Some(same_bytes(&reply(one)?.body, &reply(other)?.body));
    const SHOWN: usize = 1;
    const EARLIER: usize = 2;
    const STILL: usize = 3;
    const AFTER: usize = 4;
    let tells_apart = same(SHOWN, EARLIER) == Some(false) && same(EARLIER, STILL) == Some(true);
    let by_read = same(STILL, AFTER).filter(|_| tells_apart).map(|same| !same);
    // the first, the probe, and what was written back
    let earlier = 2 + i64::from(!steps.later.is_empty());
    let by_count = change.and_then(|change| match change {
        Change::Changed { from, to, .. } if to > from => Some(true),
        Change::Changed { from, to, unit, .. } if to == from => {
            (*from >= earlier.saturating_mul(*unit)).then_some(false)
        }
        _ => None,
    });
    match (by_count, by_read) {
        (Some(true), _) | (_, Some(true)) => Written::Done,
        (Some(false), _) | (_, Some(false)) => Written::Lost,
        (None, None) => Written::Unseen,
    }
}
