//! What cannot be right is refused with one message, before a drill is sent.
//! Must not look into reports further than that needs.

use super::*;

/// The message, and that nothing was begun.
fn refused(bench: &Bench, args: &[&str]) -> String {
    let output = bench.run(args);
    let said = stderr(&output);
    assert_eq!(code(&output), 2, "{args:?}: {}{said}", stdout(&output));
    assert_eq!(said.matches("error: ").count(), 1, "{args:?}: {said}");
    assert!(
        !bench.path("state").exists(),
        "{args:?}: a journal was begun"
    );
    said
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let bench = Bench::new();
    std::fs::write(
        bench.path("target.toml"),
        "url = \"http://127.0.0.1:9\"\npolicy = \"/dev/zero\"\n[operation.p]\nrequest = \"POST /p\"\n",
    )
    .unwrap();
    let url = ["run", "--url", "http://127.0.0.1:9/p"];
    let with = |more: &[&'static str]| [&url[..], more].concat();
    for args in [
        with(&["--policy", "/dev/zero"]),
        with(&["--cacert", "/dev/zero"]),
        with(&["--baseline", "/dev/zero"]),
        vec!["run", "/dev/zero"],
        vec!["run", "target.toml"],
        vec!["check", "/dev/zero"],
        vec!["judge", "/dev/zero"],
    ] {
        let said = refused(&bench, &args);
        assert!(said.contains("MiB"), "{args:?}: {said}");
    }
    refused(&bench, &with(&["--suite", "/dev/zero"]));
}

#[cfg(unix)]
#[test]
fn what_is_written_is_no_other_file_of_the_run_by_whatever_name() {
    let bench = Bench::new();
    let target = "url = \"http://127.0.0.1:9\"\n[operation.p]\nrequest = \"POST /p\"\njson = { amount = 1 }\n";
    std::fs::write(bench.path("target.toml"), target).unwrap();
    std::fs::create_dir(bench.path("sub")).unwrap();
    std::os::unix::fs::symlink("target.toml", bench.path("link")).unwrap();
    std::os::unix::fs::symlink("r.json", bench.path("later")).unwrap();
    for more in [
        &["--output", "json=r.json", "--output", "junit=sub/../r.json"][..],
        &["--output", "json=r.json", "--output", "junit=later"],
        &["--output", "json=r.json", "--journal", "./r.json"],
        &["--output", "json=target.toml"],
        &["--output", "json=link"],
        &["--journal", "sub/../target.toml"],
    ] {
        let said = refused(&bench, &[&["run", "target.toml"], more].concat());
        assert!(said.contains("one file"), "{said}");
    }
    let left = std::fs::read_to_string(bench.path("target.toml")).unwrap();
    assert_eq!(left, target);
}

#[test]
fn a_counter_that_cannot_be_read_ends_the_run_before_any_drill() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let output = bench.run(&[
        "run",
        "--url",
        &format!("{}/payments", sandbox.url),
        "--json",
        "{\"amount\":1,\"currency\":\"EUR\",\"reference\":\"{{ref}}\"}",
        "--account",
        "a=Authorization: Bearer acct-a",
        "--identity",
        "/id",
        "--count-get",
        "/nowhere?reference={{ref}}#/count",
        "--journal",
        "run.jsonl",
    ]);
    let said = stdout(&output) + &stderr(&output);
    assert_eq!(code(&output), 2, "{said}");
    assert_eq!(said.matches("cannot be counted").count(), 1, "{said}");
    assert!(said.contains("/nowhere"), "{said}");
    let kept = std::fs::read_to_string(bench.path("run.jsonl")).unwrap();
    assert_eq!(
        kept.matches("\"event\":\"attempt\"").count(),
        1,
        "the ordinary request alone"
    );
    // a saved run ends as it did
    assert_eq!(code(&bench.run(&["judge", "run.jsonl"])), 2);
}
