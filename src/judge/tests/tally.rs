//! Stories of results: what decides, what is told of several rounds, and what a pass says of itself.
//! They must not know any situation.

use crate::contract::{Clause, Contract, terms};
use crate::judge::Verdict::{Fail, Inconclusive, Pass, Warn};
use crate::judge::tally::{Cited, Tally, Violation};

fn contract() -> Contract {
    let mut c = terms::open();
    c.replay.should_parts = vec!["status".into()];
    c
}

fn violation<T: crate::judge::words::Declares>(
    clause: &Clause<T>,
    part: Option<&'static str>,
    observed: &str,
) -> Violation {
    Violation {
        cited: Cited::of(clause),
        part,
        expected: "as declared".into(),
        observed: observed.into(),
        meaning: "harm".into(),
        attempts: vec![],
    }
}

fn tally(rounds: u32) -> Tally {
    Tally::new("check".into(), rounds)
}

#[test]
fn a_pass_names_its_clause_what_it_asks_for_and_what_all_rounds_showed() {
    let c = contract();
    let mut passed = tally(1);
    passed.expect(Cited::of(&c.one_effect), "one effect");
    passed.saw("201", &[1]);
    let result = passed.finish(false);
    assert_eq!(
        (
            result.verdict,
            result.expected.as_str(),
            result.observed.as_str()
        ),
        (Pass, "one effect", "201")
    );
    assert_eq!(result.clause.unwrap().name, "one-effect");
    let mut premise = tally(1);
    premise.premise("a fresh key");
    premise.saw("201", &[1]);
    premise.sum_up("5 of 5");
    let result = premise.finish(false);
    assert!(result.clause.is_none());
    assert_eq!(
        (result.expected.as_str(), result.observed.as_str()),
        ("a fresh key", "5 of 5")
    );
}

#[test]
fn a_must_decides_before_what_is_only_advised_and_strictness_counts_both() {
    let c = contract();
    let story = |strict: bool, must: bool| {
        let mut told = tally(1);
        told.violated(violation(&c.replay, Some("status"), "200"));
        if must {
            told.violated(violation(&c.one_effect, None, "2 effects"));
        }
        told.finish(strict)
    };
    let result = story(false, true);
    assert_eq!(
        (result.verdict, result.violated),
        (Fail, vec!["one-effect".to_owned()])
    );
    assert_eq!(result.observed, "2 effects; also 200");
    let result = story(true, true);
    assert_eq!((result.verdict, result.violated.len()), (Fail, 2));
    let result = story(false, false);
    assert_eq!(
        (result.verdict, result.violated),
        (Warn, vec!["replay".to_owned()])
    );
    assert_eq!(story(true, false).verdict, Fail);
}

#[test]
fn a_doubt_outweighs_what_is_only_advised_and_says_how_many_others_there_are() {
    let c = contract();
    let mut told = tally(1);
    told.violated(violation(&c.replay, Some("status"), "200"));
    told.doubt("lost", &[]);
    told.doubt("lost", &[]);
    told.doubt("down", &[]);
    let result = told.finish(false);
    assert_eq!(
        (result.verdict, result.observed.as_str()),
        (Inconclusive, "lost (and 1 more)")
    );
    let mut told = tally(1);
    told.violated(violation(&c.one_effect, None, "2 effects"));
    told.doubt("lost", &[]);
    assert_eq!(told.finish(false).verdict, Fail);
}

#[test]
fn a_round_is_named_where_there_are_several_and_those_alike_are_counted() {
    let c = contract();
    let story = |planned: u32, rounds: &[u32]| {
        let mut told = tally(planned);
        for round in rounds {
            told.in_round(*round);
            told.violated(violation(&c.one_effect, None, "2 effects"));
        }
        told.finish(false).observed
    };
    assert_eq!(story(1, &[0]), "2 effects");
    assert_eq!(story(1, &[0, 0]), "2 effects");
    assert_eq!(story(4, &[1]), "round 2: 2 effects");
    assert_eq!(story(4, &[1, 1, 3]), "round 2: 2 effects (2 of 4 rounds)");
    // rounds that were repeated are more than were planned
    assert_eq!(story(1, &[0, 2]), "round 1: 2 effects (2 of 3 rounds)");
    let mut told = tally(4);
    told.in_round(1);
    told.violated(violation(&c.one_effect, None, "2 effects"));
    told.violated(violation(&c.replay, None, "another reply"));
    told.in_round(2);
    told.violated(violation(&c.replay, None, "another reply"));
    assert_eq!(
        told.finish(false).observed,
        "round 2: 2 effects; also round 2: another reply"
    );
}
