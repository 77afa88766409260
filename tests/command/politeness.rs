//! How much is sent, said before anything is: caps on requests and on copies, and the clients' own repeats against the retention.
//! Must not send anything but to the sandbox.

use super::*;

#[test]
fn no_burst_has_more_copies_than_allowed_and_the_plan_says_so() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--design", "one-transaction"]);
    let target = include_str!("../../fixtures/targets/sandbox.toml");
    std::fs::write(bench.path("doubletap.toml"), target).unwrap();
    let run = |words: &[&str]| {
        let mut command = bench.command(words);
        command
            .env("SANDBOX_URL", &sandbox.url)
            .env("SANDBOX_POLICY", "one-transaction");
        command.output().unwrap()
    };
    let dry = run(&["run", "--dry-run", "--suite", "all", "--max-copies", "2"]);
    let told = stdout(&dry);
    assert!(
        told.contains("no burst has more than 2 copies (--max-copies)"),
        "{told}"
    );
    for line in told.lines().filter(|line| line.contains("release ")) {
        assert!(line.contains("release 2 "), "{line}");
    }
    let words = [
        "run",
        "--operation",
        "payment",
        "--drill",
        "drill.concurrent",
        "--rounds",
        "1",
        "--max-copies",
        "2",
        "--format",
        "json",
    ];
    let output = run(&words);
    assert!(stderr(&output).contains("about "), "{}", stderr(&output));
    assert!(
        stderr(&output).contains(" to 127.0.0.1"),
        "{}",
        stderr(&output)
    );
    let report = report(&output);
    let attempts = report["attempts"].as_array().unwrap();
    let copies = attempts
        .iter()
        .filter(|a| a["step"] == "copies" && a["round"] == 0);
    assert_eq!(copies.count(), 2);
    let notes = report["notes"].to_string();
    assert!(notes.contains("no burst has more than 2 copies"), "{notes}");
    let refused = run(&["check", "--max-copies", "1"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("max-copies must be 2 to 100"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn clients_that_repeat_for_longer_than_keys_are_kept_are_warned_of() {
    let bench = Bench::new();
    let check = |client: &str| {
        let file = format!(
            "url = \"http://127.0.0.1:1\"\npolicy = \"ietf\"\ncontract.retention.at-least = \"24h\"\n{client}\n[operation.payment]\nrequest = \"POST /payments\"\njson = {{ amount = 1 }}\n"
        );
        std::fs::write(bench.path("doubletap.toml"), file).unwrap();
        bench.run(&["check"])
    };
    let long = check("[client.app]\ntries = 3\nbackoff = \"1s\"\n[client.queue]\nwindow = \"3d\"");
    assert_eq!(code(&long), 0, "{}", stderr(&long));
    assert!(
        stderr(&long).contains("the client `queue` repeats a request for up to 3d, and keys of payment are only kept for 24h"),
        "{}",
        stderr(&long)
    );
    assert!(stdout(&long).contains("client.queue"), "{}", stdout(&long));
    let short = check("[client.app]\ntries = 3\nbackoff = \"1s\"");
    assert!(!stderr(&short).contains("the client"), "{}", stderr(&short));
    let empty = check("[client.app]\ntimeout = \"1s\"");
    assert_eq!(code(&empty), 2);
    assert!(stderr(&empty).contains("is not said"), "{}", stderr(&empty));
}
