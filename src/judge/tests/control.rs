//! Stories of the situation control, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::judge::Verdict::{Fail, Inconclusive, Pass, Skip};

/// A control by its counts after nothing, one and all, and the replies to all but the first request.
pub(super) fn told(none: i64, one: i64, all: [i64; 4], replies: [Got; 3]) -> Story {
    let [fresh, changed, account] = replies;
    Story::bare("control")
        .count(
            "none",
            &[("k1", none), ("k2", none), ("kc", none), ("kb@b", none)],
        )
        .send("first", ran("one"))
        .count(
            "one",
            &[
                ("k1", one),
                ("k1@b", 0),
                ("k2", none),
                ("kc", none),
                ("kb@b", none),
            ],
        )
        .send("fresh", fresh)
        .send("changed", changed)
        .send("second-account", account)
        .count(
            "all",
            &[
                ("k1", all[0]),
                ("k2", all[1]),
                ("kc", all[2]),
                ("kb@b", all[3]),
            ],
        )
}

pub(super) fn three() -> [Got; 3] {
    [ran("two"), ran("three"), ran("four")]
}

#[test]
fn a_counter_from_zero_that_each_request_raises_alike_passes() {
    assert_eq!(told(0, 1, [1, 1, 1, 1], three()).verdict(), Pass);
    // a ledger writes two rows for one payment
    let ledger = told(0, 2, [2, 2, 2, 2], three()).finding();
    assert_eq!(ledger.verdict, Pass);
    assert!(
        ledger.reason.contains("one effect adds 2"),
        "{}",
        ledger.reason
    );
}

#[test]
fn a_counter_that_does_not_start_at_zero_or_does_not_rise_proves_nothing() {
    for (story, words) in [
        (told(7, 8, [8, 8, 8, 8], three()), "does not start at 0"),
        (told(0, 0, [0, 0, 0, 0], three()), "does not rise"),
        (
            told(0, 1, [2, 2, 2, 2], three()),
            "does not tell requests apart",
        ),
        (told(0, 1, [1, 3, 1, 1], three()), "by 3"),
        (told(0, 1, [1, 0, 1, 1], three()), "does not see"),
    ] {
        let finding = story.finding();
        assert_eq!(finding.verdict, Inconclusive);
        assert!(finding.reason.contains(words), "{}", finding.reason);
    }
}

#[test]
fn a_refused_fresh_key_or_changed_body_or_account_does_not_pass() {
    for (i, id) in ["control:fresh", "control:changed", "control:second-account"]
        .iter()
        .enumerate()
    {
        let mut replies = three();
        replies[i] = got(400, "{}");
        let mut all = [1, 1, 1, 1];
        all[i + 1] = 0;
        let check = told(0, 1, all, replies).check(id);
        assert_eq!(check.verdict, Inconclusive);
    }
}

#[test]
fn a_fresh_key_that_gets_the_first_result_is_no_key() {
    let finding = told(0, 1, [1, 0, 1, 1], [ran("one"), ran("three"), ran("four")]).finding();
    assert_eq!(finding.verdict, Inconclusive);
    assert!(
        finding.reason.contains("no effect of its own"),
        "{}",
        finding.reason
    );
    let blind = told(0, 1, [1, 1, 1, 1], [ran("one"), ran("three"), ran("four")]).uncounted();
    assert_eq!(blind.verdict(), Inconclusive);
}

#[test]
fn an_account_may_number_its_results_as_the_other_does() {
    let [fresh, changed, _] = three();
    let replies = || [fresh.clone(), changed.clone(), ran("one")];
    assert_eq!(
        told(0, 1, [1, 1, 1, 1], replies())
            .check("control:second-account")
            .verdict,
        Pass
    );
    let blind = told(0, 1, [1, 1, 1, 1], replies()).uncounted();
    assert_eq!(blind.check("control:second-account").verdict, Inconclusive);
}

#[test]
fn what_rests_on_a_control_that_did_not_pass_cannot_pass() {
    let id = "pay_7f3a9c21";
    let story = |broken: i64, repeat: Got| {
        Story::bare("replay")
            .count("none", &[("k1", broken), ("k2", broken)])
            .send("first", ran("one"))
            .count("one", &[("k1", broken + 1), ("k2", broken)])
            .send("fresh", ran("two"))
            .send("changed", ran("three"))
            .send("second-account", ran("four"))
            .count(
                "all",
                &[
                    ("k1", broken + 1),
                    ("k2", broken + 1),
                    ("kc", broken + 1),
                    ("kb@b", broken + 1),
                ],
            )
            .end()
            .send("first", ran(id))
            .send("repeat", repeat)
            .send("again", replayed(id))
            .count("effects", &[("k", 1)])
    };
    assert_eq!(story(0, replayed(id)).verdict(), Pass);
    assert_eq!(story(5, replayed(id)).verdict(), Inconclusive);
    // what the replies show stays
    assert_eq!(story(5, ran("pay_other_1")).verdict(), Fail);
}

#[test]
fn a_count_that_the_control_did_not_prove_fails_nobody() {
    let id = "pay_7f3a9c21";
    let story = Story::bare("replay")
        .count("none", &[("k1", 0), ("k2", 0)])
        .send("first", ran("one"))
        .count("one", &[("k1", 0), ("k2", 0)])
        .send("fresh", ran("two"))
        .count("all", &[("k1", 0), ("k2", 0)])
        .end()
        .send("first", ran(id))
        .send("repeat", replayed(id))
        .send("again", replayed(id))
        .count("effects", &[("k", 9)]);
    assert_eq!(story.verdict(), Inconclusive);
}

/// A control that passes, then the second request of the first one's reference.
fn twice(reply: Got, both: i64) -> Story {
    Story::bare("control")
        .control_begun()
        .send("same-reference", reply)
        .count("both", &[("k1", both), ("kr", both)])
}

#[test]
fn a_counter_that_ends_at_one_is_found_by_two_effects_of_one_reference() {
    let capped = twice(ran("other_0005"), 1).check("control:same-reference");
    assert_eq!(capped.verdict, Inconclusive);
    assert!(capped.observed.contains("stays 1"), "{}", capped.observed);
    let counts = twice(ran("other_0005"), 2);
    assert_eq!(counts.clone().check("control:same-reference").verdict, Pass);
    assert_eq!(counts.verdict(), Pass);
}

#[test]
fn a_reference_that_is_taken_once_shows_nothing_and_that_is_said() {
    for reply in [got(409, "{}"), replayed("ctl_one_0001")] {
        let finding = twice(reply.clone(), 1).finding();
        assert_eq!(finding.verdict, Pass, "{}", finding.reason);
        let said = finding
            .proof
            .iter()
            .any(|line| line.contains("never seen to say more than one"));
        assert!(said, "{:?}", finding.proof);
        let notes = twice(reply, 1).judged().notes;
        assert!(
            notes
                .iter()
                .any(|note| note.contains("more than one effect")),
            "{notes:?}"
        );
    }
}

#[test]
fn nothing_passes_by_a_counter_that_ends_at_one() {
    let id = "pay_7f3a9c21";
    let story = Story::bare("replay")
        .control_begun()
        .send("same-reference", ran("other_0005"))
        .count("both", &[("k1", 1), ("kr", 1)])
        .end()
        .send("first", ran(id))
        .send("repeat", replayed(id))
        .send("again", replayed(id))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.verdict(), Inconclusive);
}

#[test]
fn a_statement_that_counts_what_effects_share_is_named_although_it_can_say_two() {
    let story = twice(ran("other_0005"), 2).start(|s| {
        let counter = s.operations[0].counter.as_mut().unwrap();
        counter.text = "SELECT count(DISTINCT idem_key) FROM p WHERE ref = :ref".into();
    });
    let judged = story.judged();
    assert!(
        judged.notes.iter().any(|note| note.contains("DISTINCT")),
        "{:?}",
        judged.notes
    );
}

#[test]
fn without_an_identity_a_count_that_stays_is_no_proof_of_either() {
    let story = twice(ran("other_0005"), 1).start(|s| {
        s.operations[0].identity = crate::config::target::Identity::None;
    });
    assert_eq!(story.clone().check("control:same-reference").verdict, Skip);
    assert!(!story.judged().notes.is_empty());
}
