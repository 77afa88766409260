//! Every target file that comes with the project loads.

use std::path::Path;

use super::{loaded, loading, shown};
use doubletap::config::Flags;
use doubletap::config::target::{Body, Counter, Expire, Identity};
use doubletap::contract::{Answer, Length};

const DOCUMENTED: &str = r#"
url    = "http://127.0.0.1:8080"
policy = "ietf"
contract.retention = { at-least = "24h", at-most = "24h" }
contract.after-retention = "run"

[account.a]
id      = "17"
headers = { Authorization = "Bearer ${SHOP_TOKEN_A}" }
[account.b]
id      = "18"
headers = { Authorization = "Bearer ${SHOP_TOKEN_B}" }

[postgres]
url = "${DATABASE_URL}"

[operation.payment]
request  = "POST /payments"
json     = { amount = 49900, currency = "INR", reference = "" }
ref      = "/reference"
success  = [201]
identity = "/id"
bodies.changed  = { set = { "/amount" = 49901 } }
bodies.declined = { set = { "/amount" = 66600 } }
count = { sql = "SELECT count(*) FROM payments WHERE account_id = :account AND reference = :ref" }
stall = { postgres = { lock = "payments" } }

[operation.refund]
request  = "POST /payments/{{payment}}/refunds"
json     = { amount = 100, note = "" }
needs    = { payment = "payment" }
ref      = "/note"
success  = [201]
identity = "/id"
bodies.changed = { set = { "/amount" = 101 } }
count = { sql = "SELECT count(*) FROM refunds WHERE account_id = :account AND note = :ref" }

[expire]
rows = 1
sql = "UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE account_id = :account AND idem_key = :key"
"#;

const ENV: [(&str, &str); 3] = [
    ("SHOP_TOKEN_A", "token-of-a"),
    ("SHOP_TOKEN_B", "token-of-b"),
    ("DATABASE_URL", "postgres://shop:pass-word@localhost/shop"),
];

#[test]
fn the_documented_target_means_what_it_says() {
    let target = loaded(DOCUMENTED, &Flags::default(), &ENV).target;
    assert_eq!(
        target.accounts[0].headers,
        [("Authorization".to_owned(), "Bearer token-of-a".to_owned())]
    );
    let payment = &target.operations[0];
    assert_eq!(payment.name, "payment");
    assert_eq!(
        payment.body,
        Body::Json(r#"{"amount":49900,"currency":"INR","reference":""}"#.to_owned())
    );
    assert_eq!(payment.identity, Identity::Pointer("/id".to_owned()));
    assert!(matches!(&payment.count, Some(Counter::Sql { sql }) if sql.contains(":ref")));
    assert!(matches!(&target.expire, Some(Expire::Sql { rows: 1, .. })));
    assert_eq!(target.operations[1].needs["payment"], "payment");
    let contract = &target.contracts["payment"];
    assert_eq!(contract.after_retention.value, Answer::Run);
    assert_eq!(
        contract
            .after_retention
            .origin
            .as_ref()
            .unwrap()
            .to_string(),
        "doubletap.toml:5"
    );
    assert_eq!(
        contract.retention.value.at_least,
        Some("24h".parse().unwrap())
    );
    assert_eq!(
        contract.mismatch.origin.as_ref().unwrap().file,
        "policies/ietf.toml"
    );
    assert_eq!(
        contract.one_effect.origin.as_ref().unwrap().file,
        "policies/floor.toml"
    );
    assert_eq!(
        (target.timeout, target.settle),
        (Length::seconds(30), Length::millis(500))
    );
}

#[test]
fn every_target_of_the_project_loads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut found = 0;
    for folder in ["targets", "field"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let env = [
                    ("FIELD_URL", "http://127.0.0.1:9000"),
                    ("SANDBOX_URL", "http://127.0.0.1:9000"),
                    ("SANDBOX_POLICY", "claim-first"),
                    ("COOKIE_A", "session=first-cookie"),
                    ("COOKIE_B", "session=second-cookie"),
                ];
                let result = loading(Some(&text), &Flags::default(), &env);
                assert!(
                    result.is_ok(),
                    "{}:\n{}",
                    path.display(),
                    shown(&result.unwrap_err())
                );
                found += 1;
            }
        }
    }
    assert!(found > 10, "{found} targets");
}
