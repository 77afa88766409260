//! More stories of the situation control: identities that tell nothing apart, and what rests on which part of it.
//! They must not know how a verdict is reached.

use super::control::{three, told};
use super::story::{Got, Story, got, ran, replayed};
use crate::judge::Verdict::{Inconclusive, Pass};

#[test]
fn one_identity_for_two_keys_tells_no_results_apart_whatever_was_counted() {
    let id = "pay_7f3a9c21";
    let story = |fresh: Got, account: Got| {
        let replies = [fresh, ran("three"), account];
        let mut story = told(0, 1, [1, 1, 1, 1], replies);
        story = story.edit(|event| {
            if let crate::journal::Event::Outcome(done) = event
                && done.n == 1
                && let crate::journal::Outcome::Replied(reply) = &mut done.outcome
            {
                reply.body.text = Some(format!(r#"{{"id":"{id}"}}"#));
            }
        });
        story
    };
    assert_eq!(story(ran("two"), ran("four")).verdict(), Pass);
    assert_eq!(
        story(ran(id), ran("four")).check("control:fresh").verdict,
        Inconclusive
    );
    let account = story(ran("two"), ran(id)).check("control:second-account");
    assert_eq!(
        account.verdict, Inconclusive,
        "no two accounts number alike so long a result"
    );
}

#[test]
fn without_an_identity_the_counter_decides_alone() {
    let nameless = |s: &mut crate::journal::Start| {
        s.operations[0].identity = crate::config::target::Identity::None;
    };
    assert_eq!(
        told(0, 1, [1, 1, 1, 1], three()).start(nameless).verdict(),
        Pass
    );
    let neither = told(0, 1, [1, 1, 1, 1], three())
        .uncounted()
        .start(nameless);
    assert_eq!(neither.verdict(), Inconclusive);
}

#[test]
fn what_does_not_change_the_body_does_not_rest_on_the_changed_one() {
    let id = "pay_7f3a9c21";
    let story = Story::bare("replay")
        .count("none", &[("k1", 0), ("k2", 0), ("kc", 0)])
        .send("first", ran("one"))
        .count("one", &[("k1", 1), ("k2", 0), ("kc", 0)])
        .send("fresh", ran("two"))
        .send("changed", got(422, "{}"))
        .send("second-account", ran("four"))
        .count("all", &[("k1", 1), ("k2", 1), ("kc", 0), ("kb@b", 1)])
        .end()
        .send("first", ran(id))
        .send("repeat", replayed(id))
        .send("again", replayed(id))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.verdict(), Pass);
}

#[test]
fn an_operation_rests_on_its_own_control() {
    let id = "pay_7f3a9c21";
    let story = Story::bare("replay")
        .refund()
        .count("none", &[("k1", 0), ("k2", 0)])
        .send("first", Got::Nothing)
        .end()
        .control()
        .send("first", ran(id))
        .send("repeat", replayed(id))
        .send("again", replayed(id))
        .count("effects", &[("k", 1)]);
    assert_eq!(story.verdict(), Pass);
}
