//! Stories of the situation nothing-leaks, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, with};
use crate::judge::Verdict::{Fail, Pass};

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
