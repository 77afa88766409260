//! A canary in every place where a secret may stand: it must be in no output.
//! Must not know how secrets are found.

use super::*;

const CANARY: &str = "canary/9f+2=x\"q";

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
"#,
        sandbox.url
    );
    std::fs::write(bench.path("doubletap.toml"), target).unwrap();
    let run = |args: &[&str]| {
        bench
            .command(args)
            .env("CANARY", CANARY)
            .env("CANARY_URL", "canary-9f2-url")
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
        "--drill",
        "drill.replay",
        "--drill",
        "drill.mismatch",
        "--journal",
        "run.jsonl",
        "--evidence",
        "all",
    ];
    args.extend(outputs.iter().flat_map(|output| ["--output", *output]));
    let output = run(&args);
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    let mut texts = vec![
        ("stdout".to_owned(), stdout(&output)),
        ("stderr".to_owned(), stderr(&output)),
    ];
    for file in std::fs::read_dir(bench.path("")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file()
            && path
                .file_name()
                .is_some_and(|name| name != "doubletap.toml")
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
