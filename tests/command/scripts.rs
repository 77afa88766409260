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
    assert!(script.contains("\"${TOKEN_A:?"), "{script}");
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

/// A fault, the drill that sees it, and whether what the script printed shows it.
type Shown = (&'static str, &'static str, fn(&str) -> bool);

const SHOWN: [Shown; 7] = [
    // the refused body between the two spoils the record: it is not named by the check that fails
    ("overwritten-record", "drill.mismatch@payment", |text| {
        text.matches(" 422 ").count() == 2
    }),
    // perfect replies: only the count shows it
    ("double-effect-hidden", "drill.replay@payment", |text| {
        text.contains("\"count\":3")
    }),
    // the key is made to expire in between
    (
        "expired-still-replays",
        "drill.after-retention@payment",
        |text| text.contains(" 422 "),
    ),
    // the second key is the first in capitals
    ("key-lower-cased", "syntax.near-keys/case@payment", |text| {
        text.contains(" 422 ")
    }),
    ("key-truncated", "syntax.near-keys/prefix@payment", |text| {
        text.contains(" 422 ")
    }),
    (
        "server-error-frees-key-after-effect",
        "storage.server-error/after-effect@payment",
        |text| text.contains("\"count\":2"),
    ),
    // what is cancelled is made first, a new one
    ("empty-reply-unprotected", "drill.replay@cancel", |text| {
        text.contains("\"count\":3")
    }),
];

#[test]
fn a_script_repeats_its_fault_on_the_api_that_was_tested_and_shows_nothing_on_a_right_one() {
    let right = Sandbox::start(&[]);
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    for (fault, drill, shows) in SHOWN {
        let bench = Bench::new();
        let sandbox = Sandbox::start(&["--fault", fault]);
        let target = include_str!("../../fixtures/targets/sandbox.toml")
            .replace("${SANDBOX_URL}", &sandbox.url)
            .replace("${SANDBOX_POLICY}", "one-transaction")
            .replace("\npublic = ", "\n# public = ");
        std::fs::write(bench.path("shop.toml"), target).unwrap();
        let output = bench.run(&[
            "run",
            "shop.toml",
            "--drill",
            drill,
            "--journal",
            "run.jsonl",
        ]);
        assert_eq!(code(&output), 1, "{fault}: {}", stderr(&output));
        let script = stdout(&bench.run(&["show", "run.jsonl", drill, "--script"]));
        assert!(!script.contains("acct-a"), "{script}");
        if script.contains("| jq ") && !has_jq {
            continue;
        }
        let replies = |script: &str| {
            let output = Command::new("bash")
                .args(["-c", script])
                .env("AUTHORIZATION_A", "acct-a")
                .output()
                .unwrap();
            assert_eq!(stderr(&output), "", "{fault}: {script}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let broken = replies(&script);
        assert!(shows(&broken), "{fault} is not shown:\n{script}\n{broken}");
        let whole = replies(&script.replace(&sandbox.url, &right.url));
        let refused = usize::from(fault == "overwritten-record");
        assert!(!shows(&whole), "{fault} on a right API:\n{script}\n{whole}");
        assert_eq!(whole.matches(" 422 ").count(), refused, "{fault}: {whole}");
    }
}

#[test]
fn what_a_demo_tells_can_be_repeated_after_it() {
    let bench = Bench::new();
    bench.run(&small(&[
        "--fault",
        "run-mismatch",
        "--drill",
        "drill.mismatch",
        "--journal",
        "run.jsonl",
    ]));
    let script = stdout(&bench.run(&["show", "run.jsonl", "drill.mismatch", "--script"]));
    // the demo's API ended with it: the script says how to have it again, and its credentials are examples
    let start = script
        .lines()
        .find_map(|line| line.strip_prefix("#   doubletap sandbox "))
        .unwrap_or_else(|| panic!("{script}"));
    assert!(
        start.starts_with("--design one-transaction --fault run-mismatch "),
        "{start}"
    );
    assert!(script.contains("\nAUTHORIZATION_A=acct-a\n"), "{script}");
    // the story says the same
    let story = stdout(&bench.run(&["show", "run.jsonl", "drill.mismatch"]));
    assert!(
        story.contains(&format!("#   doubletap sandbox {start}")),
        "{story}"
    );
    // started again as it says, the API does it again, at the address of the script
    let address = start.rsplit_once("--listen ").unwrap().1;
    let typed: Vec<&str> = start.split(' ').collect();
    let again = Sandbox::start_at(&typed);
    assert_eq!(again.url, format!("http://{address}"));
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(
        stdout(&output).contains("\"count\":2"),
        "{script}\n{}",
        stdout(&output)
    );
}
