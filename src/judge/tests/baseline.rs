//! Stories judged beside a baseline: what is known does not fail, what is over or gone does.
//! They must not know how a baseline is read.

use jiff::civil::{Date, date};

use super::story::{Story, got, ran, replayed};
use crate::config::{Baseline, Known};
use crate::judge::Verdict::{Fail, Inconclusive, Pass};
use crate::judge::baseline::{Standing, settle};
use crate::judge::{Judged, Verdict};

const ID: &str = "pay_7f3a9c21";
const TODAY: Date = date(2030, 6, 15);

/// A changed body that ran: `mismatch` is violated, and one effect too many.
fn ran_twice() -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", ran("pay_second00"))
        .count("effects", &[("k", 2)])
        .send("original", replayed(ID))
        .count("end", &[("k", 2)])
}

fn kept() -> Story {
    Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", got(422, "{}"))
        .count("effects", &[("k", 1)])
        .send("original", replayed(ID))
        .count("end", &[("k", 1)])
}

/// Everything that a run violates, as `baseline write` would know it.
fn everything(judged: &Judged, until: Date) -> Baseline {
    let mut known = Vec::new();
    for finding in &judged.findings {
        for check in &finding.checks {
            known.extend(check.violated.iter().map(|clause| Known {
                drill: finding.id.clone(),
                check: check.id.clone(),
                clause: clause.clone(),
                reason: "SHOP-1".into(),
                until,
            }));
        }
    }
    Baseline {
        file: "baseline.toml".into(),
        known,
    }
}

fn standings(judged: &Judged) -> Vec<Standing> {
    let settled = judged.baseline.as_ref().unwrap();
    settled.entries.iter().map(|entry| entry.standing).collect()
}

#[test]
fn what_is_known_is_shown_and_does_not_fail_up_to_its_last_day() {
    let judged = ran_twice().judged();
    assert_eq!(judged.verdict, Fail);
    let baseline = everything(&judged, TODAY);
    assert!(!baseline.known.is_empty());
    let settled = settle(judged, &baseline, TODAY);
    assert_eq!((settled.verdict, settled.counts.known), (Verdict::Known, 1));
    assert_eq!(settled.counts.fail, 0);
    assert!(standings(&settled).iter().all(|s| *s == Standing::Seen));
    let reason = &settled.findings.last().unwrap().reason;
    assert!(
        reason.ends_with("(known until 2030-06-15: SHOP-1)"),
        "{reason}"
    );
}

#[test]
fn on_the_day_after_it_fails_again_and_the_entry_says_why() {
    let judged = ran_twice().judged();
    let baseline = everything(&judged, TODAY.yesterday().unwrap());
    let settled = settle(judged, &baseline, TODAY);
    assert_eq!((settled.verdict, settled.counts.fail), (Fail, 1));
    assert!(standings(&settled).iter().all(|s| *s == Standing::Expired));
}

#[test]
fn an_entry_that_is_over_fails_also_where_nothing_was_seen() {
    let baseline = everything(&ran_twice().judged(), date(2030, 1, 1));
    let settled = settle(kept().judged(), &baseline, TODAY);
    assert_eq!((settled.verdict, settled.counts.fail), (Fail, 0));
}

#[test]
fn what_is_not_seen_any_more_is_stale_and_fails() {
    let baseline = everything(&ran_twice().judged(), date(2031, 1, 1));
    let settled = settle(kept().judged(), &baseline, TODAY);
    assert_eq!((settled.verdict, settled.counts.fail), (Fail, 0));
    assert!(standings(&settled).contains(&Standing::Stale));
}

#[test]
fn another_violation_of_the_same_check_is_new() {
    let judged = ran_twice().judged();
    let mut baseline = everything(&judged, TODAY);
    for entry in &mut baseline.known {
        entry.clause = "isolation".into();
    }
    let settled = settle(judged, &baseline, TODAY);
    assert_eq!(settled.verdict, Fail);
    assert!(!standings(&settled).contains(&Standing::Seen));
}

#[test]
fn a_check_with_two_violations_is_known_only_where_both_are() {
    let mut judged = ran_twice().judged();
    let check = judged
        .findings
        .last_mut()
        .unwrap()
        .checks
        .first_mut()
        .unwrap();
    check.violated = vec!["mismatch".into(), "one-effect".into()];
    let mut baseline = everything(&judged, TODAY);
    assert_eq!(
        settle(judged.clone(), &baseline, TODAY).verdict,
        Verdict::Known
    );
    baseline.known.retain(|known| known.clause != "one-effect");
    assert_eq!(settle(judged, &baseline, TODAY).verdict, Fail);
}

#[test]
fn no_verdict_is_never_known_and_makes_no_entry_stale() {
    // it broke off before the changed body was sent
    let lost = Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)]);
    let baseline = everything(&ran_twice().judged(), TODAY);
    let judged = lost.judged();
    assert_eq!(judged.verdict, Inconclusive, "{judged:#?}");
    let settled = settle(judged, &baseline, TODAY);
    assert_eq!(settled.verdict, Inconclusive);
    assert!(standings(&settled).contains(&Standing::Untried));
    assert!(!standings(&settled).contains(&Standing::Seen));
}

#[test]
fn a_drill_that_was_not_run_makes_no_entry_stale() {
    let mut baseline = everything(&ran_twice().judged(), TODAY);
    for entry in &mut baseline.known {
        entry.drill = "drill.other@pay".into();
    }
    let settled = settle(kept().judged(), &baseline, TODAY);
    assert_eq!(settled.verdict, Pass);
    assert!(standings(&settled).iter().all(|s| *s == Standing::Untried));
}

#[test]
fn an_entry_excuses_its_own_drill_and_check_alone() {
    let judged = ran_twice().judged();
    let fails = |change: fn(&mut Known)| {
        let mut baseline = everything(&judged, TODAY);
        baseline.known.iter_mut().for_each(change);
        settle(judged.clone(), &baseline, TODAY).verdict
    };
    assert_eq!(fails(|_| {}), Verdict::Known);
    assert_eq!(
        fails(|known| known.drill = "races.mixed-bodies@pay".into()),
        Fail
    );
    assert_eq!(fails(|known| known.check = "replay:elsewhere".into()), Fail);
}

#[test]
fn what_is_known_by_several_entries_is_known_until_the_first_of_them_is_over() {
    let mut judged = ran_twice().judged();
    let check = judged
        .findings
        .last_mut()
        .unwrap()
        .checks
        .first_mut()
        .unwrap();
    check.violated = vec!["mismatch".into(), "one-effect".into()];
    let mut baseline = everything(&judged, date(2031, 1, 1));
    let reason = |baseline: &Baseline| {
        let settled = settle(judged.clone(), baseline, TODAY);
        let checks = &settled.findings.last().unwrap().checks;
        checks.first().unwrap().known.clone().unwrap()
    };
    // one reason is told once
    assert_eq!(reason(&baseline), "known until 2031-01-01: SHOP-1");
    let mut dates = [date(2030, 12, 31), date(2031, 1, 1)].into_iter().cycle();
    for entry in &mut baseline.known {
        entry.until = dates.next().unwrap();
        entry.reason = format!("until {}", entry.until);
    }
    let both = reason(&baseline);
    assert!(both.starts_with("known until 2030-12-31: "), "{both}");
    assert!(both.contains("until 2031-01-01"), "{both}");
}

#[test]
fn a_finding_in_which_nothing_is_known_stays_as_it_was() {
    let judged = ran_twice().judged();
    let baseline = Baseline {
        file: "baseline.toml".into(),
        known: Vec::new(),
    };
    let settled = settle(judged.clone(), &baseline, TODAY);
    assert_eq!(settled.findings, judged.findings);
}

#[test]
fn an_entry_for_a_check_that_fails_otherwise_is_not_stale() {
    let judged = ran_twice().judged();
    let mut baseline = everything(&judged, TODAY);
    for entry in &mut baseline.known {
        entry.clause = "isolation".into();
    }
    let settled = settle(judged, &baseline, TODAY);
    assert!(!standings(&settled).is_empty());
    assert!(standings(&settled).iter().all(|s| *s == Standing::Untried));
}
