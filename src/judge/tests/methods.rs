//! Stories of the situation unkeyed, keyed-method and preflight, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::Answer;
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip, Warn};

const ID: &str = "pay_7f3a9c21";

#[test]
fn the_same_request_twice_without_a_key_gets_what_is_declared() {
    let told = |answer: Answer, first: Got, second: Got, effects: i64| {
        Story::of("control/unkeyed")
            .send("first", first)
            .count("before", &[("k", 1)])
            .send("second", second)
            .count("effects", &[("k", effects)])
            .contract(|c| c.missing.value = answer)
            .verdict()
    };
    let no = || got(400, "{}");
    assert_eq!(told(Answer::Run, ran(ID), ran("pay_b5e0d11f"), 2), Pass);
    // equal requests are merged although nobody sent a key
    assert_eq!(told(Answer::Run, ran(ID), ran(ID), 1), Fail);
    assert_eq!(told(Answer::Replay, ran(ID), ran(ID), 1), Pass);
    assert_eq!(told(refuse(400), no(), no(), 0), Pass);
    assert_eq!(told(refuse(400), ran(ID), ran("pay_b5e0d11f"), 2), Fail);
    assert_eq!(
        told(Answer::Unspecified, ran(ID), ran("pay_b5e0d11f"), 2),
        Observed
    );
    assert_eq!(told(Answer::Run, ran(ID), got(502, ""), 1), Inconclusive);
}

#[test]
fn a_get_with_a_key_is_never_stale() {
    let told = |answer: Answer, before: &str, after: &str| {
        let mut story = Story::of("methods/get").contract(|c| c.methods.get.value = answer);
        story = story.start(|s| s.operations[0].method = "GET".into());
        story
            .send("before", got(200, before))
            .send("write", ran(ID))
            .send("after", got(200, after))
            .verdict()
    };
    assert_eq!(told(Answer::Run, "[]", "[1]"), Pass);
    assert_eq!(told(Answer::Run, "[]", "[]"), Fail);
    assert_eq!(told(Answer::Replay, "[]", "[]"), Pass);
    assert_eq!(told(Answer::Replay, "[]", "[1]"), Fail);
    assert_eq!(told(Answer::Unspecified, "[]", "[]"), Observed);
}

#[test]
fn a_get_that_does_not_show_the_write_under_any_key_blames_none() {
    let told = |answer: Answer, elsewhere: Got| {
        let mut story = Story::of("methods/get").contract(|c| c.methods.get.value = answer);
        story = story.start(|s| s.operations[0].method = "GET".into());
        story
            .send("before", got(200, "[]"))
            .send("write", ran(ID))
            .send("after", got(200, "[]"))
            .send("elsewhere", elsewhere)
            .verdict()
    };
    assert_eq!(told(Answer::Run, got(200, "[1]")), Fail);
    assert_eq!(told(Answer::Run, got(200, "[]")), Inconclusive);
    assert_eq!(told(Answer::Run, got(500, "")), Fail);
    assert_eq!(told(Answer::Unspecified, got(200, "[]")), Observed);
}

#[test]
fn put_twice_leaves_one_state() {
    let told = |second: Got, effects: i64| {
        let story = Story::of("methods/idempotent").case("without-key");
        let story = story.start(|s| s.operations[0].method = "PUT".into());
        story
            .contract(|c| c.methods.put.value = Answer::Run)
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("second", second)
            .count("effects", &[("k", effects)])
            .verdict()
    };
    assert_eq!(told(ran(ID), 1), Pass);
    assert_eq!(told(got(404, ""), 1), Pass);
    assert_eq!(told(ran(ID), 2), Fail);
    assert_eq!(told(ran("pay_b5e0d11f"), 1), Fail);
    assert_eq!(told(got(500, ""), 1), Fail);
    assert_eq!(told(got(503, ""), 1), Inconclusive);
}

/// A PUT of another body: the reply, the counts before and after it, and what the reads said.
fn put_of_another_body(answer: Answer, second: Got, counts: (i64, i64), reads: [&str; 4]) -> Story {
    let [shown, earlier, still, after] = reads.map(|body| got(200, body));
    Story::of("methods/other-body")
        .start(|s| s.operations[0].method = "PUT".into())
        .contract(|c| c.methods.put.value = answer)
        .send("first", ran(ID))
        .send("probe", ran(ID))
        .send("shown", shown)
        .send("back", ran(ID))
        .send("earlier", earlier)
        .send("still", still)
        .count("before", &[("k", counts.0)])
        .send("second", second)
        .send("after", after)
        .count("effects", &[("k", counts.1)])
}

const SAME: [&str; 4] = ["[]"; 4];

#[test]
fn a_put_of_another_body_is_carried_out() {
    let told = |answer: Answer, second: Got, counts: (i64, i64)| {
        put_of_another_body(answer, second, counts, SAME).verdict()
    };
    assert_eq!(told(Answer::Run, ran(ID), (3, 4)), Pass);
    assert_eq!(told(Answer::Run, ran(ID), (3, 3)), Fail);
    assert_eq!(told(Answer::Accept, ran(ID), (3, 3)), Fail);
    assert_eq!(told(Answer::Run, got(422, "{}"), (3, 3)), Fail);
    assert_eq!(told(Answer::Run, got(500, ""), (3, 3)), Fail);
    assert_eq!(told(Answer::Run, got(503, ""), (3, 3)), Inconclusive);
    assert_eq!(told(Answer::Run, got(429, ""), (3, 3)), Inconclusive);
    assert_eq!(told(Answer::Unspecified, ran(ID), (3, 3)), Observed);
    let either = Answer::AnyOf(vec![Answer::Run, Answer::Replay]);
    assert_eq!(told(either, ran(ID), (3, 3)), Pass);
    // the key is honoured: the mismatch decides
    assert_eq!(told(Answer::Replay, got(422, "{}"), (3, 3)), Pass);
    assert_eq!(told(Answer::Replay, ran(ID), (3, 3)), Fail);
}

#[test]
fn a_counter_that_counts_states_says_nothing_of_a_second_write() {
    let told = |second: Got, counts: (i64, i64), reads: [&str; 4]| {
        put_of_another_body(Answer::Run, second, counts, reads).verdict()
    };
    assert_eq!(told(ran(ID), (1, 1), SAME), Skip);
    assert_eq!(told(ran(ID), (1, 2), SAME), Pass);
    // the GET shows the state
    assert_eq!(told(ran(ID), (1, 1), ["b", "a", "a", "b"]), Pass);
    assert_eq!(told(ran(ID), (1, 1), ["b", "a", "a", "a"]), Fail);
    // a version that rises is seen as well
    assert_eq!(told(ran(ID), (1, 1), ["b2", "a3", "a3", "b4"]), Pass);
    assert_eq!(told(ran(ID), (1, 1), ["b2", "a3", "a3", "a3"]), Fail);
    // a GET that never says the same twice shows nothing
    assert_eq!(told(ran(ID), (1, 1), ["1", "2", "3", "4"]), Skip);
    assert_eq!(told(ran(ID), (1, 1), ["1", "2", "3", "3"]), Skip);
    // the write is seen in one of them
    assert_eq!(told(ran(ID), (3, 3), ["b", "a", "a", "b"]), Pass);
    assert_eq!(told(ran(ID), (3, 4), ["b", "a", "a", "a"]), Pass);
}

#[test]
fn nothing_is_known_of_a_write_where_the_same_fails_under_a_fresh_key() {
    let told = |step: &str, answer: Got| {
        let mut story = Story::of("methods/other-body")
            .start(|s| s.operations[0].method = "PUT".into())
            .contract(|c| c.methods.put.value = Answer::Run);
        for write in ["first", "probe", "back"] {
            let answer = if write == step {
                answer.clone()
            } else {
                ran(ID)
            };
            story = story.send(write, answer);
        }
        story
            .count("before", &[("k", 3)])
            .send("second", ran(ID))
            .count("effects", &[("k", 3)])
            .verdict()
    };
    for step in ["first", "probe", "back"] {
        assert_eq!(told(step, got(409, "{}")), Inconclusive, "{step}");
    }
    assert_eq!(told("none", ran(ID)), Fail);
}

#[test]
fn a_delete_of_another_resource_is_carried_out() {
    let told = |answer: Answer, second: Got, from: i64, to: i64| {
        Story::of("methods/other-resource")
            .start(|s| s.operations[0].method = "DELETE".into())
            .contract(|c| c.methods.delete.value = answer)
            .contract(|c| c.scope.resource.value = refuse(422))
            .send("first", got(204, ""))
            .send("probe", got(204, ""))
            .count("before", &[("k", from)])
            .send("second", second)
            .count("effects", &[("k", to)])
            .verdict()
    };
    let gone = || got(204, "");
    assert_eq!(told(Answer::Run, gone(), 2, 3), Pass);
    assert_eq!(told(Answer::Run, gone(), 2, 2), Fail);
    assert_eq!(told(Answer::Run, gone(), 1, 1), Skip);
    assert_eq!(told(Answer::Run, got(404, ""), 2, 2), Fail);
    assert_eq!(told(Answer::Unspecified, gone(), 2, 2), Observed);
    // the key is honoured: the scope decides
    assert_eq!(told(Answer::Replay, got(422, ""), 2, 2), Pass);
}

#[test]
fn a_stale_if_match_is_refused_where_the_service_knows_it() {
    let told = |second: Got, effects: i64| {
        Story::of("methods/stale-if-match")
            .count("before", &[("k", 0)])
            .send("stale", second)
            .count("effects", &[("k", effects)])
    };
    let declared = |second: Got, effects: i64| {
        let precondition = super::story::refuse(412);
        told(second, effects)
            .contract(|c| c.methods.stale_if_match.value = precondition)
            .verdict()
    };
    assert_eq!(declared(got(412, ""), 0), Pass);
    assert_eq!(declared(got(412, ""), 1), Fail);
    assert_eq!(declared(got(409, ""), 0), Fail);
    assert_eq!(declared(ran(ID), 1), Fail);
    assert_eq!(declared(got(503, ""), 0), Inconclusive);
    let open = told(ran(ID), 1)
        .contract(|c| c.methods.stale_if_match.value = crate::contract::Answer::Unspecified);
    assert_eq!(open.verdict(), Observed);
}

#[test]
fn browsers_may_send_the_key_and_read_the_marker() {
    let told = |answer: Got| {
        Story::of("methods/preflight")
            .send("preflight", answer)
            .verdict()
    };
    let cors = |allowed: &str| {
        with(
            with(got(204, ""), "access-control-allow-origin", "*"),
            "access-control-allow-headers",
            allowed,
        )
    };
    assert_eq!(told(cors("authorization, idempotency-key")), Pass);
    assert_eq!(told(cors("authorization")), Warn);
    assert_eq!(told(got(404, "")), Observed);
}

#[test]
fn five_repeats_right_after_the_reply_are_never_told_to_wait() {
    let told = |second: Got| {
        let mut story = Story::of("replay/five-in-a-row")
            .send("first", ran(ID))
            .send("second", second);
        for step in ["third", "fourth", "fifth", "sixth"] {
            story = story.send(step, replayed(ID));
        }
        story.count("effects", &[("k", 1)]).verdict()
    };
    assert_eq!(told(replayed(ID)), Pass);
    assert_eq!(told(got(409, "{}")), Fail);
    assert_eq!(told(got(503, "")), Inconclusive);
}

#[test]
fn a_burst_after_expiry_has_one_new_effect() {
    let told = |expired: bool, copies: &[Got], effects: i64| {
        Story::of("retention/burst-after-expiry")
            .send("first", ran(ID))
            .expire(expired)
            .count("before", &[("k", 1), ("k2", 0)])
            .burst("copies", copies)
            .send("later", replayed("pay_b5e0d11f"))
            .count("effects", &[("k", 1), ("k2", effects)])
            .verdict()
    };
    let new = || ran("pay_b5e0d11f");
    let busy = || got(409, "{}");
    assert_eq!(told(true, &[new(), busy(), busy()], 1), Pass);
    assert_eq!(told(true, &[new(), ran("pay_c"), busy()], 2), Fail);
    assert_eq!(told(false, &[new(), busy(), busy()], 1), Inconclusive);
    // the key had a success in its earlier life: what is left of it makes the server fail
    assert_eq!(told(true, &[got(500, ""), busy(), busy()], 1), Fail);
}

#[test]
fn a_failed_request_does_not_keep_its_key_in_progress_beyond_expiry() {
    let told = |reuse: Got, effects: i64| {
        Story::of("retention/failed-then-expired")
            .send("failed", got(500, ""))
            .expire(true)
            .count("before", &[("k", 0), ("k2", 0)])
            .send("reuse", reuse)
            .count("effects", &[("k", 0), ("k2", effects)])
            .verdict()
    };
    assert_eq!(told(ran(ID), 1), Pass);
    assert_eq!(told(got(409, "{}"), 0), Fail);
    assert_eq!(told(replayed(ID), 0), Fail);
}
