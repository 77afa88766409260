//! concurrent: copies of one request that arrive together have one effect.
//!
//! Read: all replies of the burst, the later repeats, the count of the intent, and the times that prove that copies were open
//! at once.
//! Pass: at least half of the rounds overlapped; one identity; of the replies read as run or replay exactly one lacks the
//! marker, where one is declared; every other reply is the declared in-progress answer (for another body also the mismatch);
//! later repeats replay the winner; one effect.
//! Fail, overlap or not: two identities or more than one effect (`one-effect`), a 5xx beside a success (`no-server-error`), an
//! answer that is not declared (`in-progress`, `mismatch`), a replay that differs (`replay`, `marker`).
//! Inconclusive: no proof of overlap, no copy that ran, limits (429, 503) unless they stay at two copies, missing counts.

use std::collections::BTreeSet;

use super::effects::{self, Expected};
use super::evidence::{Evidence, Scene, Seen};
use super::refusal::{Fit, allows, fit};
use super::tally::{Cited, Tally, Violation};
use super::{fidelity, mismatch, power, replay};
use crate::config::suite::Steps;
use crate::contract::reading::{Identities, Situation};
use crate::contract::relation::relation;
use crate::contract::{Answer, Marker, Replay, Sameness};

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
    for scene in evidence.scenes() {
        rounds += 1;
        tally.in_round(scene.number);
        if let Some(why) = judge_scene(&scene, steps, &mut tally) {
            unusable.push(why);
        }
    }
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
    if let Some(proof) = power::of_rounds(evidence.instance.rounds.values(), usable, rounds) {
        tally.prove(proof);
    }
    tally
}

/// Judges one round; says why the round proves nothing, where that is so.
fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) -> Option<String> {
    let copies: Vec<Seen<'_>> = steps
        .of
        .iter()
        .flat_map(|step| scene.all(step))
        .filter(|s| s.attempt.left())
        .collect();
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
    let winner = winner(&successes);

    results(contract, &successes, tally);
    markers(contract, &copies, &successes, tally);
    let mut limited = false;
    for copy in &copies {
        limited |= judge_copy(
            copy,
            winner,
            &copies,
            laters.iter().any(Seen::is_success),
            tally,
        );
    }
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
        count(
            scene,
            &copies,
            winner.is_some() || laters.iter().any(Seen::is_success),
            (steps.before.as_deref(), counted),
            tally,
        );
    }
    if winner.is_none() && copies.iter().all(|c| !c.is_unknown()) && !limited {
        return Some(format!("no copy ran ({})", told(&copies)));
    }
    if limited && copies.len() > 2 {
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
    tally.saw(
        format!("{} copies: {}", copies.len(), told(&copies)),
        &numbers(&copies),
    );
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

/// One key, one result.
fn results(contract: &crate::contract::Contract, successes: &[&Seen<'_>], tally: &mut Tally) {
    let identities: BTreeSet<String> = successes.iter().filter_map(|s| s.identity()).collect();
    if identities.len() > 1 && contract.one_effect.value && !runs_allowed(contract, successes) {
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

/// Whether the policy lets another body run under the same key, and there were two bodies.
fn runs_allowed(contract: &crate::contract::Contract, copies: &[&Seen<'_>]) -> bool {
    let bodies: BTreeSet<&str> = copies
        .iter()
        .map(|c| c.attempt.sent.body_name.as_str())
        .collect();
    let run = |a: &Answer| *a == Answer::Run;
    bodies.len() > 1 && contract.mismatch.value.alternatives().into_iter().any(run)
}

/// Of the replies read as run or replay exactly one lacks the marker.
fn markers(
    contract: &crate::contract::Contract,
    copies: &[Seen<'_>],
    successes: &[&Seen<'_>],
    tally: &mut Tally,
) {
    let Marker::Header { name, .. } = &contract.marker.value else {
        return;
    };
    let unmarked: Vec<u64> = successes
        .iter()
        .filter(|s| s.marked() == Some(false))
        .map(|s| s.n())
        .collect();
    // the winner's own reply may be the one that was lost
    let lost = copies.iter().any(Seen::is_unknown);
    let wrong = match unmarked.len() {
        0 => !successes.is_empty() && !lost,
        1 => false,
        _ => !runs_allowed(contract, successes),
    };
    if wrong {
        let mut attempts = unmarked.clone();
        attempts.extend(
            successes
                .iter()
                .map(|s| s.n())
                .filter(|n| !unmarked.contains(n)),
        );
        tally.violated(Violation {
            cited: Cited::of(&contract.marker),
            part: None,
            expected: format!("exactly one success without {name}"),
            observed: format!(
                "{} of {} successes are not marked as replays",
                unmarked.len(),
                successes.len()
            ),
            meaning: if unmarked.is_empty() {
                "No copy says that it ran.".to_owned()
            } else {
                "Several copies say that they ran.".to_owned()
            },
            attempts,
        });
    }
}

/// Judges the reply to one copy. Says whether it was a limit (429, 503) that says nothing of the key.
fn judge_copy(
    copy: &Seen<'_>,
    winner: Option<&Seen<'_>>,
    copies: &[Seen<'_>],
    later_success: bool,
    tally: &mut Tally,
) -> bool {
    let contract = copy.op.contract;
    let Some(reading) = copy.reading(winner) else {
        return false;
    };
    let other = winner.is_some_and(|w| {
        relation(contract, w.asked(), copy.asked()).sameness == Sameness::Different
    }) || winner.is_none()
        && copies
            .iter()
            .any(|c| relation(contract, c.asked(), copy.asked()).sameness == Sameness::Different);
    let violated = |cited, part, expected: String, observed: String, meaning: &str| Violation {
        cited,
        part,
        expected,
        observed,
        meaning: meaning.to_owned(),
        attempts: std::iter::once(copy.n())
            .chain(winner.map(|w| w.n()))
            .collect(),
    };
    if reading.is_success() {
        let Some(winner) = winner.filter(|w| w.n() != copy.n()) else {
            return false;
        };
        if copy.identities(winner) == Identities::Other {
            return false;
        }
        if other && !allows(&contract.mismatch.value, |a| *a == Answer::Replay) {
            tally.violated(violated(
                Cited::of(&contract.mismatch),
                None,
                contract.mismatch.value.to_string(),
                format!("{} with the result of another body", copy.words()),
                "The client is told that its request succeeded, and another one did.",
            ));
        } else if let Replay::Same(same) | Replay::Current(same) = &contract.replay.value {
            let whole = matches!(contract.replay.value, Replay::Same(_));
            for difference in fidelity::compare(same, whole, winner, copy, &[]).differences {
                tally.violated(violated(
                    Cited::of(&contract.replay),
                    Some(difference.part),
                    "the winner's reply".to_owned(),
                    format!("{}: {}", copy.words(), difference.text),
                    difference.meaning,
                ));
            }
        }
        return false;
    }
    if reading.may_be(Situation::ServerError) {
        if contract.no_server_error.value && (winner.is_some() || later_success) {
            tally.violated(violated(
                Cited::of(&contract.no_server_error),
                None,
                format!("no 5xx for a duplicate: {}", contract.in_progress.value),
                format!("{} beside a success", copy.words()),
                "A copy that lost the race gets a server failure: the client takes its payment for failed although it succeeded.",
            ));
        }
        return false;
    }
    if reading.may_be(Situation::Gateway) && !reading.may_be(Situation::RateLimited) {
        return false;
    }
    let in_progress = &contract.in_progress.value;
    let fits = matches!(fit(in_progress, copy), Fit::Fits(_))
        || allows(in_progress, |_| false)
        || reading.may_be(Situation::Duplicate)
        || other && matches!(fit(&contract.mismatch.value, copy), Fit::Fits(_))
        || other && allows(&contract.mismatch.value, |_| false);
    if fits && !reading.may_be(Situation::RateLimited) {
        return false;
    }
    let limited = reading.may_be(Situation::RateLimited);
    if limited && (copies.len() > 2 || allows(in_progress, |_| false)) {
        return true;
    }
    let part = match fit(in_progress, copy) {
        Fit::Near(part) => Some(part),
        Fit::Fits(_) => return limited,
        Fit::NoneDeclared => None,
    };
    tally.violated(violated(
        Cited::of(&contract.in_progress),
        part,
        in_progress.to_string(),
        format!("{}, which the policy does not allow a copy", copy.words()),
        "A client that handles the declared answer does not recognise this one, and gives up or retries wrongly.",
    ));
    limited
}

fn count(
    scene: &Scene<'_>,
    copies: &[Seen<'_>],
    success: bool,
    (before, counted): (Option<&str>, &str),
    tally: &mut Tally,
) {
    let contract = copies[0].op.contract;
    if !contract.one_effect.value {
        return;
    }
    let sent = &copies[0].attempt.sent;
    let refs: Vec<&Seen<'_>> = copies.iter().collect();
    let most = if runs_allowed(contract, &refs) { 2 } else { 1 };
    let change = effects::change(
        scene,
        &sent.intent,
        &sent.operation,
        &sent.account,
        before,
        counted,
    );
    let ran: Vec<u64> = copies
        .iter()
        .filter(|c| c.is_success())
        .map(Seen::n)
        .collect();
    effects::judge(
        tally,
        &change,
        Expected {
            least: 1,
            most,
            cited: Cited::of(&contract.one_effect),
            meaning:
                "Copies that arrived together each did the work: the customer pays once for each."
                    .to_owned(),
            attempts: if ran.is_empty() { numbers(copies) } else { ran },
            success_seen: success,
            words: "one effect".to_owned(),
        },
    );
}

/// Whether at least two copies were open at once.
fn overlapped(scene: &Scene<'_>, copies: &[Seen<'_>]) -> bool {
    if scene
        .round
        .gates
        .iter()
        .any(|g| g.all_in_flight && g.copies > 1)
    {
        return true;
    }
    let pair = copies
        .iter()
        .enumerate()
        .any(|(i, a)| copies[i + 1..].iter().any(|b| a.overlaps(b)));
    // a server that says "in progress" while another copy is open has seen them both
    pair || copies.iter().any(|early| {
        matches!(
            fit(&early.op.contract.in_progress.value, early),
            Fit::Fits(_)
        ) && copies.iter().any(|other| {
            other.n() != early.n()
                && other.attempt.sent.at_us <= early.answered_us()
                && early.answered_us() < other.ended_us()
        })
    })
}

/// `1 x 201, 9 x 409`.
fn told(copies: &[Seen<'_>]) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for copy in copies {
        let kind = match copy.status() {
            Some(status) if copy.marked() == Some(true) => format!("{status} marked as replay"),
            Some(status) => status.to_string(),
            None => "unknown".to_owned(),
        };
        match kinds.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let shown: Vec<String> = kinds
        .into_iter()
        .map(|(kind, n)| format!("{n} x {kind}"))
        .collect();
    shown.join(", ")
}

fn numbers(copies: &[Seen<'_>]) -> Vec<u64> {
    copies.iter().map(Seen::n).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Verdict::{Fail, Inconclusive, Pass, Warn};
    use super::super::story::{Got, Story, got, ran, refuse, replayed, with};
    use crate::contract::{Answer, Contract, Marker};
    use crate::journal::{Event, GateKind, GateProof};

    const ID: &str = "pay_7f3a9c21";

    fn told(copies: &[Got], effects: i64) -> Story {
        Story::of("concurrent")
            .burst("copies", copies)
            .send("later", replayed(ID))
            .count("effects", &[("k", effects)])
    }

    fn busy() -> Got {
        got(409, "{}")
    }

    #[test]
    fn one_runs_and_the_others_replay_or_are_told_to_wait() {
        assert_eq!(told(&[ran(ID), replayed(ID), busy()], 1).verdict(), Pass);
        assert_eq!(told(&[busy(), busy(), ran(ID)], 1).verdict(), Pass);
    }

    #[test]
    fn two_results_or_two_effects_fail_whether_or_not_copies_overlapped() {
        let check = told(&[ran("pay_other_1"), ran(ID), busy()], 2).check("concurrent:copies");
        assert_eq!(
            (check.verdict, check.clause.unwrap().name.as_str()),
            (Fail, "one-effect")
        );
        assert_eq!(
            told(&[ran(ID), replayed(ID), replayed(ID)], 2).verdict(),
            Fail
        );
        assert_eq!(
            told(&[ran("pay_other_1"), ran(ID), busy()], 2)
                .uncounted()
                .verdict(),
            Fail
        );
        let queued = Story::of("concurrent")
            .queue("copies", &[ran("pay_other_1"), ran(ID)])
            .send("later", replayed(ID))
            .count("effects", &[("k", 2)]);
        assert_eq!(queued.verdict(), Fail);
    }

    #[test]
    fn without_proof_of_overlap_it_is_inconclusive_and_never_a_pass() {
        let queued = Story::of("concurrent")
            .queue("copies", &[ran(ID), replayed(ID), replayed(ID)])
            .send("later", replayed(ID))
            .count("effects", &[("k", 1)]);
        let finding = queued.finding();
        assert_eq!(finding.verdict, Inconclusive);
        assert!(
            finding.reason.contains("open at once"),
            "{}",
            finding.reason
        );
    }

    #[test]
    fn a_declared_in_progress_answer_while_another_is_open_proves_overlap_even_before_the_release()
    {
        // the second was answered on its head, long before its last byte was let go
        let early = Story::of("concurrent")
            .during("copies", 0, 50, ran(ID))
            .during("copies", 1, 2, busy())
            .wait_ms(60)
            .send("later", replayed(ID))
            .count("effects", &[("k", 1)]);
        assert_eq!(early.verdict(), Pass);
    }

    #[test]
    fn exactly_one_success_lacks_the_marker() {
        assert_eq!(told(&[ran(ID), ran(ID), busy()], 1).verdict(), Fail);
        assert_eq!(
            told(&[replayed(ID), replayed(ID), busy()], 1).verdict(),
            Fail
        );
        // the winner's reply may be the one that was lost
        assert_eq!(
            told(&[replayed(ID), replayed(ID), Got::Nothing], 1).verdict(),
            Pass
        );
        let none = |c: &mut Contract| c.marker.value = Marker::Unspecified;
        let same = Story::of("concurrent")
            .burst("copies", &[ran(ID), ran(ID), busy()])
            .send("later", ran(ID))
            .count("effects", &[("k", 1)])
            .contract(none);
        assert_eq!(same.verdict(), Pass);
    }

    #[test]
    fn a_loser_with_a_500_fails_beside_a_success_and_a_gateway_is_unknown() {
        let check = told(&[ran(ID), got(500, ""), busy()], 1).check("concurrent:copies");
        assert_eq!(
            (check.verdict, check.clause.unwrap().name.as_str()),
            (Fail, "no-server-error")
        );
        assert_eq!(told(&[ran(ID), got(502, ""), busy()], 1).verdict(), Pass);
        assert_eq!(told(&[ran(ID), Got::Nothing, busy()], 1).verdict(), Pass);
        assert_eq!(told(&[ran(ID), Got::Nothing, busy()], 2).verdict(), Fail);
    }

    #[test]
    fn an_answer_that_is_not_declared_fails_and_a_should_part_warns() {
        assert_eq!(told(&[ran(ID), got(423, ""), busy()], 1).verdict(), Fail);
        let should = |c: &mut Contract| c.in_progress.should_parts = vec!["status".into()];
        assert_eq!(
            told(&[ran(ID), got(423, ""), busy()], 1)
                .contract(should)
                .verdict(),
            Warn
        );
        let open = |c: &mut Contract| c.in_progress.value = Answer::Unspecified;
        assert_eq!(
            told(&[ran(ID), got(423, ""), busy()], 1)
                .contract(open)
                .verdict(),
            Pass
        );
        let wait = |c: &mut Contract| c.in_progress.value = Answer::Wait;
        assert_eq!(
            told(&[ran(ID), replayed(ID), busy()], 1)
                .contract(wait)
                .verdict(),
            Fail
        );
        assert_eq!(
            told(&[ran(ID), replayed(ID), replayed(ID)], 1)
                .contract(wait)
                .verdict(),
            Pass
        );
    }

    #[test]
    fn limits_are_judged_only_at_two_copies() {
        assert_eq!(
            told(&[ran(ID), got(429, ""), got(429, "")], 1).verdict(),
            Inconclusive
        );
        assert_eq!(
            told(&[ran(ID), got(503, ""), got(503, "")], 1).verdict(),
            Inconclusive
        );
        assert_eq!(told(&[ran(ID), got(429, "")], 1).verdict(), Fail);
        let declared = |c: &mut Contract| c.in_progress.value = refuse(429);
        assert_eq!(
            told(&[ran(ID), got(429, ""), got(429, "")], 1)
                .contract(declared)
                .verdict(),
            Pass
        );
    }

    #[test]
    fn the_later_repeat_replays_the_winner() {
        let story = |later: Got| {
            Story::of("concurrent")
                .burst("copies", &[ran(ID), busy(), busy()])
                .send("later", later)
                .count("effects", &[("k", 1)])
        };
        assert_eq!(story(replayed(ID)).verdict(), Pass);
        assert_eq!(story(replayed("pay_overwritten")).verdict(), Fail);
        assert_eq!(story(got(500, "")).verdict(), Fail);
    }

    #[test]
    fn a_burst_in_which_nobody_ran_says_nothing() {
        let story = Story::of("concurrent")
            .burst("copies", &[busy(), busy(), busy()])
            .send("later", ran(ID))
            .count("effects", &[("k", 1)]);
        assert_eq!(story.verdict(), Inconclusive);
    }

    #[test]
    fn one_bad_round_among_good_ones_fails_and_is_named() {
        let mut story = Story::of("concurrent").rounds(3);
        for round in 0..3 {
            let effects = if round == 1 { 2 } else { 1 };
            story = story
                .burst("copies", &[ran(ID), busy(), busy()])
                .send("later", replayed(ID))
                .count("effects", &[("k", effects)]);
            if round < 2 {
                story = story.next_round();
            }
        }
        let finding = story.finding();
        assert_eq!(finding.verdict, Fail);
        assert!(
            finding.reason.starts_with("round 2: 2 effects"),
            "{}",
            finding.reason
        );
    }

    #[test]
    fn rounds_that_were_never_reached_leave_it_inconclusive() {
        let story = told(&[ran(ID), busy(), busy()], 1).rounds(5);
        assert_eq!(story.verdict(), Inconclusive);
    }

    #[test]
    fn a_pass_says_what_it_proves() {
        let gate = Event::Gate(GateProof {
            instance: "drill.concurrent@pay".into(),
            round: 0,
            gate: GateKind::Body,
            copies: 3,
            protocol: "HTTP/1.1".into(),
            spread_us: 120,
            gap12_us: 80,
            all_in_flight: true,
            early_answers: 1,
            in_step: true,
            repeated: false,
        });
        let finding = told(&[ran(ID), busy(), busy()], 1).event(gate).finding();
        let proof = finding.proof.join("\n");
        for words in [
            "3 copies x 1 round over HTTP/1.1",
            "worst 120 us",
            "about 80 us",
            "1 answers came before",
            "95 %",
        ] {
            assert!(proof.contains(words), "{words} in {proof}");
        }
    }

    const MIXED: &str = r#"
        id = "races.mixed"
        title = ""
        why = ""
        hint = ""
        check = [{ concurrent = { of = ["one", "other"], later = ["one-later", "other-later"], counted = "effects" } }]
        step = [
          { burst = { send = [{ as = "one", key = "k", body = "base" }, { as = "other", key = "k", body = "changed" }] } },
          { retry = { as = "one-later", key = "k", body = "base" } },
          { retry = { as = "other-later", key = "k", body = "changed" } },
          { count = { as = "effects" } },
        ]
    "#;

    #[test]
    fn of_two_bodies_one_runs_and_the_other_is_the_mismatch() {
        let story = |copies: &[Got], other_later: Got, effects: i64| {
            Story::text(MIXED)
                .burst("one,other", copies)
                .send("one-later", replayed(ID))
                .send("other-later", other_later)
                .count("effects", &[("k", effects)])
        };
        let refused = || got(422, "{}");
        assert_eq!(
            story(&[ran(ID), refused(), replayed(ID), busy()], refused(), 1).verdict(),
            Pass
        );
        assert_eq!(
            story(&[ran(ID), replayed(ID)], refused(), 1).verdict(),
            Fail
        );
        assert_eq!(
            story(&[ran(ID), ran("pay_other_1")], refused(), 2).verdict(),
            Fail
        );
        assert_eq!(
            story(&[ran(ID), refused()], replayed(ID), 1).verdict(),
            Fail
        );
        assert_eq!(
            story(&[ran(ID), refused()], busy(), 1).verdict(),
            Inconclusive
        );
        assert_eq!(
            story(&[ran(ID), with(got(400, ""), "x", "y")], refused(), 1).verdict(),
            Fail
        );
    }
}
