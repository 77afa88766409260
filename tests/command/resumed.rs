//! A run whose keys are left to expire, and what goes on with it later.
//! Must not depend on how fast the machine is: the sandbox keeps keys for two seconds, and waits here are longer.

use std::time::{Duration, Instant};

use super::*;

/// A target that leaves keys to expire, and the run of it.
struct Left {
    bench: Bench,
    sandbox: Sandbox,
    run: Output,
    began: Instant,
}

impl Left {
    fn behind() -> Self {
        let bench = Bench::new();
        let bundled = include_str!("../../fixtures/targets/sandbox.toml");
        let (head, _) = bundled.split_once("[expire]").unwrap();
        let text = head.replace(
            "contract.in-progress-for = \"2s\"",
            "contract.in-progress-for = \"2s\"\ncontract.retention = { at-least = \"2s\", at-most = \"2s\" }",
        );
        std::fs::write(
            bench.path("later.toml"),
            format!("{text}[expire]\nlater = true\n"),
        )
        .unwrap();
        let sandbox = Sandbox::start(&["--design", "one-transaction", "--retention", "2s"]);
        let began = Instant::now();
        let run = on(
            &bench,
            &sandbox,
            &[
                "run",
                "later.toml",
                "--drill",
                "drill.after-retention",
                "--operation",
                "payment",
            ],
        );
        Self {
            bench,
            sandbox,
            run,
            began,
        }
    }

    fn resume(&self, more: &[&str]) -> Output {
        let words = [&["resume", "run.jsonl", "later.toml"], more].concat();
        let mut command = self.bench.command(&words);
        command
            .env("SANDBOX_URL", &self.sandbox.url)
            .env("SANDBOX_POLICY", "one-transaction");
        command.output().unwrap()
    }

    fn journal(&self) -> String {
        std::fs::read_to_string(self.bench.path("run.jsonl")).unwrap()
    }

    /// Until the keys have expired, the margin included.
    fn wait(&self) {
        let due = self.began + Duration::from_secs(8);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

fn on(bench: &Bench, sandbox: &Sandbox, words: &[&str]) -> Output {
    let words = [words, &["--journal", "run.jsonl", "--format", "json"]].concat();
    let mut command = bench.command(&words);
    command
        .env("SANDBOX_URL", &sandbox.url)
        .env("SANDBOX_POLICY", "one-transaction");
    command.output().unwrap()
}

/// The steps of the attempts in a journal, in order.
fn steps(journal: &str) -> Vec<String> {
    journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "attempt")
        .map(|event| event["step"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_run_that_waits_is_refused_politely_before_and_completed_after() {
    let left = Left::behind();
    assert_eq!(code(&left.run), 3, "{}", stderr(&left.run));
    let before = report(&left.run);
    let waiting = drill(&before, "drill.after-retention");
    assert_eq!(waiting["verdict"], "inconclusive");
    let reason = waiting["reason"].as_str().unwrap();
    assert!(reason.contains("doubletap resume"), "{reason}");

    let kept = left.journal();
    let early = left.resume(&[]);
    if left.began.elapsed() < Duration::from_secs(3) {
        assert_eq!(code(&early), 3, "{}", stderr(&early));
        assert!(
            stderr(&early).contains("come back then, nothing was sent"),
            "{}",
            stderr(&early)
        );
        assert_eq!(left.journal(), kept);
    }

    left.wait();
    let late = left.resume(&["--format", "json"]);
    assert_eq!(code(&late), 0, "{}{}", stdout(&late), stderr(&late));
    let after = report(&late);
    assert_eq!(drill(&after, "drill.after-retention")["verdict"], "pass");
    assert!(
        left.journal().starts_with(&kept),
        "what was kept is left as it was"
    );
    let (first, all) = (steps(&kept), steps(&left.journal()));
    assert_eq!(
        all[first.len()..],
        ["reuse"],
        "only what comes after the expiry is sent"
    );
    assert!(!left.bench.path("run.jsonl.key").exists());

    let again = left.resume(&[]);
    assert_eq!(code(&again), 2);
    assert!(
        stderr(&again).contains("nothing waits"),
        "{}",
        stderr(&again)
    );
    let offline = left.bench.run(&["judge", "run.jsonl", "--format", "json"]);
    assert_eq!(report(&offline), after);
}

#[test]
fn what_cannot_be_made_again_as_it_was_is_not_sent() {
    let left = Left::behind();
    left.wait();
    let target = left.bench.path("later.toml");
    let good = std::fs::read_to_string(&target).unwrap();
    let kept = left.journal();
    for (from, to, said) in [
        (
            "amount = 49900, currency = \"EUR\", reference = \"\", lines",
            "amount = 50000, currency = \"EUR\", reference = \"\", lines",
            "other bytes",
        ),
        ("POST /payments\"", "POST /receipts\"", "its URL is"),
    ] {
        std::fs::write(&target, good.replace(from, to)).unwrap();
        let output = left.resume(&[]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
    std::fs::write(&target, &good).unwrap();
    let key = left.bench.path("run.jsonl.key");
    let held = std::fs::read_to_string(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    let output = left.resume(&[]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("run.jsonl.key"),
        "{}",
        stderr(&output)
    );
    assert_eq!(left.journal(), kept, "nothing was sent");
    std::fs::write(&key, held).unwrap();
    assert_eq!(code(&left.resume(&[])), 0);
}

#[cfg(unix)]
#[test]
fn the_key_beside_the_journal_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let left = Left::behind();
    let mode = std::fs::metadata(left.bench.path("run.jsonl.key"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_journal_of_an_older_version_is_told_from_one_that_waits_for_nothing() {
    let bench = Bench::new();
    bench.run(&small(&[
        "--drill",
        "drill.replay",
        "--journal",
        "new.jsonl",
    ]));
    let text = std::fs::read_to_string(bench.path("new.jsonl")).unwrap();
    let old = text.replacen("\"schema_version\":2", "\"schema_version\":1", 1);
    assert_ne!(old, text);
    std::fs::write(bench.path("old.jsonl"), old).unwrap();
    assert_eq!(
        code(&bench.run(&["judge", "old.jsonl"])),
        0,
        "it is still read"
    );
    for (file, said) in [
        ("new.jsonl", "nothing waits in"),
        ("old.jsonl", "(format 1)"),
    ] {
        let output = bench.run(&["resume", file]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn without_a_greatest_retention_nobody_knows_when_to_come_back() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let bundled = include_str!("../../fixtures/targets/sandbox.toml");
    let (head, _) = bundled.split_once("[expire]").unwrap();
    std::fs::write(
        bench.path("later.toml"),
        format!("{head}[expire]\nlater = true\n"),
    )
    .unwrap();
    let mut command = bench.command(&[
        "run",
        "later.toml",
        "--dry-run",
        "--policy",
        "stripe",
        "--operation",
        "payment",
    ]);
    let output = command
        .env("SANDBOX_URL", &sandbox.url)
        .env("SANDBOX_POLICY", "stripe")
        .output()
        .unwrap();
    let told = stdout(&output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(told.contains("contract.retention.at-most"), "{told}");
}
