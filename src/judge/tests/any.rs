//! What holds of any history whatever: the judge does not break, and good rounds do not heal bad ones.
//! They must not know any situation.

use proptest::prelude::*;

use super::story::{Got, Story, contract, got, ran, refuse, replayed, steps_of, with};
use crate::contract::{Answer, BodyFidelity, Contract, Replay, Same, Sameness, Storage};
use crate::judge::Verdict;

const DRILLS: [&str; 30] = [
    "replay",
    "concurrent",
    "mismatch",
    "other-account",
    "after-retention",
    "in-progress",
    "control",
    "control/unkeyed",
    "fingerprint/equal-body",
    "fingerprint/written-otherwise",
    "methods/get",
    "methods/idempotent",
    "methods/other-body",
    "methods/other-resource",
    "methods/preflight",
    "methods/stale-if-match",
    "races/mixed-bodies",
    "recovery/reply-lost",
    "replicas/in-sequence",
    "retention/burst-after-expiry",
    "scope/no-credentials",
    "scope/other-query",
    "scope/other-credential",
    "storage/business-error",
    "storage/validation",
    "storage/server-error",
    "syntax/doubled-later",
    "syntax/key-shapes",
    "syntax/near-keys",
    "syntax/shared-bucket",
];

#[derive(Clone, Debug)]
enum Deed {
    Send(usize, usize),
    Burst(usize, Vec<usize>),
    Count(usize, Vec<i64>),
    Expire(bool),
    Held(bool),
    Round,
    Wait(u64),
}

fn answers() -> Vec<Got> {
    vec![
        ran("pay_7f3a9c21"),
        replayed("pay_7f3a9c21"),
        ran("7"),
        ran("pay_b5e0d11f"),
        got(200, "{}"),
        got(201, "not json \u{e9} <a>&b;"),
        got(409, r#"{"id":"pay_7f3a9c21"}"#),
        got(422, ""),
        got(400, "[1]"),
        got(401, ""),
        got(402, "{}"),
        got(404, ""),
        got(429, ""),
        got(500, ""),
        got(502, ""),
        got(503, ""),
        got(301, ""),
        got(204, ""),
        Got::Nothing,
        Got::NotSent,
        with(replayed("pay_7f3a9c21"), "set-cookie", "a=b; Path=/"),
        with(got(409, ""), "retry-after", "99999999999999999999"),
        with(got(204, ""), "access-control-allow-origin", "*"),
    ]
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        6 => (0..12_usize, 0..23_usize).prop_map(|(s, a)| Deed::Send(s, a)),
        2 => (0..12_usize, prop::collection::vec(0..23_usize, 0..5)).prop_map(|(s, a)| Deed::Burst(s, a)),
        4 => (0..6_usize, prop::collection::vec(prop_oneof![Just(0_i64), Just(1), Just(2), Just(-1), Just(i64::MAX)], 0..6))
            .prop_map(|(n, v)| Deed::Count(n, v)),
        1 => any::<bool>().prop_map(Deed::Expire),
        1 => any::<bool>().prop_map(Deed::Held),
        1 => Just(Deed::Round),
        1 => prop_oneof![Just(1_u64), Just(40_000)].prop_map(Deed::Wait),
    ];
    prop::collection::vec(deed, 0..14)
}

fn change(which: usize) -> impl FnOnce(&mut Contract) {
    move |c| {
        let answers = [
            Answer::Unspecified,
            Answer::Run,
            Answer::Replay,
            Answer::Wait,
            Answer::Accept,
            refuse(409),
            Answer::AnyOf(vec![Answer::Run, refuse(400)]),
        ];
        let answer = |n: usize| answers[(which + n) % answers.len()].clone();
        c.mismatch.value = answer(0);
        c.in_progress.value = answer(1);
        c.after_retention.value = answer(2);
        c.scope.account.value = answer(3);
        c.scope.anonymous.value = answer(4);
        c.scope.query.value = answer(5);
        c.missing.value = answer(6);
        c.malformed.twice.value = answer(1);
        c.malformed.empty.value = answer(2);
        c.methods.get.value = answer(3);
        let storage = [Storage::Unspecified, Storage::Stored, Storage::NotStored][which % 3];
        c.stored.business.value = storage;
        c.stored.validation.value = storage;
        c.stored.server_error.value = storage;
        c.fingerprint.whitespace.value =
            [Sameness::Same, Sameness::Different, Sameness::Unspecified][which % 3];
        c.replay.value = match which % 4 {
            0 => Replay::Unspecified,
            1 => Replay::Same(Same {
                body: BodyFidelity::Bytes,
                ..Same::default()
            }),
            2 => Replay::Current(Same::default()),
            _ => Replay::Refuse(crate::contract::Match::default()),
        };
        c.one_effect.value = !which.is_multiple_of(5);
    }
}

fn play(drill: &str, case: Option<&str>, deeds: &[Deed], control: bool) -> Story {
    let mut story = if control {
        Story::of(drill)
    } else {
        Story::bare(drill).end()
    };
    if let Some(case) = case {
        story = story.case(case);
    }
    let steps = steps_of(drill);
    let names = ["before", "effects", "end", "none", "one", "final"];
    let intents = ["k", "k2", "j", "fresh", "k@b", "k@a2"];
    for deed in deeds {
        story = match deed {
            Deed::Send(step, answer) => {
                story.send(&steps[step % steps.len()], answers()[*answer].clone())
            }
            Deed::Burst(step, list) => {
                let list: Vec<Got> = list.iter().map(|a| answers()[*a].clone()).collect();
                story.burst(&steps[step % steps.len()], &list)
            }
            Deed::Count(name, values) => {
                let entries: Vec<(&str, i64)> =
                    intents.iter().zip(values).map(|(i, v)| (*i, *v)).collect();
                story.count(names[*name], &entries)
            }
            Deed::Expire(done) => story.expire(*done),
            Deed::Held(proven) => story.held("slow", *proven, 1),
            Deed::Round => story.next_round(),
            Deed::Wait(ms) => story.wait_ms(*ms),
        };
    }
    story
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_history_breaks_the_judge(
        drill in 0..DRILLS.len(), which in 0..60_usize, control in any::<bool>(), counted in any::<bool>(), deeds in deeds()
    ) {
        let mut story = play(DRILLS[drill], None, &deeds, control).contract(change(which));
        if !counted {
            story = story.uncounted();
        }
        let judged = story.judged();
        for finding in &judged.findings {
            for check in &finding.checks {
                prop_assert!(!check.observed.contains("the check itself broke"), "{check:?}");
                // a verdict that is no pass says what it rests on
                prop_assert!(!check.observed.is_empty() && !check.id.is_empty());
                if check.verdict == Verdict::Fail || check.verdict == Verdict::Warn {
                    prop_assert!(check.clause.is_some() && check.meaning.is_some(), "{check:?}");
                }
                // nothing but the control itself, which the deeds may happen to tell
                if !control && !check.id.starts_with("control:") && check.verdict == Verdict::Pass {
                    prop_assert!(false, "a pass without a control: {check:?}");
                }
            }
        }
    }

    #[test]
    fn a_good_round_never_heals_a_bad_one(bad in 0..6_usize, before in 0..3_usize, after in 0..3_usize) {
        let id = "pay_7f3a9c21";
        let busy = || got(409, "{}");
        let good = |story: Story| {
            story.burst("copies", &[ran(id), busy(), replayed(id)]).send("later", replayed(id)).count("effects", &[("k", 1)])
        };
        let wrong = |story: Story| match bad {
            0 => story.burst("copies", &[ran(id), ran("pay_b5e0d11f")]).send("later", replayed(id)).count("effects", &[("k", 1)]),
            1 => story.burst("copies", &[ran(id), busy()]).send("later", replayed(id)).count("effects", &[("k", 2)]),
            2 => story.burst("copies", &[ran(id), got(500, "")]).send("later", replayed(id)).count("effects", &[("k", 1)]),
            3 => story.burst("copies", &[ran(id), got(418, "")]).send("later", replayed(id)).count("effects", &[("k", 1)]),
            4 => story.burst("copies", &[ran(id), busy()]).send("later", ran("pay_b5e0d11f")).count("effects", &[("k", 1)]),
            _ => story.queue("copies", &[ran(id), replayed(id)]).send("later", replayed(id)).count("effects", &[("k", 3)]),
        };
        let rounds = u32::try_from(before + after + 1).unwrap();
        let mut story = Story::of("concurrent").rounds(rounds);
        for _ in 0..before {
            story = good(story).next_round();
        }
        story = wrong(story);
        for _ in 0..after {
            story = good(story.next_round());
        }
        prop_assert_eq!(story.verdict(), Verdict::Fail);
    }

    #[test]
    fn what_passes_passes_with_one_more_good_round(rounds in 1..6_u32) {
        let id = "pay_7f3a9c21";
        let mut story = Story::of("concurrent").rounds(rounds);
        for n in 0..rounds {
            story = story.burst("copies", &[ran(id), replayed(id)]).send("later", replayed(id)).count("effects", &[("k", 1)]);
            if n + 1 < rounds {
                story = story.next_round();
            }
        }
        prop_assert_eq!(story.verdict(), Verdict::Pass);
    }
}

#[test]
fn the_contract_of_the_stories_is_a_whole_one() {
    assert_ne!(contract().mismatch.value, Answer::Unspecified);
}
