//! Stories of single attempts that are easily misread: never sent, lost at a gateway, answered early, refused with an id.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::config::target::Identity;
use crate::journal::Event;
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

const ID: &str = "pay_7f3a9c21";

fn copies(copies: &[Got]) -> Story {
    Story::of("concurrent").burst("copies", copies)
}

fn ended(story: Story) -> Story {
    story
        .send("later", replayed(ID))
        .count("effects", &[("k", 1)])
}

#[test]
fn a_copy_that_never_left_overlapped_with_nothing() {
    assert_eq!(ended(copies(&[ran(ID), replayed(ID)])).verdict(), Pass);
    for alone in [[ran(ID), Got::NotSent], [Got::NotSent, ran(ID)]] {
        assert_eq!(ended(copies(&alone)).verdict(), Inconclusive);
    }
}

#[test]
fn a_copy_that_never_left_cannot_be_the_one_whose_reply_was_lost() {
    let check = |third: Got| {
        let story = ended(copies(&[replayed(ID), replayed(ID), third]));
        story.check("concurrent:copies")
    };
    let all_marked = check(Got::NotSent);
    assert_eq!(
        (all_marked.verdict, all_marked.violated),
        (Fail, vec!["marker".to_owned()])
    );
    assert_ne!(check(Got::Nothing).verdict, Fail);
    assert_ne!(check(got(502, "")).verdict, Fail);
}

#[test]
fn the_copy_that_ran_may_be_the_one_that_a_gateway_answered() {
    let busy = || got(409, "{}");
    let told = |first: Got| ended(copies(&[first, busy(), busy()])).finding().reason;
    assert!(told(busy()).contains("no copy ran"), "{}", told(busy()));
    let gateway = told(got(502, ""));
    assert!(!gateway.contains("no copy ran"), "{gateway}");
}

#[test]
fn copies_that_were_answered_before_their_release_were_open_from_the_hand_over() {
    let decided_early = copies(&[ran(ID), replayed(ID)]).edit(|event| {
        if let Event::Outcome(done) = event {
            done.released_us = Some(done.end_us + 1_000);
        }
    });
    assert_eq!(ended(decided_early).verdict(), Pass);
}

#[test]
fn the_id_of_an_error_is_no_result() {
    let error = got(409, r#"{"id":"err_51c0a7e2"}"#);
    let finding = ended(copies(&[ran(ID), error.clone(), error])).finding();
    assert_eq!(finding.verdict, Pass);
    assert!(
        finding.reason.contains("one identity"),
        "{}",
        finding.reason
    );
}

#[test]
fn a_result_in_xml_has_its_identity_where_the_target_says() {
    let xml = |id: &str| got(201, &format!("<Payment><Id>{id}</Id></Payment>"));
    let verdict = |path: &str, again: Got| {
        Story::of("replay")
            .contract(|c| c.marker.value = crate::contract::Marker::Unspecified)
            .start(|s| s.operations[0].identity = Identity::Xml(path.into()))
            .edit(|event| {
                if let Event::Outcome(done) = event
                    && let crate::journal::Outcome::Replied(reply) = &mut done.outcome
                {
                    reply.body.text =
                        Some(format!("<Payment><Id>control_{}</Id></Payment>", done.n));
                }
            })
            .send("first", xml(ID))
            .send("repeat", again)
            .send("again", xml(ID))
            .count("effects", &[("k", 1)])
            .verdict()
    };
    for path in ["xml:/Payment/Id", "/Payment/Id"] {
        assert_eq!(verdict(path, xml(ID)), Pass, "{path}");
        assert_eq!(verdict(path, xml("pay_b5e0d11f")), Fail, "{path}");
    }
}
