//! Known violations: recorded from a run, shown in the next one, and failing once they are over or gone.
//! Must not look into reports further than that needs.

use super::*;

const BROKEN: [&str; 4] = ["--fault", "run-mismatch", "--drill", "drill.mismatch"];

/// A run that violates the contract, and its baseline.
fn recorded(bench: &Bench) -> (String, String) {
    let journal = bench.path("run.jsonl").display().to_string();
    let output = bench.run(&small(&[&BROKEN[..], &["--journal", &journal]].concat()));
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let file = bench.path("baseline.toml").display().to_string();
    let written = bench.run(&[
        "baseline",
        "write",
        &journal,
        "--output",
        &file,
        "--reason",
        "SHOP-1: \"soon\"",
        "--until",
        "2999-12-31",
    ]);
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    assert!(
        stdout(&written).contains("known violation"),
        "{}",
        stdout(&written)
    );
    (journal, file)
}

#[test]
fn what_is_known_is_shown_and_the_next_run_passes() {
    let bench = Bench::new();
    let (_, file) = recorded(&bench);
    let args = small(
        &[
            &BROKEN[..],
            &[
                "--baseline",
                &file,
                "--output",
                "json=r.json",
                "--output",
                "tap=r.tap",
            ],
        ]
        .concat(),
    );
    let output = bench.run(&args);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("known until 2999-12-31: SHOP-1: \"soon\""),
        "{text}"
    );
    assert!(text.contains("verdict: known"), "{text}");
    let report: Value =
        serde_json::from_slice(&std::fs::read(bench.path("r.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], "known");
    assert_eq!(drill(&report, "drill.mismatch")["verdict"], "known");
    let tap = std::fs::read_to_string(bench.path("r.tap")).unwrap();
    assert!(
        tap.contains("# TODO ") && tap.contains("(known until 2999-12-31"),
        "{tap}"
    );
}

#[test]
fn what_is_fixed_must_be_taken_out() {
    let bench = Bench::new();
    let (_, file) = recorded(&bench);
    let output = bench.run(&small(&["--drill", "drill.mismatch", "--baseline", &file]));
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    let text = stdout(&output);
    assert!(
        text.contains("BASELINE drill.mismatch@payment") && text.contains("stale"),
        "{text}"
    );
    assert!(text.contains("baseline is out of date"), "{text}");
}

#[test]
fn what_has_expired_fails_also_offline_and_report_only_shows_it() {
    let bench = Bench::new();
    let (journal, file) = recorded(&bench);
    let text = std::fs::read_to_string(&file)
        .unwrap()
        .replace("2999-12-31", "2020-12-31");
    std::fs::write(&file, text).unwrap();
    let output = bench.run(&["judge", &journal, "--baseline", &file]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(
        stdout(&output).contains("expired: its last day was 2020-12-31"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        code(&bench.run(&["report", &journal, "--baseline", &file])),
        0
    );
}

#[test]
fn another_violation_than_the_known_one_fails() {
    let bench = Bench::new();
    let (_, file) = recorded(&bench);
    let output = bench.run(&small(&[
        "--fault",
        "ignore-key",
        "--drill",
        "drill.mismatch",
        "--drill",
        "drill.replay",
        "--baseline",
        &file,
    ]));
    assert_eq!(code(&output), 1, "{}", stdout(&output));
}

#[test]
fn a_wrong_baseline_is_refused_before_anything_is_sent() {
    let bench = Bench::new();
    std::fs::write(
        bench.path("b.toml"),
        "version = 1\n[[known]]\ndrill = \"x\"\n",
    )
    .unwrap();
    for file in ["b.toml", "nowhere.toml"] {
        let output = bench.run(&small(&["--baseline", file]));
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(file), "{}", stderr(&output));
    }
    assert!(!bench.path("state").exists(), "a journal was begun");
}

#[test]
fn a_baseline_needs_a_reason_and_a_day_that_is_still_to_come() {
    let bench = Bench::new();
    let (journal, _) = recorded(&bench);
    for (reason, until) in [
        (" ", "2999-12-31"),
        ("SHOP-1", "2020-01-01"),
        ("SHOP-1", "soon"),
    ] {
        let args = [
            "baseline",
            "write",
            &journal,
            "--output",
            "other.toml",
            "--reason",
            reason,
            "--until",
            until,
        ];
        assert_eq!(code(&bench.run(&args)), 2, "{reason} {until}");
    }
    assert!(!bench.path("other.toml").exists());
}
