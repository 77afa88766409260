//! One test for each exit code that `--help` lists.
//! Must not look into reports further than the code needs.

use super::*;

#[test]
fn zero_when_every_must_was_kept() {
    let bench = Bench::new();
    let output = bench.run(&small(&[]));
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(
        stdout(&output).contains("judged 9 of 9"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn one_when_a_must_was_violated() {
    let bench = Bench::new();
    let output = bench.run(&small(&[
        "--fault",
        "ignore-key",
        "--drill",
        "drill.replay",
    ]));
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("FAIL"), "{}", stdout(&output));
}

#[test]
fn two_when_nothing_matches_and_nothing_was_sent() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let url = format!("{}/payments", sandbox.url);
    let output = bench.run(&[
        "run",
        "--url",
        &url,
        "--json",
        "{\"amount\":1}",
        "--drill",
        "drill.replayed",
    ]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("perhaps drill.replay"),
        "{}",
        stderr(&output)
    );
    assert!(!bench.path("state").exists(), "a journal was begun");
}

#[test]
fn two_when_the_plan_is_larger_than_what_is_allowed() {
    let bench = Bench::new();
    let output = bench.run(&[
        "run",
        "--url",
        "http://127.0.0.1:9/x",
        "--json",
        "{\"amount\":1}",
        "--max-requests",
        "10",
    ]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("--max-requests"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn two_when_the_command_line_is_wrong() {
    let bench = Bench::new();
    for args in [
        &["demo", "--fault", "no-such-fault"][..],
        &["demo", "--design", "wrong"],
        &["report"],
        &[],
    ] {
        assert_eq!(code(&bench.run(args)), 2, "{args:?}");
    }
}

#[test]
fn three_when_the_target_is_unreachable() {
    let bench = Bench::new();
    // a port that was free a moment ago, and that nobody listens on
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}/payments");
    let output = bench.run(&["run", "--url", &url, "--json", "{\"amount\":1}"]);
    assert_eq!(code(&output), 3, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("--wait"), "{}", stdout(&output));
}

#[test]
fn three_when_a_required_drill_was_skipped_and_zero_when_it_was_not_required() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let url = format!("{}/payments", sandbox.url);
    let args = [
        "run",
        "--url",
        &url,
        "--json",
        "{\"amount\":1,\"currency\":\"EUR\"}",
        "--account",
        "a=Authorization: Bearer acct-a",
        "--policy",
        "one-transaction",
        "--drill",
        "drill.replay",
        "--drill",
        "drill.after-retention",
    ];
    assert_eq!(code(&bench.run(&args)), 0);
    let output = bench.run(&[&args[..], &["--require", "all"]].concat());
    assert_eq!(code(&output), 3, "{}{}", stdout(&output), stderr(&output));
}

#[test]
fn four_when_a_report_cannot_be_written() {
    let bench = Bench::new();
    let output = bench.run(&small(&["--output", "json=nowhere/report.json"]));
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    assert!(stderr(&output).contains("no folder"), "{}", stderr(&output));
    assert!(!bench.path("state").exists(), "something was sent before");
}

#[cfg(target_os = "linux")]
#[test]
fn four_when_standard_output_is_full_but_one_when_a_must_was_violated() {
    let bench = Bench::new();
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let args = small(&["--drill", "drill.replay", "--format", "json"]);
    let status = bench.command(&args).stdout(full()).status().unwrap();
    assert_eq!(status.code(), Some(4));
    let args = small(&[
        "--drill",
        "drill.replay",
        "--format",
        "json",
        "--fault",
        "ignore-key",
    ]);
    let status = bench.command(&args).stdout(full()).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let bench = Bench::new();
    let mut child = bench
        .command(&small(&["--drill", "drill.replay"]))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn help_lists_every_code() {
    let bench = Bench::new();
    let help = stdout(&bench.run(&["--help"]));
    for listed in [
        "    0  ", "    1  ", "    2  ", "    3  ", "    4  ", "  130  ",
    ] {
        assert!(help.contains(listed), "{listed:?} is missing in\n{help}");
    }
}

#[test]
fn a_store_that_forgets_keys_within_seconds_is_found_by_an_ordinary_run() {
    let bench = Bench::new();
    let ordinary = |more: &[&str]| {
        let mut command = bench.command(&small(more));
        let output = command.env_remove("DOUBLETAP_KEY_AGE").output().unwrap();
        (code(&output), stdout(&output))
    };
    let (kept, told) = ordinary(&["--format", "markdown"]);
    assert_eq!(kept, 0, "{told}");
    assert!(told.contains("keys of up to 5."), "{told}");
    let (forgotten, told) = ordinary(&["--fault", "forgotten-early", "--format", "json"]);
    assert_eq!(forgotten, 1, "{told}");
    let report: serde_json::Value = serde_json::from_str(&told).unwrap();
    let late = drill(&report, "drill.within-retention");
    assert_eq!(late["verdict"], "fail", "{late}");
    let reason = late["reason"].as_str().unwrap();
    assert!(reason.contains("s after the first reply"), "{reason}");
}
