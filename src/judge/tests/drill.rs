//! Stories of drills as wholes: the worst of their checks, and the controls that they rest on.
//! They must not know any situation.

use super::story::{Got, Story, got, ran, replayed};
use crate::contract::{Answer, Contract};
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip};

const ID: &str = "pay_7f3a9c21";

#[test]
fn a_first_check_that_is_only_observed_or_not_tried_hides_no_failure() {
    let open = |c: &mut Contract| {
        c.in_progress.value = Answer::Unspecified;
        c.mismatch.value = Answer::Unspecified;
        c.one_effect.value = false;
    };
    let story = |held: u64, after: Got| {
        Story::of("in-progress")
            .during("first", 0, held, ran(ID))
            .during("duplicate", 20, 25, replayed(ID))
            .during("different", 21, 25, got(409, "{}"))
            .wait_ms(400)
            .count("effects", &[("k", 1)])
            .send("after", after)
            .count("end", &[("k", 1)])
    };
    assert_eq!(story(300, replayed(ID)).contract(open).verdict(), Observed);
    assert_eq!(
        story(300, got(500, ""))
            .contract(open)
            .check("replay:after")
            .verdict,
        Fail
    );
    assert_eq!(story(300, got(500, "")).contract(open).verdict(), Fail);
    assert_eq!(story(10, replayed(ID)).verdict(), Skip);
    assert_eq!(story(10, got(500, "")).verdict(), Fail);
}

/// Sends under a key by one account, and another account in a step that no check names.
const ACCOUNTS: &str = r#"
    id = "drills.accounts"
    title = ""
    why = ""
    hint = ""
    check = [{ replay = { first = "first", second = "again", counted = "effects" } }]
    step = [
      { send = { as = "setup", operation = "other", key = "s", body = "base" } },
      { send = { as = "aside", account = "ASIDE", key = "j", body = "base" } },
      { send = { as = "first", account = "USED", key = "k", body = "base" } },
      { retry = { as = "again", account = "USED", key = "k", body = "base" } },
      { count = { as = "effects" } },
    ]
"#;

/// A control of the first account alone.
fn control_of_a(story: Story) -> Story {
    story
        .count("none", &[("k1", 0), ("k2", 0), ("kc", 0)])
        .send("first", ran("ctl_one_0001"))
        .count("one", &[("k1", 1), ("k2", 0), ("kc", 0)])
        .send("fresh", ran("ctl_two_0002"))
        .send("changed", ran("ctl_chg_0003"))
        .count("all", &[("k1", 1), ("k2", 1), ("kc", 1)])
        .end()
}

fn accounts(used: &str, aside: &str, setup: bool) -> Story {
    let text = ACCOUNTS.replace("USED", used).replace("ASIDE", aside);
    let mut story = control_of_a(Story::bare_text(&text));
    if setup {
        story = story.send("setup", ran("ref_1"));
    }
    story
        .send("aside", ran("pay_aside"))
        .send("first", ran(ID))
        .send("again", replayed(ID))
        .count("effects", &[(&format!("k@{used}"), 1)])
}

#[test]
fn only_the_accounts_that_a_check_names_need_a_control() {
    assert_eq!(accounts("a", "b", false).verdict(), Pass);
    let finding = accounts("b", "a", false).finding();
    assert_eq!(finding.verdict, Inconclusive);
    assert!(finding.reason.contains("account b"), "{}", finding.reason);
}

#[test]
fn a_second_credential_of_an_account_needs_no_control_of_its_own() {
    let second = |same_as: Option<&str>, whose: usize| {
        let same_as = same_as.map(str::to_owned);
        accounts("b", "a", false)
            .start(|start| start.accounts[whose].same_as = same_as)
            .check("replay:again")
            .verdict
    };
    assert_eq!(second(Some("a"), 1), Pass);
    assert_eq!(second(None, 1), Inconclusive);
    // that there is one somewhere says nothing of this one
    assert_eq!(second(Some("b"), 0), Inconclusive);
}

#[test]
fn what_only_sets_the_scene_needs_no_control_of_its_operation() {
    assert_eq!(accounts("a", "b", true).verdict(), Pass);
}

#[test]
fn another_operation_that_a_drill_sends_needs_its_control() {
    let told = |refund: fn(Story) -> Story| {
        refund(Story::bare("scope/other-route").refund())
            .control()
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@a/refund", 0)])
            .send("second", ran("ref_b5e0d11f"))
            .send("probe", ran("ref_probe_1"))
            .count(
                "effects",
                &[("k", 1), ("k@a/refund", 1), ("fresh@a/refund", 1)],
            )
            .contract(|c| c.scope.route.value = Answer::Run)
            .check("other-scope:second")
    };
    assert_eq!(told(|story| story.control()).verdict, Pass);
    let check = told(|story| {
        story
            .count("none", &[("k1", 0), ("k2", 0), ("kc", 0), ("kb@b", 0)])
            .send("first", Got::Nothing)
            .end()
    });
    assert_eq!(check.verdict, Inconclusive);
    assert!(check.observed.contains("control"), "{}", check.observed);
}

#[test]
fn a_run_that_was_stopped_interrupted_or_broke_off_is_incomplete() {
    let journal = || {
        let story = Story::of("replay")
            .send("first", ran(ID))
            .send("repeat", replayed(ID))
            .send("again", replayed(ID))
            .count("effects", &[("k", 1)]);
        story.end().journal()
    };
    let incomplete = |journal: &crate::journal::Journal| {
        crate::judge::judge(journal, &journal.start.contracts, false, &[]).incomplete
    };
    assert!(!incomplete(&journal()));
    let mut broken = journal();
    broken.end = None;
    assert!(incomplete(&broken));
    let mut interrupted = journal();
    interrupted.end.as_mut().unwrap().interrupted = true;
    assert!(incomplete(&interrupted));
}
