//! Stories under a policy that takes back a clause of the floor: what it says is promised no more is held against nobody.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, replayed};
use crate::contract::{Answer, Contract};
use crate::judge::CheckResult;
use crate::judge::Verdict::{Fail, Observed};

const ID: &str = "pay_7f3a9c21";
const OTHER: &str = "pay_b5e0d11f";

/// The clause is violated where it is promised, and nothing fails where it is not.
fn waived(story: Story, check: &str, clause: &str, change: fn(&mut Contract)) -> CheckResult {
    let kept = story.clone().check(check);
    assert_eq!(kept.verdict, Fail, "{check}");
    assert!(kept.violated.contains(&clause.to_owned()), "{kept:?}");
    let taken_back = story.contract(change).check(check);
    assert_ne!(taken_back.verdict, Fail, "{taken_back:?}");
    taken_back
}

fn other_account(second: Got, probe: Got) -> Story {
    Story::of("other-account")
        .case("a-first")
        .send("first", ran(ID))
        .count("before", &[("k", 1), ("k@b", 0)])
        .send("second", second)
        .count("effects", &[("k", 1), ("k@b", 0)])
        .send("probe", probe)
        .contract(|c| c.scope.account.value = Answer::Unspecified)
}

#[test]
fn a_failure_is_told_where_no_failure_is_excluded() {
    let failed = || got(500, "");
    let reuse = Story::of("after-retention")
        .send("first", ran(ID))
        .send("inside", replayed(ID))
        .expire(true)
        .count("before", &[("k", 1), ("k2", 0)])
        .send("reuse", failed())
        .count("effects", &[("k", 1), ("k2", 0)]);
    let repeat = Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", failed())
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    let lost = Story::of("recovery/reply-lost")
        .case("while-working")
        .send("lost", Got::Nothing)
        .send("retry", failed())
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)]);
    let elsewhere = other_account(failed(), ran("pay_probe"));
    for (story, check) in [
        (reuse, "after-retention:reuse"),
        (repeat, "replay:repeat"),
        (lost, "recovered:retry"),
        (elsewhere, "other-account:second"),
    ] {
        let told = waived(story, check, "no-server-error", |c| {
            c.no_server_error.value = false
        });
        assert!(told.observed.contains("500"), "{}", told.observed);
    }
}

#[test]
fn a_key_elsewhere_of_which_nothing_is_declared_is_observed_whatever_it_got() {
    let free = |c: &mut Contract| c.no_server_error.value = false;
    for answer in [got(500, ""), got(403, "{}")] {
        let story = other_account(answer, ran("pay_probe")).contract(free);
        assert_eq!(story.check("other-account:second").verdict, Observed);
    }
}

#[test]
fn a_second_result_is_told_where_one_effect_is_not_promised() {
    let other = || ran(OTHER);
    let repeat = Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", other())
        .send("again", replayed(ID))
        .uncounted();
    let beside = Story::of("in-progress")
        .during("first", 0, 300, ran(ID))
        .during("duplicate", 20, 310, other())
        .during("different", 21, 25, got(409, "{}"))
        .wait_ms(400)
        .send("after", replayed(ID))
        .uncounted();
    let shape = Story::of("syntax/key-shapes")
        .case("at-maximum")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("again", other())
        .count("effects", &[("k", 2)])
        .contract(|c| c.key.value.most = Some(255));
    let stranger = Story::of("scope/no-credentials")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("probe", got(401, ""))
        .send("second", got(401, ""))
        .send("again", replayed(ID))
        .count("effects", &[("k", 2), ("fresh", 0)])
        .contract(|c| c.scope.anonymous.value = super::story::refuse(401));
    for (story, check) in [
        (repeat, "replay:repeat"),
        (beside, "in-progress:duplicate"),
        (shape, "key-syntax:again"),
        (stranger, "other-scope:second"),
    ] {
        waived(story, check, "one-effect", |c| c.one_effect.value = false);
    }
}
