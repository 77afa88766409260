//! Stories of the situation distinct-keys, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, Contract, KeyFormat};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass};

const ID: &str = "pay_7f3a9c21";

fn near(case: &str, second: Got, effects: i64) -> Story {
    Story::of("syntax/near-keys")
        .case(case)
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("j", 0)])
        .send("second", second)
        .count("effects", &[("k", 1), ("j", effects)])
        .contract(|c| c.key.value.case_sensitive = Some(true))
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("distinct-keys:second").verdict
}

#[test]
fn keys_that_differ_in_case_or_in_the_last_character_are_two_keys() {
    for case in ["case", "prefix", "long-prefix"] {
        assert_eq!(verdict(near(case, ran("pay_b5e0d11f"), 1)), Pass);
        assert_eq!(verdict(near(case, replayed(ID), 0)), Fail);
        assert_eq!(verdict(near(case, got(422, "{}"), 0)), Fail);
        assert_eq!(verdict(near(case, Got::Nothing, 0)), Inconclusive);
    }
}

#[test]
fn long_keys_with_one_beginning_are_two_keys_or_are_refused_also_where_no_greatest_length_is_declared()
 {
    let open = |c: &mut Contract| c.key.value.most = None;
    let story = |second: Got, effects: i64| near("long-prefix", second, effects).contract(open);
    assert_eq!(verdict(story(ran("pay_b5e0d11f"), 1)), Pass);
    assert_eq!(verdict(story(replayed(ID), 0)), Fail);
    // the first was taken: its length is no reason to refuse the second
    let unnamed = |c: &mut Contract| c.mismatch.value = Answer::Unspecified;
    let other_body = story(got(422, "{}"), 0).contract(unnamed);
    assert_eq!(verdict(other_body), Fail);
    // all long keys are refused, or the server cannot even say so
    let refused = |first: Got| {
        let story = Story::of("syntax/near-keys")
            .case("long-prefix")
            .send("first", first.clone())
            .count("before", &[("k", 0), ("j", 0)])
            .send("second", first)
            .count("effects", &[("k", 0), ("j", 0)]);
        verdict(story.contract(open))
    };
    assert!(matches!(refused(got(400, "{}")), Pass | Observed));
    assert_eq!(refused(got(500, "")), Inconclusive);
}

#[test]
fn case_counts_only_where_the_policy_says_so() {
    let of =
        |sensitive: Option<bool>| move |c: &mut Contract| c.key.value.case_sensitive = sensitive;
    assert_eq!(
        verdict(near("case", replayed(ID), 0).contract(of(None))),
        Observed
    );
    assert_eq!(
        verdict(near("case", replayed(ID), 0).contract(of(Some(false)))),
        Observed
    );
    assert_eq!(
        verdict(near("prefix", replayed(ID), 0).contract(of(None))),
        Fail
    );
}

#[test]
fn a_key_that_is_refused_as_malformed_shares_nothing() {
    let declared = |c: &mut Contract| {
        c.key.value.most = Some(100);
        c.malformed.too_long.value = refuse(400);
    };
    assert_eq!(
        verdict(near("prefix", got(400, "{}"), 0).contract(declared)),
        Pass
    );
}

fn equal(second: Got, effects: i64, unique: Option<bool>) -> Story {
    Story::of("fingerprint/equal-body")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("second", second)
        .count("effects", &[("k", effects), ("j", effects)])
        .start(|s| s.operations[0].unique_reference = unique)
}

#[test]
fn an_equal_body_under_another_key_runs() {
    // the counter goes by the reference, which both carry: the second adds one
    assert_eq!(verdict(equal(ran("pay_b5e0d11f"), 2, Some(false))), Pass);
    assert_eq!(verdict(equal(replayed(ID), 1, Some(false))), Fail);
    assert_eq!(verdict(equal(got(409, "{}"), 1, Some(false))), Fail);
}

#[test]
fn a_unique_reference_may_be_the_reason() {
    for unique in [None, Some(true)] {
        assert_eq!(verdict(equal(got(409, "{}"), 1, unique)), Inconclusive);
        assert_eq!(verdict(equal(replayed(ID), 1, unique)), Inconclusive);
        assert_eq!(verdict(equal(ran("pay_b5e0d11f"), 2, unique)), Pass);
    }
}

#[test]
fn two_requests_with_an_empty_key_are_never_one() {
    let story = |first: Got, second: Got, effects: i64| {
        Story::of("syntax/shared-bucket")
            .send("first", first)
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", second)
            .count("effects", &[("k", 1), ("j", effects)])
    };
    assert_eq!(verdict(story(ran(ID), ran("pay_b5e0d11f"), 1)), Pass);
    assert_eq!(verdict(story(got(400, "{}"), got(400, "{}"), 0)), Pass);
    assert_eq!(verdict(story(ran(ID), replayed(ID), 0)), Fail);
    let refuses = |c: &mut Contract| c.malformed.empty.value = refuse(400);
    let taken = || story(ran(ID), got(422, "{}"), 0);
    assert_eq!(verdict(taken().contract(refuses)), Fail);
    // where nobody says what an empty key is, it may be a key like any other, and then another body is rightly refused
    assert_eq!(verdict(taken()), Observed);
    // one status for an empty key and for another body: what comes first tells them apart
    let one_status = |c: &mut Contract| c.malformed.empty.value = refuse(422);
    let refused = story(got(422, "{}"), got(422, "{}"), 0).contract(one_status);
    assert_eq!(verdict(refused), Pass);
    let taken = story(ran(ID), got(422, "{}"), 0).contract(one_status);
    assert_eq!(verdict(taken), Fail);
}

#[test]
fn keys_of_which_nothing_is_promised_do_not_pass() {
    let open = |c: &mut Contract| c.key.value.case_sensitive = None;
    let story = near("case", ran("pay_b5e0d11f"), 1).contract(open);
    assert_eq!(story.verdict(), Observed);
}

#[test]
fn an_empty_key_that_is_refused_with_the_status_of_a_taken_one_is_observed_and_one_that_is_taken_fails()
 {
    let story = |first: Got, second: Got, effects: i64| {
        Story::of("syntax/shared-bucket")
            .send("first", first)
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", second)
            .count("effects", &[("k", 1), ("j", effects)])
            .contract(|c| c.mismatch.value = refuse(400))
    };
    let no = || got(400, "{}");
    assert_eq!(verdict(story(no(), no(), 0)), Observed);
    assert_eq!(verdict(story(ran(ID), no(), 0)), Observed);
    assert_eq!(verdict(story(ran(ID), replayed(ID), 0)), Fail);
    let declared = |c: &mut Contract| c.malformed.empty.value = refuse(400);
    assert_eq!(verdict(story(no(), no(), 0).contract(declared)), Pass);
    assert_eq!(verdict(story(ran(ID), no(), 0).contract(declared)), Fail);
}

#[test]
fn a_success_that_names_no_result_is_judged_by_its_marker() {
    let nameless = || got(201, "{}");
    let marked = || with(nameless(), "idempotent-replayed", "true");
    assert_eq!(verdict(near("prefix", nameless(), 1)), Pass);
    assert_eq!(verdict(near("prefix", marked(), 1)), Fail);
}

#[test]
fn a_small_identity_may_come_again_by_chance_where_there_was_an_effect() {
    let story = |id: &str, effects: i64| {
        Story::of("syntax/near-keys")
            .case("prefix")
            .send("first", ran(id))
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", ran(id))
            .count("effects", &[("k", 1), ("j", effects)])
    };
    assert_eq!(verdict(story("7", 1)), Pass);
    assert_eq!(verdict(story("7", 0)), Fail);
    assert_eq!(verdict(story(ID, 1)), Fail);
}

#[test]
fn a_uuid_in_other_case_is_the_same_uuid() {
    let uuid = |c: &mut Contract| c.key.value.format = KeyFormat::Uuid;
    assert_eq!(
        verdict(near("case", replayed(ID), 0).contract(uuid)),
        Observed
    );
    assert_eq!(
        verdict(near("prefix", replayed(ID), 0).contract(uuid)),
        Fail
    );
}

#[test]
fn a_counter_by_the_key_counts_only_keys_that_differ_and_are_long_enough() {
    let by_key = |s: &mut crate::journal::Start| {
        let counter = s.operations[0].counter.as_mut().unwrap();
        (counter.by_key, counter.by_reference) = (true, false);
    };
    let long = |effects: i64| near("prefix", ran("pay_b5e0d11f"), effects).start(by_key);
    assert_eq!(verdict(long(1)), Pass);
    assert_eq!(verdict(long(2)), Fail);
    // nobody's key counts everybody's effects
    let empty = |effects: i64| {
        Story::of("syntax/shared-bucket")
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", ran("pay_b5e0d11f"))
            .count("effects", &[("k", 1), ("j", effects)])
    };
    assert_eq!(verdict(empty(7).start(by_key)), Pass);
    assert_eq!(verdict(empty(7)), Fail);
}

const BUCKET: &str = r#"
    id = "syntax.bucket"
    title = ""
    why = ""
    hint = ""
    keys = { z = "SHAPE", k = "SHAPE", j = "SHAPE" }
    check = [{ distinct-keys = { first = "first", second = "second", before = "before", counted = "effects" } }]
    step = [
      { send = { as = "earlier", account = "ACCOUNT", key = "z", body = "base" } },
      { send = { as = "first", key = "k", body = "base" } },
      { count = { as = "before" } },
      { retry = { as = "second", key = "j", body = "changed" } },
      { count = { as = "effects" } },
    ]
"#;

#[test]
fn a_bucket_that_an_earlier_request_of_the_run_filled_is_a_shared_one() {
    let story = |shape: &str, account: &str, earlier: Got, first: Got| {
        let text = BUCKET.replace("SHAPE", shape).replace("ACCOUNT", account);
        let story = Story::text(&text)
            .send("earlier", earlier)
            .send("first", first)
            .count("before", &[("k", 1), ("j", 0)])
            .send("second", ran("pay_b5e0d11f"))
            .count("effects", &[("k", 1), ("j", 1)]);
        verdict(story)
    };
    let taken = || got(422, "{}");
    // nobody's key: whoever comes second gets the first one's result
    assert_eq!(story("empty", "a", ran(ID), ran(ID)), Fail);
    // where nobody says what an empty key is, a refusal of another body under it may be right
    assert_eq!(story("empty", "a", ran(ID), taken()), Observed);
    assert_eq!(story("empty", "a", ran("pay_c0ffee42"), ran(ID)), Pass);
    assert_eq!(story("empty", "b", ran(ID), taken()), Observed);
    assert_eq!(story("empty", "a", got(400, ""), taken()), Observed);
    // a key of one character may rightly be taken
    assert_eq!(story("one-character", "a", ran(ID), ran(ID)), Inconclusive);
}
