//! The contract card, the draft and the comparison, of sandboxes that do well and of some that do not.

use super::*;
use crate::command::{code, report, stderr, stdout};

fn observe(faults: &[&str], more: &[&str]) -> (Bench, Output) {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[&["--design", "one-transaction"], faults].concat());
    let output = on(&bench, &sandbox, "one-transaction", &["observe"], more);
    (bench, output)
}

/// What was printed, its lines joined: where they break is the terminal's business.
fn one_line(output: &Output) -> String {
    let words: Vec<String> = stdout(output)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words.join(" ")
}

#[test]
fn the_card_answers_eight_questions_with_the_attempts_behind_each() {
    let (_, output) = observe(&[], &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let card = stdout(&output);
    for said in [
        "1. Which operations take a key",
        "a repeat of a finished request gets the same bytes",
        "a replay carries idempotent-replayed: true",
        "without a key: it runs twice",
        "2. What may a key look like?",
        "keys of up to 255 characters protect, one of 256 does not",
        "the key in quotes is the same key",
        "3. What else makes a key another key?",
        "the same key from another account: it runs",
        "the same key on another route: it is refused (422)",
        "4. What is another request",
        "another body under a used key: it is refused (422)",
        "the meaning of the JSON body is compared",
        "5. Are claim, work and record one",
        "copies of one request released together had one effect",
        "6. What does a duplicate get",
        "it waits and gets the first's result",
        "7. Which results are stored?",
        "a refusal by the business: stored",
        "8. How long is a key kept",
        "after the key was made to expire (http): it runs (201)",
        "Not tried",
    ] {
        assert!(card.contains(said), "{said} is missing in\n{card}");
    }
    assert!(!card.contains("   !"), "nothing to be alarmed of:\n{card}");
}

#[test]
fn what_no_contract_should_say_is_marked() {
    for (fault, alarm) in [
        ("ignore-key", "the key protects nothing"),
        ("global-scope", "whoever knows a key reads another's result"),
        ("check-then-insert", "effects"),
        ("run-mismatch", "another body under a used key: it runs"),
    ] {
        let (_, output) = observe(&["--fault", fault], &[]);
        let card = one_line(&output);
        assert!(
            card.contains(alarm),
            "{fault}: {alarm} is missing in\n{card}"
        );
        let is_alarm = fault == "run-mismatch" || card.contains(" ! ");
        assert!(is_alarm, "{fault} is not marked:\n{card}");
    }
}

#[test]
fn a_write_that_is_lost_to_a_stored_reply_is_told() {
    let more = ["--operation", "note", "--operation", "removal"];
    let words = [
        "a PUT of another body under a used key is answered with success, and nothing is written",
        "a DELETE of another resource under a used key is answered with success, and nothing is written",
    ];
    let card = one_line(&observe(&["--fault", "put-cached"], &more).1);
    for said in words {
        let said = format!("! {said}");
        assert!(card.contains(&said), "{said} is missing in\n{card}");
    }
    let card = one_line(&observe(&[], &more).1);
    assert!(!card.contains("nothing is written"), "{card}");
    assert!(
        card.contains("a PUT sent twice with one key leaves one state"),
        "{card}"
    );
}

#[test]
fn of_keys_that_are_ignored_nothing_finer_is_told() {
    let (_, output) = observe(&["--fault", "ignore-key"], &[]);
    let card = one_line(&output);
    assert!(card.contains("! the key protects nothing"), "{card}");
    let stranger = "- the same key without credentials: it is refused (401)";
    assert!(card.contains(stranger), "{card}");
    for said in [
        "characters protect",
        "character protect",
        "tell keys apart",
        ": is another request",
    ] {
        assert!(!card.contains(said), "{said} says too much in\n{card}");
    }
}

#[test]
fn work_behind_a_perfect_reply_is_told_wherever_it_was_counted() {
    let (_, output) = observe(&["--fault", "double-effect-hidden"], &[]);
    let card = one_line(&output);
    for said in [
        "! the work was done again behind a reply that looks like a replay",
        "! what came while the first was running was carried out, too",
    ] {
        assert!(card.contains(said), "{said} is missing in\n{card}");
    }
    for said in ["its repeat does nothing", "characters protect"] {
        assert!(!card.contains(said), "{said} is wrong in\n{card}");
    }
}

#[test]
fn a_lost_request_that_ran_is_not_taken_for_work_behind_the_retrys_reply() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--design", "key-after-work"]);
    let card = one_line(&on(&bench, &sandbox, "one-transaction", &["observe"], &[]));
    assert!(
        card.contains("while the request was carried out: the retry did the work again"),
        "{card}"
    );
    assert!(
        !card.contains("behind a reply that looks like a replay"),
        "{card}"
    );
}

#[test]
fn a_clause_that_is_violated_elsewhere_shows_where() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--design", "one-transaction", "--fault", "route-blind"]);
    // another route is another request, and no clause of its own
    let policy = bench.path("own.toml");
    let text = "id = \"own\"\ntitle = \"Own\"\nextends = \"plain\"\n[contract]\nmismatch = { refuse = { status = [422] } }\n";
    std::fs::write(&policy, text).unwrap();
    let against = ["--against", "./own.toml", "--format", "json"];
    let output = on(&bench, &sandbox, "plain", &["observe"], &against);
    let rows = report(&output)["against"].clone();
    let rows = rows.as_array().unwrap();
    let row = rows.iter().find(|row| row["clause"] == "mismatch").unwrap();
    assert_eq!(row["standing"], "differs", "{row}");
    assert!(row["seen"].as_str().unwrap().contains("attempt"), "{row}");
}

#[test]
fn documentation_beside_behaviour_names_the_clauses_that_differ() {
    let output = observe(
        &["--fault", "run-mismatch"],
        &["--against", "one-transaction", "--format", "json"],
    )
    .1;
    let rows = report(&output);
    let of = |clause: &str| {
        let rows = rows["against"].as_array().unwrap();
        let row = rows.iter().find(|row| row["clause"] == clause);
        row.unwrap_or_else(|| panic!("{clause} is missing"))["standing"].clone()
    };
    assert_eq!(of("mismatch"), "differs");
    assert_eq!(of("replay"), "agrees");
    assert_eq!(of("in-progress"), "agrees");
    assert_eq!(of("retention"), "not-seen");
}

#[test]
fn documentation_of_keys_that_were_never_sent_agrees_with_nothing() {
    let (_, output) = observe(&[], &["--against", "ietf", "--format", "json"]);
    let rows = report(&output)["against"].clone();
    for row in rows.as_array().unwrap() {
        let standing = if row["clause"] == "key" {
            "differs"
        } else {
            "not-seen"
        };
        assert_eq!(row["standing"], standing, "{row}");
    }
}

#[test]
fn a_saved_run_is_read_without_sending_anything() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--design", "claim-first"]);
    let journal = bench.path("run.jsonl").display().to_string();
    let live = on(
        &bench,
        &sandbox,
        "claim-first",
        &["observe"],
        &["--journal", &journal],
    );
    drop(sandbox);
    let again = bench.run(&["observe", "--from", &journal, "--policy-out", "seen.toml"]);
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    let cut = |text: String| {
        text.lines()
            .take_while(|line| !line.starts_with("Not tried"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(cut(stdout(&live)), cut(stdout(&again)));
    assert!(bench.path("seen.toml").is_file());
    let told = bench.run(&["observe", "--from", &journal, "--format", "json"]);
    assert_eq!(
        report(&told)["card"]["questions"].as_array().map(Vec::len),
        Some(8)
    );
    let written = bench.run(&[
        "observe",
        "--from",
        &journal,
        "--output",
        "markdown=seen.md",
    ]);
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    assert!(bench.path("seen.md").is_file());
    let refused = bench.run(&["observe", "--from", &journal, "--output", "junit=seen.xml"]);
    assert_eq!(code(&refused), 2);
    let shown = bench.run(&["policies", "show", "./seen.toml"]);
    assert_eq!(code(&shown), 0, "{}", stderr(&shown));
    assert!(stdout(&shown).contains("in-progress"), "{}", stdout(&shown));
}

#[test]
fn a_draft_fails_nothing_of_its_own_evidence_but_the_floor() {
    for fault in ["quoted-and-bare-differ", "ignore-key", "global-scope"] {
        let bench = Bench::new();
        let sandbox = Sandbox::start(&["--design", "one-transaction", "--fault", fault]);
        let journal = bench.path("run.jsonl").display().to_string();
        let more = ["--journal", &journal, "--policy-out", "draft.toml"];
        on(&bench, &sandbox, "one-transaction", &["observe"], &more);
        let policy = ["--policy", "./draft.toml", "--format", "json"];
        let judged = report(&bench.run(&[&["judge", &journal], &policy[..]].concat()));
        let checks = judged["drills"].as_array().unwrap().iter();
        let checks = checks.flat_map(|drill| drill["checks"].as_array().unwrap().clone());
        for check in checks.filter(|check| check["verdict"] == "fail") {
            let violated = check["violated"].as_array().unwrap().clone();
            let floor = ["one-effect", "isolation", "no-server-error"];
            let fine = violated
                .iter()
                .all(|clause| floor.contains(&clause.as_str().unwrap()));
            assert!(fine, "{fault}: {check}");
        }
    }
}

#[test]
fn the_card_comes_as_markdown_and_in_no_other_report_format() {
    let (bench, output) = observe(&[], &["--output", "markdown=card.md"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let card = std::fs::read_to_string(bench.path("card.md")).unwrap();
    assert!(card.contains("## 4. What is another request"), "{card}");
    assert!(card.contains("| `mismatch` |"), "{card}");
    let (_, refused) = observe(&[], &["--format", "junit"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("table, markdown, json"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn a_target_that_is_not_there_gives_no_card_and_no_draft() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let gone = sandbox.url.clone();
    drop(sandbox);
    let target = target("plain").display().to_string();
    let output = bench
        .command(&["observe", &target, "--policy-out", "none.toml"])
        .env("SANDBOX_URL", gone)
        .env("SANDBOX_POLICY", "plain")
        .output()
        .unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(!bench.path("none.toml").exists());
}
