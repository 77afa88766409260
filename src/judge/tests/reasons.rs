//! Stories of what is said to be amiss, why, and by which clause: a reason that misleads is half a wrong verdict.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, BodyMatch, Contract, HeaderMatch, Replay};
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

const ID: &str = "pay_7f3a9c21";
const OTHER: &str = "pay_b5e0d11f";

#[test]
fn a_refusal_that_almost_fits_is_told_with_what_is_missing() {
    let declared = |c: &mut Contract| {
        if let Answer::Refuse(how) = &mut c.mismatch.value {
            how.body = vec![BodyMatch {
                at: "/code".into(),
                is: vec!["key-reused".into()],
                has: vec![],
            }];
            how.header = vec![HeaderMatch {
                name: "x-error".into(),
                is: vec![],
            }];
        }
    };
    let story = |changed: Got| {
        let check = Story::of("mismatch")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("changed", changed)
            .count("effects", &[("k", 1)])
            .send("original", replayed(ID))
            .count("end", &[("k", 1)])
            .contract(declared)
            .check("mismatch:changed");
        assert_eq!(check.verdict, Fail);
        check.observed
    };
    let code = || got(422, r#"{"code":"key-reused"}"#);
    for (answer, amiss) in [
        (got(400, "{}"), "which is not a declared status"),
        (got(422, "{}"), "without the declared code in its body"),
        (code(), "without the declared header"),
    ] {
        let observed = story(answer);
        assert!(observed.contains(amiss), "{observed}");
    }
}

/// The same key from a second account; what it got, what its fresh key got, and its own effects.
fn elsewhere(answer: Got, probe: Got, own: i64) -> CheckResult {
    Story::of("other-account")
        .case("a-first")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("k@b", 0)])
        .send("second", answer)
        .count("effects", &[("k", 1), ("k@b", own)])
        .send("probe", probe)
        .check("other-account:second")
}

#[test]
fn an_account_that_is_kept_from_its_own_request_is_told_by_the_clause_it_offends() {
    let refused = elsewhere(got(409, "{}"), ran("pay_probe"), 0);
    assert_eq!(refused.violated, ["scope.account"]);
    assert_eq!(refused.expected, "a result and an effect of its own");
    let failed = elsewhere(got(500, ""), ran("pay_probe"), 0);
    assert_eq!(
        (failed.violated, failed.part),
        (vec!["no-server-error".to_owned()], None)
    );
}

#[test]
fn whether_the_reader_of_another_s_reply_also_ran_is_said() {
    let meaning = |own: i64| {
        let check = elsewhere(replayed(ID), ran("pay_probe"), own);
        assert!(check.violated.contains(&"isolation".to_owned()));
        check.meaning.unwrap()
    };
    assert!(meaning(0).ends_with("was never carried out."));
    assert!(meaning(1).ends_with("was carried out unseen."));
}

#[test]
fn more_than_one_effect_elsewhere_offends_the_clause_that_speaks_of_it() {
    let story = |answer: Answer| {
        Story::of("other-account")
            .case("a-first")
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@b", 0)])
            .send("second", ran(OTHER))
            .count("effects", &[("k", 1), ("k@b", 2)])
            .send("probe", ran("pay_probe"))
            .contract(|c| c.scope.account.value = answer)
            .check("other-account:second")
            .violated
    };
    assert_eq!(story(Answer::Run), ["scope.account"]);
    assert_eq!(story(Answer::Unspecified), ["one-effect"]);
}

#[test]
fn another_result_for_a_repeat_is_a_second_effect_and_no_unlike_reply() {
    let story = |second: Got, effects: i64| {
        Story::of("replay")
            .send("first", ran(ID))
            .send("repeat", second)
            .send("again", replayed(ID))
            .count("effects", &[("k", effects)])
    };
    let check = story(ran(OTHER), 1).uncounted().check("replay:repeat");
    assert_eq!(check.violated, ["one-effect"]);
    let meaning = |second: Got| story(second, 2).check("replay:again").meaning.unwrap();
    assert!(meaning(replayed(ID)).contains("looks like a perfect replay"));
    let lost = story(Got::Nothing, 2)
        .check("replay:repeat")
        .meaning
        .unwrap();
    assert!(!lost.contains("looks like a perfect replay"), "{lost}");
    // a pass names the clause that promised the reply, or the floor where none does
    let clause = |story: Story| story.check("replay:repeat").clause.unwrap().name;
    assert_eq!(clause(story(replayed(ID), 1)), "replay");
    let open = |c: &mut Contract| c.replay.value = Replay::Unspecified;
    assert_eq!(clause(story(replayed(ID), 1).contract(open)), "one-effect");
}

#[test]
fn keys_that_are_taken_for_one_are_told_apart_from_keys_that_nobody_named() {
    let near = Story::of("syntax/near-keys")
        .case("prefix")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("j", 0)])
        .send("second", replayed(ID))
        .count("effects", &[("k", 1), ("j", 0)])
        .check("distinct-keys:second");
    assert!(
        near.meaning
            .unwrap()
            .starts_with("Two requests with different keys")
    );
    let empty = Story::of("syntax/shared-bucket")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("j", 0)])
        .send("second", replayed(ID))
        .count("effects", &[("k", 1), ("j", 0)])
        .check("distinct-keys:second");
    assert!(
        empty
            .meaning
            .unwrap()
            .starts_with("Requests that name no key")
    );
}

#[test]
fn a_gateway_s_reply_is_no_answer_of_the_service() {
    for status in [502, 504] {
        let gateway = || got(status, "");
        let near = Story::of("syntax/near-keys")
            .case("prefix")
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", gateway())
            .count("effects", &[("k", 1), ("j", 0)]);
        assert_eq!(near.check("distinct-keys:second").verdict, Inconclusive);
        let different = Story::of("in-progress")
            .during("first", 0, 300, ran(ID))
            .during("duplicate", 20, 25, got(409, "{}"))
            .during("different", 21, 25, gateway())
            .wait_ms(400)
            .count("effects", &[("k", 1)])
            .send("after", replayed(ID))
            .count("end", &[("k", 1)]);
        assert_eq!(
            different.check("in-progress:different").verdict,
            Inconclusive
        );
        let stranger = Story::of("scope/no-credentials")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("probe", got(401, ""))
            .send("second", gateway())
            .send("again", replayed(ID))
            .count("effects", &[("k", 1), ("fresh", 0)])
            .contract(|c| c.scope.anonymous.value = refuse(401));
        assert_eq!(stranger.check("other-scope:second").verdict, Inconclusive);
    }
}

#[test]
fn a_refusal_is_held_against_nobody_where_nothing_shows_that_the_first_was_open() {
    let story = |from: u64| {
        Story::of("in-progress")
            .during("first", 0, 10, ran(ID))
            .during("duplicate", from, 40, got(400, "{}"))
            .during("different", 11, 25, got(422, "{}"))
            .wait_ms(400)
            .count("effects", &[("k", 1)])
            .send("after", replayed(ID))
            .count("end", &[("k", 1)])
            .check("in-progress:duplicate")
            .verdict
    };
    assert_ne!(story(12), Fail);
    assert_ne!(story(12), Pass);
}

#[test]
fn a_first_reply_that_was_overtaken_may_be_the_replay() {
    let story = |first: Got, duplicate: Got| {
        Story::of("in-progress")
            .during("first", 0, 300, first)
            .during("duplicate", 20, 250, duplicate)
            .during("different", 21, 25, got(409, "{}"))
            .wait_ms(400)
            .count("effects", &[("k", 1)])
            .send("after", replayed(ID))
            .count("end", &[("k", 1)])
            .check("replay:after")
            .verdict
    };
    assert_eq!(story(replayed(ID), ran(ID)), Pass);
}

#[test]
fn a_resource_of_its_own_is_judged_by_its_own_clause() {
    let story = |second: Got, effects: i64| {
        Story::of("scope/other-resource")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("second", second)
            .send("probe", ran("pay_probe"))
            .count("effects", &[("k", effects)])
            .contract(|c| c.scope.resource.value = Answer::Run)
            .check("other-scope:second")
    };
    assert_eq!(story(ran(OTHER), 2).verdict, Pass);
    let shared = story(replayed(ID), 1);
    assert_eq!(
        (shared.verdict, shared.violated),
        (Fail, vec!["scope.resource".to_owned()])
    );
}

#[test]
fn of_a_cookie_its_value_is_what_leaks() {
    let cookie = |answer: Got, value: &str| with(answer, "set-cookie", value);
    let story = |first: &str, second: &str| {
        Story::of("other-account")
            .case("b-first")
            .send("first", cookie(ran(ID), first))
            .count("before", &[("k@b", 1), ("k", 0)])
            .send("second", cookie(ran(OTHER), second))
            .count("effects", &[("k@b", 1), ("k", 1)])
            .send("probe", ran("pay_probe"))
            .check("nothing-leaks:second")
            .verdict
    };
    assert_eq!(
        story("sid=7f3a9c21x; Path=/", "sid=7f3a9c21x; Secure"),
        Fail
    );
    assert_eq!(
        story("sid=7f3a9c21x; Path=/", "sid=0d11fb5e0; Path=/"),
        Pass
    );
}
