//! The drills against every fault of the sandbox: each is found by exactly the drills that the model names.
//! Must not know what any fault does; `fixtures/faults.toml` does.

use std::process::{Command, Output};

use crate::support::postgres;

fn selftest(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_doubletap"));
    command.arg("selftest").args(args).output().unwrap()
}

fn assert_right(output: &Output) {
    let told = String::from_utf8_lossy(&output.stdout);
    let summary: Vec<&str> = told.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(output.status.success(), "{}", summary.join("\n"));
    assert!(told.contains("every fault was found"), "{told}");
}

#[test]
fn every_fault_is_found_and_nothing_else_is_blamed_in_memory() {
    assert_right(&selftest(&[]));
}

/// The faults that take another way through the database than through memory, and the designs as they are.
#[test]
fn the_faults_of_a_database_are_found_there_by_counting_rows() {
    let url = postgres::url();
    let mut args = vec!["--database-url", url];
    for fault in [
        "clean",
        "check-then-insert",
        "double-effect-hidden",
        "expired-still-replays",
        "forgotten-early",
        "get-cached",
        "global-scope",
        "ignore-key",
        "safety-net-outlives-key",
    ] {
        args.extend(["--fault", fault]);
    }
    assert_right(&selftest(&args));
}

#[test]
fn a_fault_that_is_not_there_is_a_usage_error() {
    let output = selftest(&["--fault", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nonsense"));
}
