//! Stories of whole runs: interrupted, broken off, skipped, judged again under another policy.
//! They must not know how a verdict is reached.

use super::story::{Story, got, ran, replayed};
use crate::contract::{Carrier, WireForm};
use crate::journal::*;
use crate::judge::Verdict::{Fail, Inconclusive, Observed, Pass, Skip, Warn};
use crate::judge::{judge, violated_in_round};

const ID: &str = "pay_7f3a9c21";

fn replay() -> Story {
    Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", replayed(ID))
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)])
}

#[test]
fn a_run_passes_when_its_drills_do_and_says_how_many() {
    let judged = replay().judged();
    assert_eq!((judged.verdict, judged.counts.pass), (Pass, 2));
    assert_eq!(judged.findings[0].id, "drill.control@pay");
    assert!(judged.notes.is_empty() && !judged.interrupted && judged.power.is_none());
}

#[test]
fn a_finding_names_the_clause_with_its_place() {
    let story = Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", replayed(ID))
        .count("effects", &[("k", 1)])
        .send("original", replayed(ID))
        .count("end", &[("k", 1)]);
    let check = story.check("mismatch:changed");
    let clause = check.clause.unwrap();
    assert_eq!(clause.name, "mismatch");
    assert_eq!(clause.origin.unwrap().to_string(), "policies/story.toml:3");
    assert!(
        check.meaning.is_some() && check.attempts[0] == 6,
        "{:?}",
        check.attempts
    );
}

#[test]
fn a_should_that_is_violated_makes_the_run_warn() {
    let story = Story::of("mismatch")
        .send("first", ran(ID))
        .count("before", &[("k", 1)])
        .send("changed", got(400, "{}"))
        .count("effects", &[("k", 1)])
        .send("original", replayed(ID))
        .count("end", &[("k", 1)])
        .contract(|c| c.mismatch.should_parts = vec!["status".into()]);
    let judged = story.judged();
    assert_eq!(judged.verdict, Warn, "{judged:#?}");
}

#[test]
fn nothing_beyond_the_control_is_no_pass() {
    let control = Story::bare("control").control().judged();
    assert_eq!(control.findings[0].verdict, Pass);
    assert_eq!(control.verdict, Inconclusive);
    let skipped = replay()
        .start(|s| s.plan[1].skip = Some("no second account".into()))
        .judged();
    assert_eq!(
        (skipped.findings[1].verdict, skipped.verdict),
        (Skip, Inconclusive)
    );
    assert_eq!(skipped.findings[1].reason, "no second account");
}

#[test]
fn a_required_drill_that_was_skipped_leaves_the_run_inconclusive() {
    let story = || {
        let mut journal = replay().end().journal();
        let mut other = journal.instances[1].clone();
        other.plan.id = "drill.mismatch@pay".into();
        other.plan.drill.id = "drill.mismatch".into();
        other.skip = Some("no changed body".into());
        journal.instances.push(other);
        journal
    };
    let journal = story();
    let of = |required: &[&str]| {
        let required: Vec<String> = required.iter().map(|r| (*r).to_owned()).collect();
        judge(&journal, &journal.start.contracts, false, &required).verdict
    };
    assert_eq!(of(&[]), Pass);
    assert_eq!(of(&["drill.replay"]), Pass);
    for required in ["drill.mismatch", "drill.mismatch@pay", "all"] {
        assert_eq!(of(&[required]), Inconclusive, "{required}");
    }
}

/// The events of a story up to some of its lines, as a run that was killed leaves them.
fn killed(story: Story, keep: usize) -> Journal {
    let journal = story.journal();
    let mut short = Journal::new(journal.start.clone());
    let mut events: Vec<Event> = Vec::new();
    for instance in &journal.instances {
        for round in instance.rounds.values() {
            for attempt in &round.attempts {
                events.push(Event::Attempt(Box::new(attempt.sent.clone())));
                events.extend(attempt.done.clone().map(|d| Event::Outcome(Box::new(d))));
            }
            events.extend(round.counts.iter().cloned().map(Event::Count));
        }
        events.extend(instance.ended.clone().map(Event::InstanceEnd));
    }
    for event in events.into_iter().take(keep) {
        short.add(event).unwrap();
    }
    short
}

#[test]
fn what_was_not_reached_is_inconclusive_and_what_was_seen_stays() {
    for keep in 0..17 {
        let journal = killed(replay(), keep);
        let judged = judge(&journal, &journal.start.contracts, false, &[]);
        assert_eq!(judged.verdict, Inconclusive, "{keep} events");
        assert_eq!(judged.findings[1].verdict, Inconclusive, "{keep} events");
    }
    let violated = Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", ran("pay_other_1"))
        .send("again", replayed(ID))
        .count("effects", &[("k", 2)]);
    let journal = killed(violated, 16);
    assert_eq!(
        judge(&journal, &journal.start.contracts, false, &[]).verdict,
        Fail
    );
}

#[test]
fn a_drill_that_broke_off_says_why() {
    let broken = Event::InstanceEnd(InstanceEnded {
        instance: "drill.replay@pay".into(),
        rounds: 1,
        broken: Some("connection refused".into()),
        stopped_early: false,
        at_us: 0,
    });
    let journal = Story::of("replay")
        .send("first", ran(ID))
        .event(broken)
        .journal();
    let judged = judge(&journal, &journal.start.contracts, false, &[]);
    let finding = &judged.findings[1];
    assert_eq!(finding.verdict, Inconclusive);
    assert!(
        finding.reason.contains("connection refused"),
        "{}",
        finding.reason
    );
}

#[test]
fn a_target_that_cannot_be_tested_judges_nothing() {
    let stopped = Event::Stopped(Stopped {
        why: "no request succeeds (401)".into(),
        remedy: "set TOKEN_A".into(),
        misconfigured: false,
    });
    let journal = Story::bare("replay").event(stopped).journal();
    let judged = judge(&journal, &journal.start.contracts, false, &[]);
    assert_eq!(judged.verdict, Inconclusive);
    assert!(
        judged.findings[1].reason.contains("401"),
        "{}",
        judged.findings[1].reason
    );
    assert!(judged.notes[0].contains("set TOKEN_A"));
}

#[test]
fn another_policy_judges_the_same_journal() {
    let journal = replay().end().journal();
    let mut other = journal.start.contracts.clone();
    let contract = other.get_mut("pay").unwrap();
    contract.replay.value = crate::contract::Replay::Refuse(crate::contract::Match::default());
    assert_eq!(judge(&journal, &other, false, &[]).verdict, Fail);
    assert_eq!(
        judge(&journal, &journal.start.contracts, false, &[]).verdict,
        Pass
    );
}

#[test]
fn a_policy_with_another_key_clause_judges_nothing_that_was_sent() {
    let journal = replay().end().journal();
    for change in [
        |c: &mut crate::contract::KeyRule| c.form = WireForm::SfString,
        |c: &mut crate::contract::KeyRule| c.carrier = Carrier::Header("X-Request-ID".into()),
    ] {
        let mut other = journal.start.contracts.clone();
        change(&mut other.get_mut("pay").unwrap().key.value);
        let judged = judge(&journal, &other, false, &[]);
        assert_eq!(judged.verdict, Inconclusive);
        assert!(judged.findings.iter().all(|f| f.verdict == Inconclusive));
        let reason = &judged.findings[1].reason;
        assert!(
            reason.contains("were sent in the header Idempotency-Key, bare"),
            "{reason}"
        );
        assert!(
            !reason.contains("SfString") && !reason.contains("Header("),
            "{reason}"
        );
        // the remedy is said once, of the run
        let remedies = judged
            .notes
            .iter()
            .filter(|note| note.contains("doubletap run --policy"));
        assert_eq!(remedies.count(), 1);
    }
}

#[test]
fn no_contract_of_the_operation_judges_nothing() {
    let journal = replay().end().journal();
    let judged = judge(&journal, &std::collections::BTreeMap::new(), false, &[]);
    assert_eq!(judged.verdict, Inconclusive);
}

#[test]
fn replies_alone_show_a_violation_early_and_never_a_pass() {
    let of = |story: Story| {
        let journal = story.journal();
        violated_in_round(
            &journal,
            &journal.start.contracts,
            "drill.concurrent@pay",
            0,
        )
    };
    let round = |copies: &[super::story::Got]| {
        Story::of("concurrent")
            .rounds(10)
            .burst("copies", copies)
            .send("later", replayed(ID))
    };
    assert!(of(round(&[ran(ID), ran("pay_other_1"), got(409, "")])));
    assert!(of(round(&[ran(ID), got(500, ""), got(409, "")])));
    assert!(!of(round(&[ran(ID), replayed(ID), got(409, "")])));
    // what only the count shows is not known yet, and what only should be is no must
    assert!(!of(
        round(&[ran(ID), replayed(ID), replayed(ID)]).count("effects", &[("k", 3)])
    ));
    let should = round(&[ran(ID), got(423, ""), got(409, "")]);
    assert!(of(should.clone()));
    assert!(!of(should.contract(
        |c| c.in_progress.should_parts = vec!["status".into()]
    )));
}

#[test]
fn a_drill_with_only_open_clauses_is_observed_and_the_run_is_not_passed() {
    let story = Story::of("replay")
        .send("first", ran(ID))
        .send("repeat", replayed(ID))
        .send("again", replayed(ID))
        .count("effects", &[("k", 1)])
        .contract(|c| {
            c.replay.value = crate::contract::Replay::Unspecified;
            c.one_effect.value = false;
        });
    let judged = story.judged();
    assert_eq!(
        (judged.findings[1].verdict, judged.verdict),
        (Observed, Inconclusive)
    );
}

mod journal {
    use super::*;

    fn lines() -> Vec<String> {
        let journal = replay().journal();
        let mut writer = Writer::new(Vec::new(), Redactor::default());
        writer
            .write(&Event::Start(Box::new(journal.start.clone())))
            .unwrap();
        for attempt in journal.attempts() {
            writer
                .write(&Event::Attempt(Box::new(attempt.sent.clone())))
                .unwrap();
            writer
                .write(&Event::Outcome(Box::new(attempt.done.clone().unwrap())))
                .unwrap();
        }
        let text = String::from_utf8(writer.into_inner()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn one_cut_last_line_is_forgiven_and_garbage_is_named_by_its_line() {
        let mut text = lines().join("\n");
        text.truncate(text.len() - 20);
        assert_eq!(
            read(&text)
                .unwrap()
                .attempts()
                .filter(|a| a.done.is_none())
                .count(),
            1
        );
        // a whole last line is not forgiven
        let error = read(&(text + "\n")).unwrap_err();
        assert!(
            error.to_string().starts_with("line 15 is no event"),
            "{error}"
        );
        let mut garbage = lines();
        garbage[3] = "{\"event\":\"nonsense\"}".into();
        let error = read(&garbage.join("\n")).unwrap_err();
        assert!(
            error.to_string().starts_with("line 4 is no event"),
            "{error}"
        );
    }

    #[test]
    fn a_later_version_is_refused_whatever_else_it_holds() {
        let error = read("{\"event\":\"start\",\"schema_version\":99,\"new\":{}}\n").unwrap_err();
        assert!(matches!(error, ReadError::Later { found: 99 }), "{error}");
        assert!(matches!(read(""), Err(ReadError::Empty)));
        assert!(matches!(
            read("hello\n"),
            Err(ReadError::Line { line: 1, .. })
        ));
        let mut headless = lines();
        headless.remove(0);
        assert!(matches!(
            read(&headless.join("\n")),
            Err(ReadError::NoStart)
        ));
    }

    #[test]
    fn a_journal_from_before_a_clause_was_known_is_read_with_the_clause_open() {
        let mut old = lines();
        let mut start: serde_json::Value = serde_json::from_str(&old[0]).unwrap();
        for contract in start["contracts"].as_object_mut().unwrap().values_mut() {
            let clauses = contract.as_object_mut().unwrap();
            assert!(clauses.remove("errors-at").is_some());
            let methods = clauses["methods"].as_object_mut().unwrap();
            assert!(methods.remove("stale-if-match").is_some());
        }
        old[0] = start.to_string();
        let journal = read(&(old.join("\n") + "\n")).unwrap();
        let contract = journal.start.contracts.values().next().unwrap();
        assert!(contract.errors_at.value.is_empty());
        assert_eq!(contract.methods.stale_if_match.origin, None);
    }

    #[test]
    fn what_fits_nowhere_is_refused() {
        let mut twice = lines();
        twice.push(twice[1].clone());
        let error = read(&(twice.join("\n") + "\n")).unwrap_err();
        assert!(
            error.to_string().contains("attempt 1 appears twice"),
            "{error}"
        );
        let mut orphan = lines();
        orphan.remove(1);
        let error = read(&(orphan.join("\n") + "\n")).unwrap_err();
        assert!(error.to_string().contains("never announced"), "{error}");
    }

    #[test]
    fn secrets_are_out_of_every_string_and_the_journal_still_reads() {
        let secret = crate::config::target::Secret {
            name: "$TOKEN".into(),
            value: "Bearer attempt-s3cret".to_owned().into(),
        };
        let mut journal = replay().journal();
        journal.start.command = "doubletap run -H 'Authorization: Bearer attempt-s3cret'".into();
        let mut writer = Writer::new(Vec::new(), Redactor::new(&[secret]));
        writer
            .write(&Event::Start(Box::new(journal.start.clone())))
            .unwrap();
        let mut sent = journal.attempts().next().unwrap().sent.clone();
        sent.headers = vec![("Authorization".into(), "Bearer attempt-s3cret".into())].into();
        sent.url = "http://127.0.0.1:1/?token=attempt-s3cret".into();
        writer.write(&Event::Attempt(Box::new(sent))).unwrap();
        let text = String::from_utf8(writer.into_inner()).unwrap();
        assert!(!text.contains("s3cret"), "{text}");
        assert!(text.contains("?token=$TOKEN"));
        assert_eq!(read(&text).unwrap().attempts().count(), 1);
    }
}
