//! Stories of what a reader is told about a leak, and of replies in which none can be seen.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::contract::{Answer, Contract};
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass};

const ID: &str = "pay_7f3a9c21";

fn across(first: Got, second: Got) -> Story {
    Story::of("other-account")
        .case("b-first")
        .send("first", first)
        .count("before", &[("k@b", 1), ("k", 0)])
        .send("second", second)
        .count("effects", &[("k@b", 1), ("k", 1)])
        .send("probe", ran("pay_probe"))
}

fn within(refusal: Got, reveals: Option<bool>) -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", refusal)
        .count("effects", &[("k", 1)])
        .send("original", replayed(ID))
        .count("end", &[("k", 1)])
        .contract(move |c: &mut Contract| {
            if let Answer::Refuse(how) = &mut c.mismatch.value {
                how.reveals = reveals;
            }
        })
}

fn second(story: Story) -> CheckResult {
    story.check("nothing-leaks:second")
}

fn changed(story: Story) -> CheckResult {
    story.check("nothing-leaks:changed")
}

#[test]
fn it_is_said_whose_value_it_was_and_by_which_clause() {
    let refused = || got(422, &format!(r#"{{"detail":"see {ID}"}}"#));
    let check = second(across(ran(ID), refused()));
    assert_eq!(check.verdict, Fail);
    assert_eq!(check.clause.unwrap().name, "isolation");
    assert_eq!(check.expected, "nothing that was made for account b");
    assert!(check.observed.contains("made for account b"));
    assert!(check.meaning.unwrap().starts_with("One account reads"));

    let check = changed(within(refused(), Some(false)));
    assert_eq!(check.verdict, Fail);
    assert_eq!(check.clause.unwrap().name, "mismatch");
    assert_eq!(
        check.expected,
        "nothing that was made for the first request"
    );
    assert!(check.observed.contains("made for the first request"));
    assert!(check.meaning.unwrap().starts_with("Who guesses a key"));
}

#[test]
fn a_clean_reply_is_told_by_the_same_clauses() {
    let check = second(across(ran(ID), ran("pay_b5e0d11f")));
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Pass, "isolation")
    );
    let check = changed(within(got(422, "{}"), Some(false)));
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Pass, "mismatch")
    );
    assert!(check.observed.contains("names nothing of the first reply"));
}

#[test]
fn a_refusal_that_may_name_the_first_result_is_told_with_what_it_names() {
    let refused = || got(422, &format!(r#"{{"detail":"see {ID}"}}"#));
    let named = changed(within(refused(), Some(true)));
    assert_eq!(named.verdict, Pass);
    assert!(
        named
            .observed
            .contains(&format!("names `{ID}` of the first reply"))
    );
    let open = changed(within(refused(), None));
    assert_eq!(open.verdict, Observed);
    assert!(
        open.observed
            .contains(&format!("names `{ID}` of the first reply"))
    );
    let silent = changed(within(got(422, "{}"), None));
    assert_eq!(silent.verdict, Observed);
    assert!(silent.observed.contains("names nothing of the first reply"));
}

#[test]
fn of_many_values_three_are_named_and_the_others_counted() {
    let receipts =
        |n: usize| -> Vec<String> { (1..=n).map(|i| format!("rcpt-9918{i}-x")).collect() };
    let story = |n: usize| {
        let list = serde_json::to_string(&receipts(n)).unwrap();
        let first = got(201, &format!(r#"{{"id":"pay_7","receipts":{list}}}"#));
        second(across(first, got(409, &list))).observed
    };
    let three = story(3);
    assert!(
        three.contains("`rcpt-99181-x`, `rcpt-99182-x`, `rcpt-99183-x`, made for"),
        "{three}"
    );
    let five = story(5);
    assert!(
        five.contains("`rcpt-99183-x` and 2 more, made for"),
        "{five}"
    );
}

#[test]
fn where_one_of_the_replies_is_lost_nothing_can_be_compared() {
    for (first, other) in [(ran(ID), Got::Nothing), (Got::Nothing, ran(ID))] {
        let check = second(across(first, other));
        assert_eq!(check.verdict, Inconclusive);
        assert!(
            check.observed.contains("no reply within 30 s"),
            "{}",
            check.observed
        );
    }
    let never = Story::of("other-account")
        .case("b-first")
        .send("first", ran(ID));
    let check = second(never);
    assert_eq!(check.verdict, Inconclusive);
    assert!(
        check.observed.contains("`second` was not reached"),
        "{}",
        check.observed
    );
}

#[test]
fn a_value_counts_as_a_leak_only_where_accounts_are_to_be_kept_apart() {
    let told = || across(ran(ID), got(409, &format!(r#"{{"detail":"see {ID}"}}"#)));
    let together = |c: &mut Contract| c.isolation.value = false;
    assert_eq!(second(told()).verdict, Fail);
    assert_eq!(second(told().contract(together)).verdict, Observed);
}

#[test]
fn a_success_for_another_body_is_no_refusal_that_gives_something_away() {
    let story = within(replayed(ID), Some(false));
    assert_ne!(changed(story.clone()).verdict, Fail);
    assert_eq!(story.check("mismatch:changed").verdict, Fail);
}

#[test]
fn without_an_ordinary_reply_to_its_reader_only_the_identity_is_certain() {
    let policy = "terms-of-service-v2";
    let made = |id: &str| got(201, &format!(r#"{{"id":"{id}","see":"{policy}"}}"#));
    // the second account's control got no reply to learn from
    let story = |answer: Got| {
        Story::bare("other-account")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", made("ctl_one_0001"))
            .count(
                "one",
                &[("k1", 1), ("k1@b", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)],
            )
            .send("fresh", made("ctl_two_0002"))
            .send("changed", made("ctl_chg_0003"))
            .send("second-account", Got::Nothing)
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)])
            .end()
            .case("a-first")
            .send("first", made(ID))
            .count("before", &[("k", 1), ("k@b", 0)])
            .send("second", answer)
            .count("effects", &[("k", 1), ("k@b", 0)])
            .send("probe", made("pay_probe"))
    };
    assert_ne!(second(story(made("pay_b5e0d11f"))).verdict, Fail);
    assert_eq!(
        second(story(got(409, &format!(r#"{{"detail":"{ID}"}}"#)))).verdict,
        Fail
    );
}
