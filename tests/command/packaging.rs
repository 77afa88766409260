//! What is shipped around the program: the release archive, the action's script, the documented job.
//! Must not need a pipeline: only what runs anywhere is run here.

use super::*;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_documented_job_is_the_one_that_runs() {
    let workflow = std::fs::read_to_string(root().join(".github/workflows/ci.yml")).unwrap();
    let text = std::fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let (_, rest) = text.split_once("```yaml\n").unwrap();
    let (job, _) = rest.split_once("\n```").unwrap();
    assert!(job.contains("postgres:17") && job.len() > 1000, "{job}");
    assert!(workflow.contains(job), "docs/ci.md and the workflow differ");
}

#[test]
fn an_archive_holds_completions_and_a_manual_page() {
    let bench = Bench::new();
    let made = Command::new(root().join("scripts/package"))
        .args([env!("CARGO_BIN_EXE_doubletap"), "doubletap-test"])
        .arg(bench.path("dist"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", stderr(&made));
    let listed = Command::new("tar")
        .arg("-tzf")
        .arg(bench.path("dist/doubletap-test.tar.gz"))
        .output()
        .unwrap();
    let listed = stdout(&listed);
    for file in [
        "doubletap",
        "doubletap.1",
        "completions/doubletap.bash",
        "completions/_doubletap",
        "completions/doubletap.fish",
        "LICENSE-MIT",
    ] {
        assert!(
            listed
                .lines()
                .any(|line| line == format!("doubletap-test/{file}")),
            "{file} is missing in\n{listed}"
        );
    }
    assert!(bench.path("dist/doubletap-test.tar.gz.sha256").exists());
}

#[test]
fn the_actions_script_runs_says_where_reports_are_and_obeys_no_input() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&[]);
    let target = format!(
        "url = \"{}\"\npolicy = \"one-transaction\"\n[account.a]\nheaders = {{ Authorization = \"Bearer acct-a\" }}\n\
         [operation.payment]\nrequest = \"POST /payments\"\njson = {{ amount = 1, currency = \"EUR\" }}\nidentity = \"/id\"\n",
        sandbox.url
    );
    // a name that a shell would obey
    let name = "$(touch hacked).toml";
    std::fs::write(bench.path(name), target).unwrap();
    let run = |sarif: &str| {
        Command::new(root().join("ci/github.sh"))
            .current_dir(bench.path(""))
            .env("INPUT_TARGET", name)
            .env(
                "INPUT_ARGUMENTS",
                "--drill\ndrill.replay\n\n--set=in-progress=wait\n",
            )
            .env("INPUT_BASELINE", "")
            .env("INPUT_SARIF", sarif)
            .env("INPUT_JUNIT", "a `touch hacked` b.xml")
            .env("INPUT_HTML", "")
            .env("INPUT_ANNOTATIONS", "true")
            .env("INPUT_BINARY", env!("CARGO_BIN_EXE_doubletap"))
            .env("GITHUB_ACTION_PATH", root())
            .env("RUNNER_TEMP", bench.path(""))
            .env("GITHUB_OUTPUT", bench.path("outputs"))
            .env("GITHUB_STEP_SUMMARY", bench.path("summary.md"))
            .output()
            .unwrap()
    };
    let output = run("r.sarif");
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let outputs = std::fs::read_to_string(bench.path("outputs")).unwrap();
    assert!(
        outputs.contains("exit-code=0\nsarif=r.sarif\n"),
        "{outputs}"
    );
    for file in ["r.sarif", "a `touch hacked` b.xml", "summary.md"] {
        assert!(bench.path(file).exists(), "{file}");
    }
    assert!(!bench.path("hacked").exists(), "an input was run");
    let forged = run("r.sarif\nexit-code=0");
    assert_eq!(code(&forged), 2, "{}", stderr(&forged));
}
