//! `check`, `init` and `schema` as commands: exit codes, and nothing secret in what they print.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::path::Path;

use snapbox::cmd::{Command, cargo_bin};

fn doubletap(folder: &Path) -> Command {
    Command::new(cargo_bin!("doubletap"))
        .current_dir(folder)
        .env("TOKEN_A", "hush-hush-token")
}

fn output(command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

const CURL: &str =
    "curl http://127.0.0.1:1/payments -H 'Authorization: Bearer hush' --json '{\"amount\": 100}'";

/// The names that a JSON Schema allows: members, and texts to choose from.
fn names_in(schema: &serde_json::Value, names: &mut std::collections::BTreeSet<String>) {
    use serde_json::Value;
    let below: Vec<&Value> = match schema {
        Value::Object(members) => {
            if let Some(Value::Object(properties)) = members.get("properties") {
                names.extend(properties.keys().cloned());
            }
            let texts = members.get("enum").and_then(Value::as_array);
            let texts = texts.into_iter().flatten().chain(members.get("const"));
            names.extend(texts.filter_map(Value::as_str).map(str::to_owned));
            members.values().collect()
        }
        Value::Array(items) => items.iter().collect(),
        _ => return,
    };
    for value in below {
        names_in(value, names);
    }
}

#[test]
fn every_name_of_a_drill_stands_in_the_vocabulary() {
    let folder = tempfile::tempdir().unwrap();
    let (code, schema, _) = output(doubletap(folder.path()).args(["schema", "suite"]));
    assert_eq!(code, 0);
    let mut names = std::collections::BTreeSet::new();
    names_in(&serde_json::from_str(&schema).unwrap(), &mut names);
    assert!(
        names.len() > 100 && names.contains("of-length"),
        "{names:?}"
    );
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let words: std::collections::BTreeSet<&str> = readme
        .split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)))
        .collect();
    let missing: Vec<&String> = names
        .iter()
        .filter(|name| !words.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn init_writes_a_file_that_check_finds_from_a_folder_below() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = output(doubletap(folder.path()).args(["init", "--from-curl", CURL]));
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("export TOKEN_A=") && said.contains("doubletap run"),
        "{said}"
    );
    let below = folder.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    let (code, out, said) =
        output(doubletap(&below).args(["check", "--contract", "--copies", "3"]));
    assert_eq!(code, 0, "{said}");
    assert!(
        out.contains("Bearer $TOKEN_A") && out.contains("--copies") && out.contains("one-effect"),
        "{out}"
    );
    assert!(!out.contains("hush"), "{out}");
}

#[test]
fn init_replaces_nothing_without_being_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("doubletap.toml");
    std::fs::write(&file, "mine").unwrap();
    let (code, _, said) = output(doubletap(folder.path()).args(["init", "--from-curl", CURL]));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("--force"), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let (code, _, said) =
        output(doubletap(folder.path()).args(["init", "--from-curl", CURL, "--force"]));
    assert_eq!(code, 0, "{said}");
    let (code, out, _) = output(doubletap(folder.path()).args(["init", "--output", "-"]));
    assert!(code == 0 && out.contains("[operation.payments]"), "{out}");
    let (code, _, said) = output(doubletap(folder.path()).args([
        "init",
        "--from-curl",
        "curl -F a=b http://h",
        "-o",
        "x.toml",
    ]));
    assert!(code == 2 && said.contains("-F is not supported"), "{said}");
}

#[test]
fn what_is_wrong_ends_with_2_and_a_caret() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = output(doubletap(folder.path()).args(["check"]));
    assert!(code == 2 && said.contains("no target"), "{said}");
    let (code, _, said) = output(doubletap(folder.path()).args(["check", "none.toml"]));
    assert!(
        code == 2 && said.contains("cannot read the target file none.toml"),
        "{said}"
    );
    std::fs::write(folder.path().join("t.toml"), "ulr = \"http://127.0.0.1\"").unwrap();
    let (code, out, said) = output(doubletap(folder.path()).args(["check", "t.toml"]));
    assert!(
        code == 2
            && out.is_empty()
            && said.contains("t.toml:1:1")
            && said.contains("did you mean `url`?"),
        "{said}"
    );
    let args = [
        "check",
        "--url",
        "http://127.0.0.1:1/p",
        "--cacert",
        "none.pem",
    ];
    let (code, _, said) = output(doubletap(folder.path()).args(args));
    assert!(code == 2 && said.contains("none.pem"), "{said}");
}

#[test]
fn every_schema_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["target", "policy", "suite", "report"] {
        let (code, out, said) = output(doubletap(folder.path()).args(["schema", kind]));
        assert_eq!(code, 0, "{said}");
        let schema: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(
            schema["$schema"], "http://json-schema.org/draft-07/schema#",
            "{kind}"
        );
    }
}

#[test]
fn a_policy_file_is_found_beside_the_target_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("ci")).unwrap();
    let policy = "id = \"ours\"\ntitle = \"Ours\"\ncontract.missing = \"run\"";
    std::fs::write(folder.path().join("ci/ours.toml"), policy).unwrap();
    let target = "url = \"http://127.0.0.1:1\"\npolicy = \"ours.toml\"\n[operation.p]\nrequest = \"POST /p\"";
    std::fs::write(folder.path().join("ci/target.toml"), target).unwrap();
    let (code, out, said) = output(doubletap(folder.path()).args(["check", "ci/target.toml"]));
    assert!(code == 0 && out.contains("ours (Ours)"), "{out}{said}");
}
