//! Stories of the situation key-syntax, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed};
use crate::contract::{Answer, Contract, Replay};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn told(case: &str, first: Got, again: Got, effects: i64) -> Story {
    let one = i64::from(effects > 0);
    Story::of("syntax/key-shapes")
        .case(case)
        .send("first", first)
        .count("before", &[("k", one)])
        .send("again", again)
        .count("effects", &[("k", effects)])
        .contract(|c| c.key.value.most = Some(255))
}

fn no() -> Got {
    got(400, "{}")
}

#[test]
fn a_valid_key_protects() {
    assert_eq!(told("at-maximum", ran(ID), replayed(ID), 1).verdict(), Pass);
    assert_eq!(
        told("at-maximum", ran(ID), ran("pay_b5e0d11f"), 2).verdict(),
        Fail
    );
    assert_eq!(told("at-maximum", ran(ID), replayed(ID), 2).verdict(), Fail);
    assert_eq!(told("at-maximum", no(), no(), 0).verdict(), Fail);
    assert_eq!(
        told("at-maximum", got(500, ""), got(500, ""), 0).verdict(),
        Fail
    );
    assert_eq!(
        told("at-maximum", Got::Nothing, replayed(ID), 1).verdict(),
        Inconclusive
    );
}

#[test]
fn a_valid_key_is_no_less_valid_where_its_repeat_is_refused_as_one() {
    let refuses = |c: &mut Contract| {
        if let Answer::Refuse(how) = refuse(409) {
            c.replay.value = Replay::Refuse(how);
        }
        c.in_progress.value = Answer::Unspecified;
    };
    let story = |again: Got, effects: i64| {
        told("at-maximum", ran(ID), again, effects)
            .contract(refuses)
            .verdict()
    };
    assert_eq!(story(got(409, "{}"), 1), Pass);
    assert_eq!(story(got(409, "{}"), 2), Fail);
    assert_eq!(story(no(), 1), Fail);
}

#[test]
fn a_key_that_is_too_long_gets_what_is_declared() {
    let declared = |answer: Answer| move |c: &mut Contract| c.malformed.too_long.value = answer;
    let story = |first: Got, again: Got, effects: i64| told("over-maximum", first, again, effects);
    let refused = || declared(refuse(400));
    assert_eq!(story(no(), no(), 0).contract(refused()).verdict(), Pass);
    assert_eq!(story(no(), no(), 1).contract(refused()).verdict(), Fail);
    assert_eq!(
        story(got(422, ""), got(422, ""), 0)
            .contract(refused())
            .verdict(),
        Fail
    );
    assert_eq!(
        story(got(500, ""), got(500, ""), 0)
            .contract(refused())
            .verdict(),
        Fail
    );
    assert_eq!(
        story(ran(ID), ran("pay_b5e0d11f"), 2)
            .contract(refused())
            .verdict(),
        Fail
    );
    assert_eq!(
        story(ran(ID), replayed(ID), 1)
            .contract(refused())
            .verdict(),
        Fail
    );
    let accepted = || declared(Answer::Accept);
    assert_eq!(
        story(ran(ID), replayed(ID), 1)
            .contract(accepted())
            .verdict(),
        Pass
    );
    assert_eq!(
        story(ran(ID), ran("pay_b5e0d11f"), 2)
            .contract(accepted())
            .verdict(),
        Fail
    );
    assert_eq!(story(no(), no(), 0).contract(accepted()).verdict(), Fail);
    let open = || declared(Answer::Unspecified);
    assert_eq!(
        story(ran(ID), ran("pay_b5e0d11f"), 2)
            .contract(open())
            .verdict(),
        Observed
    );
}

#[test]
fn a_long_key_without_a_declared_greatest_length_is_refused_or_protects() {
    let undeclared = |c: &mut Contract| c.key.value.most = None;
    let story = |first: Got, again: Got, effects: i64| {
        told("over-maximum", first, again, effects).contract(undeclared)
    };
    assert_eq!(story(ran(ID), replayed(ID), 1).verdict(), Pass);
    assert_eq!(story(no(), no(), 0).verdict(), Observed);
    assert_eq!(story(ran(ID), ran("pay_b5e0d11f"), 2).verdict(), Fail);
}

#[test]
fn a_long_key_makes_no_server_fail_whatever_is_declared_of_its_length() {
    let story = |first: Got, again: Got, effects: i64| {
        told("high-entropy", first, again, effects).contract(|c| c.key.value.most = None)
    };
    let broken = || got(500, "");
    let first = story(broken(), broken(), 0).check("key-syntax:again");
    assert_eq!(
        (first.verdict, first.violated),
        (Warn, vec!["no-server-error".to_owned()])
    );
    // what follows a success is promised no failure
    assert_eq!(story(ran(ID), broken(), 1).verdict(), Fail);
    let waived = |c: &mut Contract| c.no_server_error.value = false;
    for (first, effects) in [(broken(), 0), (ran(ID), 1)] {
        let story = story(first, broken(), effects).contract(waived);
        assert_eq!(story.verdict(), Observed);
    }
    // a refusal, also one of a server that takes no such header, or of a gateway, is no failure of the server's
    assert_eq!(story(got(431, ""), got(431, ""), 0).verdict(), Observed);
    assert_eq!(story(got(502, ""), got(502, ""), 0).verdict(), Inconclusive);
    assert_eq!(story(ran(ID), replayed(ID), 1).verdict(), Pass);
}

#[test]
fn a_missing_key_runs_twice_or_is_refused_as_declared() {
    let declared = |answer: Answer| move |c: &mut Contract| c.missing.value = answer;
    let story = |first: Got, again: Got, effects: i64| told("missing", first, again, effects);
    assert_eq!(
        story(ran(ID), ran("pay_b5e0d11f"), 2)
            .contract(declared(Answer::Run))
            .verdict(),
        Pass
    );
    assert_eq!(
        story(ran(ID), replayed(ID), 1)
            .contract(declared(Answer::Run))
            .verdict(),
        Fail
    );
    assert_eq!(
        story(no(), no(), 0)
            .contract(declared(refuse(400)))
            .verdict(),
        Pass
    );
    let either = Answer::AnyOf(vec![Answer::Run, refuse(400)]);
    assert_eq!(
        story(no(), no(), 0)
            .contract(declared(either.clone()))
            .verdict(),
        Pass
    );
    assert_eq!(
        story(ran(ID), ran("pay_b5e0d11f"), 2)
            .contract(declared(either.clone()))
            .verdict(),
        Pass
    );
    assert_eq!(
        story(got(422, ""), got(422, ""), 0)
            .contract(declared(either))
            .verdict(),
        Fail
    );
}

#[test]
fn the_same_key_doubled_or_quoted_on_the_repeat_is_one_key_or_refused() {
    let story = |drill: &str, step: &str, second: Got, intent: &str, effects: i64| {
        Story::of(drill)
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send(step, second)
            .count("effects", &[("k", effects), (intent, effects)])
            .contract(|c| {
                c.malformed.twice.value = refuse(400);
                c.malformed.form.value = Answer::Accept;
            })
    };
    let doubled = |second: Got, effects: i64| {
        story("syntax/doubled-later", "doubled", second, "twice", effects)
    };
    assert_eq!(doubled(no(), 1).verdict(), Pass);
    assert_eq!(doubled(ran("pay_b5e0d11f"), 2).verdict(), Fail);
    assert_eq!(doubled(replayed(ID), 1).verdict(), Fail);
    let quoted =
        |second: Got, effects: i64| story("syntax/two-forms", "again", second, "other", effects);
    assert_eq!(quoted(replayed(ID), 1).verdict(), Pass);
    assert_eq!(quoted(ran("pay_b5e0d11f"), 2).verdict(), Fail);
    assert_eq!(quoted(no(), 1).verdict(), Fail);
}

#[test]
fn a_short_key_that_was_used_before_proves_nothing() {
    let accept = |c: &mut Contract| c.malformed.empty.value = Answer::Accept;
    assert_eq!(
        told("empty", ran(ID), replayed(ID), 1)
            .contract(accept)
            .verdict(),
        Pass
    );
    assert_eq!(
        told("empty", replayed(ID), replayed(ID), 0)
            .contract(accept)
            .verdict(),
        Inconclusive
    );
}

#[test]
fn a_valid_key_whose_request_is_never_completed_fails_by_its_bound() {
    let busy = || got(409, "{}");
    let told = |tries: usize| {
        Story::of("syntax/key-shapes")
            .case("at-maximum")
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .retry("again", 3000, &vec![busy(); tries])
            .count("effects", &[("k", 1)])
            .verdict()
    };
    assert_eq!(told(11), Fail);
    assert_eq!(told(2), Inconclusive);
}

/// One character is the key of a request of another operation, and then of one of this.
const ELSEWHERE: &str = r#"
    id = "syntax.elsewhere"
    title = ""
    why = ""
    hint = ""
    keys = { k = "one-character" }
    check = [{ key-syntax = { first = "first", second = "again", before = "before", counted = "effects" } }]
    step = [
      { send = { as = "elsewhere", key = "k", body = "base", operation = "other" } },
      { send = { as = "first", key = "k", body = "base" } },
      { count = { as = "before" } },
      { retry = { as = "again", key = "k", body = "base" } },
      { count = { as = "effects" } },
    ]
"#;

#[test]
fn a_short_key_that_another_operation_used_proves_nothing_unless_keys_belong_to_their_route() {
    let story = |route: Answer| {
        Story::text(ELSEWHERE)
            .with_refund()
            .send("elsewhere", ran(ID))
            .send("first", got(422, "{}"))
            .count("before", &[("k", 0)])
            .send("again", got(422, "{}"))
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.route.value = route)
            .verdict()
    };
    assert_eq!(story(Answer::Unspecified), Inconclusive);
    assert_eq!(story(Answer::Run), Fail);
}

#[test]
fn only_a_success_of_the_same_account_under_the_same_key_can_have_taken_it() {
    let step = r#"as = "elsewhere", key = "k""#;
    let story = |changed: &str, elsewhere: Got| {
        Story::text(&ELSEWHERE.replace(step, changed))
            .with_refund()
            .send("elsewhere", elsewhere)
            .send("first", got(422, "{}"))
            .count("before", &[("k", 0)])
            .send("again", got(422, "{}"))
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.route.value = Answer::Unspecified)
            .verdict()
    };
    assert_eq!(story(step, ran(ID)), Inconclusive);
    assert_eq!(story(step, got(400, "")), Fail);
    assert_eq!(story(r#"as = "elsewhere", key = "other""#, ran(ID)), Fail);
    let account = r#"as = "elsewhere", account = "b", key = "k""#;
    assert_eq!(story(account, ran(ID)), Fail);
}

#[test]
fn a_key_that_was_doubled_on_its_way_gets_one_of_the_declared_answers() {
    let story = |first: Got, second: Got, effects: i64| {
        Story::of("syntax/doubled-later")
            .send("first", first)
            .count("before", &[("k", 1)])
            .send("doubled", second)
            .count("effects", &[("k", 1), ("twice", effects)])
            .contract(|c| {
                c.malformed.twice.value = Answer::AnyOf(vec![refuse(400), Answer::Accept]);
            })
            .check("key-syntax:doubled")
    };
    assert_eq!(story(ran(ID), replayed(ID), 1).verdict, Pass);
    assert_eq!(story(ran(ID), no(), 1).verdict, Pass);
    let twice = story(ran(ID), ran("pay_b5e0d11f"), 2);
    assert_eq!(twice.verdict, Fail);
    assert!(twice.meaning.unwrap().contains("pays twice"));
    let other = story(ran(ID), got(404, "{}"), 1);
    assert_eq!(other.verdict, Fail);
    assert!(!other.meaning.unwrap().contains("pays twice"));
    // nothing ran, or nobody knows
    assert_eq!(story(no(), no(), 0).verdict, Inconclusive);
    assert_eq!(story(ran(ID), Got::Nothing, 1).verdict, Inconclusive);
    assert_eq!(story(ran(ID), got(502, ""), 1).verdict, Inconclusive);
}

#[test]
fn what_a_key_that_is_not_valid_met_is_told_apart() {
    let meaning = |first: Got, again: Got, effects: i64| {
        let check = told("over-maximum", first, again, effects)
            .contract(|c| c.malformed.too_long.value = refuse(400))
            .check("key-syntax:again");
        assert_eq!(check.verdict, Fail);
        check.meaning.unwrap()
    };
    assert!(meaning(ran(ID), ran("pay_b5e0d11f"), 2).contains("a retry pays twice"));
    assert!(meaning(got(500, ""), got(500, ""), 0).contains("makes the server fail"));
    assert!(meaning(ran(ID), replayed(ID), 1).contains("cannot rely on"));
}
