//! The documented story, end to end: a double tap, another amount, another account.
//! Must not know how any of it is sent.

use super::*;

#[test]
fn three_taps_make_one_payment() {
    let bench = Bench::new();
    let output = bench.run(&small(&[
        "--format",
        "json",
        "--output",
        "junit=demo.xml",
        "--output",
        "html=demo.html",
    ]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = report(&output);
    let attempts = report["attempts"].as_array().unwrap();
    let of = |name: &str, step: &str| -> Vec<&Value> {
        let mine = |attempt: &&Value| {
            attempt["drill"].as_str().unwrap().starts_with(name) && attempt["step"] == step
        };
        attempts.iter().filter(mine).collect()
    };
    // a repeated round is one that was out of step: the last one counts
    let copies = of("drill.concurrent", "copies");
    let last = copies
        .iter()
        .map(|copy| copy["round"].as_u64().unwrap())
        .max()
        .unwrap();
    let copies: Vec<&&Value> = copies.iter().filter(|copy| copy["round"] == last).collect();
    assert_eq!(copies.len(), 3);
    assert!(
        copies.iter().all(|copy| copy["status"] == 201),
        "{copies:?}"
    );
    assert!(
        copies
            .iter()
            .all(|copy| copy["identity"] == copies[0]["identity"]),
        "{copies:?}"
    );
    assert_eq!(
        copies.iter().filter(|copy| copy["marked"] == true).count(),
        2
    );
    let counted = drill(&report, "drill.concurrent")["effects"]
        .as_array()
        .unwrap();
    let counts: Vec<&Value> = counted
        .iter()
        .flat_map(|taken| taken["entries"].as_array().unwrap())
        .collect();
    assert!(counts.iter().all(|entry| entry["value"] == 1), "{counts:?}");
    assert_eq!(of("drill.mismatch", "changed")[0]["status"], 422);
    let (first, second) = (
        of("drill.other-account/a-first", "first"),
        of("drill.other-account/a-first", "second"),
    );
    assert_eq!(second[0]["status"], 201);
    assert_ne!(first[0]["identity"], second[0]["identity"]);
    for file in ["demo.xml", "demo.html"] {
        assert!(bench.path(file).exists(), "{file} was not written");
    }
}

#[test]
fn work_done_twice_behind_perfect_replies_is_seen_by_counting() {
    let bench = Bench::new();
    let output = bench.run(&small(&[
        "--fault",
        "double-effect-hidden",
        "--drill",
        "drill.replay",
        "--format",
        "json",
    ]));
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let report = report(&output);
    let replay = drill(&report, "drill.replay");
    assert_eq!(replay["verdict"], "fail");
    assert!(
        replay["checks"][0]["observed"]
            .as_str()
            .unwrap()
            .contains("effects"),
        "{replay}"
    );
    assert_eq!(replay["checks"][0]["clause"]["name"], "one-effect");
}

#[test]
fn a_dry_run_sends_nothing_and_says_how_much_it_would() {
    let bench = Bench::new();
    let output = bench.run(&[
        "run",
        "--url",
        "http://127.0.0.1:9/payments",
        "--json",
        "{\"amount\":1}",
        "--dry-run",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("drill.concurrent@payments") && text.contains("nothing was sent"),
        "{text}"
    );
    assert!(
        text.contains("skip: the target declares no account `b`"),
        "{text}"
    );
    assert!(!bench.path("state").exists());
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let bench = Bench::new();
    let plain = bench.run(&small(&["--drill", "drill.replay"]));
    assert!(!stdout(&plain).contains('\u{1b}'));
    let asked = bench.run(&small(&["--drill", "drill.replay", "--color", "always"]));
    assert!(stdout(&asked).contains('\u{1b}'));
}

#[test]
fn quiet_leaves_standard_error_empty() {
    let bench = Bench::new();
    let output = bench.run(&small(&["--drill", "drill.replay", "--quiet"]));
    assert_eq!(stderr(&output), "");
}
