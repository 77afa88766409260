//! Stories of what a counter can show at all, and of what is said where it cannot.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::journal::{Event, Start};
use crate::judge::CheckResult;
use crate::judge::Verdict::{Inconclusive, Pass, Skip};

/// A control that passes, then the second request of the first one's reference.
fn twice(reply: Got, both: i64) -> Story {
    Story::bare("control")
        .control_begun()
        .send("same-reference", reply)
        .count("both", &[("k1", both), ("kr", both)])
}

fn seen(story: Story) -> CheckResult {
    story.check("control:same-reference")
}

fn says(lines: &[String], words: &str) -> bool {
    lines.iter().any(|line| line.contains(words))
}

/// What is proved of a control whose counter asks in some way.
fn proof(change: impl Fn(&mut crate::journal::CounterFacts)) -> Vec<String> {
    let change = |s: &mut Start| change(s.operations[0].counter.as_mut().unwrap());
    twice(ran("other_0005"), 2).start(change).finding().proof
}

#[test]
fn a_counter_is_told_what_it_cannot_show_by_the_way_in_which_it_asks() {
    let by_key = "tells effects apart by the key alone";
    assert!(says(
        &proof(|c| (c.by_key, c.by_reference) = (true, false)),
        by_key
    ));
    assert!(!says(
        &proof(|c| (c.by_key, c.by_reference) = (true, true)),
        by_key
    ));
    assert!(!says(
        &proof(|c| (c.by_key, c.by_reference) = (false, false)),
        by_key
    ));
    let page = "reads a list that ends at 20";
    assert!(says(&proof(|c| c.page = Some(20)), page) && !says(&proof(|_| {}), page));
}

#[test]
fn a_word_that_counts_effects_once_is_named_where_it_is_one() {
    let said = |kind: &str, text: &str| {
        let lines = proof(|c| (c.kind, c.text) = (kind.into(), text.into()));
        lines.iter().any(|line| line.contains("are counted once"))
    };
    for (text, is_named) in [
        ("select count(distinct a) from p where r = :ref", true),
        ("SELECT EXISTS (SELECT 1 FROM p WHERE r = :ref)::int", true),
        ("SELECT bool_or(done)::int FROM p WHERE r = :ref", true),
        ("SELECT LEAST(count(*), 1) FROM p WHERE r = :ref", true),
        (
            "SELECT count(*) FROM distinct_payments WHERE r = :ref",
            false,
        ),
        ("SELECT count(*) FROM p WHERE r = :ref", false),
    ] {
        assert_eq!(said("sql", text), is_named, "{text}");
    }
    assert!(!said("http", "GET /distinct?r={{ref}}, /count"));
}

#[test]
fn why_two_effects_were_not_tried_is_noted_with_the_reason_that_the_plan_gave() {
    let why =
        "a PUT done twice is one effect: the counter was never seen to say more than one effect";
    let noted = |left_out: &[&str]| {
        let lines: Vec<String> = left_out.iter().map(|line| (*line).to_owned()).collect();
        let story = Story::bare("control").control_begun();
        let story = story.start(|s| s.plan[0].left_out.clone_from(&lines));
        story.judged().notes
    };
    let other = "`second-account`: the target declares no account `b`";
    let notes = noted(&[other, &format!("`same-reference`: {why}")]);
    assert!(says(&notes, "a PUT done twice is one effect"), "{notes:?}");
    assert!(!says(&notes, "`same-reference`"), "{notes:?}");
    let notes = noted(&[other]);
    assert!(!says(&notes, "more than one effect"), "{notes:?}");
}

#[test]
fn a_second_request_that_is_refused_or_gets_the_first_result_is_skipped_and_said() {
    for (reply, words) in [
        (got(409, "{}"), "is refused (attempt 5 got 409)"),
        (
            ran("ctl_one_0001"),
            "gets the first's result (attempt 5 got 201)",
        ),
        (
            replayed("other_0005"),
            "gets the first's result (attempt 5 got 201)",
        ),
    ] {
        let check = seen(twice(reply.clone(), 1));
        assert_eq!(check.verdict, Skip, "{}", check.observed);
        assert!(check.observed.contains(words), "{}", check.observed);
        let proof = twice(reply, 1).finding().proof;
        assert!(says(&proof, "never seen to say more than one"), "{proof:?}");
    }
}

#[test]
fn nothing_is_compared_without_a_counter_or_a_first_effect() {
    assert_eq!(seen(twice(ran("other_0005"), 2).uncounted()).verdict, Skip);
    let unanswered = twice(ran("other_0005"), 2).edit(|event| {
        if let Event::Outcome(done) = event
            && done.n == 1
            && let crate::journal::Outcome::Replied(reply) = &mut done.outcome
        {
            reply.status = 500;
        }
    });
    let check = seen(unanswered);
    assert_eq!(check.verdict, Skip);
    assert!(
        check.observed.contains("nothing to compare"),
        "{}",
        check.observed
    );
}

#[test]
fn a_count_that_failed_or_was_not_taken_shows_nothing_either_way() {
    for name in ["all", "both"] {
        let failed = twice(ran("other_0005"), 2).edit(|event| {
            if let Event::Count(count) = event
                && count.name == name
            {
                for entry in &mut count.entries {
                    (entry.value, entry.error) = (None, Some("no such table".into()));
                }
            }
        });
        let check = seen(failed);
        assert_eq!(check.verdict, Inconclusive);
        assert!(
            check.observed.contains("no such table"),
            "{}",
            check.observed
        );
    }
    let cut = Story::bare("control")
        .control_begun()
        .send("same-reference", ran("other_0005"));
    assert_eq!(seen(cut).verdict, Inconclusive);
}

#[test]
fn the_count_that_is_compared_is_that_of_the_first_request() {
    // other intents, accounts and operations are counted beside it, and stay
    let among = |first: i64| {
        Story::bare("control")
            .control_begun()
            .send("same-reference", ran("other_0005"))
            .count(
                "both",
                &[
                    ("k2", 1),
                    ("k1@b", 0),
                    ("k1/refund", 0),
                    ("k1", first),
                    ("kr", first),
                ],
            )
    };
    assert_eq!(seen(among(2)).verdict, Pass);
    let stays = seen(among(1));
    assert_eq!(stays.verdict, Inconclusive);
    assert!(stays.observed.contains("stays 1"), "{}", stays.observed);
}
