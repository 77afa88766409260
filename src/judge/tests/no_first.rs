//! Stories whose first request was refused: there is nothing to repeat, and no drill says anything of the service.
//! They must not know how a verdict is reached.

use super::story::{Story, got, refuse};
use crate::contract::{Answer, Sameness};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};

#[test]
fn what_came_after_a_refused_first_request_is_held_against_nobody() {
    let refused = || got(400, "{}");
    let begun = |drill: &str, case: &str| {
        Story::of(drill)
            .case(case)
            .send("first", refused())
            .count("before", &[("k", 0)])
    };
    let stories = [
        Story::of("mismatch")
            .send("first", refused())
            .count("before", &[("k", 0)])
            .send("changed", refused())
            .count("effects", &[("k", 0)])
            .send("original", refused())
            .count("end", &[("k", 0)]),
        begun("other-account", "a-first")
            .send("second", refused())
            .count("effects", &[("k", 0), ("k@b", 0)])
            .send("probe", refused()),
        Story::of("after-retention")
            .send("first", refused())
            .send("inside", refused())
            .expire(true)
            .count("before", &[("k", 0), ("k2", 0)])
            .send("reuse", refused())
            .count("effects", &[("k", 0), ("k2", 0)]),
        begun("fingerprint/written-otherwise", "whitespace")
            .send("second", refused())
            .count("effects", &[("k", 0)])
            .send("probe", refused())
            .contract(|c| c.fingerprint.whitespace.value = Sameness::Same),
        Story::of("scope/other-query")
            .send("first", refused())
            .count("before", &[("k", 0)])
            .send("second", refused())
            .send("probe", refused())
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.query.value = Answer::Run),
        begun("syntax/near-keys", "prefix")
            .send("second", refused())
            .count("effects", &[("k", 0), ("j", 0)]),
    ];
    for story in stories {
        let finding = story.finding();
        assert_eq!(finding.verdict, Inconclusive, "{finding:#?}");
        let decided = finding
            .checks
            .iter()
            .find(|check| matches!(check.verdict, Pass | Fail) && !check.id.starts_with("nothing"));
        assert_eq!(decided, None, "{}", finding.id);
    }
}

#[test]
fn that_a_fresh_key_succeeds_makes_no_first_success() {
    let begun = |drill: &str| {
        Story::of(drill)
            .send("first", got(400, "{}"))
            .count("before", &[("k", 0)])
    };
    let probe = || super::story::ran("pay_probe");
    let stories = [
        begun("scope/other-query")
            .send("second", got(404, "{}"))
            .send("probe", probe())
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.query.value = Answer::Run),
        begun("scope/other-query")
            .send("second", got(404, "{}"))
            .send("probe", probe())
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.query.value = Answer::Replay),
        begun("scope/no-credentials")
            .send("probe", got(401, ""))
            .send("second", got(404, ""))
            .send("again", got(400, "{}"))
            .count("effects", &[("k", 0)])
            .contract(|c| c.scope.anonymous.value = refuse(401)),
    ];
    for story in stories {
        assert_eq!(story.check("other-scope:second").verdict, Inconclusive);
    }
    let put = Story::of("methods/idempotent")
        .case("without-key")
        .start(|s| s.operations[0].method = "PUT".into())
        .send("first", got(400, "{}"))
        .count("before", &[("k", 0)])
        .send("second", got(400, "{}"))
        .count("effects", &[("k", 0)])
        .contract(|c| c.methods.put.value = Answer::Run);
    assert_eq!(put.verdict(), Inconclusive);
}

#[test]
fn a_success_after_a_refused_first_request_is_no_second_one() {
    let story = Story::of("mismatch")
        .send("first", got(400, "{}"))
        .count("before", &[("k", 0)])
        .send("changed", super::story::ran("pay_7f3a9c21"))
        .count("effects", &[("k", 1)])
        .send("original", got(422, "{}"))
        .count("end", &[("k", 1)]);
    assert_eq!(story.check("mismatch:changed").verdict, Inconclusive);
}
