//! Target files to begin with: an OpenAPI document.
//! Must not send anything.

use super::*;

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
        "json     = { amount = 100, currency = \"EUR\", due = \"2030-01-31\", reference = \"doubletap\" }\nref      = \"/reference\"\nsuccess  = [201]\nbodies.changed = { set = { \"/amount\" = 101 } }",
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
        "json     = { share = 1, big = 100, flag = false }",
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
                "drill.replay@choose.2",
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
fn a_yaml_document_is_read_as_yaml_1_2() {
    let bench = Bench::new();
    let text = "openapi: 3.0.0\npaths:\n  /a:\n    post:\n      responses:\n        201: {}\n      requestBody: { content: { application/json: { example: { country: NO, answer: yes, day: 2020-01-01, flag: true, code: 0108 } } } }\n";
    std::fs::write(bench.path("x.yaml"), text).unwrap();
    let made = bench.run(&["init", "--openapi", "x.yaml", "--output", "-"]);
    let wanted = "json     = { country = \"NO\", answer = \"yes\", day = \"2020-01-01\", flag = true, code = \"0108\" }\nsuccess  = [201]";
    assert!(
        stdout(&made).contains(wanted),
        "{}{}",
        stdout(&made),
        stderr(&made)
    );
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

/// Documents that nobody means well with. Each gets one answer, soon.
#[test]
fn hostile_documents_end_with_one_error_and_never_hang() {
    let bench = Bench::new();
    let lines = |n: usize| -> String {
        let level = |n: usize| {
            let before = if n == 0 {
                "x".to_owned()
            } else {
                format!("*a{}", n - 1)
            };
            format!("a{n}: &a{n} [{}]\n", vec![before; 10].join(", "))
        };
        (0..n).map(level).collect()
    };
    let bomb = format!("openapi: 3.0.0\n{}paths: {{}}\n", lines(9));
    let deep = format!(
        "openapi: 3.0.0\npaths: {}1{}\n",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    let deep_json = format!(
        "{{\"openapi\":\"3.0.0\",\"paths\":{}1{}}}",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    let refused = [
        ("anchors", bomb.as_str(), "cannot be read"),
        ("deep", deep.as_str(), "cannot be read"),
        ("deep-json", deep_json.as_str(), "cannot be read"),
        ("list", "[1, 2]", "version 3"),
        ("nothing", "", "version 3"),
        ("paths", "openapi: 3.1.0\npaths: [1]\n", "no POST or PATCH"),
        (
            "elsewhere",
            "openapi: 3.1.0\npaths: { /a: { post: { requestBody: { content: { application/json: { schema: { $ref: 'b.yaml#/B' } } } } } } }\n",
            "no POST or PATCH",
        ),
    ];
    for (name, text, said) in refused {
        std::fs::write(bench.path("x.yaml"), text).unwrap();
        let began = std::time::Instant::now();
        let output = bench.run(&["init", "--openapi", "x.yaml"]);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        let told = stderr(&output);
        assert!(
            told.contains(said),
            "{name}: {}",
            &told[..told.len().min(500)]
        );
        assert!(told.len() < 2_000, "{name}: {} bytes", told.len());
        assert!(began.elapsed().as_secs() < 30, "{name}");
        assert!(!bench.path("doubletap.toml").exists());
    }
}

#[test]
fn what_a_document_holds_can_neither_break_the_file_nor_read_the_environment() {
    let bench = Bench::new();
    let text = r##"
openapi: 3.0.3
info: { title: "a\nb\u001b[31m # ${HOME}", version: "1" }
paths:
  "/a b/${HOME}/{id}/{{x}}?q=1#frag":
    post:
      operationId: "x\"]\nurl = \"http://evil\""
      parameters:
        - { name: "X Bad", in: header, required: true, schema: { type: string } }
        - { name: X-Line, in: header, required: true, example: "a\r\nb: c", schema: { type: string } }
        - { name: Host, in: header, required: true, schema: { type: string } }
        - { name: id, in: path, required: true, example: "../${HOME}", schema: { type: string } }
      requestBody: { content: { application/json: { example: { "a\nb": "${HOME}{{key}}'\"\\\u007f\n", "nul": null } } } }
      responses: { "201": {}, "2XX": {}, "999999": {} }
  /form:
    post:
      requestBody: { content: { application/x-www-form-urlencoded: { example: { "f[\n]": "${HOME}" } } } }
"##;
    std::fs::write(bench.path("x.yaml"), text).unwrap();
    let made = bench.run(&["init", "--openapi", "x.yaml"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let checked = bench
        .command(&["check"])
        .env("HOME", "/home-of-somebody")
        .output()
        .unwrap();
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
    let written = std::fs::read_to_string(bench.path("doubletap.toml")).unwrap();
    assert!(
        !stdout(&checked).contains("home-of-somebody"),
        "{}",
        stdout(&checked)
    );
    let parsed: toml::Table = written.parse().unwrap();
    assert_eq!(parsed["operation"].as_table().unwrap().len(), 2);
    assert_eq!(parsed["url"].as_str(), Some("http://127.0.0.1:8080"));
}

#[test]
fn wide_rings_of_schemas_and_thousands_of_operations_are_made_in_time() {
    let bench = Bench::new();
    let names: Vec<String> = (0..80).map(|n| format!("K{n}")).collect();
    let all: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| {
            (
                name.clone(),
                serde_json::json!({ "$ref": format!("#/components/schemas/{name}") }),
            )
        })
        .collect();
    let one = serde_json::json!({ "type": "object", "required": names, "properties": all });
    let schemas: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), one.clone()))
        .collect();
    let operation = serde_json::json!({ "post": { "operationId": "same", "requestBody": { "content": { "application/json": {
        "schema": { "$ref": "#/components/schemas/K0" } } } } } });
    let paths: serde_json::Map<String, Value> = (0..300)
        .map(|n| (format!("/p{n}"), operation.clone()))
        .collect();
    let document = serde_json::json!({ "openapi": "3.0.0", "paths": paths, "components": { "schemas": schemas } });
    std::fs::write(bench.path("x.json"), document.to_string()).unwrap();
    let began = std::time::Instant::now();
    let made = bench.run(&["init", "--openapi", "x.json"]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    assert!(
        stderr(&made).contains("with 300 operations"),
        "{}",
        stderr(&made)
    );
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

#[test]
fn a_document_of_a_live_system_is_said_to_be_one_in_the_file_and_beside_it() {
    let bench = Bench::new();
    let document = r#"{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://connect.squareup.com"}],
        "paths":{"/payments":{"post":{"responses":{"201":{"description":"made"}},"requestBody":{"content":{"application/json":
        {"example":{"amount":1,"key":"sk_live_example"}}}}}}}}"#;
    std::fs::write(bench.path("api.json"), document).unwrap();
    let output = bench.run(&["init", "--openapi", "api.json"]);
    let said = stderr(&output);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("with 1 operation\n"), "{said}");
    assert!(
        said.contains("note: connect.squareup.com is a live system: "),
        "{said}"
    );
    assert!(
        said.contains("note: a live credential (sk_live_...): "),
        "{said}"
    );
    let text = std::fs::read_to_string(bench.path("doubletap.toml")).unwrap();
    assert!(text.lines().next().unwrap().starts_with("# "), "{text}");
    assert!(
        text.contains("# connect.squareup.com is a live system: "),
        "{text}"
    );
}
