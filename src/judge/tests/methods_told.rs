//! Stories of what a reader is told about methods, and of replies that say nothing of them.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, with};
use crate::contract::Answer;
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Inconclusive, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

fn read(answer: Answer, replies: [Got; 3]) -> CheckResult {
    let [before, write, after] = replies;
    Story::of("methods/get")
        .start(|s| s.operations[0].method = "GET".into())
        .contract(|c| c.methods.get.value = answer)
        .send("before", before)
        .send("write", write)
        .send("after", after)
        .check("keyed-method:after")
}

#[test]
fn a_read_is_told_with_the_state_that_came() {
    let list = |body: &str| got(200, body);
    let old = read(Answer::Run, [list("[]"), ran(ID), list("[]")]);
    assert_eq!(
        (old.verdict, old.expected.as_str()),
        (Fail, "the state of now")
    );
    assert!(
        old.observed.contains("the state of before the write"),
        "{}",
        old.observed
    );
    let new = read(Answer::Replay, [list("[]"), ran(ID), list("[1]")]);
    assert_eq!(
        (new.verdict, new.expected.as_str()),
        (Fail, "the first reply again")
    );
    assert!(
        new.observed.contains("the state of now"),
        "{}",
        new.observed
    );
}

#[test]
fn a_read_proves_nothing_where_one_of_the_three_did_not_succeed() {
    let list = || got(200, "[]");
    for replies in [
        [list(), got(400, "{}"), list()],
        [got(404, ""), ran(ID), got(404, "")],
        [list(), ran(ID), got(404, "")],
        [list(), Got::Nothing, list()],
    ] {
        assert_eq!(read(Answer::Run, replies).verdict, Inconclusive);
    }
}

#[test]
fn a_delete_that_finds_nothing_left_is_right_and_another_result_is_named() {
    let story = |method: &'static str, second: Got, effects: i64| {
        Story::of("methods/idempotent")
            .case("without-key")
            .start(|s| s.operations[0].method = method.into())
            .contract(|c| {
                c.methods.put.value = Answer::Run;
                c.methods.delete.value = Answer::Run;
            })
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("second", second)
            .count("effects", &[("k", effects)])
            .check("keyed-method:second")
    };
    for (method, clause) in [("PUT", "methods.put"), ("DELETE", "methods.delete")] {
        let gone = story(method, got(404, ""), 1);
        assert_eq!(
            (gone.verdict, gone.clause.unwrap().name.as_str()),
            (Pass, clause)
        );
        let other = story(method, ran("pay_b5e0d11f"), 1);
        assert_eq!(other.verdict, Fail);
        assert!(
            other.observed.ends_with("with another result"),
            "{}",
            other.observed
        );
        let refused = story(method, got(409, ""), 1);
        assert_eq!(refused.verdict, Fail);
        assert!(
            !refused.observed.contains("another result"),
            "{}",
            refused.observed
        );
    }
}

#[test]
fn a_limit_is_no_refusal_of_a_stale_precondition() {
    let story = |status: u16| {
        Story::of("methods/stale-if-match")
            .count("before", &[("k", 0)])
            .send("stale", got(status, ""))
            .count("effects", &[("k", 0)])
            .contract(|c| c.methods.stale_if_match.value = refuse(412))
            .verdict()
    };
    assert_eq!(story(429), Inconclusive);
    assert_eq!(story(428), Fail);
}

#[test]
fn the_marker_is_exposed_by_ordinary_replies() {
    let cors = |answer: Got| with(answer, "access-control-allow-origin", "*");
    let story = |ordinary: fn(Got) -> Got| {
        Story::bare("methods/preflight")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", ordinary(cors(ran("ctl_one_0001"))))
            .count(
                "one",
                &[("k1", 1), ("k1@b", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)],
            )
            .send("fresh", ran("ctl_two_0002"))
            .send("changed", ran("ctl_chg_0003"))
            .send("second-account", ran("ctl_acc_0004"))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)])
            .end()
            .send(
                "preflight",
                with(
                    cors(got(204, "")),
                    "access-control-allow-headers",
                    "idempotency-key",
                ),
            )
            .check("preflight:preflight")
    };
    let hidden = story(|answer| answer);
    assert_eq!(hidden.verdict, Warn);
    assert!(
        hidden.observed.contains("Access-Control-Expose-Headers"),
        "{}",
        hidden.observed
    );
    for listed in [
        |answer| {
            with(
                answer,
                "access-control-expose-headers",
                "etag, idempotent-replayed",
            )
        },
        |answer| with(answer, "access-control-expose-headers", "*"),
    ] {
        assert_eq!(story(listed).verdict, Pass);
    }
}
