//! What is decided before anything is sent: live systems, hosts, what a policy builds on, what is hidden.

use doubletap::config::Flags;
use doubletap::contract::Answer;
use secrecy::ExposeSecret;

use super::{loaded, loading, shown, texts};

fn flags(url: &str) -> Flags {
    Flags {
        url: texts(&[url]),
        json: Some("{\"amount\":1}".into()),
        ..Flags::default()
    }
}

#[test]
fn a_live_system_is_tested_only_where_the_command_line_says_so() {
    let account = texts(&["a=Authorization: Bearer sk_live_0123456789"]);
    let live = Flags {
        account,
        ..flags("https://api.stripe.com/v1/charges")
    };
    assert!(loading(None, &live, &[]).is_err());
    let allowed = Flags {
        allow_live: true,
        ..live
    };
    assert!(loading(None, &allowed, &[]).is_ok());
    let account = texts(&["a=Authorization: Basic c2tfdGVzdF9hYmNkZWY6"]);
    let test_key = Flags {
        account,
        ..flags("https://api.stripe.com/v1/charges")
    };
    loading(None, &test_key, &[])
        .unwrap_or_else(|errors| panic!("a test key in Basic form: {}", shown(&errors)));
    let account = texts(&["a=Authorization: Basic c2tfbGl2ZV9hYmNkZWY6"]);
    let hidden = Flags {
        account,
        ..flags("http://127.0.0.1:1/x")
    };
    assert!(
        loading(None, &hidden, &[]).is_err(),
        "a live key in Basic form"
    );
}

#[test]
fn a_public_address_is_allowed_by_its_name_and_a_name_is_left_to_its_resolution() {
    assert!(loading(None, &flags("http://9.9.9.9/p"), &[]).is_err());
    let allowed = Flags {
        allow_host: texts(&["9.9.9.9"]),
        ..flags("http://9.9.9.9/p")
    };
    assert!(loading(None, &allowed, &[]).is_ok());
    for url in [
        "http://api:8080/p",
        "http://10.0.0.3/p",
        "http://[::1]/p",
        "http://localhost/p",
    ] {
        assert!(loading(None, &flags(url), &[]).is_ok(), "{url}");
    }
}

#[test]
fn the_named_variant_of_a_flag_replaces_the_files() {
    let file = "url = \"http://127.0.0.1:1\"\n[operation.p]\nrequest = \"POST /p\"\njson = { a = 1, b = 2 }\nbodies.changed = { json = { a = 3 } }";
    let flags = Flags {
        changed: texts(&["/b=5", "/a=word"]),
        ..Flags::default()
    };
    let target = loaded(file, &flags, &[]).target;
    let changed = &target.operations[0].bodies["changed"];
    assert_eq!(changed.body, None);
    assert_eq!(
        changed.set,
        [
            ("/b".to_owned(), 5.into()),
            ("/a".to_owned(), "word".into())
        ]
    );
}

#[test]
fn headers_of_flags_replace_those_of_the_file_whatever_their_case() {
    let file = "url = \"http://127.0.0.1:1\"\n[account.a]\nheaders = { authorization = \"Bearer of-the-file\" }\n[operation.p]\nrequest = \"POST /p\"\nheaders = { x-env = \"file\", X-Other = \"1\" }";
    let flags = Flags {
        header: texts(&["X-Env: flag"]),
        account: texts(&["a=Authorization: Bearer of-the-flag"]),
        ..Flags::default()
    };
    let target = loaded(file, &flags, &[]).target;
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        target.operations[0].headers,
        [header("X-Other", "1"), header("X-Env", "flag")]
    );
    assert_eq!(
        target.accounts[0].headers,
        [header("Authorization", "Bearer of-the-flag")]
    );
}

#[test]
fn a_policy_stands_on_what_it_extends_and_the_target_on_its_policy() {
    let policy = "id = \"mine\"\ntitle = \"t\"\nextends = \"ietf\"\n[contract]\nmissing = \"run\"";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, policy).unwrap();
    let find = |name: &str| doubletap::cli::target::find_policy(name);
    let flags = Flags {
        policy: Some(path.to_str().unwrap().to_owned()),
        ..flags("http://127.0.0.1:1/p")
    };
    let all = doubletap::config::load(doubletap::config::Inputs {
        target: None,
        flags: &flags,
        env: &|_| None,
        policies: &find,
        policy_names: &[],
    })
    .unwrap_or_else(|errors| panic!("{}", shown(&errors)));
    let contract = &all.target.contracts["p"];
    assert_eq!(contract.missing.value, Answer::Run);
    assert_eq!(
        contract.mismatch.origin.as_ref().unwrap().file,
        "policies/ietf.toml"
    );
    assert_eq!(
        contract.mismatch.level_of("status"),
        doubletap::contract::Level::Should
    );
    assert_eq!(
        contract.missing.level_of("status"),
        doubletap::contract::Level::Must,
        "declared anew"
    );
    assert_eq!(
        contract.scope.account.origin.as_ref().unwrap().file,
        "policies/floor.toml"
    );
}

#[test]
fn odd_variables_are_told() {
    let file = "url = \"http://127.0.0.1:1\"\npublic = [\"NOBODY\"]\n[account.a]\nid = \"${ID}\"\nvalues = { note = \"${EMPTY}\" }\n[operation.p]\nrequest = \"POST /p\"";
    let all = loaded(file, &Flags::default(), &[("ID", "17"), ("EMPTY", "")]);
    let warnings = all.warnings.join("\n");
    for part in [
        "$ID is too short",
        "EMPTY is empty",
        "NOBODY, which no text uses",
    ] {
        assert!(warnings.contains(part), "{part} not in {warnings}");
    }
    assert!(
        all.target
            .secrets
            .iter()
            .all(|secret| secret.value.expose_secret() != "17")
    );
}
