//! Target files to begin with: a provider's sandbox, and an OpenAPI document.
//! Must not send anything.

use super::*;

/// A value that passes for a test credential of a provider.
fn credential(name: &str) -> &'static str {
    match name {
        "STRIPE_TEST_KEY" => "sk_test_51Habcdefgh",
        // rzp_test_abcdef:secret, and :test_abcdefgh
        "RAZORPAY_BASIC" => "cnpwX3Rlc3RfYWJjZGVmOnNlY3JldA==",
        "COLUMN_BASIC" => "OnRlc3RfYWJjZGVmZ2g=",
        _ => "test_value-of-a-variable",
    }
}

/// Every `${VARIABLE}` outside of comments.
fn variables(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.flat_map(|line| line.split("${").skip(1).collect::<Vec<_>>());
    let names = parts.filter_map(|part| part.split('}').next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_ready_made_target_of_every_provider_means_something() {
    let bench = Bench::new();
    let all = doubletap::bundled::providers();
    assert!(all.len() >= 16, "{}", all.len());
    for (name, text) in all {
        assert!(
            doubletap::bundled::policy(name).is_some(),
            "{name} has no policy"
        );
        let file = format!("{name}.toml");
        let made = bench.run(&["init", "--provider", name, "--output", &file]);
        assert_eq!(code(&made), 0, "{name}: {}", stderr(&made));
        assert!(stderr(&made).contains("export "), "{name} says what to set");
        for command in [
            &["check", file.as_str()][..],
            &["run", file.as_str(), "--dry-run"],
        ] {
            let mut command = bench.command(command);
            for variable in variables(text) {
                command.env(&variable, credential(&variable));
            }
            let output = command.output().unwrap();
            // a machine without a name server cannot look the sandbox up: that is for the run to say
            assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        }
    }
    let wrong = bench.run(&["init", "--provider", "strpe"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("stripe"), "{}", stderr(&wrong));
}

#[test]
fn a_live_credential_is_refused_by_the_ready_made_targets() {
    let bench = Bench::new();
    bench.run(&["init", "--provider", "stripe"]);
    let output = bench
        .command(&["check"])
        .env("STRIPE_TEST_KEY", "sk_live_51Habcdefgh")
        .output()
        .unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/openapi/shop.yaml");

#[test]
fn every_post_and_patch_of_a_document_becomes_an_operation_that_check_accepts() {
    let bench = Bench::new();
    let made = bench.run(&["init", "--openapi", SHOP]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    for said in [
        "with 12 operations",
        "POST /uploads: its body is neither JSON nor a form",
        "POST /texts",
        "export TOKEN_A=",
    ] {
        assert!(
            stderr(&made).contains(said),
            "{said} is missing in\n{}",
            stderr(&made)
        );
    }
    let text = std::fs::read_to_string(bench.path("doubletap.toml")).unwrap();
    for part in [
        "url    = \"https://demo.sandbox.shop.example/v1\"",
        "contract.key.in = { header = \"Shop-Idempotency-Key\" }",
        "10 of 12 operations declare no such header",
        "Authorization = \"Bearer ${TOKEN_A}\"",
        "json     = { amount = 100, currency = \"EUR\", due = \"2030-01-31\" }\nsuccess  = [201]\nbodies.changed = { set = { \"/amount\" = 101 } }",
        "request  = \"POST /payments/{{id}}/captures\"\nneeds    = { id = \"create-payment\" }",
        "request  = \"PATCH /payments/{{id}}\"",
        "json     = { note = \"doubletapxxx\" }",
        "headers  = { Content-Type = \"application/merge-patch+json\" }",
        "json     = '{\"payment\":\"pay_1\",\"amount\":500,\"note\":null}'",
        "form     = { amount = \"5\", \"address[city]\" = \"doubletap\" }",
        "request  = \"POST /accounts/8e03978e-40d5-43dd-bc93-6894a57f9324/cards?mode=test%20run\"",
        "headers  = { X-Region = \"eu\" }",
        "json     = { name = \"doubl\", kind = \"virtual\" }",
        "text = \"Dear { {name}}, $ {greeting}\"",
        "[operation.create-payment-2]",
        "json     = { share = 1.0, big = 100, flag = false }",
        "[operation.post-pings]",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    for words in [
        &["check"][..],
        &[
            "run",
            "--dry-run",
            "--allow-host",
            "demo.sandbox.shop.example",
        ],
    ] {
        let output = bench
            .command(words)
            .env("TOKEN_A", "a-token-of-tests")
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{words:?}: {}", stderr(&output));
        if words[0] == "run" {
            let told = stdout(&output);
            for drill in [
                "drill.replay@create-payment",
                "drill.replay@plant-tree",
                "drill.mismatch@submit-form",
            ] {
                assert!(told.contains(drill), "{drill} is missing in\n{told}");
            }
        }
    }
}

#[test]
fn the_same_document_as_json_gives_the_same_file() {
    let bench = Bench::new();
    let value: Value = serde_saphyr::from_str(&std::fs::read_to_string(SHOP).unwrap()).unwrap();
    std::fs::write(bench.path("shop.json"), value.to_string()).unwrap();
    let one = bench.run(&["init", "--openapi", SHOP, "--output", "-"]);
    let other = bench.run(&["init", "--openapi", "shop.json", "--output", "-"]);
    assert_eq!(stdout(&one), stdout(&other));
}

#[test]
fn what_is_no_document_is_refused_with_the_reason() {
    let bench = Bench::new();
    for (text, said) in [
        ("swagger: '2.0'\npaths: {}\n", "version 3"),
        (
            "openapi: 3.0.3\npaths: { /a: { get: {} } }\n",
            "no POST or PATCH",
        ),
        ("openapi: [unclosed\n", "cannot be read"),
    ] {
        std::fs::write(bench.path("x.yaml"), text).unwrap();
        let output = bench.run(&["init", "--openapi", "x.yaml"]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
        assert!(!bench.path("doubletap.toml").exists());
    }
}
