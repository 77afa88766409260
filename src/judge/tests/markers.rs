//! Stories of the header that tells a first reply from a replay.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, ran, with};
use crate::contract::Marker;
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Pass};

const ID: &str = "pay_7f3a9c21";

fn told(marker: Marker, first: Got, repeat: Got) -> CheckResult {
    Story::of("replay")
        .send("first", first)
        .send("repeat", repeat.clone())
        .send("again", repeat)
        .count("effects", &[("k", 1)])
        .contract(|c| c.marker.value = marker)
        .check("replay:repeat")
}

fn says(value: &str) -> Got {
    with(ran(ID), "x-replay", value)
}

#[test]
fn a_first_reply_carries_what_first_replies_are_declared_to_carry() {
    let story = |first: Got, repeat: Got| {
        let marker = Marker::Header {
            name: "X-Replay".into(),
            replay: vec!["true".into()],
            first: vec!["false".into(), "new".into()],
        };
        told(marker, first, repeat)
    };
    for value in ["false", "new", "NEW", " false "] {
        assert_eq!(story(says(value), says("true")).verdict, Pass, "{value}");
    }
    for first in [ran(ID), says("true"), says("other")] {
        let check = story(first, says("true"));
        assert_eq!(check.violated, ["marker"]);
        assert_eq!(check.expected, "X-Replay: false or new on the first reply");
    }
    // several lines of which one says it
    let lines = with(says("cached"), "x-replay", "new");
    assert_eq!(story(lines, says("true")).verdict, Pass);
}

#[test]
fn a_header_that_stands_on_every_reply_may_have_one_of_several_values() {
    let story = |first: Got, repeat: Got| {
        let marker = Marker::Always {
            name: "X-Replay".into(),
            is: vec!["seen".into(), "kept".into()],
        };
        told(marker, first, repeat).verdict
    };
    assert_eq!(story(says("seen"), says("kept")), Pass);
    assert_eq!(story(says("kept"), says("seen")), Pass);
    assert_eq!(story(says("seen"), ran(ID)), Fail);
    assert_eq!(story(ran(ID), says("seen")), Fail);
    assert_eq!(story(says("seen"), says("other")), Fail);
}

#[test]
fn of_copies_that_are_all_marked_or_all_unmarked_it_is_said_which() {
    let story = |unmarked: usize, marked: usize| {
        let mut copies = vec![ran(ID); unmarked];
        copies.extend(vec![with(ran(ID), "idempotent-replayed", "true"); marked]);
        Story::of("concurrent")
            .burst("copies", &copies)
            .send("later", with(ran(ID), "idempotent-replayed", "true"))
            .count("effects", &[("k", 1)])
            .check("concurrent:copies")
    };
    assert_eq!(story(1, 2).verdict, Pass);
    let all = story(0, 3);
    assert_eq!(
        (all.verdict, all.meaning.as_deref()),
        (Fail, Some("No copy says that it ran."))
    );
    let none = story(2, 1);
    let meaning = none.meaning.as_deref();
    assert_eq!(
        (none.verdict, meaning),
        (Fail, Some("Several copies say that they ran."))
    );
    // those that say they ran come first, each attempt once
    let n = none.attempts[0];
    assert_eq!(none.attempts, [n, n + 1, n + 2]);
}
