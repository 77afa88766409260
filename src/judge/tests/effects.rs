//! Stories of counts: what an intent had before it was first counted, what came after its last count, and how that is told.
//! They must not know any situation.

use super::story::{Got, Story, ran, replayed};
use crate::journal::{AttemptSent, Event};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};
use crate::judge::control;
use crate::judge::effects::{Change, Counted, Expected, change, judge};
use crate::judge::evidence::Evidence;
use crate::judge::tally::{Cited, Tally};
use std::collections::BTreeMap;

const ID: &str = "pay_7f3a9c21";

/// Three intents: `k`, one with its key, and one with its reference.
const KIN: &str = r#"
    id = "counts.kin"
    title = ""
    why = ""
    hint = ""
    keys = { same-key = { same-as = "k" }, same-reference = { same-reference-as = "k" } }
    check = [{ replay = { first = "first", second = "second", counted = "effects" } }]
    step = [
      { send = { as = "first", key = "k", body = "base" } },
      { send = { as = "second", key = "k", body = "base" } },
      { send = { as = "by-key", key = "same-key", body = "base" } },
      { send = { as = "by-reference", key = "same-reference", body = "base" } },
      { send = { as = "bare", body = "base" } },
      { count = { as = "effects" } },
    ]
"#;

/// How the count of an intent in account a changed from `before` to `effects`.
fn changed(story: Story, intent: &str) -> Change {
    let journal = story.end().journal();
    let contracts = &journal.start.contracts;
    let controls = BTreeMap::from([(
        "pay".to_owned(),
        control::examine(&journal, contracts, "pay"),
    )]);
    let evidence = Evidence {
        journal: &journal,
        contracts,
        instance: journal.instances.last().unwrap(),
        controls: Some(&controls),
        replies_only: false,
    };
    let scene = evidence.scenes().next().unwrap();
    let any = &journal.instances[0]
        .rounds
        .values()
        .next()
        .unwrap()
        .attempts[0];
    let sent = AttemptSent {
        intent: intent.to_owned(),
        operation: "pay".to_owned(),
        account: "a".to_owned(),
        ..any.sent.clone()
    };
    change(&scene, &sent, Some("before"), "effects")
}

/// Where the count of an intent is taken to have begun.
fn from(story: Story, intent: &str) -> i64 {
    match changed(story, intent) {
        Change::Changed { from, .. } => from,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_intent_not_counted_before_begins_where_its_twin_stood() {
    let story = |by_key: bool, by_reference: bool, before: &[(&str, i64)]| {
        Story::text(KIN)
            .start(|s| {
                let counter = s.operations[0].counter.as_mut().unwrap();
                (counter.by_key, counter.by_reference) = (by_key, by_reference);
            })
            .count("before", before)
            .count("effects", &[("same-reference", 3), ("same-key", 3)])
    };
    let before = [("k", 2)];
    assert_eq!(from(story(false, true, &before), "same-reference"), 2);
    assert_eq!(from(story(false, true, &before), "same-key"), 0);
    assert_eq!(from(story(true, false, &before), "same-key"), 2);
    assert_eq!(from(story(true, false, &before), "same-reference"), 0);
    // a counter that asks for both tells both apart, and one that asks for neither says nothing of any
    for intent in ["same-key", "same-reference"] {
        assert_eq!(from(story(true, true, &before), intent), 0);
        assert_eq!(from(story(false, false, &before), intent), 0);
    }
    // the same intent of another account or another operation is no twin
    assert_eq!(from(story(false, true, &[("k@b", 2)]), "same-reference"), 0);
    let elsewhere = story(false, true, &[("k/refund", 2)]);
    assert_eq!(from(elsewhere, "same-reference"), 0);
    // the first of several that is a twin
    let among = [("none", 5), ("k", 2)];
    assert_eq!(from(story(false, true, &among), "same-reference"), 2);
}

#[test]
fn the_twin_is_that_of_the_operation_under_test() {
    let story = Story::text(KIN)
        .count("before", &[("k", 2)])
        .count("effects", &[("other/refund", 9), ("same-reference", 3)]);
    assert_eq!(from(story, "same-reference"), 2);
    // an entry of another operation does not lend its reference
    let story = Story::text(KIN)
        .count("before", &[("k", 2)])
        .count("effects", &[("k/refund", 9), ("alone", 1)]);
    assert_eq!(from(story, "alone"), 0);
}

#[test]
fn a_twin_that_could_not_be_read_leaves_the_change_unknown() {
    let mut unread = false;
    let story = Story::text(KIN)
        .count("before", &[("k", 2)])
        .count("effects", &[("same-reference", 3)])
        .edit(|event| {
            if let Event::Count(count) = event
                && count.name == "before"
                && count.entries[0].intent == "k"
            {
                count.entries[0].value = None;
                unread = true;
            }
        });
    assert!(unread);
    assert!(matches!(
        changed(story, "same-reference"),
        Change::Unknown(_)
    ));
}

/// What came late for `k`, where something was sent after its count.
fn late(after: impl FnOnce(Story) -> Story) -> Option<i64> {
    let story = Story::text(KIN)
        .count("before", &[("k", 0)])
        .send("first", ran(ID))
        .count("effects", &[("k", 1)]);
    let story = after(story).count("final", &[("k", 2)]);
    match changed(story, "k") {
        Change::Changed { late, .. } => late,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_effect_that_came_after_the_count_is_late_unless_something_sent_since_may_have_made_it() {
    assert_eq!(late(|s| s), Some(2));
    assert_eq!(late(|s| s.send("second", replayed(ID))), None);
    assert_eq!(late(|s| s.send("by-key", replayed(ID))), None);
    assert_eq!(late(|s| s.send("by-reference", ran("pay_2"))), None);
    // what has neither its key nor its reference cannot
    assert_eq!(late(|s| s.send("bare", ran("pay_2"))), Some(2));
}

#[test]
fn two_requests_without_a_key_are_not_of_one_key() {
    let story = Story::text(KIN)
        .count("before", &[("", 0)])
        .send("bare", ran(ID))
        .count("effects", &[("", 1)])
        .send("bare", ran("pay_2"))
        .edit(|event| {
            if let Event::Attempt(sent) = event
                && sent.n == 6
            {
                sent.reference = "its own".into();
            }
        })
        .count("final", &[("", 2)]);
    let Change::Changed { late, .. } = changed(story, "") else {
        panic!("not counted");
    };
    assert_eq!(late, Some(2));
}

fn repeated(effects: i64) -> Story {
    Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", replayed(ID))
        .send("again", replayed(ID))
        .count("effects", &[("k", effects)])
}

#[test]
fn the_one_effect_that_came_late_is_not_one_too_many() {
    let story = |end: i64| repeated(0).count("final", &[("k", end)]);
    assert_eq!(story(1).verdict(), Inconclusive);
    assert_eq!(story(2).verdict(), Fail);
    // what was too much at once needs no late effect to be told
    let told = repeated(2).count("final", &[("k", 3)]).finding().reason;
    assert!(told.contains("2 effects counted"), "{told}");
    assert!(!told.contains("late"), "{told}");
}

/// A run whose counter adds two rows for each effect.
fn doubled(answer: Got, effects: i64) -> Story {
    Story::bare("replay")
        .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
        .send("first", ran("ctl_one_0001"))
        .count(
            "one",
            &[("k1", 2), ("k1@b", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)],
        )
        .send("fresh", ran("ctl_two_0002"))
        .send("changed", ran("ctl_chg_0003"))
        .send("second-account", ran("ctl_acc_0004"))
        .count("all", &[("k1", 2), ("k2", 2), ("kc", 2), ("kb@b", 2)])
        .end()
        .send("first", ran(ID))
        .send("repeat", answer)
        .send("again", replayed(ID))
        .count("effects", &[("k", effects)])
}

#[test]
fn rows_are_told_as_effects_where_one_effect_adds_several() {
    assert_eq!(doubled(replayed(ID), 2).verdict(), Pass);
    let told = |effects: i64| {
        let finding = doubled(replayed(ID), effects).finding();
        (finding.verdict, finding.reason)
    };
    let (verdict, reason) = told(4);
    assert_eq!(verdict, Fail);
    assert!(
        reason.contains("2 effects counted (one effect adds 2)"),
        "{reason}"
    );
    // half an effect more is too much all the same, and is told as what it is
    let (verdict, reason) = told(3);
    assert_eq!(verdict, Fail);
    assert!(
        reason.contains("3 rows counted (one effect adds 2)"),
        "{reason}"
    );
    let (verdict, reason) = told(1);
    assert_eq!(verdict, Inconclusive);
    assert!(reason.contains("no whole effect"), "{reason}");
    // and nothing of units where one effect adds one
    let plain = repeated(2).finding().reason;
    assert!(plain.contains("2 effects counted"), "{plain}");
    assert!(!plain.contains("adds"), "{plain}");
}

/// What is told of a change that is as expected.
fn words(from: i64, to: i64, unit: i64, (least, most): (i64, i64)) -> String {
    let contract = crate::contract::terms::open();
    let mut tally = Tally::new("check".into(), 1);
    let change = Change::Changed {
        from,
        to,
        unit,
        late: None,
        mixed: false,
    };
    let expected = Expected {
        least,
        most,
        cited: Cited::of(&contract.one_effect),
        meaning: String::new(),
        attempts: vec![],
        success_seen: false,
        words: "as expected".into(),
    };
    assert_eq!(judge(&mut tally, &change, expected), Counted::AsExpected);
    tally.finish(false).observed
}

#[test]
fn a_count_is_told_as_it_was_expected_or_as_it_was_seen() {
    assert_eq!(words(0, 1, 1, (1, 1)), "as expected");
    assert_eq!(words(4, 6, 2, (1, 1)), "as expected");
    assert_eq!(words(0, 1, 1, (0, 1)), "1 effect counted");
    assert_eq!(
        words(0, 4, 2, (0, 2)),
        "2 effects counted (one effect adds 2)"
    );
    assert_eq!(words(1, 1, 1, (0, 1)), "no new effect");
    assert_eq!(words(1, 2, 1, (0, 2)), "one more effect");
    assert_eq!(words(2, 4, 2, (0, 2)), "one more effect");
    assert_eq!(words(1, 3, 1, (0, 2)), "the count went from 1 to 3");
    assert_eq!(words(1, 1, 1, (1, 1)), "no new effect");
}
