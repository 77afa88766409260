//! A canary in every place where a secret may stand: it must be in no output.
//! Must not know how secrets are found.

use super::*;

const CANARY: &str = "canary/9f+2=x\"q";

/// A password in a database's URL. Nobody listens there: what the driver says of it is an output, too.
const DATABASE: &str = "postgres://shop:canary-9f2-base@127.0.0.1:9/shop";

#[test]
fn a_secret_is_in_no_output() {
    let bench = Bench::new();
    let sandbox = Sandbox::start(&["--fault", "ignore-key"]);
    let target = format!(
        r#"
url    = "{}"
policy = "one-transaction"
[account.a]
headers = {{ Authorization = "Bearer acct-a", X-Token = "${{CANARY}}" }}
[operation.payment]
request  = "POST /payments?token=${{CANARY_URL}}"
headers  = {{ X-Secret = "${{CANARY}}" }}
json     = {{ amount = 49900, currency = "EUR", reference = "", note = "${{CANARY}}" }}
ref      = "/reference"
identity = "/id"
count    = {{ get = {{ path = "/payments?reference={{{{ref}}}}", at = "/count" }} }}
bodies.changed = {{ set = {{ "/amount" = 49901 }} }}

[operation.counted]
request  = "POST /payments"
json     = {{ amount = 49900, currency = "EUR", reference = "" }}
ref      = "/reference"
identity = "/id"
count    = {{ sql = "SELECT count(*) FROM payments WHERE reference = :ref" }}

[postgres]
url = "${{CANARY_DATABASE}}"
"#,
        sandbox.url
    );
    std::fs::write(bench.path("doubletap.toml"), target).unwrap();
    let run = |args: &[&str]| {
        bench
            .command(args)
            .env("CANARY", CANARY)
            .env("CANARY_URL", "canary-9f2-url")
            .env("CANARY_DATABASE", DATABASE)
            .env("GITHUB_STEP_SUMMARY", bench.path("summary.md"))
            .output()
            .unwrap()
    };
    let outputs = [
        "json=r.json",
        "ndjson=r.ndjson",
        "junit=r.xml",
        "sarif=r.sarif",
        "markdown=r.md",
        "github=r.gh",
        "gitlab=r.gl",
        "tap=r.tap",
        "html=r.html",
    ];
    let mut args = vec![
        "run",
        "-vv",
        "--operation",
        "payment",
        "--drill",
        "drill.replay",
        "--drill",
        "drill.mismatch",
        "--journal",
        "run.jsonl",
        "--evidence",
        "all",
        "--github",
    ];
    args.extend(outputs.iter().flat_map(|output| ["--output", *output]));
    let output = run(&args);
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    let mut texts: Vec<(String, String)> = Vec::new();
    // a reason may be typed with a secret in it; the baseline is the user's own file, and its reports are not
    let written = run(&[
        "baseline",
        "write",
        "run.jsonl",
        "--output",
        "known.toml",
        "--reason",
        "SHOP-1",
        "--until",
        "2999-12-31",
    ]);
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    texts.push((
        "baseline write".to_owned(),
        stdout(&written) + &stderr(&written),
    ));
    texts.push((
        "known.toml".to_owned(),
        std::fs::read_to_string(bench.path("known.toml")).unwrap(),
    ));
    let known = std::fs::read_to_string(bench.path("known.toml")).unwrap();
    let typed = known.replace("\"SHOP-1\"", &format!("'token {CANARY}'"));
    std::fs::write(bench.path("typed.toml"), typed).unwrap();
    texts.extend([
        ("stdout".to_owned(), stdout(&output)),
        ("stderr".to_owned(), stderr(&output)),
    ]);
    for file in std::fs::read_dir(bench.path("")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file()
            && path
                .file_name()
                .is_some_and(|name| name != "doubletap.toml" && name != "typed.toml")
        {
            texts.push((
                path.display().to_string(),
                std::fs::read_to_string(&path).unwrap(),
            ));
        }
    }
    for command in [
        &["show", "run.jsonl", "drill.replay", "--script"][..],
        &["check"],
        &["run", "--dry-run"],
        &["show", "run.jsonl", "drill.mismatch"],
        &["report", "run.jsonl", "--format", "ndjson"],
        &["judge", "run.jsonl", "--policy", "ietf"],
        &["diff", "run.jsonl", "run.jsonl"],
        &[
            "run",
            "--drill",
            "drill.replay",
            "--format",
            "ndjson",
            "--journal",
            "second.jsonl",
        ],
        &[
            "run",
            "--drill",
            "drill.replay",
            "--format",
            "ndjson",
            "--operation",
            "counted",
            "--journal",
            "third.jsonl",
        ],
        &[
            "run",
            "--drill",
            "drill.mismatch",
            "--operation",
            "payment",
            "--baseline",
            "typed.toml",
            "--evidence",
            "all",
            "--journal",
            "fourth.jsonl",
        ],
        &[
            "init",
            "--output",
            "-",
            "--from-curl",
            "curl http://127.0.0.1:9/payments?token=canary-9f2-url -H 'Authorization: Bearer canary-9f2-header' -u shop:canary-9f2-user --json '{\"amount\":1}'",
        ],
    ] {
        let output = run(command);
        texts.push((command.join(" "), stdout(&output) + &stderr(&output)));
    }
    assert!(texts.len() > outputs.len() + 4, "{} texts", texts.len());
    // whole, and in the forms that JSON, URLs and HTML give it
    let forms = [
        CANARY,
        "canary/9f",
        "canary%2F9f",
        "canary-9f2",
        "canary&#x2f;9f",
    ];
    for (name, text) in texts {
        for form in forms {
            assert!(!text.contains(form), "{name} holds {form}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_target_with_credentials_that_others_may_read_is_noted_and_none_of_variables() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let target = |token: &str| {
        format!(
            "url = \"http://127.0.0.1:9\"\n[account.a]\nheaders = {{ Authorization = \"Bearer {token}\" }}\n\
             [operation.p]\nrequest = \"POST /p\"\njson = {{ amount = 1 }}\n"
        )
    };
    let noted = |token: &str, mode: u32| {
        let path = bench.path("doubletap.toml");
        std::fs::write(&path, target(token)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let output = bench
            .command(&["check"])
            .env("TOKEN", "hush-hush-hush")
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(!stderr(&output).contains("hush"), "{}", stderr(&output));
        stderr(&output).contains("note: others may read ")
    };
    assert!(noted("hush-hush-hush", 0o644));
    assert!(!noted("hush-hush-hush", 0o600));
    assert!(!noted("${TOKEN}", 0o644));
}
