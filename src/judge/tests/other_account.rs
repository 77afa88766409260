//! Stories of the situation other-account, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, Contract};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Warn};

const ID: &str = "pay_7f3a9c21";

/// The counts of a and b after the second request; before it they were 1 and 0.
fn told(second: Got, a: i64, b: i64, probe: Got) -> Story {
    Story::of("other-account")
        .case("a-first")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("k@b", 0)])
        .send("second", second)
        .count("effects", &[("k", a), ("k@b", b)])
        .send("probe", probe)
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("other-account:second").verdict
}

#[test]
fn a_result_and_an_effect_of_its_own_pass() {
    let finding = told(ran("pay_b5e0d11f"), 1, 1, ran("pay_probe")).finding();
    assert_eq!(finding.verdict, Pass, "{finding:#?}");
    assert_eq!(
        finding.checks[0].expected,
        "a result and an effect of its own"
    );
}

#[test]
fn the_first_accounts_reply_fails_whether_or_not_something_was_done() {
    for b in [0, 1] {
        let check = told(replayed(ID), 1, b, ran("pay_probe")).check("other-account:second");
        assert_eq!(
            (check.verdict, check.clause.unwrap().name.as_str()),
            (Fail, "isolation")
        );
    }
    assert_eq!(
        verdict(told(replayed(ID), 1, 0, ran("pay_probe")).uncounted()),
        Fail
    );
}

#[test]
fn a_refusal_is_held_against_the_key_only_where_the_probe_succeeds() {
    assert_eq!(verdict(told(got(409, "{}"), 1, 0, ran("pay_probe"))), Fail);
    assert_eq!(
        verdict(told(got(409, "{}"), 1, 0, got(409, "{}"))),
        Inconclusive
    );
    assert_eq!(
        verdict(told(got(422, "{}"), 1, 0, Got::Nothing)),
        Inconclusive
    );
}

#[test]
fn a_success_without_an_effect_of_its_own_is_inconclusive() {
    assert_eq!(
        verdict(told(ran("pay_b5e0d11f"), 1, 0, ran("pay_probe"))),
        Inconclusive
    );
}

#[test]
fn an_effect_in_the_first_account_or_two_in_the_second_fail() {
    assert_eq!(
        verdict(told(ran("pay_b5e0d11f"), 2, 1, ran("pay_probe"))),
        Fail
    );
    assert_eq!(
        verdict(told(ran("pay_b5e0d11f"), 1, 2, ran("pay_probe"))),
        Fail
    );
}

#[test]
fn small_identities_may_be_equal_by_chance_and_then_counts_decide() {
    let story = |b: i64| {
        Story::of("other-account")
            .case("a-first")
            .send("first", ran("7"))
            .count("before", &[("k", 1), ("k@b", 0)])
            .send("second", ran("7"))
            .count("effects", &[("k", 1), ("k@b", b)])
            .send("probe", ran("8"))
    };
    assert_eq!(story(1).verdict(), Pass);
    assert_eq!(verdict(story(0)), Fail);
    assert_eq!(verdict(story(1).uncounted()), Inconclusive);
}

#[test]
fn a_counter_that_mixes_accounts_is_noticed_and_its_sum_judged() {
    let story = |after: i64, second: Got| {
        Story::bare("other-account")
            .case("a-first")
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", ran("ctl_one"))
            .count(
                "one",
                &[("k1", 1), ("k1@b", 1), ("k2", 0), ("kc", 0), ("kb@b", 0)],
            )
            .send("fresh", ran("ctl_two"))
            .send("changed", ran("ctl_chg"))
            .send("second-account", ran("ctl_acc"))
            .count(
                "all",
                &[("k1", 1), ("k1@b", 1), ("k2", 1), ("kc", 1), ("kb@b", 1)],
            )
            .end()
            .send("first", ran(ID))
            .count("before", &[("k", 1)])
            .send("second", second)
            .count("effects", &[("k", after), ("k@b", after)])
            .send("probe", ran("pay_probe"))
    };
    let judged = story(2, ran("pay_b5e0d11f")).judged();
    let finding = judged.findings.last().unwrap();
    assert_eq!(finding.verdict, Pass, "{finding:#?}");
    // said once of the run, and in no row
    let told = |text: &String| text.contains("sums over all accounts");
    assert_eq!(judged.notes.iter().filter(|note| told(note)).count(), 1);
    assert!(!told(&finding.reason), "{}", finding.reason);
    assert_eq!(verdict(story(3, ran("pay_b5e0d11f"))), Fail);
    assert_eq!(verdict(story(1, ran("pay_b5e0d11f"))), Inconclusive);
    assert_eq!(verdict(story(1, replayed(ID))), Fail);
}

#[test]
fn the_scope_clause_decides() {
    let refused = |c: &mut Contract| c.scope.account.value = refuse(403);
    assert_eq!(
        verdict(told(got(403, ""), 1, 0, ran("pay_probe")).contract(refused)),
        Pass
    );
    assert_eq!(
        verdict(told(ran("pay_b5e0d11f"), 1, 1, ran("pay_probe")).contract(refused)),
        Fail
    );
    let open = |c: &mut Contract| c.scope.account.value = Answer::Unspecified;
    assert_eq!(
        verdict(told(got(409, ""), 1, 0, ran("pay_probe")).contract(open)),
        Observed
    );
    // isolation is the floor's, not the clause's
    assert_eq!(
        verdict(told(replayed(ID), 1, 0, ran("pay_probe")).contract(open)),
        Fail
    );
}

#[test]
fn a_500_fails_where_the_probe_succeeds() {
    assert_eq!(verdict(told(got(500, ""), 1, 0, ran("pay_probe"))), Fail);
    assert_eq!(
        verdict(told(got(500, ""), 1, 0, got(500, ""))),
        Inconclusive
    );
    assert_eq!(
        verdict(told(got(504, ""), 1, 0, ran("pay_probe"))),
        Inconclusive
    );
}

#[test]
fn nothing_passes_without_the_control_of_that_account() {
    let story = Story::bare("other-account")
        .case("a-first")
        .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
        .send("first", ran("ctl_one"))
        .count("one", &[("k1", 1), ("k2", 0), ("kc", 0), ("kb@b", 0)])
        .send("fresh", ran("ctl_two"))
        .send("changed", ran("ctl_chg"))
        .send("second-account", got(401, ""))
        .count("all", &[("k1", 1), ("k2", 1), ("kc", 1), ("kb@b", 0)])
        .end()
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("k@b", 0)])
        .send("second", ran("pay_b5e0d11f"))
        .count("effects", &[("k", 1), ("k@b", 1)])
        .send("probe", ran("pay_probe"));
    assert_eq!(verdict(story), Inconclusive);
}

#[test]
fn a_clause_that_lets_no_account_share_a_key_is_judged_by_the_identity_too() {
    let refused = |c: &mut Contract| c.scope.account.value = refuse(403);
    let story = told(ran("pay_b5e0d11f"), 1, 1, ran("pay_probe"));
    assert_eq!(verdict(story.uncounted().contract(refused)), Fail);
}

#[test]
fn a_success_that_names_no_result_is_judged_by_its_marker() {
    let nameless = || got(201, "{}");
    let marked = || with(nameless(), "idempotent-replayed", "true");
    let story = |second: Got, b: i64| told(second, 1, b, ran("pay_probe"));
    assert_eq!(verdict(story(nameless(), 1)), Pass);
    assert_eq!(verdict(story(marked(), 1)), Fail);
    let replay = |c: &mut Contract| c.scope.account.value = Answer::Replay;
    assert_eq!(verdict(story(marked(), 0).contract(replay)), Pass);
}

#[test]
fn without_a_probe_only_a_server_error_where_all_else_is_open_says_anything() {
    let story = |second: Got| {
        Story::of("other-account")
            .case("a-first")
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@b", 0)])
            .send("second", second)
            .count("effects", &[("k", 1), ("k@b", 0)])
    };
    let open = |c: &mut Contract| c.scope.account.value = Answer::Unspecified;
    let silent = |c: &mut Contract| {
        c.scope.account.value = Answer::Unspecified;
        c.no_server_error.value = false;
    };
    assert_eq!(verdict(story(got(500, ""))), Inconclusive);
    assert_eq!(verdict(story(got(409, ""))), Inconclusive);
    let check = story(got(500, ""))
        .contract(open)
        .check("other-account:second");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "no-server-error")
    );
    assert_eq!(verdict(story(got(500, "")).contract(silent)), Observed);
    assert_eq!(verdict(story(got(409, "")).contract(open)), Observed);
}

#[test]
fn a_part_of_a_refusal_that_is_only_advised_warns() {
    let should = |c: &mut Contract| {
        c.scope.account.value = refuse(403);
        c.scope.account.should_parts = vec!["status".into()];
    };
    let story = |status: u16| told(got(status, ""), 1, 0, ran("pay_probe"));
    assert_eq!(verdict(story(409).contract(should)), Warn);
    assert_eq!(verdict(story(500).contract(should)), Fail);
}

#[test]
fn without_a_count_before_the_first_effect_is_in_the_later_count_of_the_same_account() {
    let text = r#"
        id = "counts.after"
        title = ""
        why = ""
        hint = ""
        check = [{ other-account = { first = "first", second = "second", counted = "effects" } }]
        step = [
          { send = { as = "first", key = "k", body = "base" } },
          { retry = { as = "second", account = "b", key = "k", body = "base" } },
          { count = { as = "effects" } },
        ]
    "#;
    let story = |credential_of_a: bool, a: i64, b: i64| {
        Story::text(text)
            .start(|start| start.accounts[1].same_as = credential_of_a.then(|| "a".to_owned()))
            .send("first", ran(ID))
            .send("second", ran("pay_b5e0d11f"))
            .count("effects", &[("k", a), ("k@b", b)])
            .verdict()
    };
    assert_eq!(story(false, 1, 1), Pass);
    assert_eq!(story(false, 2, 1), Fail);
    assert_eq!(story(false, 1, 2), Fail);
    assert_eq!(story(true, 2, 2), Pass);
    assert_eq!(story(true, 1, 1), Inconclusive);
    assert_eq!(story(true, 3, 3), Fail);
}
