//! nothing-leaks: nothing that the server made for one request appears in the reply to another.
//!
//! Read: the replies to the named requests, in the order in which they can have learnt of each other. A leak is a value that
//! the server made: the identity, or an unguessable text (8 characters or more, no date, no number) that is neither in the
//! request just sent nor in ordinary replies to its sender.
//! Fail: such a value in a reply to another account (`isolation`); in a refusal to the same account where
//! `mismatch.reveals = false`. A success to the same account is judged by its own check.
//! Observed: the same account, and `reveals` is left open, or there is no refusal at all. Inconclusive: a reply is missing.

use super::evidence::{Evidence, Scene, Seen};
use super::leak;
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::{Steps, Vary};
use crate::contract::Contract;
use crate::contract::reading::refusals_of;

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let last = steps.between.last().map_or("between", String::as_str);
    let mut tally = Tally::new(
        format!("nothing-leaks:{last}"),
        evidence.instance.plan.rounds,
    );
    let Some(op) = evidence.op() else {
        return tally;
    };
    let mut judged = false;
    let mut across = false;
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(
            &scene,
            steps,
            op.contract,
            &mut judged,
            &mut across,
            &mut tally,
        );
    }
    if across {
        tally.expect(
            Cited::of(&op.contract.isolation),
            "nothing of the first reply in the other's",
        );
    } else {
        tally.expect(
            Cited::of(&op.contract.mismatch),
            "nothing of the first reply in the refusal",
        );
    }
    if !judged {
        tally.leave_open();
    }
    tally
}

fn judge_scene(
    scene: &Scene<'_>,
    steps: &Steps,
    contract: &Contract,
    judged: &mut bool,
    across: &mut bool,
    tally: &mut Tally,
) {
    let mut all: Vec<Seen<'_>> = Vec::new();
    for step in &steps.between {
        let found = scene.all(step);
        if found.is_empty() {
            tally.doubt(
                format!("`{step}` was {}", scene.evidence.not_reached()),
                &[],
            );
        }
        all.extend(found);
    }
    let earlier: Vec<Seen<'_>> = all
        .iter()
        .flat_map(|other| of_others_under_the_key(scene, other))
        .filter(|found| all.iter().all(|seen| seen.n() != found.n()))
        .collect();
    for first in all.iter().chain(&earlier) {
        for other in &all {
            let later = other.n() != first.n() && other.ended_us() >= first.began_us();
            // a refusal made nothing: its texts are the API's own
            let refused = first.reply().is_some() && !first.is_success();
            let same_step = other.attempt.sent.step == first.attempt.sent.step
                && other.attempt.sent.instance == first.attempt.sent.instance;
            if !later || same_step {
                continue;
            }
            if refused {
                refused_elsewhere(scene, first, other, (judged, across), tally);
                continue;
            }
            pair(scene, first, other, contract, (judged, across), tally);
        }
    }
}

/// Successes of other accounts earlier in the run under the same key, where it has no room for a text of the run: an empty key is
/// the same in every drill.
fn of_others_under_the_key<'a>(scene: &Scene<'a>, other: &Seen<'a>) -> Vec<Seen<'a>> {
    let sent = &other.attempt.sent;
    let Some(key) = sent.key.as_deref().filter(|key| key.trim().is_empty()) else {
        return Vec::new();
    };
    let attempts = scene.evidence.journal.attempts();
    let mut found: Vec<Seen<'a>> = attempts
        .filter(|first| {
            let first = &first.sent;
            first.n < sent.n && first.key.as_deref() == Some(key)
        })
        .filter(|first| {
            !scene
                .evidence
                .one_account(&first.sent.account, &sent.account)
        })
        .filter_map(|first| scene.see(first))
        .filter(Seen::is_success)
        .collect();
    // one of each result will do
    found.dedup_by(|a, b| a.identity().is_some() && a.identity() == b.identity());
    found
}

/// What was refused for one account made nothing that another could be shown.
fn refused_elsewhere(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    other: &Seen<'_>,
    (judged, across): (&mut bool, &mut bool),
    tally: &mut Tally,
) {
    let plainly = first.status().is_some_and(|status| status / 100 == 4);
    let isolates = first.op.contract.isolation.value;
    if plainly && isolates && other.reply().is_some() && elsewhere(scene, first, other) {
        *judged = true;
        *across = true;
        tally.saw(
            format!("{}: it made nothing that could be shown", first.words()),
            &[other.n(), first.n()],
        );
    }
}

fn pair(
    scene: &Scene<'_>,
    first: &Seen<'_>,
    other: &Seen<'_>,
    contract: &Contract,
    (judged, across): (&mut bool, &mut bool),
    tally: &mut Tally,
) {
    let attempts = [other.n(), first.n()];
    let elsewhere = elsewhere(scene, first, other);
    *across |= elsewhere;
    if first.reply().is_none() || other.reply().is_none() {
        *judged = true;
        let missing = if other.reply().is_none() {
            other
        } else {
            first
        };
        tally.doubt(
            format!("there is no reply to compare: {}", missing.words()),
            &attempts,
        );
        return;
    }
    let control = scene.evidence.control(&other.attempt.sent.operation);
    let ordinary = control.and_then(|c| c.ordinary.get(&other.attempt.sent.account));
    let mut found = leak::leaked(first, other, ordinary.map_or("", String::as_str));
    if ordinary.is_none() && !scene.evidence.replies_only {
        // without an ordinary reply a fixed text of the API looks like a secret: only the identity is certain
        let identity = first.identity();
        found.retain(|value| Some(value) == identity.as_ref());
    } else if ordinary.is_none() {
        found.clear();
    }
    if elsewhere {
        if !contract.isolation.value {
            return;
        }
        *judged = true;
        if found.is_empty() {
            tally.saw(
                format!(
                    "nothing of attempt {} in the reply to attempt {}",
                    first.n(),
                    other.n()
                ),
                &attempts,
            );
        } else {
            tally.violated(violation(
                Cited::of(&contract.isolation),
                None,
                first,
                other,
                &found,
                true,
            ));
        }
        return;
    }
    // nothing that could be wrong: no verdict of its own may come of it
    if other.is_success() {
        tally.saw(format!("{}: no refusal to read", other.words()), &attempts);
        return;
    }
    let reveals = refusals_of(&contract.mismatch.value)
        .iter()
        .find_map(|how| how.reveals);
    match reveals {
        Some(false) => {
            *judged = true;
            if found.is_empty() {
                tally.saw(
                    format!("{}: names nothing of the first reply", other.words()),
                    &attempts,
                );
            } else {
                let cited = Cited::of(&contract.mismatch);
                tally.violated(violation(
                    cited,
                    Some("reveals"),
                    first,
                    other,
                    &found,
                    false,
                ));
            }
        }
        Some(true) => {
            *judged = true;
            tally.saw(told(other, &found), &attempts);
        }
        None => tally.saw(told(other, &found), &attempts),
    }
}

/// Whether the other's sender is somebody else: another account, or nobody.
fn elsewhere(scene: &Scene<'_>, first: &Seen<'_>, other: &Seen<'_>) -> bool {
    let nobody = |seen: &Seen<'_>| {
        matches!(
            seen.attempt.sent.vary,
            Some(Vary::NoCredentials | Vary::BadCredentials)
        )
    };
    let (mine, theirs) = (&first.attempt.sent.account, &other.attempt.sent.account);
    !scene.evidence.one_account(mine, theirs) || nobody(other) && !nobody(first)
}

fn told(other: &Seen<'_>, found: &[String]) -> String {
    if found.is_empty() {
        format!("{}: names nothing of the first reply", other.words())
    } else {
        format!(
            "{}: names {} of the first reply",
            other.words(),
            list(found)
        )
    }
}

fn list(found: &[String]) -> String {
    let shown: Vec<String> = found.iter().take(3).map(|v| format!("`{v}`")).collect();
    let more = found.len().saturating_sub(3);
    let dots = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{dots}", shown.join(", "))
}

fn violation(
    cited: Cited,
    part: Option<&'static str>,
    first: &Seen<'_>,
    other: &Seen<'_>,
    found: &[String],
    elsewhere: bool,
) -> Violation {
    let whose = if elsewhere {
        format!("account {}", first.attempt.sent.account)
    } else {
        "the first request".to_owned()
    };
    Violation {
        cited,
        part,
        expected: format!("nothing that was made for {whose}"),
        observed: format!("{} with {}, made for {whose}", other.words(), list(found)),
        meaning: if elsewhere {
            "One account reads what was made for another.".to_owned()
        } else {
            "Who guesses a key learns what was made with it.".to_owned()
        },
        attempts: vec![other.n(), first.n()],
    }
}
