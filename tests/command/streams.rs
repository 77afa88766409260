//! Reports for programs on standard output: whole documents, lines while the run goes on, GitHub's own channels.
//! Must not depend on how long a run takes.

use super::*;

#[test]
fn ndjson_is_told_while_the_run_goes_on_and_ends_with_the_verdict() {
    let bench = Bench::new();
    let journal = bench.path("run.jsonl").display().to_string();
    let mut child = bench
        .command(&small(&["--format", "ndjson", "--journal", &journal]))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut kinds: Vec<String> = Vec::new();
    while !kinds.contains(&"attempt".to_owned()) {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        kinds.push(line["type"].as_str().unwrap().to_owned());
    }
    // the first reply is told, and the run is not over
    let kept = std::fs::read_to_string(&journal).unwrap();
    assert!(!kept.contains("\"event\":\"end\""), "all came at the end");
    let mut last = Value::Null;
    for line in lines {
        last = serde_json::from_str(&line.unwrap()).unwrap();
        kinds.push(last["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(
        (&last["type"], &last["verdict"]),
        (&Value::from("end"), &Value::from("pass"))
    );
    let number = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
    assert_eq!((number("run"), number("drill"), number("end")), (1, 9, 1));
    // the saved run tells the same lines
    let again = stdout(&bench.run(&["report", &journal, "--format", "ndjson"]));
    let again: Vec<Value> = again
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |kind: &str| again.iter().filter(|line| line["type"] == kind).count();
    for kind in ["begin", "attempt", "count", "drill"] {
        assert_eq!(of(kind), number(kind), "{kind}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_cannot_be_written_is_an_output_error() {
    let bench = Bench::new();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let args = small(&["--drill", "drill.replay", "--format", "ndjson"]);
    assert_eq!(
        bench.command(&args).stdout(full).status().unwrap().code(),
        Some(4)
    );
}

#[test]
fn a_report_for_programs_stands_alone_on_standard_output() {
    let bench = Bench::new();
    for format in ["json", "sarif", "gitlab"] {
        let output = bench.run(&[
            "demo",
            "--copies",
            "2",
            "--rounds",
            "1",
            "--drill",
            "drill.replay",
            "--format",
            format,
        ]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        // one document for a parser, although the demo knows two designs
        let _: Value = report(&output);
        assert!(
            stderr(&output).contains("one-transaction"),
            "{}",
            stderr(&output)
        );
    }
    let output = bench.run(&[
        "demo",
        "--copies",
        "2",
        "--rounds",
        "1",
        "--drill",
        "drill.replay",
        "--format",
        "ndjson",
    ]);
    let runs = stdout(&output);
    let runs = runs
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(runs.filter(|line| line["type"] == "run").count(), 2);
}

#[test]
fn two_designs_that_are_asked_for_are_not_one_document() {
    let bench = Bench::new();
    let args = [
        "demo",
        "--design",
        "one-transaction",
        "--design",
        "claim-first",
        "--format",
        "json",
    ];
    let output = bench.run(&args);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    assert!(!bench.path("state").exists(), "a run was begun");
}

#[test]
fn github_is_told_only_where_it_is_asked_for() {
    let bench = Bench::new();
    let summary = bench.path("summary.md");
    std::fs::write(&summary, "# before\n").unwrap();
    let run = |more: &[&str]| {
        let args = small(
            &[
                &[
                    "--drill",
                    "drill.replay",
                    "--fault",
                    "ignore-key",
                    "--format",
                    "json",
                ],
                more,
            ]
            .concat(),
        );
        bench
            .command(&args)
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_ACTIONS", "true")
            .output()
            .unwrap()
    };
    let plain = run(&[]);
    assert!(!stderr(&plain).contains("::error"), "{}", stderr(&plain));
    assert_eq!(std::fs::read_to_string(&summary).unwrap(), "# before\n");
    let told = run(&["--github"]);
    assert_eq!(code(&told), 1);
    let _: Value = report(&told);
    assert!(
        stderr(&told).contains("\n::error file=policies/"),
        "{}",
        stderr(&told)
    );
    let text = std::fs::read_to_string(&summary).unwrap();
    assert!(
        text.starts_with("# before\n\n## doubletap: FAIL\n"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn the_journals_path_is_said_once_where_both_streams_end_in_one_file() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("all.txt")).unwrap();
    bench
        .command(&small(&["--drill", "drill.replay"]))
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .status()
        .unwrap();
    let text = std::fs::read_to_string(bench.path("all.txt")).unwrap();
    assert_eq!(text.matches("journal: ").count(), 1, "{text}");
    // apart, each reader is told
    let output = bench.run(&small(&["--drill", "drill.replay"]));
    assert!(stdout(&output).contains("journal: ") && stderr(&output).contains("journal: "));
}
