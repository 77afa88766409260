//! Stories of keys that grow old before their request is repeated, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::contract::{Contract, Length};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass};

const ID: &str = "pay_7f3a9c21";

fn promised(length: Length) -> impl FnOnce(&mut Contract) {
    move |c| c.retention.value.at_least = Some(length)
}

fn day() -> impl FnOnce(&mut Contract) {
    promised(Length::seconds(24 * 3600))
}

fn told(late: Got, effects: i64) -> Story {
    Story::of("within-retention")
        .send("first", ran(ID))
        .wait_ms(12_000)
        .send("late", late)
        .count("effects", &[("k", effects)])
}

#[test]
fn a_key_that_holds_passes_and_the_report_says_how_old_it_was() {
    let judged = told(replayed(ID), 1).contract(day()).judged();
    let finding = &judged.findings[1];
    assert_eq!(finding.verdict, Pass, "{finding:?}");
    assert!(
        finding
            .proof
            .iter()
            .any(|p| p.contains("12.0 s") && p.contains("at least 24h")),
        "{:?}",
        finding.proof
    );
    let note = "keys of up to 12.0 s of age were seen to hold";
    assert!(judged.notes.iter().any(|n| n == note), "{:?}", judged.notes);
}

#[test]
fn a_key_that_is_forgotten_within_the_promise_fails_and_its_age_is_said() {
    for story in [
        told(ran("pay_other_1"), 2),
        told(ran("pay_other_1"), 2).uncounted(),
    ] {
        let judged = story.contract(day()).judged();
        let finding = &judged.findings[1];
        assert_eq!(finding.verdict, Fail);
        assert!(
            finding.reason.contains("12.0 s after"),
            "{}",
            finding.reason
        );
        let meaning = finding.checks[0].meaning.as_deref().unwrap();
        assert!(meaning.contains("although 24h are promised"), "{meaning}");
        assert!(!judged.notes.iter().any(|n| n.contains("seen to hold")));
    }
    // perfect replies, and the work is done again
    let check = told(replayed(ID), 2).contract(day()).check("replay:late");
    assert_eq!(check.verdict, Fail);
    assert!(check.meaning.unwrap().contains("a perfect replay"));
}

#[test]
fn without_a_promise_it_is_only_observed_and_said_all_the_same() {
    let observed = |story: Story, words: &str| {
        let finding = story.finding();
        assert_eq!(finding.verdict, Observed, "{finding:?}");
        assert!(finding.reason.contains(words), "{}", finding.reason);
        assert!(
            finding.reason.contains("12.0 s after"),
            "{}",
            finding.reason
        );
        assert!(finding.checks[0].clause.as_ref().unwrap().name == "retention");
    };
    observed(told(ran("pay_other_1"), 2), "the key was forgotten");
    observed(told(ran("pay_other_1"), 2).uncounted(), "another result");
    observed(told(replayed(ID), 2), "2 effects were counted");
    observed(told(replayed(ID), 1), "the same result");
    observed(told(got(409, "{}"), 1), "409");
}

#[test]
fn a_key_older_than_the_promise_is_not_judged() {
    let promise = || promised(Length::seconds(12));
    let late = told(ran("pay_other_1"), 2).contract(promise());
    let finding = late.finding();
    assert_eq!(finding.verdict, Inconclusive);
    assert!(finding.reason.contains("too late"), "{}", finding.reason);
    assert_eq!(
        told(replayed(ID), 1).contract(promise()).verdict(),
        Inconclusive
    );
    let just = promised(Length::seconds(13));
    assert_eq!(told(ran("pay_other_1"), 2).contract(just).verdict(), Fail);
}

#[test]
fn a_share_of_the_retention_is_judged_alike() {
    let story = |late: Got, effects| {
        Story::of("retention/inside-window")
            .send("first", ran(ID))
            .wait_ms(6_000)
            .send("late", late)
            .count("effects", &[("k", effects)])
            .contract(promised(Length::seconds(10)))
    };
    assert_eq!(story(replayed(ID), 1).verdict(), Pass);
    let finding = story(ran("pay_other_1"), 2).finding();
    assert_eq!(finding.verdict, Fail);
    assert!(finding.reason.contains("6.0 s after"), "{}", finding.reason);
}

#[test]
fn a_wait_that_a_drill_names_itself_says_nothing_of_retention() {
    let text = r#"
id = "mine.late-twin"
title = "t"
why = "w"
hint = "h"
[[step]]
send = { as = "first", key = "k", body = "base" }
[[step]]
wait = { for = "2s" }
[[step]]
retry = { as = "late", key = "k", body = "base" }
[[step]]
count = { as = "effects" }
[[check]]
replay = { first = "first", second = "late", counted = "effects" }
"#;
    let story = |late: Got, effects| {
        Story::text(text)
            .send("first", ran(ID))
            .wait_ms(2_000)
            .send("late", late)
            .count("effects", &[("k", effects)])
    };
    assert_eq!(story(replayed(ID), 1).verdict(), Pass);
    assert_eq!(
        story(ran("pay_other_1"), 2).verdict(),
        Fail,
        "retention or not"
    );
}
