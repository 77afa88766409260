//! Stories of reads: the GET that shows the effects, with the key of a write.
//! They must not send anything.

use super::*;

#[test]
fn a_read_is_the_counters_get_with_the_key() {
    let target = target(SHOP);
    let instance = instance(&target, "methods.get@payment");
    let intent = intent(&target);
    let read = prepare_read(&target, &instance, &RequestFields::default(), Some(&intent)).unwrap();
    assert_eq!(read.method, "GET");
    assert_eq!(
        read.url.query(),
        Some(format!("ref={}", intent.reference).as_str())
    );
    assert_eq!(header(&read, "idempotency-key"), intent.key);
    assert!(read.body.is_empty() && header(&read, "content-type").is_none());
}

#[test]
fn a_read_stands_beside_a_counter_of_any_kind_and_without_one_the_drill_is_skipped() {
    let get = SHOP
        .lines()
        .find(|line| line.starts_with("count ") || line.starts_with("count="))
        .unwrap();
    let sql = "count = { sql = \"SELECT count(*) FROM payments WHERE ref = :ref\" }";
    let database = "[postgres]\nurl = \"postgres://127.0.0.1/shop\"\n";
    let counted = |lines: &str| format!("{}\n{database}", SHOP.replacen(get, lines, 1));

    let without = target(&counted(sql));
    let skip = instance(&without, "methods.get@payment").skip.unwrap();
    assert!(skip.contains("[operation.payment] add  read = "), "{skip}");

    let with = target(&counted(&format!("{sql}\nread = \"/list?of={{{{ref}}}}\"")));
    let planned = instance(&with, "methods.get@payment");
    assert_eq!(planned.skip, None);
    let intent = intent(&with);
    let read = prepare_read(&with, &planned, &RequestFields::default(), Some(&intent)).unwrap();
    assert_eq!(read.method, "GET");
    assert_eq!(read.url.path(), "/api/list");
    assert_eq!(
        read.url.query(),
        Some(format!("of={}", intent.reference).as_str())
    );
    assert_eq!(header(&read, "idempotency-key"), intent.key);

    // what is declared comes before what is counted by
    let both = target(&SHOP.replacen(get, &format!("{get}\nread = \"/list\""), 1));
    let planned = instance(&both, "methods.get@payment");
    let read = prepare_read(&both, &planned, &RequestFields::default(), Some(&intent)).unwrap();
    assert_eq!(read.url.path(), "/api/list");
}

#[test]
fn a_read_has_the_counters_headers_and_nothing_of_the_payment() {
    let counter = r#"{ get = { path = "https://reports.example/p/{{wire_key}}?of={{account_id}}&by={{uuid}}", at = "/count", headers = { X-Reader = "{{account}}" } } }"#;
    let text = SHOP.replacen(
        "{ get = { path = \"/payments?ref={{ref}}\", at = \"/count\" } }",
        counter,
        1,
    );
    let target = target(&text);
    let intent = intent(&target);
    let instance = instance(&target, "methods.get@payment");
    let fields = RequestFields {
        body: Some("declined".into()),
        written: Some(Written::Whitespace),
        ..RequestFields::default()
    };
    let read = prepare_read(&target, &instance, &fields, Some(&intent)).unwrap();
    let key = intent.key.clone().unwrap();
    assert_eq!(
        read.url.as_str(),
        format!("https://reports.example/p/{key}?of=17&by={}", intent.uuid)
    );
    assert_eq!(header(&read, "x-reader").unwrap(), "a");
    assert_eq!(header(&read, "authorization").unwrap(), "Bearer token-of-a");
    for name in ["x-env", "x-delay", "content-type"] {
        assert_eq!(header(&read, name), None, "{name}");
    }
}
