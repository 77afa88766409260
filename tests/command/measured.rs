//! `doubletap bench` measures with its own probe, and a locked endpoint gives no alarm. No figure is held here.

use serde_json::Value;

use super::{Bench, code, stdout};

#[test]
fn a_small_measurement_has_rounds_of_both_protocols_and_no_false_alarm() {
    let bench = Bench::new();
    let mut command = bench.command(&[
        "bench", "race", "--quick", "-q", "--copies", "3", "--rounds", "4", "--window", "50ms",
        "--format", "json",
    ]);
    // without other tools, whatever is installed here
    let output = command.env("PATH", "/nowhere").output().unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    let results: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(results["machine"]["release_build"], false);
    let locked = results["locked"].as_array().unwrap();
    assert_eq!(locked.len(), 2, "one a protocol");
    for row in locked {
        assert_eq!(row["rounds"], 100, "{row}");
        assert_eq!(row["hits"], 0, "{row}");
    }
    let spreads = results["spreads"].as_array().unwrap();
    let protocols: Vec<&str> = spreads
        .iter()
        .filter(|row| row["ours"] == true)
        .map(|row| row["protocol"].as_str().unwrap())
        .collect();
    assert_eq!(protocols, ["HTTP/2", "HTTP/1.1"]);
    assert!(spreads.iter().all(|row| row["rounds"] == 4), "{spreads:?}");
    let detections = results["detections"].as_array().unwrap();
    let hits: u64 = detections
        .iter()
        .filter_map(|row| row["hits"].as_u64())
        .sum();
    assert!(hits > 0, "nothing hit a window of 50 ms: {detections:?}");
}

#[test]
fn a_window_chooses_the_rounds() {
    let bench = Bench::new();
    let plan = bench.run(&[
        "demo",
        "--dry-run",
        "--window",
        "100us",
        "--confidence",
        "0.9",
    ]);
    assert_eq!(code(&plan), 0, "{plan:?}");
    let both = bench.run(&["demo", "--dry-run", "--window", "100us", "--rounds", "3"]);
    assert_eq!(code(&both), 2, "one of the two decides");
    let sure = bench.run(&[
        "demo",
        "--dry-run",
        "--window",
        "100us",
        "--confidence",
        "1",
    ]);
    assert_eq!(code(&sure), 2, "nothing is certain");
}

#[test]
fn a_long_race_that_found_nothing_makes_no_long_report() {
    let bench = Bench::new();
    let output = bench.run(&[
        "demo",
        "--design",
        "claim-first",
        "--drill",
        "drill.concurrent",
        "--copies",
        "2",
        "--rounds",
        "23",
        "--format",
        "json",
    ]);
    assert_eq!(code(&output), 0, "{output:?}");
    let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let drills = report["drills"].as_array().unwrap();
    let race = drills
        .iter()
        .find(|drill| drill["id"] == "drill.concurrent@payment")
        .unwrap();
    assert!(race["gates"].as_array().unwrap().len() >= 23, "{race}");
    let attempts = report["attempts"].as_array().unwrap();
    assert!(
        attempts
            .iter()
            .all(|attempt| attempt["round"].as_u64() < Some(20))
    );
    let left_out = report["attempts_left_out"].as_u64().unwrap();
    assert!(left_out >= 2 * 3, "{left_out}");
    let journal = std::fs::read_to_string(report["run"]["journal"].as_str().unwrap()).unwrap();
    let announced = journal.matches(r#"{"event":"attempt""#).count() as u64;
    assert_eq!(
        attempts.len() as u64 + left_out,
        announced,
        "nothing is lost"
    );
}
