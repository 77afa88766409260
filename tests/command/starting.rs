//! Target files to begin with: a provider's sandbox, and a curl line.
//! Must not send anything.

use super::*;

/// A value that passes for a test credential of a provider.
fn credential(name: &str) -> &'static str {
    match name {
        "STRIPE_TEST_KEY" => "sk_test_51Habcdefgh",
        "RAZORPAY_KEY_ID" => "rzp_test_abcdef",
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
}

#[test]
fn a_provider_that_is_not_there_is_answered_with_the_nearest_and_all() {
    let bench = Bench::new();
    let wrong = bench.run(&["init", "--provider", "strpe"]);
    assert_eq!(code(&wrong), 2);
    for said in ["did you mean `stripe`?", "adyen", "wise"] {
        assert!(stderr(&wrong).contains(said), "{said}: {}", stderr(&wrong));
    }
    let only_a_policy = bench.run(&["init", "--provider", "qonto"]);
    assert!(
        stderr(&only_a_policy).contains("--policy qonto"),
        "{}",
        stderr(&only_a_policy)
    );
    let all = bench.run(&["init", "--provider"]);
    assert_eq!(code(&all), 0, "{}", stderr(&all));
    for (name, _) in doubletap::bundled::providers() {
        assert!(stdout(&all).contains(name), "{name}: {}", stdout(&all));
    }
    assert!(
        stdout(&all).contains("PAYPAL_CLIENT_ID, PAYPAL_CLIENT_SECRET"),
        "{}",
        stdout(&all)
    );
    assert!(!bench.path("doubletap.toml").exists());
}

/// What a provider's own live system is called, where its sandbox has a host of its own.
const LIVE: [(&str, &str, &str); 9] = [
    (
        "adyen",
        "checkout-test.adyen.com",
        "abc-checkout-live.adyenpayments.com",
    ),
    (
        "checkout-com",
        "api.sandbox.checkout.com",
        "api.checkout.com",
    ),
    ("dwolla", "api-sandbox.dwolla.com", "api.dwolla.com"),
    (
        "gocardless",
        "api-sandbox.gocardless.com",
        "api.gocardless.com",
    ),
    ("increase", "sandbox.increase.com", "api.increase.com"),
    ("paypal", "api-m.sandbox.paypal.com", "api-m.paypal.com"),
    (
        "square",
        "connect.squareupsandbox.com",
        "connect.squareup.com",
    ),
    ("wise", "api.wise-sandbox.com", "api.wise.com"),
    ("mollie", "api.mollie.com", "api.mollie.com"),
];

#[test]
fn production_is_refused_by_the_ready_made_targets() {
    let bench = Bench::new();
    let check = |text: &str, credential: &dyn Fn(&str) -> &'static str| {
        std::fs::write(bench.path("doubletap.toml"), text).unwrap();
        let mut command = bench.command(&["check"]);
        for variable in variables(text) {
            command.env(&variable, credential(&variable));
        }
        command.output().unwrap()
    };
    let targets = doubletap::bundled::providers();
    let target = |name: &str| targets.iter().find(|(known, _)| *known == name).unwrap().1;
    for (name, sandbox, live) in LIVE {
        let text = target(name).replace(sandbox, live);
        let output = check(&text, &|_| "credential-of-nobody");
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("is a live system"),
            "{name}: {}",
            stderr(&output)
        );
    }
    // one host for both: the credential decides
    for name in ["stripe", "stripe-v2", "razorpay", "column", "mollie"] {
        let output = check(target(name), &|_| "credential-of-nobody");
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("no credential is a test one"),
            "{name}: {}",
            stderr(&output)
        );
    }
    let output = check(target("stripe"), &|_| "sk_live_51Habcdefgh");
    assert!(
        stderr(&output).contains("a live credential"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_key_of_a_curl_line_is_left_out_with_a_word_and_its_header_carries_the_tools_own() {
    let bench = Bench::new();
    let line = "curl http://127.0.0.1:8080/p -H 'X-Shop-Idempotency: 123' -d '{\"amount\":1}'";
    let output = bench.run(&["init", "--from-curl", line]);
    let said = stderr(&output);
    assert!(
        said.contains("every attempt gets one of its own, in the header X-Shop-Idempotency"),
        "{said}"
    );
    let text = std::fs::read_to_string(bench.path("doubletap.toml")).unwrap();
    assert!(
        text.contains("X-Shop-Idempotency") && !text.contains("123"),
        "{text}"
    );
}
