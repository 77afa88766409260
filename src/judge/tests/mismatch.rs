//! Stories of the situation mismatch, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, BodyMatch, Contract, Covers, HeaderMatch, Match};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn told(changed: Got, effects: i64) -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", changed)
        .count("effects", &[("k", effects)])
        .send("original", replayed(ID))
        .count("end", &[("k", effects)])
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("mismatch:changed").verdict
}

#[test]
fn the_declared_refusal_without_a_new_effect_passes() {
    let check = told(got(422, "{}"), 1).check("mismatch:changed");
    assert_eq!(check.verdict, Pass);
    assert!(
        check.observed.contains("no new effect"),
        "{}",
        check.observed
    );
}

#[test]
fn the_declared_refusal_with_a_new_effect_fails() {
    let check = told(got(422, "{}"), 2).check("mismatch:changed");
    assert_eq!(check.verdict, Fail);
    let meaning = check.meaning.unwrap();
    assert!(
        meaning.contains("something was done all the same"),
        "{meaning}"
    );
}

#[test]
fn the_first_reply_for_another_body_fails_and_so_does_a_new_result() {
    assert_eq!(verdict(told(replayed(ID), 1)), Fail);
    assert_eq!(verdict(told(ran("pay_other_1"), 2)), Fail);
    let check = told(ran("pay_other_1"), 2).check("mismatch:changed");
    assert!(
        check
            .observed
            .contains(" with another result (pay_other_1)"),
        "{check:?}"
    );
    assert_eq!(verdict(told(ran("pay_other_1"), 2).uncounted()), Fail);
    let replay = |c: &mut Contract| c.mismatch.value = Answer::Replay;
    assert_eq!(verdict(told(replayed(ID), 1).contract(replay)), Pass);
    let run = |c: &mut Contract| c.mismatch.value = Answer::Run;
    assert_eq!(verdict(told(ran("pay_other_1"), 2).contract(run)), Pass);
    assert_eq!(verdict(told(ran("pay_other_1"), 3).contract(run)), Fail);
}

#[test]
fn another_status_fails_or_warns_as_the_part_is_declared() {
    assert_eq!(verdict(told(got(400, "{}"), 1)), Fail);
    let should = |c: &mut Contract| c.mismatch.should_parts = vec!["status".into()];
    assert_eq!(verdict(told(got(400, "{}"), 1).contract(should)), Warn);
    // the effect stays a must
    assert_eq!(verdict(told(got(400, "{}"), 2).contract(should)), Fail);
    assert_eq!(verdict(told(replayed(ID), 1).contract(should)), Fail);
}

#[test]
fn a_declared_code_must_be_there() {
    let coded = |c: &mut Contract| {
        let Answer::Refuse(mut how) = refuse(422) else {
            unreachable!()
        };
        how.body = vec![BodyMatch {
            at: "/code".into(),
            is: vec!["reused".into()],
            has: vec![],
        }];
        c.mismatch.value = Answer::Refuse(how);
    };
    assert_eq!(
        verdict(told(got(422, r#"{"code":"reused"}"#), 1).contract(coded)),
        Pass
    );
    assert_eq!(
        verdict(told(got(422, r#"{"code":"invalid"}"#), 1).contract(coded)),
        Fail
    );
}

#[test]
fn a_body_that_is_refused_under_a_fresh_key_too_may_be_plain_validation() {
    let story = |changed: Got| {
        Story::bare("mismatch")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0)])
            .send("first", ran("one"))
            .count("one", &[("k1", 1), ("k2", 0), ("kc", 0)])
            .send("fresh", ran("two"))
            .send("changed", got(422, "{}"))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 0)])
            .end()
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("changed", changed)
            .count("effects", &[("k", 1)])
            .send("original", replayed(ID))
            .count("end", &[("k", 1)])
    };
    assert_eq!(verdict(story(got(422, "{}"))), Inconclusive);
    assert_eq!(verdict(story(replayed(ID))), Fail);
    assert_eq!(verdict(story(ran("pay_other_1"))), Fail);
}

#[test]
fn a_500_fails_and_a_gateway_is_unknown() {
    assert_eq!(verdict(told(got(500, ""), 1)), Fail);
    assert_eq!(verdict(told(got(502, ""), 1)), Inconclusive);
    assert_eq!(verdict(told(Got::Nothing, 1)), Inconclusive);
}

#[test]
fn an_open_clause_is_observed_only() {
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    let check = told(ran("pay_other_1"), 2)
        .contract(open)
        .check("mismatch:changed");
    assert_eq!(check.verdict, Observed);
    assert!(
        check.observed.contains("another result"),
        "{}",
        check.observed
    );
    let rose = "the count went from 1 to 2";
    assert!(check.observed.contains(rose), "{}", check.observed);
    let check = told(got(422, "{}"), 1).contract(open);
    let observed = check.check("mismatch:changed").observed;
    assert!(observed.contains("no new effect"), "{observed}");
}

#[test]
fn a_refusal_names_the_first_result_only_where_it_may() {
    let names = || got(422, &format!(r#"{{"existing":"{ID}"}}"#));
    let reveals = |may: Option<bool>| {
        move |c: &mut Contract| {
            if let Answer::Refuse(how) = &mut c.mismatch.value {
                how.reveals = may;
            }
        }
    };
    let leaks = |story: Story| story.check("nothing-leaks:changed").verdict;
    assert_eq!(
        verdict(told(names(), 1).contract(reveals(Some(false)))),
        Fail
    );
    let check = told(names(), 1)
        .contract(reveals(Some(false)))
        .check("mismatch:changed");
    assert!(check.expected.contains("reveals = false"), "{check:?}");
    assert_eq!(check.part.as_deref(), Some("reveals"));
    assert_eq!(leaks(told(names(), 1).contract(reveals(Some(false)))), Fail);
    assert_eq!(
        verdict(told(names(), 1).contract(reveals(Some(true)))),
        Pass
    );
    assert_eq!(leaks(told(names(), 1).contract(reveals(Some(true)))), Pass);
    assert_eq!(leaks(told(names(), 1)), Observed);
    assert_eq!(
        leaks(told(got(422, "{}"), 1).contract(reveals(Some(false)))),
        Pass
    );
}

#[test]
fn what_a_drill_is_for_is_observed_and_its_other_checks_make_no_pass_of_it() {
    let open = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    for (changed, effects) in [(replayed(ID), 1), (got(422, "{}"), 1)] {
        let story = told(changed, effects).contract(open);
        assert_eq!(story.verdict(), Observed);
    }
    assert_eq!(told(got(422, "{}"), 1).verdict(), Pass);
}

#[test]
fn a_success_that_names_no_result_is_judged_by_its_marker() {
    let nameless = || got(200, "{}");
    let marked = || with(nameless(), "idempotent-replayed", "true");
    assert_eq!(verdict(told(nameless(), 1)), Fail);
    assert_eq!(verdict(told(marked(), 1)), Fail);
    let run = |c: &mut Contract| c.mismatch.value = Answer::Run;
    assert_eq!(verdict(told(nameless(), 2).contract(run)), Pass);
    assert_eq!(verdict(told(marked(), 2).contract(run)), Fail);
    let replay = |c: &mut Contract| c.mismatch.value = Answer::Replay;
    assert_eq!(verdict(told(nameless(), 1).contract(replay)), Pass);
    assert_eq!(verdict(told(marked(), 1).contract(replay)), Pass);
}

#[test]
fn where_another_body_may_run_the_first_result_for_it_still_fails() {
    let run = |c: &mut Contract| c.mismatch.value = Answer::Run;
    assert_eq!(verdict(told(replayed(ID), 2).contract(run)), Fail);
    // a marker on a result of its own does not make it the first one's
    assert_eq!(
        verdict(told(replayed("pay_other_1"), 2).contract(run)),
        Pass
    );
    let accept = |c: &mut Contract| c.mismatch.value = Answer::Accept;
    assert_eq!(verdict(told(ran("pay_other_1"), 2).contract(accept)), Pass);
}

#[test]
fn a_policy_that_compares_nothing_takes_another_body_for_the_same_request() {
    let nothing = |c: &mut Contract| c.fingerprint.covers.value = Covers::None;
    assert_eq!(verdict(told(replayed(ID), 1).contract(nothing)), Pass);
}

#[test]
fn in_progress_is_no_answer_to_the_mismatch_until_its_bound_has_passed() {
    let story = |tries: usize| {
        Story::of("mismatch")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .retry("changed", 3000, &vec![got(409, "{}"); tries])
            .count("effects", &[("k", 1)])
    };
    assert_eq!(verdict(story(2)), Inconclusive);
    assert_eq!(verdict(story(9)), Inconclusive);
    assert_eq!(verdict(story(10)), Fail);
}

#[test]
fn without_a_count_before_the_first_effect_is_in_the_later_count() {
    let text = r#"
        id = "counts.after"
        title = ""
        why = ""
        hint = ""
        check = [{ mismatch = { first = "first", second = "changed", counted = "effects" } }]
        step = [
          { send = { as = "first", key = "k", body = "base" } },
          { retry = { as = "changed", key = "k", body = "changed" } },
          { count = { as = "effects" } },
        ]
    "#;
    let story = |changed: Got, effects: i64| {
        Story::text(text)
            .send("first", ran(ID))
            .send("changed", changed)
            .count("effects", &[("k", effects)])
    };
    let refused = story(got(422, "{}"), 1);
    assert_eq!(refused.verdict(), Pass);
    assert_eq!(story(got(422, "{}"), 2).verdict(), Fail);
    let run = |c: &mut Contract| c.mismatch.value = Answer::Run;
    let ran = || ran("pay_other_1");
    assert_eq!(story(ran(), 2).contract(run).verdict(), Pass);
    assert_eq!(story(ran(), 1).contract(run).verdict(), Inconclusive);
    assert_eq!(story(ran(), 3).contract(run).verdict(), Fail);
}

#[test]
fn of_several_declared_refusals_the_nearest_says_which_part_is_wrong() {
    let coded = |status: u16, code: &str| {
        let Answer::Refuse(mut how) = refuse(status) else {
            unreachable!()
        };
        how.body = vec![BodyMatch {
            at: "/code".into(),
            is: vec![code.into()],
            has: vec![],
        }];
        how
    };
    let headed = |name: &str| {
        let Answer::Refuse(mut how) = refuse(422) else {
            unreachable!()
        };
        how.header = vec![HeaderMatch {
            name: name.into(),
            is: vec![],
        }];
        how
    };
    let story = |answer: Got, declared: Vec<Match>, advised: &str| {
        let parts = vec![advised.to_owned()];
        verdict(told(answer, 1).contract(|c| {
            c.mismatch.value = Answer::AnyOf(declared.into_iter().map(Answer::Refuse).collect());
            c.mismatch.should_parts = parts;
        }))
    };
    let wrong = || got(422, r#"{"code":"wrong"}"#);
    // the status of one of them fits, and its code does not
    let codes = || vec![coded(422, "reused"), coded(400, "reused")];
    assert_eq!(story(wrong(), codes(), "code"), Warn);
    assert_eq!(story(wrong(), codes(), "status"), Fail);
    // all of one but a header fits
    let header = || vec![headed("X-Reason"), coded(422, "reused")];
    assert_eq!(story(wrong(), header(), "header"), Warn);
    assert_eq!(story(wrong(), header(), "code"), Fail);
    assert_eq!(story(got(418, ""), codes(), "status"), Warn);
}

#[test]
fn a_refusal_that_names_nothing_gives_nothing_away() {
    let secret = |c: &mut Contract| {
        if let Answer::Refuse(how) = &mut c.mismatch.value {
            how.reveals = Some(false);
        }
    };
    let other = || got(422, r#"{"detail":"key taken"}"#);
    assert_eq!(told(other(), 1).contract(secret).verdict(), Pass);
    let names = got(422, &format!(r#"{{"detail":"{ID}"}}"#));
    assert_eq!(verdict(told(names, 1).contract(secret)), Fail);
}

#[test]
fn a_refusal_beside_an_open_alternative_is_held_against_nobody() {
    let either = |c: &mut Contract| {
        c.mismatch.value = Answer::AnyOf(vec![refuse(422), Answer::Unspecified]);
    };
    assert_ne!(verdict(told(got(400, "{}"), 1).contract(either)), Fail);
    assert_eq!(verdict(told(got(400, "{}"), 1)), Fail);
}

#[test]
fn a_failure_is_a_failure_and_no_wrong_refusal() {
    let check = told(got(500, ""), 1).check("mismatch:changed");
    assert_eq!(check.violated, ["no-server-error"]);
    let waived = |c: &mut Contract| c.no_server_error.value = false;
    let check = told(got(500, ""), 1)
        .contract(waived)
        .check("mismatch:changed");
    assert_ne!(check.verdict, Fail, "{}", check.observed);
    assert!(check.observed.contains("500"), "{}", check.observed);
}

#[test]
fn an_effect_behind_a_refusal_is_told_apart_from_another_charge() {
    let meaning = |answer: Got| {
        let check = told(answer, 2).check("mismatch:changed");
        assert_eq!(check.verdict, Fail);
        check.meaning.unwrap()
    };
    assert!(meaning(got(422, "{}")).starts_with("The request was refused and something was done"));
}
