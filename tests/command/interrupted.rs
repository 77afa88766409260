//! A run that is interrupted or killed: the code, and the journal that is left.
//! Must not depend on how far the run came.

use std::time::{Duration, Instant};

use super::*;

/// Starts a long demo and waits until its journal holds a finished drill.
fn under_way(bench: &Bench) -> (Child, String) {
    let journal = bench.path("run.jsonl").display().to_string();
    let args = [
        "demo",
        "--design",
        "one-transaction",
        "--rounds",
        "1000",
        "--copies",
        "2",
        "--journal",
        &journal,
        "-q",
    ];
    let mut child = bench
        .command(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        if text.contains("\"drill.replay@payment\"") && text.contains("\"instance-end\"") {
            return (child, journal);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("no drill ended within a minute");
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn one_hundred_and_thirty_when_interrupted_and_the_journal_is_judged_alike() {
    let bench = Bench::new();
    let (mut child, journal) = under_way(&bench);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let again = bench.run(&["judge", &journal]);
    assert_eq!(code(&again), 130, "{}", stderr(&again));
    assert_eq!(
        code(&bench.run(&["report", &journal, "--format", "junit"])),
        0
    );
}

#[test]
fn a_killed_run_leaves_a_journal_that_is_judged_up_to_its_last_whole_line() {
    let bench = Bench::new();
    let (mut child, journal) = under_way(&bench);
    signal(&child, "-KILL");
    child.wait().unwrap();
    // what a write that was cut in its middle leaves
    let mut text = std::fs::read_to_string(&journal).unwrap();
    text.push_str("{\"event\":\"attempt\",\"n\":");
    std::fs::write(&journal, text).unwrap();
    let output = bench.run(&["judge", &journal, "--format", "json"]);
    assert_ne!(code(&output), 0, "a run that never ended is no pass");
    let report = report(&output);
    assert_eq!(drill(&report, "drill.control")["verdict"], "pass");
    assert_eq!(report["run"]["requests"], Value::Null);
}
