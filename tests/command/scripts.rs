//! The script that `show --script` prints, run by bash against a sandbox with the same fault.
//! Must not send anything by itself.

use super::*;

#[test]
fn the_script_of_a_sequential_drill_reproduces_the_violation() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--fault", "run-mismatch"]);
    let url = format!("{}/payments", sandbox.url);
    let journal = bench.path("run.jsonl").display().to_string();
    let output = bench
        .command(&[
            "run",
            "--url",
            &url,
            "--json",
            "{\"amount\":49900,\"currency\":\"EUR\",\"note\":\"it's $HOME\"}",
            "--ref",
            "/reference",
            "--account",
            "a=Authorization: Bearer ${TOKEN_A}",
            "--policy",
            "one-transaction",
            "--drill",
            "drill.mismatch",
            "--journal",
            &journal,
        ])
        .env("TOKEN_A", "acct-a")
        .output()
        .unwrap();
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    let script = stdout(&bench.run(&["show", &journal, "drill.mismatch", "--script"]));
    assert!(
        !script.contains("acct-a"),
        "the secret is in the script:\n{script}"
    );
    let replies = Command::new("bash")
        .args(["-c", &script])
        .env("TOKEN_A", "acct-a")
        .output()
        .unwrap();
    let replies = stdout(&replies);
    // the same key with another amount made a second payment, again
    let statuses: Vec<&str> = replies
        .lines()
        .filter(|line| line.starts_with("HTTP/"))
        .collect();
    assert_eq!(statuses.len(), 3, "{script}\n{replies}");
    assert!(
        statuses.iter().all(|line| line.contains(" 201")),
        "{replies}"
    );
    assert!(replies.contains("\"amount\":49901"), "{replies}");
}

#[test]
fn the_script_of_a_race_is_the_command_that_repeats_it() {
    let bench = Bench::new();
    let journal = bench.path("run.jsonl").display().to_string();
    bench.run(&small(&[
        "--drill",
        "drill.concurrent",
        "--journal",
        &journal,
    ]));
    let script = stdout(&bench.run(&["show", &journal, "drill.concurrent", "--script"]));
    let last = script.lines().last().unwrap();
    assert_eq!(
        last,
        "exec doubletap demo --design one-transaction --copies 3 --rounds 1 --drill drill.concurrent"
    );
}
