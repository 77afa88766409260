//! Stories of the situation other-scope, each in both directions.
//! They must not know how a verdict is reached.

use super::story::{Got, Story, got, ran, refuse, replayed, with};
use crate::contract::{Answer, Contract};
use crate::journal::AccountFacts;
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip};

const ID: &str = "pay_7f3a9c21";

fn stranger(probe: Got, second: Got, effects: i64) -> Story {
    Story::of("scope/no-credentials")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("probe", probe)
        .send("second", second)
        .send("again", replayed(ID))
        .count("effects", &[("k", effects), ("fresh", 0)])
        .contract(|c| c.scope.anonymous.value = refuse(401))
}

fn verdict(story: Story) -> crate::judge::Verdict {
    story.check("other-scope:second").verdict
}

#[test]
fn without_credentials_nothing_of_the_first_result_comes_back() {
    assert_eq!(stranger(got(401, ""), got(401, ""), 1).verdict(), Pass);
    let check = stranger(got(401, ""), replayed(ID), 1).check("other-scope:second");
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "isolation")
    );
    let leak = stranger(got(401, ""), got(401, &format!(r#"{{"see":"{ID}"}}"#)), 1);
    assert_eq!(leak.check("nothing-leaks:second").verdict, Fail);
    assert_eq!(verdict(stranger(got(401, ""), got(401, ""), 2)), Fail);
    let open = |c: &mut Contract| c.scope.anonymous.value = Answer::Unspecified;
    assert_eq!(
        verdict(stranger(got(401, ""), replayed(ID), 1).contract(open)),
        Fail
    );
    // with which refusal is open, that nothing is given away is not
    let refused = || stranger(got(401, ""), got(403, ""), 1).contract(open);
    assert_eq!(verdict(refused()), Pass);
    let shared = |c: &mut Contract| c.isolation.value = false;
    assert_eq!(verdict(refused().contract(shared)), Observed);
    assert_eq!(verdict(stranger(got(401, ""), got(403, ""), 1)), Fail);
}

#[test]
fn where_nobody_needs_credentials_there_is_nothing_to_ask() {
    let guests = stranger(ran("pay_b5e0d11f"), ran("pay_c"), 1).check("other-scope:second");
    assert_eq!(guests.verdict, Skip);
    assert!(
        guests.observed.contains("declare two of them as accounts"),
        "{}",
        guests.observed
    );
}

fn elsewhere(drill: &str, second: Got, effects: i64, probe: Got) -> Story {
    Story::of(drill)
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("second", second)
        .send("probe", probe)
        .count("effects", &[("k", effects), ("fresh", 1)])
}

#[test]
fn another_query_means_what_is_declared() {
    let told = |answer: Answer, second: Got, effects: i64| {
        let story = elsewhere("scope/other-query", second, effects, ran("pay_probe"));
        verdict(story.contract(|c| c.scope.query.value = answer))
    };
    assert_eq!(told(refuse(422), got(422, ""), 1), Pass);
    assert_eq!(told(refuse(422), replayed(ID), 1), Fail);
    assert_eq!(told(refuse(422), got(422, ""), 2), Fail);
    assert_eq!(told(Answer::Run, ran("pay_b5e0d11f"), 2), Pass);
    assert_eq!(told(Answer::Run, replayed(ID), 1), Fail);
    assert_eq!(told(Answer::Replay, replayed(ID), 1), Pass);
    assert_eq!(told(Answer::Replay, ran("pay_b5e0d11f"), 2), Fail);
    assert_eq!(told(Answer::Unspecified, replayed(ID), 1), Observed);
    let refused = elsewhere("scope/other-query", got(404, ""), 1, got(404, ""));
    assert_eq!(
        verdict(refused.contract(|c| c.scope.query.value = Answer::Run)),
        Inconclusive
    );
}

#[test]
fn a_second_credential_of_one_account_is_no_other_account() {
    let told = |answer: Answer, second: Got, entries: &[(&str, i64)]| {
        let story = Story::of("scope/other-credential")
            .start(|s| {
                s.accounts.push(AccountFacts {
                    name: "a2".into(),
                    same_as: Some("a".into()),
                });
            })
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@a2", 1)])
            .send("second", second)
            .send("probe", ran("pay_probe"))
            .count("effects", entries)
            .contract(|c| c.scope.credential.value = answer);
        story.check("other-scope:second")
    };
    let one = [("k", 1), ("k@a2", 1)];
    let two = [("k", 2), ("k@a2", 2)];
    assert_eq!(told(Answer::Replay, replayed(ID), &one).verdict, Pass);
    assert_eq!(
        told(Answer::Replay, ran("pay_b5e0d11f"), &two).verdict,
        Fail
    );
    assert_eq!(told(Answer::Run, ran("pay_b5e0d11f"), &two).verdict, Pass);
    let check = told(Answer::Run, replayed(ID), &one);
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "scope.credential")
    );
}

#[test]
fn another_route_never_answers_with_the_first_routes_reply() {
    let told = |answer: Answer, second: Got, refunds: i64| {
        let story = Story::bare("scope/other-route")
            .with_refund()
            .control()
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@a/refund", 0)])
            .send("second", second)
            .send("probe", ran("ref_probe_1"))
            .count(
                "effects",
                &[("k", 1), ("k@a/refund", refunds), ("fresh@a/refund", 1)],
            );
        verdict(story.contract(|c| c.scope.route.value = answer))
    };
    assert_eq!(told(Answer::Run, ran("ref_b5e0d11f"), 1), Pass);
    assert_eq!(told(Answer::Run, replayed(ID), 0), Fail);
    assert_eq!(told(Answer::Run, got(422, ""), 0), Fail);
    assert_eq!(told(refuse(422), got(422, ""), 0), Pass);
    assert_eq!(told(refuse(422), got(422, ""), 1), Fail);
    assert_eq!(told(refuse(422), replayed(ID), 0), Fail);
}

#[test]
fn where_routes_are_left_open_another_route_still_never_gets_the_first_routes_reply() {
    let told = |mismatch: Answer, second: Got, refunds: i64| {
        let story = Story::bare("scope/other-route")
            .with_refund()
            .control()
            .send("first", ran(ID))
            .count("before", &[("k", 1), ("k@a/refund", 0)])
            .send("second", second)
            .send("probe", ran("ref_probe_1"))
            .count(
                "effects",
                &[("k", 1), ("k@a/refund", refunds), ("fresh@a/refund", 1)],
            )
            .contract(|c| {
                c.scope.route.value = Answer::Unspecified;
                c.mismatch.value = mismatch;
            });
        story.check("other-scope:second")
    };
    let check = told(refuse(422), replayed(ID), 0);
    assert_eq!(
        (check.verdict, check.clause.unwrap().name.as_str()),
        (Fail, "mismatch")
    );
    for open in [Answer::Replay, Answer::Unspecified] {
        assert_eq!(told(open, replayed(ID), 0).verdict, Observed);
    }
    assert_eq!(told(refuse(422), ran("ref_b5e0d11f"), 1).verdict, Observed);
    assert_eq!(told(refuse(422), got(422, ""), 0).verdict, Observed);
}

fn in_regions(story: Story, regions: &[Option<&str>]) -> Story {
    let regions = regions.iter().map(|region| region.map(str::to_owned));
    story.start(|start| start.regions = regions.collect())
}

#[test]
fn another_replica_of_one_service_is_a_plain_repeat() {
    let told = |second: Got, effects: i64| {
        Story::of("replicas/in-sequence")
            .send("first", ran(ID))
            .send("elsewhere", second)
            .send("back", replayed(ID))
            .count("effects", &[("k", effects)])
    };
    assert_eq!(told(replayed(ID), 1).verdict(), Pass);
    assert_eq!(told(ran("pay_b5e0d11f"), 2).verdict(), Fail);
    // the clause speaks of regions: without two of them it decides nothing
    let regional = |c: &mut Contract| c.scope.region.value = Answer::Run;
    assert_eq!(told(replayed(ID), 1).contract(regional).verdict(), Pass);
    let alike = [Some("eu"), Some("eu")];
    for regions in [&[Some("eu"), None][..], &alike[..], &[][..]] {
        let twice = told(ran("pay_b5e0d11f"), 2).contract(regional);
        assert_eq!(in_regions(twice, regions).verdict(), Fail, "{regions:?}");
    }
}

#[test]
fn a_base_url_that_no_request_went_to_is_named() {
    let told = |count: usize| {
        let story = Story::of("replicas/in-sequence")
            .send("first", ran(ID))
            .send("elsewhere", replayed(ID))
            .send("back", replayed(ID))
            .count("effects", &[("k", 1)])
            .start(|start| start.urls = (0..count).map(|n| format!("http://r{n}/")).collect());
        story.judged().notes.join("\n")
    };
    assert!(!told(2).contains("went to"), "{}", told(2));
    assert!(
        told(3).contains("no request of a drill went to http://r2/"),
        "{}",
        told(3)
    );
}

#[test]
fn another_region_has_results_of_its_own_where_the_policy_says_so() {
    let told = |second: Got, effects: i64, answer: Answer| {
        let story = Story::of("replicas/in-sequence")
            .send("first", ran(ID))
            .send("elsewhere", second)
            .send("back", replayed(ID))
            .count("effects", &[("k", effects)])
            .contract(|c| c.scope.region.value = answer);
        in_regions(story, &[Some("eu"), Some("us")])
    };
    let own = || ran("pay_b5e0d11f");
    assert_eq!(told(own(), 2, Answer::Run).verdict(), Pass);
    // one more than one for each region
    assert_eq!(told(own(), 3, Answer::Run).verdict(), Fail);
    assert_eq!(told(replayed(ID), 1, Answer::Run).verdict(), Fail);
    // one key for all regions
    assert_eq!(told(replayed(ID), 1, Answer::Replay).verdict(), Pass);
    assert_eq!(told(own(), 2, Answer::Replay).verdict(), Fail);
    assert_ne!(told(own(), 2, Answer::Unspecified).verdict(), Fail);
    // copies at once: each region may run its own, so that two results are no defect there, and one everywhere else
    let at_once = |regions: &[Option<&str>], answer: Answer| {
        let story = Story::of("replicas/at-once")
            .burst("here,there", &[ran(ID), ran("pay_b5e0d11f")])
            .send("later", replayed(ID))
            .count("effects", &[("k", 2)])
            .contract(|c| c.scope.region.value = answer);
        in_regions(story, regions).verdict()
    };
    assert_eq!(at_once(&[Some("eu"), Some("us")], Answer::Run), Skip);
    assert_eq!(at_once(&[Some("eu"), Some("us")], Answer::Replay), Fail);
    assert_eq!(at_once(&[Some("eu"), Some("eu")], Answer::Run), Fail);
    assert_eq!(at_once(&[], Answer::Run), Fail);
}

#[test]
fn a_method_that_the_service_does_not_have_is_skipped() {
    let told = |second: Got, probe: Got| {
        let story = elsewhere("scope/other-method", second, 1, probe);
        verdict(story.contract(|c| c.scope.method.value = refuse(422)))
    };
    assert_eq!(told(got(405, ""), got(405, "")), Skip);
    assert_eq!(told(got(422, ""), ran("pay_probe")), Pass);
    assert_eq!(told(replayed(ID), ran("pay_probe")), Fail);
    // the first's reply for a method that does not even exist
    assert_eq!(told(replayed(ID), got(405, "")), Fail);
}

#[test]
fn without_credentials_a_success_is_judged_by_its_result_or_its_marker() {
    let nameless = || got(201, "{}");
    let marked = || with(nameless(), "idempotent-replayed", "true");
    let open = |c: &mut Contract| c.scope.anonymous.value = Answer::Unspecified;
    let clause = |story: Story| {
        let check = story.check("other-scope:second");
        (check.verdict, check.clause.unwrap().name)
    };
    let story = |second: Got| stranger(got(401, ""), second, 1);
    assert_eq!(clause(story(marked())), (Fail, "isolation".to_owned()));
    assert_eq!(verdict(story(marked()).contract(open)), Fail);
    assert_eq!(
        clause(story(nameless())),
        (Fail, "scope.anonymous".to_owned())
    );
    assert_eq!(verdict(story(nameless()).contract(open)), Pass);
    assert_eq!(verdict(story(got(403, "")).contract(open)), Pass);
    assert_eq!(verdict(story(got(403, ""))), Fail);
}
