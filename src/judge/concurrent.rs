//! concurrent: copies of one request that arrive together have one effect.
//!
//! Read: all replies of the burst, the later repeats, the count of the intent, and the times that prove that copies were open
//! at once.
//! Pass: at least half of the rounds overlapped; one identity; of the replies read as run or replay exactly one lacks the
//! marker, where one is declared; every other reply is the declared in-progress answer (for another body also the mismatch);
//! later repeats replay the winner; one effect. Where another body may run, one body has one result, and there are no more
//! effects than results. Copies under a key that has expired may all get the refusal that is declared for it, without effect.
//! Fail, overlap or not: two identities or more than one effect (`one-effect`), a 5xx beside a success (`no-server-error`), an
//! answer that is not declared (`in-progress`, `mismatch`), a replay that differs (`replay`, `marker`).
//! Skipped: the copies went to regions that need not share keys.
//! Inconclusive: no proof of overlap, no copy that ran, limits (429, 503) unless they stay at two copies, missing counts.

use std::collections::BTreeSet;

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::refusal::{Fit, fit};
use super::tally::{Cited, Tally, Violation};
use super::together::{Together, numbers, overlapped, told};
use super::{copy, marker, mismatch, other_body, power, region, replay};
use crate::config::suite::Steps;
use crate::contract::relation::relation;
use crate::contract::{Answer, Replay, Sameness};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let name = steps.of.first().map_or("copies", String::as_str);
    let planned = evidence.instance.plan.rounds;
    let mut tally = Tally::new(format!("concurrent:{name}"), planned);
    let Some(op) = evidence.op() else {
        return tally;
    };
    tally.expect(
        Cited::of(&op.contract.one_effect),
        format!(
            "one effect, one result; a copy that comes too early: {}",
            op.contract.in_progress.value
        ),
    );
    let mut unusable: Vec<String> = Vec::new();
    let mut rounds = 0_u32;
    let mut raced = Vec::new();
    let mut seen = Together::default();
    let sent: Vec<Vec<Seen<'_>>> = evidence.scenes().map(|s| copies(&s, steps)).collect();
    if let Some(why) = sent
        .iter()
        .find_map(|copies| region::apart(evidence, copies))
    {
        tally.skip(why);
        return tally;
    }
    let stays = copy::limits_stay(&sent, planned);
    for scene in evidence.scenes() {
        rounds += 1;
        tally.in_round(scene.number);
        let why = judge_scene(&scene, steps, stays, &mut seen, &mut tally);
        raced.push(power::Raced {
            round: scene.round,
            counts: why.is_none(),
        });
        unusable.extend(why);
    }
    tally.sum_up(seen.told(rounds));
    let usable = rounds - u32::try_from(unusable.len()).unwrap_or(rounds);
    if rounds == 0
        || rounds < planned
            && !evidence
                .instance
                .ended
                .as_ref()
                .is_some_and(|e| e.stopped_early)
    {
        tally.doubt(
            format!(
                "{rounds} of {planned} rounds: the rest was {}",
                evidence.not_reached()
            ),
            &[],
        );
    } else if usable == 0 || usable * 2 < rounds && usable < planned {
        let why = unusable.first().cloned().unwrap_or_default();
        tally.doubt(
            format!("{usable} of {rounds} rounds prove anything: {why}"),
            &[],
        );
    }
    if let Some(proof) = power::of_rounds(&raced, !tally.fails()) {
        tally.prove(proof);
    }
    tally
}

/// The rounds of a race, and in which of them at least two copies were open at once.
#[must_use]
pub fn raced<'a>(evidence: Evidence<'a>, steps: &Steps) -> Vec<power::Raced<'a>> {
    let raced = |scene: Scene<'a>| {
        let copies = copies(&scene, steps);
        power::Raced {
            round: scene.round,
            counts: copies.len() > 1 && overlapped(&scene, &copies),
        }
    };
    evidence.scenes().map(raced).collect()
}

fn copies<'a>(scene: &Scene<'a>, steps: &Steps) -> Vec<Seen<'a>> {
    let all = steps.of.iter().flat_map(|step| scene.all(step));
    all.filter(|s| s.attempt.left()).collect()
}

/// Judges one round; says why the round proves nothing, where that is so.
fn judge_scene(
    scene: &Scene<'_>,
    steps: &Steps,
    stays: bool,
    together: &mut Together,
    tally: &mut Tally,
) -> Option<String> {
    let copies = copies(scene, steps);
    if copies.len() < 2 {
        return Some(format!("{} copies were sent", copies.len()));
    }
    let contract = copies[0].op.contract;
    let successes: Vec<&Seen<'_>> = copies.iter().filter(|c| c.is_success()).collect();
    let laters: Vec<Seen<'_>> = steps
        .later
        .iter()
        .filter_map(|step| scene.last(step))
        .collect();
    let answers: Vec<&Seen<'_>> = copies.iter().chain(&laters).collect();
    let two_run = other_body::is_among(contract, &answers);
    let told_success: Vec<&Seen<'_>> = answers.iter().copied().filter(|s| s.is_success()).collect();
    let protected = other_body::protected(&told_success);
    let mut candidates = successes.clone();
    if two_run && !protected.is_empty() {
        candidates.retain(|s| protected.contains(&s.attempt.sent.body_name.as_str()));
    }
    let winner = winner(&candidates);
    tally.saw(
        format!("{} copies: {}", copies.len(), told(&copies)),
        &numbers(&copies),
    );

    together.add(&copies);
    results(
        contract,
        if two_run { &told_success } else { &successes },
        tally,
    );
    marker::among(contract, &copies, &successes, tally);
    // a first success beside the winner: of a later repeat, or of an earlier life of the key
    let key = &copies[0].attempt.sent.key;
    let earlier = scene
        .round
        .attempts
        .iter()
        .filter(|a| key.is_some() && a.sent.key == *key);
    let mut earlier = earlier
        .filter(|a| a.sent.n < copies[0].n())
        .filter_map(|a| scene.see(a));
    let succeeded = laters.iter().any(Seen::is_success) || earlier.any(|seen| seen.is_success());
    let mut limited = false;
    let expired = scene.round.expired.iter().any(|e| e.done);
    let refused = |copy: &&Seen<'_>| expired && refused_for_its_age(copy);
    for copy in copies.iter().filter(|copy| !refused(copy)) {
        limited |= copy::judge(copy, winner, &copies, succeeded, stays, tally);
        if expired && copy.is_success() {
            too_late(copy, tally);
        }
    }
    let all_refused = copies.iter().all(|copy| refused(&copy));
    if let Some(winner) = winner {
        for step in &steps.later {
            let Some(later) = scene.need(Some(step), tally) else {
                continue;
            };
            match relation(contract, winner.asked(), later.asked()).sameness {
                Sameness::Same => replay::repeat(scene, winner, &later, tally),
                Sameness::Different => mismatch::answer(scene, winner, &later, tally),
                Sameness::Unspecified => tally.saw(later.words(), &[later.n()]),
            }
        }
    }
    if let Some(counted) = &steps.counted {
        together.counted += count(
            scene,
            &copies,
            winner.is_some() || laters.iter().any(Seen::is_success),
            (steps.before.as_deref(), counted),
            match (all_refused, two_run) {
                (true, _) => 0,
                (false, true) => other_body::results(&answers),
                (false, false) => 1,
            },
            tally,
        );
    }
    if winner.is_none() && !all_refused && copies.iter().all(|c| !c.is_unknown()) && !limited {
        return Some(format!("no copy ran ({})", told(&copies)));
    }
    if limited {
        return Some(format!("the target limits requests ({})", told(&copies)));
    }
    if let Some(expiry) = scene.round.expired.iter().find(|e| !e.done) {
        return Some(format!(
            "the key was not made to expire as declared: {}",
            expiry.detail
        ));
    }
    if !overlapped(scene, &copies) {
        return Some("no two copies were open at once".to_owned());
    }
    None
}

/// The copy that ran: the one unmarked success, the one whose status is a first one's, or the first to answer.
fn winner<'s, 'a>(successes: &[&'s Seen<'a>]) -> Option<&'s Seen<'a>> {
    let unmarked: Vec<_> = successes
        .iter()
        .filter(|s| s.marked() == Some(false))
        .collect();
    if let [winner] = unmarked.as_slice() {
        return Some(winner);
    }
    let first_status = |seen: &&&Seen<'a>| match &seen.op.contract.replay.value {
        Replay::Same(same) | Replay::Current(same) => seen
            .status()
            .is_some_and(|s| same.status.contains_key(&s.to_string())),
        Replay::Unspecified | Replay::Refuse(_) => false,
    };
    successes
        .iter()
        .filter(first_status)
        .chain(successes)
        .copied()
        .min_by_key(|s| (!first_status(&s), s.answered_us()))
}

/// Whether the copy got the refusal that is declared for a key that has expired.
fn refused_for_its_age(copy: &Seen<'_>) -> bool {
    matches!(
        fit(&copy.op.contract.after_retention.value, copy),
        Fit::Fits(_)
    )
}

/// A copy succeeded under a key that has expired, where only a refusal is declared.
fn too_late(copy: &Seen<'_>, tally: &mut Tally) {
    let declared = &copy.op.contract.after_retention;
    let refusal = |a: &Answer| matches!(a, Answer::Refuse(_));
    if declared.value.alternatives().into_iter().all(refusal) {
        tally.violated(Violation {
            cited: Cited::of(declared),
            part: None,
            expected: declared.value.to_string(),
            observed: format!("{} after the key had expired", copy.words()),
            meaning: "A late retry runs again: the customer pays twice.".to_owned(),
            attempts: vec![copy.n()],
        });
    }
}

/// One key, one result; where another body may run, at least one of the bodies has one result.
fn results(contract: &crate::contract::Contract, successes: &[&Seen<'_>], tally: &mut Tally) {
    let identities: BTreeSet<String> = successes.iter().filter_map(|s| s.identity()).collect();
    let right =
        other_body::is_among(contract, successes) && !other_body::protected(successes).is_empty();
    if identities.len() > 1 && contract.one_effect.value && !right {
        let shown: Vec<&str> = identities.iter().take(3).map(String::as_str).collect();
        let dots = if identities.len() > 3 { ", ..." } else { "" };
        tally.violated(Violation {
            cited: Cited::of(&contract.one_effect),
            part: None,
            expected: "one result for one key".to_owned(),
            observed: format!(
                "{} successes have {} results: {}{dots}",
                successes.len(),
                identities.len(),
                shown.join(", ")
            ),
            meaning:
                "Copies that arrived together ran side by side: the customer pays once for each."
                    .to_owned(),
            attempts: successes.iter().map(|s| s.n()).collect(),
        });
    }
}

fn count(
    scene: &Scene<'_>,
    copies: &[Seen<'_>],
    success: bool,
    (before, counted): (Option<&str>, &str),
    most: i64,
    tally: &mut Tally,
) -> u32 {
    let contract = copies[0].op.contract;
    if !contract.one_effect.value {
        return 0;
    }
    let sent = &copies[0].attempt.sent;
    let change = effects::change(scene, sent, before, counted);
    let ran: Vec<u64> = copies
        .iter()
        .filter(|c| c.is_success())
        .map(Seen::n)
        .collect();
    let counted = effects::judge(
        tally,
        &change,
        Expected {
            least: most.min(1),
            most,
            cited: Cited::of(&contract.one_effect),
            meaning:
                "Copies that arrived together each did the work: the customer pays once for each."
                    .to_owned(),
            attempts: if ran.is_empty() { numbers(copies) } else { ran },
            success_seen: success,
            words: if most == 0 {
                "no effect".to_owned()
            } else {
                "one effect".to_owned()
            },
        },
    );
    u32::from(counted == effects::Counted::AsExpected && success && most == 1)
}
