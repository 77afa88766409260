//! Flags beat the environment, the environment the file, the file what is built in; and everybody can see which it was.

use secrecy::ExposeSecret;

use super::{loaded, loading, shown, texts};
use doubletap::config::Flags;
use doubletap::config::target::{Body, Counter, Identity, Stall};
use doubletap::contract::{Answer, Carrier, Length, StatusPattern};

const SMALL: &str = r#"
url = "http://127.0.0.1:8080/api/"
timeout = "5s"
[run]
copies = 4
[operation.payment]
request = "POST /payments"
json = { amount = 100, rate = 10.0, note = "é", nested = { list = [1, true] }, big = 9007199254740993 }
[operation.order]
request = "POST /orders"
form = { amount = 5, currency = "EUR" }
"#;

fn origin(loaded: &doubletap::config::Loaded, name: &str) -> (String, String) {
    let (_, value, origin) = loaded
        .origins
        .iter()
        .find(|(known, _, _)| known == name)
        .unwrap_or_else(|| panic!("no {name}"));
    (value.clone(), origin.clone())
}

#[test]
fn flags_beat_the_environment_beats_the_file_beats_the_built_in() {
    let env = [
        ("DOUBLETAP_COPIES", "6"),
        ("DOUBLETAP_SUITE", "drill, scope"),
    ];
    let flags = Flags {
        copies: Some("8".into()),
        ..Flags::default()
    };
    let all = loaded(SMALL, &flags, &env);
    assert_eq!(all.settings.copies, 8);
    assert_eq!(origin(&all, "copies"), ("8".into(), "--copies".into()));
    assert_eq!(all.settings.suites, ["drill", "scope"]);
    let without_flag = loaded(SMALL, &Flags::default(), &env);
    assert_eq!(
        origin(&without_flag, "copies"),
        ("6".into(), "DOUBLETAP_COPIES".into())
    );
    let file = loaded(SMALL, &Flags::default(), &[]);
    assert_eq!(
        origin(&file, "copies"),
        ("4".into(), "doubletap.toml:5".into())
    );
    assert_eq!(
        origin(&file, "timeout"),
        ("5s".into(), "doubletap.toml:3".into())
    );
    assert_eq!(origin(&file, "rounds"), ("10".into(), "built-in".into()));
    assert_eq!(file.settings.copies, 4);
}

#[test]
fn the_environment_may_say_where_the_target_is() {
    let env = [
        ("DOUBLETAP_URL", "http://127.0.0.1:9"),
        ("DOUBLETAP_POLICY", "ietf"),
    ];
    let all = loaded(SMALL, &Flags::default(), &env);
    assert_eq!(
        origin(&all, "url"),
        ("http://127.0.0.1:9".into(), "DOUBLETAP_URL".into())
    );
    assert_eq!(origin(&all, "policy").1, "DOUBLETAP_POLICY");
    let flags = Flags {
        policy: Some("stripe".into()),
        ..Flags::default()
    };
    assert_eq!(origin(&loaded(SMALL, &flags, &env), "policy").1, "--policy");
}

#[test]
fn numbers_keep_their_meaning_and_members_their_order() {
    let target = loaded(SMALL, &Flags::default(), &[]).target;
    let expected = r#"{"amount":100,"rate":10.0,"note":"é","nested":{"list":[1,true]},"big":9007199254740993}"#;
    assert_eq!(target.operations[0].body, Body::Json(expected.to_owned()));
    assert_eq!(target.replicas[0].url.as_str(), "http://127.0.0.1:8080/api");
}

#[test]
fn without_a_changed_body_the_first_integer_plus_one_is_tried() {
    let all = loaded(SMALL, &Flags::default(), &[]);
    let changed = |n: usize| all.target.operations[n].bodies["changed"].set.clone();
    assert_eq!(changed(0), [("/amount".to_owned(), serde_json::json!(101))]);
    assert_eq!(changed(1), [("amount".to_owned(), serde_json::json!(6))]);
    let (value, origin) = origin(&all, "operation.payment.bodies.changed");
    assert!(
        value.contains("first integer") && origin == "built-in",
        "{value} {origin}"
    );
}

#[test]
fn everything_can_be_said_by_flags() {
    let flags = Flags {
        url: texts(&["http://localhost:8080/v1/payments?x=1"]),
        header: texts(&["X-Env: test"]),
        json: Some(r#"{"order_ref":"{{ref}}", "amount":49900}"#.into()),
        account: texts(&[
            "a=Authorization: Bearer ${TOKEN_A}",
            "b=Authorization: Bearer ${TOKEN_B}",
        ]),
        account_id: texts(&["a=17", "b=18"]),
        changed: texts(&["/amount=49901"]),
        identity: Some("/payment_id".into()),
        key_header: Some("X-Key".into()),
        policy: Some("ietf".into()),
        postgres: Some("${DATABASE_URL}".into()),
        count_sql: Some("SELECT count(*) FROM payments WHERE order_ref = :ref".into()),
        slow: Some("X-Delay: 1s".into()),
        set: texts(&["mismatch.refuse.status=[409]", "in-progress=wait"]),
        ..Flags::default()
    };
    let env = [
        ("TOKEN_A", "token-of-a"),
        ("TOKEN_B", "token-of-b"),
        ("DATABASE_URL", "postgres://me:pass-word@h/d"),
    ];
    let all = loading(None, &flags, &env).unwrap_or_else(|errors| panic!("{}", shown(&errors)));
    let target = &all.target;
    let operation = &target.operations[0];
    assert_eq!(
        (
            operation.name.as_str(),
            operation.method.as_str(),
            operation.path.as_str()
        ),
        ("payments", "POST", "/v1/payments?x=1")
    );
    assert_eq!(
        operation.body,
        Body::Json(r#"{"order_ref":"{{ref}}", "amount":49900}"#.to_owned()),
        "byte for byte"
    );
    assert_eq!(operation.headers, [("X-Env".to_owned(), "test".to_owned())]);
    assert_eq!(operation.identity, Identity::Pointer("/payment_id".into()));
    assert_eq!(operation.stall, Some(Stall::Slow("slow".into())));
    assert!(matches!(operation.count, Some(Counter::Sql { .. })));
    assert_eq!(target.accounts[1].id.as_deref(), Some("18"));
    let contract = &target.contracts["payments"];
    assert_eq!(contract.key.value.carrier, Carrier::Header("X-Key".into()));
    assert_eq!(
        contract.key.origin.as_ref().unwrap().to_string(),
        "--key-header"
    );
    assert_eq!(contract.in_progress.value, Answer::Wait);
    let Answer::Refuse(how) = &contract.mismatch.value else {
        panic!()
    };
    assert_eq!(how.status, [StatusPattern::Exact(409)]);
    assert_eq!(
        contract.mismatch.origin.as_ref().unwrap().to_string(),
        "--set"
    );
    let secrets: Vec<&str> = target
        .secrets
        .iter()
        .map(|secret| secret.name.as_str())
        .collect();
    assert_eq!(
        secrets,
        [
            "$DATABASE_URL",
            "$TOKEN_A",
            "$TOKEN_B",
            "$POSTGRES_PASSWORD"
        ]
    );
    assert_eq!(
        origin(&all, "account.a").0,
        "Authorization: Bearer $TOKEN_A, id 17"
    );
    assert!(
        all.origins
            .iter()
            .all(|(_, value, _)| !value.contains("token-of") && !value.contains("pass-word")),
        "{:?}",
        all.origins
    );
}

#[test]
fn with_a_file_the_url_is_the_base_and_flags_describe_the_operation_that_is_named() {
    let flags = Flags {
        url: texts(&["http://127.0.0.1:1", "http://127.0.0.1:2"]),
        operation: texts(&["order"]),
        data: texts(&["amount=7", "currency=USD"]),
        timeout: Some("1s".into()),
        ..Flags::default()
    };
    let all = loaded(SMALL, &flags, &[]);
    assert_eq!(all.target.replicas.len(), 2);
    assert_eq!(all.target.replicas[1].url.as_str(), "http://127.0.0.1:2/");
    assert!(all.target.operations[0].setup_only && !all.target.operations[1].setup_only);
    let form = vec![
        ("amount".to_owned(), "7".to_owned()),
        ("currency".to_owned(), "USD".to_owned()),
    ];
    assert_eq!(all.target.operations[1].body, Body::Form(form));
    assert_eq!(all.target.timeout, Length::seconds(1));
}

#[test]
fn a_variables_value_stays_a_value_whatever_it_holds() {
    let file = "url = \"http://127.0.0.1:1\"\n[account.a]\nvalues = { x = \"${X}\" }\n[operation.p]\nrequest = \"POST /p\"\njson = { x = \"${X}\", y = \"$${X}\" }";
    let evil = "a\"\n[run]\ncopies = 99\n#";
    let all = loaded(file, &Flags::default(), &[("X", evil)]);
    assert_eq!(all.settings.copies, 10);
    let Body::Json(text) = &all.target.operations[0].body else {
        panic!()
    };
    let body: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(body["x"], evil);
    assert_eq!(body["y"], "${X}");
    assert_eq!(all.target.secrets[0].value.expose_secret(), evil);
}

#[test]
fn a_contract_may_differ_by_route() {
    let policy = r#"
id = "mine"
title = "t"
should = ["missing"]
[contract]
missing = "run"
key.most = 64
[[route]]
on = ["POST /orders"]
contract.missing.refuse = {}
[[route]]
on = ["POST /orders"]
when = { body-has = "/payment_source" }
contract.missing.refuse = { status = [400] }
[[route]]
on = ["POST /api/orders/{id}/capture"]
contract.key.most = 36
"#;
    let file = r#"
url = "http://127.0.0.1:1/api"
policy = "mine"
should = ["mismatch.status"]
[operation.order]
request = "POST /orders"
json = { a = 1 }
[operation.paid]
request = "POST /orders"
json = { payment_source = { n = 1 } }
[operation.capture]
request = "POST /orders/{{order}}/capture"
needs = { order = "order" }
"#;
    let find = |name: &str| match name {
        "mine" => Some(doubletap::config::Source::new("mine.toml", policy)),
        _ => doubletap::bundled::policy(name)
            .map(|(name, text)| doubletap::config::Source::new(name, text)),
    };
    let flags = Flags::default();
    let all = doubletap::config::load(doubletap::config::Inputs {
        target: Some(doubletap::config::Source::new("doubletap.toml", file)),
        flags: &flags,
        env: &|_| None,
        policies: &find,
        policy_names: &[],
    })
    .unwrap_or_else(|errors| panic!("{}", shown(&errors)));
    let contracts = &all.target.contracts;
    assert_eq!(contracts["capture"].missing.value, Answer::Run);
    assert_eq!(
        (
            contracts["capture"].key.value.most,
            contracts["order"].key.value.most
        ),
        (Some(36), Some(64))
    );
    let statuses = |name: &str| match &contracts[name].missing.value {
        Answer::Refuse(how) => how.status.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!((statuses("order"), statuses("paid")), (0, 1));
    assert_eq!(
        contracts["paid"]
            .missing
            .origin
            .as_ref()
            .unwrap()
            .to_string(),
        "mine.toml:14"
    );
    assert_eq!(
        contracts["paid"].missing.level,
        doubletap::contract::Level::Should,
        "the file's should covers its routes"
    );
    assert_eq!(
        contracts["order"].mismatch.level_of("status"),
        doubletap::contract::Level::Should
    );
    assert_eq!(
        contracts["order"].mismatch.origin.as_ref().unwrap().file,
        "policies/floor.toml"
    );
}
