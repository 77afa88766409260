//! Stories of the situation nothing-leaks, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed, with};
use crate::judge::Verdict::{Fail, Observed, Pass};

const ID: &str = "pay_7f3a9c21";

fn told(first: Got, second: Got) -> crate::judge::Verdict {
    Story::of("other-account")
        .case("b-first")
        .send("first", first)
        .count("before", &[("k@b", 1), ("k", 0)])
        .send("second", second)
        .count("effects", &[("k@b", 1), ("k", 1)])
        .send("probe", ran("pay_probe"))
        .check("nothing-leaks:second")
        .verdict
}

#[test]
fn an_identity_or_an_unguessable_text_of_the_other_account_is_a_leak() {
    assert_eq!(told(ran(ID), ran("pay_b5e0d11f")), Pass);
    assert_eq!(
        told(ran(ID), got(409, &format!(r#"{{"detail":"see {ID}"}}"#))),
        Fail
    );
    let first = || got(201, &format!(r#"{{"id":"{ID}","receipt":"rcpt-99182-x"}}"#));
    assert_eq!(
        told(
            first(),
            got(201, r#"{"id":"pay_b5e0d11f","receipt":"rcpt-99182-x"}"#)
        ),
        Fail
    );
    let at = |answer: Got, place: &str| with(answer, "location", place);
    assert_eq!(
        told(
            at(ran(ID), "/payments/8818"),
            at(ran("pay_b5e0d11f"), "/payments/8818")
        ),
        Fail
    );
}

#[test]
fn what_every_reply_holds_and_what_was_just_sent_is_no_leak() {
    // the control's replies to account a hold the amount and nothing else; the reference was sent by both
    let echo = |id: &str| got(201, &format!(r#"{{"id":"{id}","ref":"ref-1-0-k"}}"#));
    assert_eq!(told(echo(ID), echo("pay_b5e0d11f")), Pass);
    let dated = |id: &str| {
        got(
            201,
            &format!(r#"{{"id":"{id}","at":"2026-01-31T10:00:00Z","n":123456789012}}"#),
        )
    };
    assert_eq!(told(dated(ID), dated("pay_b5e0d11f")), Pass);
    let currency = |id: &str| with(ran(id), "x-version", "2026.01.31-abcdef");
    assert_eq!(told(currency(ID), currency("pay_b5e0d11f")), Pass);
}

/// A drill of the empty key: what account a and then account b got.
fn with_empty_keys(first: Got, elsewhere: Got) -> Story {
    Story::of("syntax/two-accounts-empty-key")
        .send("first", first)
        .send("elsewhere", elsewhere)
}

#[test]
fn an_empty_key_that_shows_one_account_the_result_of_another_fails_whatever_is_declared_of_it() {
    let verdict = |first: Got, elsewhere: Got| with_empty_keys(first, elsewhere).verdict();
    assert_eq!(verdict(ran(ID), replayed(ID)), Fail);
    let named = format!(r#"{{"detail":"taken by {ID}"}}"#);
    assert_eq!(verdict(ran(ID), got(422, &named)), Fail);
    let check = with_empty_keys(ran(ID), replayed(ID)).check("nothing-leaks:elsewhere");
    assert_eq!(check.clause.unwrap().name, "isolation");
    // of its own, refused alike, or refused for the second only: nothing of the other is shown
    assert_eq!(verdict(ran(ID), ran("pay_b5e0d11f")), Pass);
    assert_eq!(verdict(got(400, "{}"), got(400, "{}")), Pass);
    assert_eq!(verdict(ran(ID), got(422, "{}")), Pass);
    let open = with_empty_keys(ran(ID), replayed(ID)).contract(|c| c.isolation.value = false);
    assert_eq!(open.verdict(), Observed);
}

#[test]
fn what_an_earlier_drill_made_under_the_empty_key_is_looked_for_too() {
    let story = |elsewhere: Got| {
        // the record of account a is of the first request of the control: its own repeat is refused as another body
        with_empty_keys(got(422, "{}"), elsewhere).edit(|event| {
            if let crate::journal::Event::Attempt(sent) = event
                && sent.n == 1
            {
                sent.key = Some(String::new());
            }
        })
    };
    assert_eq!(story(replayed("ctl_one_0001")).verdict(), Fail);
    assert_eq!(story(ran("pay_b5e0d11f")).verdict(), Pass);
}

#[test]
fn small_identities_that_are_equal_by_chance_are_no_leak() {
    assert_eq!(told(ran("7"), ran("7")), Pass);
    assert_eq!(told(ran("pay_7"), ran("pay_7")), Pass);
    assert_eq!(
        told(ran("pay_7"), got(409, r#"{"detail":"pay_7 exists"}"#)),
        Fail
    );
    assert_eq!(told(ran("409"), got(409, r#"{"status":409}"#)), Pass);
}

#[test]
fn what_the_tool_hid_is_no_leak() {
    let hidden = |id: &str| {
        got(
            201,
            &format!(r#"{{"id":"{id}","owner":"$AUTHORIZATION_A"}}"#),
        )
    };
    assert_eq!(told(hidden(ID), hidden("pay_b5e0d11f")), Pass);
}

#[test]
fn two_refusals_share_the_texts_of_the_api_and_leak_nothing() {
    let told = |one: Got, other: Got| {
        Story::of("races/mixed-bodies")
            .burst("one,other", &[one, other, ran(ID)])
            .send("one-later", ran(ID))
            .send("other-later", got(422, "{}"))
            .count("effects", &[("k", 1)])
            .contract(|c| {
                if let crate::contract::Answer::Refuse(how) = &mut c.mismatch.value {
                    how.reveals = Some(false);
                }
            })
            .check("nothing-leaks:other")
            .verdict
    };
    let problem = |detail: &str| {
        got(
            422,
            &format!(r#"{{"type":"about:blank","detail":"{detail}"}}"#),
        )
    };
    assert_eq!(told(problem("x"), problem("x")), Pass);
    assert_eq!(told(problem("x"), problem(ID)), Fail);
}

#[test]
fn a_short_identity_is_a_leak_only_where_it_stands_alone() {
    let refused = |detail: &str| got(409, &format!(r#"{{"detail":"{detail}"}}"#));
    assert_eq!(told(ran("4711"), refused("see 4711.")), Fail);
    assert_eq!(told(ran("4711"), refused("4711")), Fail);
    for other in ["547119", "54711", "47119", "p4711", "4711_", "_4711"] {
        assert_eq!(told(ran("4711"), refused(other)), Pass, "{other}");
    }
}

#[test]
fn a_value_in_a_body_that_is_no_json_is_a_leak_word_by_word() {
    let page = || got(201, "<p>Receipt <b>rcpt-99182-x</b>, thank you</p>");
    assert_eq!(told(page(), got(409, "taken: rcpt-99182-x")), Fail);
    assert_eq!(told(page(), got(409, "thank you")), Pass);
}
