//! A run that was saved: judged again, reported in every format, shown drill by drill.
//! Must not send anything after the run.

use super::*;

fn saved(bench: &Bench, more: &[&str]) -> (Output, String) {
    let journal = bench.path("run.jsonl").display().to_string();
    let args = small(&[&["--format", "json", "--journal", &journal], more].concat());
    (bench.run(&args), journal)
}

#[test]
fn a_saved_run_is_judged_as_it_was() {
    let bench = Bench::new();
    let (live, journal) = saved(&bench, &["--fault", "run-mismatch"]);
    let again = bench.run(&["judge", &journal, "--format", "json"]);
    assert_eq!((code(&live), code(&again)), (1, 1), "{}", stderr(&again));
    assert_eq!(report(&live), report(&again));
}

#[test]
fn another_policy_may_find_what_the_declared_one_allows() {
    let bench = Bench::new();
    let (live, journal) = saved(&bench, &["--drill", "drill.in-progress"]);
    assert_eq!(code(&live), 0);
    // one design lets the duplicate wait, the other promises a refusal
    let again = bench.run(&[
        "judge",
        &journal,
        "--policy",
        "claim-first",
        "--format",
        "json",
    ]);
    assert_eq!(code(&again), 1, "{}{}", stdout(&again), stderr(&again));
    let report = report(&again);
    assert_eq!(report["policy"]["id"], "claim-first");
    let check = &drill(&report, "drill.in-progress")["checks"][0];
    assert_eq!(check["clause"]["file"], "policies/claim-first.toml");
}

#[test]
fn a_saved_run_is_reported_in_every_format_and_never_with_one() {
    let bench = Bench::new();
    let (_, journal) = saved(
        &bench,
        &["--fault", "ignore-key", "--drill", "drill.replay"],
    );
    for (format, has) in [
        ("table", "FAIL"),
        ("json", "\"verdict\": \"fail\""),
        ("ndjson", "{\"type\":\"end\""),
        ("junit", "<failure"),
        ("sarif", "\"level\": \"error\""),
        ("markdown", "**FAIL**"),
        ("github", "::error "),
        ("gitlab", "\"severity\": \"critical\""),
        ("tap", "not ok"),
        ("html", "<!doctype html>"),
    ] {
        let output = bench.run(&["report", &journal, "--format", format]);
        assert_eq!(code(&output), 0, "{format}: {}", stderr(&output));
        assert!(
            stdout(&output).contains(has),
            "{format}:\n{}",
            stdout(&output)
        );
    }
}

#[test]
fn a_journal_is_read_from_standard_input() {
    let bench = Bench::new();
    let (_, journal) = saved(&bench, &["--drill", "drill.replay"]);
    let file = std::fs::File::open(journal).unwrap();
    let output = bench
        .command(&["report", "-", "--format", "tap"])
        .stdin(file)
        .output()
        .unwrap();
    assert!(
        stdout(&output).contains("ok 2 - drill.replay@payment"),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
}

#[test]
fn one_drill_is_shown_in_full_although_it_passed() {
    let bench = Bench::new();
    let (_, journal) = saved(&bench, &["--drill", "drill.replay"]);
    let output = bench.run(&["show", &journal, "drill.replay"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for part in ["expected", "201 replay", "curl -sS"] {
        assert!(
            stdout(&output).contains(part),
            "{part} is missing in\n{}",
            stdout(&output)
        );
    }
    let wrong = bench.run(&["show", &journal, "drill.repaly"]);
    assert_eq!(code(&wrong), 2);
    assert!(
        stderr(&wrong).contains("drill.replay@payment"),
        "{}",
        stderr(&wrong)
    );
}

#[test]
fn what_is_no_journal_is_refused() {
    let bench = Bench::new();
    std::fs::write(bench.path("x.jsonl"), "no journal\n").unwrap();
    for command in ["judge", "report"] {
        assert_eq!(code(&bench.run(&[command, "x.jsonl"])), 2, "{command}");
        assert_eq!(
            code(&bench.run(&[command, "not-there.jsonl"])),
            2,
            "{command}"
        );
    }
}

#[test]
fn two_runs_are_compared_and_a_new_violation_ends_with_one() {
    let bench = Bench::new();
    let save = |name: &str, more: &[&str]| {
        bench.run(&small(
            &[&["--drill", "drill.replay", "--journal", name], more].concat(),
        ));
    };
    save("good.jsonl", &[]);
    save("bad.jsonl", &["--fault", "ignore-key"]);
    let worse = bench.run(&["diff", "good.jsonl", "bad.jsonl"]);
    assert_eq!(code(&worse), 1, "{}", stderr(&worse));
    assert!(stdout(&worse).contains("NEW"), "{}", stdout(&worse));
    let better = bench.run(&["diff", "bad.jsonl", "good.jsonl"]);
    assert_eq!(code(&better), 0, "{}", stderr(&better));
    assert!(stdout(&better).contains("fixed"), "{}", stdout(&better));
}

#[test]
fn a_run_that_was_kept_is_named_by_its_id_or_as_the_last() {
    let bench = Bench::new();
    let live = bench.run(&small(&["--drill", "drill.replay", "--format", "json"]));
    let id = report(&live)["run"]["id"].as_str().unwrap().to_owned();
    for name in ["last", &id] {
        let shown = bench.run(&["show", name, "drill.replay"]);
        assert_eq!(code(&shown), 0, "{}", stderr(&shown));
        let again = bench.run(&["judge", name, "--format", "json"]);
        assert_eq!(report(&live), report(&again), "{name}");
    }
    let unknown = bench.run(&["show", "nowhere", "drill.replay"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        stderr(&unknown).contains(&format!("the last is {id}")),
        "{}",
        stderr(&unknown)
    );
}

#[test]
fn no_report_is_written_over_the_journal_that_was_named_as_the_last() {
    let bench = Bench::new();
    let run = bench.run(&small(&["--drill", "drill.replay", "--format", "json"]));
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    let journal = report(&run)["run"]["journal"].as_str().unwrap().to_owned();
    let before = std::fs::read_to_string(&journal).unwrap();
    for command in ["report", "judge"] {
        let over = bench.run(&[command, "last", "--output", &format!("json={journal}")]);
        assert_eq!(code(&over), 2, "{command}: {}", stderr(&over));
        assert!(stderr(&over).contains("one file"), "{}", stderr(&over));
    }
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), before);
}

#[test]
fn a_run_without_a_drill_named_is_listed_and_says_how_to_go_on() {
    let bench = Bench::new();
    let (_, journal) = saved(
        &bench,
        &["--fault", "ignore-key", "--drill", "drill.replay"],
    );
    let output = bench.run(&["show", &journal]);
    let text = stdout(&output);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        text.contains(" drill.control@payment ") && text.contains(" FAIL "),
        "{text}"
    );
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("`doubletap show ") && last.contains(" drill.replay@payment` "),
        "{last}"
    );
    // a name that is like none is no reason for an empty proposal
    let output = bench.run(&["show", &journal, "nosuch"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        stderr(&output).trim(),
        format!(
            "error: the run has no drill `nosuch`; `doubletap show {journal}` lists what it has"
        )
    );
}

#[test]
fn a_comparison_lists_what_changed_and_counts_what_only_one_run_has() {
    let bench = Bench::new();
    let before = bench.path("before.jsonl").display().to_string();
    bench.run(&small(&["--fault", "ignore-key", "--journal", &before]));
    let now = bench.path("now.jsonl").display().to_string();
    bench.run(&small(&["--drill", "drill.replay", "--journal", &now]));
    let output = bench.run(&["diff", &before, &now]);
    let text = stdout(&output);
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("@payment"))
        .collect();
    assert!(
        rows[0].trim_start().starts_with("fixed") && rows[0].contains("drill.replay"),
        "{text}"
    );
    // what was violated and not tried again is told, what passed before is counted
    assert!(
        rows.iter()
            .any(|row| row.contains("drill.mismatch@payment")),
        "{text}"
    );
    assert!(!text.contains("drill.other-account"), "{text}");
    assert!(text.contains(" not run now (--all lists them)"), "{text}");
    let all = stdout(&bench.run(&["diff", &before, &now, "--all"]));
    assert!(
        all.contains("drill.other-account") && !all.contains("--all"),
        "{all}"
    );
}
