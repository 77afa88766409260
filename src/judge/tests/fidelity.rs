//! Stories of a replay beside the first reply: what must be alike, and what is said of a difference.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed, with};
use crate::contract::{BodyFidelity, Replay, Same};
use crate::journal::{Content, Event, Outcome};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};
use crate::judge::{CheckResult, Verdict};

const ID: &str = "pay_7f3a9c21";

fn told(replay: Replay, first: Got, repeat: Got) -> Story {
    let marked = |answer: Got| with(answer, "idempotent-replayed", "true");
    Story::of("replay")
        .send("first", first.clone())
        .send("repeat", marked(repeat))
        .send("again", marked(first))
        .count("effects", &[("k", 1)])
        .contract(|c| c.replay.value = replay)
}

fn repeat(story: Story) -> CheckResult {
    story.check("replay:repeat")
}

fn same(body: BodyFidelity) -> Same {
    Same {
        body,
        ..Same::default()
    }
}

fn payment(state: &str) -> Got {
    got(201, &format!(r#"{{"id":"{ID}","state":"{state}"}}"#))
}

#[test]
fn the_state_of_now_need_not_look_like_the_first_reply() {
    let bytes = || same(BodyFidelity::Bytes);
    let story = |replay: Replay| told(replay, payment("new"), payment("paid"));
    assert_eq!(story(Replay::Current(bytes())).verdict(), Pass);
    assert_eq!(story(Replay::Same(bytes())).verdict(), Fail);
    // copies of a race are held to no more
    let race = |replay: Replay| {
        let mut copies = vec![payment("new")];
        copies.extend(vec![
            with(payment("paid"), "idempotent-replayed", "true");
            2
        ]);
        Story::of("concurrent")
            .burst("copies", &copies)
            .send("later", copies[1].clone())
            .count("effects", &[("k", 1)])
            .contract(|c| c.replay.value = replay)
            .check("concurrent:copies")
    };
    assert_eq!(race(Replay::Current(bytes())).verdict, Pass);
    assert_eq!(race(Replay::Same(bytes())).verdict, Fail);
}

#[test]
fn what_is_declared_to_change_may_change() {
    let story = |volatile: &str| {
        let same = Same {
            volatile: vec![volatile.into()],
            ..same(BodyFidelity::Bytes)
        };
        repeat(told(Replay::Same(same), payment("new"), payment("paid"))).verdict
    };
    assert_eq!(story("/state"), Pass);
    assert_eq!(story("/other"), Fail);
}

#[test]
fn a_difference_is_told_with_its_place() {
    let place = |body: BodyFidelity, first: Got, again: Got| {
        let check = repeat(told(Replay::Same(same(body)), first, again));
        assert_eq!(check.verdict, Fail);
        check.observed
    };
    for body in [BodyFidelity::Bytes, BodyFidelity::Json] {
        let inside = place(body, payment("new"), payment("paid"));
        assert!(inside.ends_with("the body differs at /state"), "{inside}");
        let root = place(body, got(201, "[1]"), got(201, "7"));
        assert!(root.ends_with("the body differs at its root"), "{root}");
    }
    let order = got(201, &format!(r#"{{"state":"new","id":"{ID}"}}"#));
    let order = place(BodyFidelity::Bytes, payment("new"), order);
    assert!(
        order.ends_with("means the same and has other bytes"),
        "{order}"
    );
}

#[test]
fn a_header_that_must_come_back_is_told_as_it_was_and_as_it_came() {
    let story = |again: Got| {
        let replay = Replay::Same(Same {
            headers: vec!["Location".into()],
            ..Same::default()
        });
        repeat(told(
            replay,
            with(ran(ID), "location", "/payments/7"),
            again,
        ))
    };
    assert_eq!(
        story(with(ran(ID), "location", "/payments/7")).verdict,
        Pass
    );
    let lost = story(ran(ID)).observed;
    assert!(
        lost.ends_with("was `/payments/7` and came back as `nothing`"),
        "{lost}"
    );
    let other = story(with(ran(ID), "location", "/payments/8")).observed;
    assert!(other.ends_with("came back as `/payments/8`"), "{other}");
}

#[test]
fn a_reply_that_is_no_json_is_compared_byte_for_byte() {
    for body in [BodyFidelity::Bytes, BodyFidelity::Json] {
        let story = |again: &str| {
            let replay = Replay::Same(same(body));
            repeat(told(replay, got(201, "thank you"), got(201, again))).verdict
        };
        assert_eq!(story("thank you"), Pass);
        assert_eq!(story("thank yoU"), Fail);
    }
}

/// The bodies of the first reply and of its repeat, changed after the fact.
fn kept(story: Story, change: fn(&mut Content, bool)) -> Verdict {
    let mut asked = Vec::new();
    let story = story.edit(move |event| match event {
        Event::Attempt(sent) if sent.intent == "k" => asked.push((sent.n, sent.step.clone())),
        Event::Outcome(done) => {
            let step = asked.iter().find(|(n, _)| *n == done.n);
            if let (Some((_, step)), Outcome::Replied(reply)) = (step, &mut done.outcome) {
                change(&mut reply.body, step == "repeat");
            }
        }
        _ => {}
    });
    repeat(story).verdict
}

#[test]
fn of_bodies_too_long_to_be_kept_only_the_bytes_are_known() {
    let story = |again: &str| {
        told(
            Replay::Same(same(BodyFidelity::Json)),
            payment("new"),
            payment(again),
        )
    };
    let cut = |body: &mut Content, _: bool| body.truncated = true;
    assert_eq!(kept(story("paid"), cut), Inconclusive);
    assert_eq!(kept(story("new"), cut), Pass);
    // a whole body beside a cut one is another one
    let one = |body: &mut Content, second: bool| body.truncated = second;
    assert_eq!(kept(story("paid"), one), Fail);
    let first = |body: &mut Content, second: bool| body.truncated = !second;
    assert_eq!(kept(story("paid"), first), Fail);
}

#[test]
fn without_a_digest_the_kept_text_tells_whether_bytes_are_the_same() {
    let story = |again: &str| {
        told(
            Replay::Same(same(BodyFidelity::Bytes)),
            payment("new"),
            payment(again),
        )
    };
    let bare = |body: &mut Content, _: bool| body.hmac.clear();
    assert_eq!(kept(story("new"), bare), Pass);
    assert_eq!(kept(story("old"), bare), Fail);
}

#[test]
fn a_stored_cookie_is_told_apart_from_one_that_every_reply_sets() {
    let set = |answer: Got, cookie: &str| with(answer, "set-cookie", &format!("{cookie}; Path=/"));
    let story = |ordinary: &[&str], first: &str, replay: Replay| {
        let mut ordinary = ordinary.iter();
        let mut control = |answer: Got| match ordinary.next() {
            Some(cookie) => set(answer, cookie),
            None => answer,
        };
        Story::bare("replay")
            .count("none", &[("k1", 0), ("k2", 0)])
            .send("first", control(ran("ctl_one_0001")))
            .count("one", &[("k1", 1), ("k2", 0)])
            .send("fresh", control(ran("ctl_two_0002")))
            .send("changed", control(ran("ctl_chg_0003")))
            .send("second-account", control(ran("ctl_acc_0004")))
            .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)])
            .end()
            .send("first", set(ran(ID), first))
            .send("repeat", set(replayed(ID), first))
            .send("again", replayed(ID))
            .count("effects", &[("k", 1)])
            .contract(|c| c.replay.value = replay)
            .check("replay:repeat")
            .verdict
    };
    let whole = || Replay::Same(Same::default());
    assert_eq!(story(&["sid=v1", "sid=v2"], "sid=v3", whole()), Fail);
    // the state of now is no copy: its cookies are its own
    let current = Replay::Current(Same::default());
    assert_eq!(story(&["sid=v1", "sid=v2"], "sid=v3", current), Pass);
    // one reply does not show that each has its own; nor do other cookies
    assert_eq!(story(&["sid=v1"], "sid=v3", whole()), Pass);
    assert_eq!(story(&["sid=v1", "sid=v1"], "sid=v3", whole()), Pass);
    assert_eq!(story(&["sid=v1", "lang=en"], "sid=v3", whole()), Pass);
    assert_eq!(story(&["lang=en", "lang=de"], "sid=v3", whole()), Pass);
    // a value that ordinary replies set, too, is no stored one
    assert_eq!(story(&["sid=v1", "sid=v3"], "sid=v3", whole()), Pass);
}
