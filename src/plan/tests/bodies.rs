//! Stories of bodies that are no plain JSON object, and of keys that travel in a body.
//! They must not send anything.

use super::*;

/// A shop of one operation, with lines before its account and inside of its operation.
fn shop(top: &str, operation: &str) -> Target {
    target(&format!(
        r#"
url = "http://127.0.0.1:8080"
policy = "plain"
{top}
[account.a]
headers = {{ Authorization = "Bearer token-of-a" }}
[operation.payment]
request = "POST /charges"
{operation}
"#
    ))
}

const FORM: &str = r#"
form = { amount = "2000", note = "no {{n}}", description = "" }
ref = "description"
bodies.declined = { set = { source = "tok {{n}}", amount = 7 }, remove = ["note"] }
"#;

fn fields(change: impl FnOnce(&mut RequestFields)) -> RequestFields {
    let mut fields = RequestFields::default();
    change(&mut fields);
    fields
}

fn try_sent(target: &Target, fields: &RequestFields) -> Result<Prepared, String> {
    let instance = instance(target, "drill.replay@payment");
    prepare(target, &instance, fields, Some(&intent(target)), 0, false)
}

/// The body of a request, with KEY and REF for the intent's own.
fn body(target: &Target, fields: &RequestFields) -> String {
    let text = String::from_utf8(try_sent(target, fields).unwrap().body).unwrap();
    let intent = intent(target);
    text.replace(&intent.key.unwrap(), "KEY")
        .replace(&intent.reference, "REF")
}

#[test]
fn a_form_goes_out_in_its_order_with_the_reference_in_its_field() {
    let target = shop("", FORM);
    let plain = RequestFields::default();
    assert_eq!(
        body(&target, &plain),
        "amount=2000&note=no+1&description=REF"
    );
    let sent = try_sent(&target, &plain).unwrap();
    assert_eq!(
        header(&sent, "content-type").unwrap(),
        "application/x-www-form-urlencoded"
    );
    let declined = fields(|f| f.body = Some("declined".into()));
    assert_eq!(
        body(&target, &declined),
        "amount=7&description=REF&source=tok+1"
    );
    let changed = fields(|f| f.body = Some("changed".into()));
    assert_ne!(body(&target, &changed), body(&target, &plain));
}

#[test]
fn a_form_is_written_otherwise_where_a_form_can_be() {
    let written = |target: &Target, written| {
        let fields = fields(|f| f.written = Some(written));
        try_sent(target, &fields).map(|_| body(target, &fields))
    };
    let form = shop("", FORM);
    assert_eq!(
        written(&form, Written::MembersReordered).unwrap(),
        "description=REF&note=no+1&amount=2000"
    );
    assert_eq!(
        written(&form, Written::AddedMember).unwrap(),
        "amount=2000&note=no+1&description=REF&doubletap_added=1"
    );
    let spaces = written(&form, Written::Whitespace).unwrap_err();
    assert!(spaces.contains("no JSON"), "{spaces}");
    // nothing that would be the same bytes is sent as something else
    for same in [r#"form = "amount=1""#, r#"form = "item=1&item=1""#] {
        assert!(
            written(&shop("", same), Written::MembersReordered).is_err(),
            "{same}"
        );
    }
}

#[test]
fn a_key_in_a_form_is_one_more_field_and_makes_a_form_of_an_empty_body() {
    let key = r#"contract.key.in = { form = "idempotency_key" }"#;
    let plain = RequestFields::default();
    let form = shop(key, r#"form = { amount = "2000" }"#);
    assert_eq!(body(&form, &plain), "amount=2000&idempotency_key=KEY");
    assert_eq!(
        header(&try_sent(&form, &plain).unwrap(), "idempotency-key"),
        None
    );
    assert_eq!(body(&shop(key, ""), &plain), "idempotency_key=KEY");
    // the same key twice is two fields
    let twice = two_lines(&form);
    let instance = instance(&form, "drill.replay@payment");
    let sent = prepare(&form, &instance, &plain, Some(&twice), 0, false).unwrap();
    let sent = String::from_utf8(sent.body).unwrap();
    assert_eq!(sent.matches("idempotency_key=").count(), 2, "{sent}");
}

fn two_lines(target: &Target) -> Intent {
    let rule = &target.contracts["payment"].key.value;
    let mut fresh = Counted::default();
    let others = BTreeMap::new();
    intent::make("k", &KeyShape::TwoLines, &others, rule, "run1", &mut fresh).unwrap()
}

#[test]
fn a_key_in_json_is_a_member_with_the_objects_that_lead_to_it() {
    let key = r#"contract.key.in = { json = "/input/key" }"#;
    let plain = RequestFields::default();
    let json = shop(key, r#"json = '{"amount":1}'"#);
    assert_eq!(body(&json, &plain), r#"{"amount":1,"input":{"key":"KEY"}}"#);
    let empty = shop(key, "");
    assert_eq!(body(&empty, &plain), r#"{"input":{"key":"KEY"}}"#);
    let sent = try_sent(&empty, &plain).unwrap();
    assert_eq!(header(&sent, "content-type").unwrap(), "application/json");
    assert_eq!(sent.wire_key, intent(&empty).key);
}

#[test]
fn a_variant_sets_fills_and_removes_members_of_json() {
    let target = shop(
        "",
        r#"
json = '{"amount":1,"note":"x"}'
bodies.declined = { set = { "/memo" = "no {{n}}", "/live" = false }, remove = ["/note"] }
bodies.invalid = { json = '{"amount":"{{n}}"}' }
"#,
    );
    let named = |name: &str| body(&target, &fields(|f| f.body = Some(name.into())));
    assert_eq!(
        named("declined"),
        r#"{"amount":1,"memo":"no 1","live":false}"#
    );
    assert_eq!(named("invalid"), r#"{"amount":"1"}"#);
}

#[test]
fn any_other_text_goes_out_as_it_is_and_cannot_be_edited() {
    let xml = r#"
text = "<pay ref='{{ref}}'/>"
content-type = "application/xml"
bodies.changed = { text = "<pay ref='{{ref}}' n='{{n}}'/>", content-type = "application/xml" }
"#;
    let target = shop("", xml);
    assert_eq!(body(&target, &RequestFields::default()), "<pay ref='REF'/>");
    let sent = try_sent(&target, &RequestFields::default()).unwrap();
    assert_eq!(header(&sent, "content-type").unwrap(), "application/xml");
    let reordered = fields(|f| f.written = Some(Written::MembersReordered));
    assert!(
        try_sent(&target, &reordered)
            .unwrap_err()
            .contains("no JSON")
    );
}
