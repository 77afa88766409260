//! Stories of planning: what is sent byte for byte, what is skipped and why, and what a plan rests on.
//! They must not send anything.

use std::collections::BTreeMap;

use super::fresh::Counted;
use super::intent::{self, Intent};
use super::prepare::{Prepared, prepare, prepare_read};
use super::{Instance, Plan, Races, plan};
use crate::bundled;
use crate::config::suite::{Drill, KeyShape, RequestFields, Vary, Written};
use crate::config::target::Target;
use crate::config::{Flags, Inputs, Source, load};

const SHOP: &str = r#"
url = "http://127.0.0.1:8080/api"
policy = "plain"
[account.a]
id = "17"
headers = { Authorization = "Bearer token-of-a" }
values = { shop = "s 1" }
[operation.payment]
request = "POST /shops/{{account.shop}}/payments?dry=no"
json = '{ "amount": 49900,  "ref" : "", "note":"{{n}}" }'
ref = "/ref"
headers = { X-Env = "test" }
bodies.declined = { set = { "/card" = "4000" }, headers = { X-Env = "declined" } }
bodies.slow = { headers = { X-Delay = "1s" } }
stall = { slow = "slow" }
count = { get = { path = "/payments?ref={{ref}}", at = "/count" } }
[operation.refund]
request = "POST /payments/{{payment}}/refunds"
needs = { payment = "payment" }
"#;

fn target(text: &str) -> Target {
    let policies = |name: &str| {
        let (file, text) = bundled::policy(name)?;
        Some(Source::new(file, text))
    };
    let inputs = Inputs {
        target: Some(Source::new("shop.toml", text)),
        flags: &Flags::default(),
        env: &|_| None,
        policies: &policies,
        policy_names: &[],
    };
    load(inputs).unwrap().target
}

/// An operation of the shop.
pub fn operation() -> crate::config::target::Operation {
    target(SHOP).operations.remove(0)
}

fn drills() -> Vec<Drill> {
    let all = bundled::drills().into_iter();
    all.map(|(_, text)| toml::from_str(text).unwrap()).collect()
}

fn planned(target: &Target, wants: &dyn Fn(&Instance) -> bool) -> Plan {
    let races = Races {
        copies: 10,
        rounds: 5,
        max_copies: None,
    };
    plan(target, &drills(), races, "run1", wants)
}

fn instance(target: &Target, id: &str) -> Instance {
    let plan = planned(target, &|instance| instance.id == id);
    plan.instances.into_iter().find(|i| i.id == id).unwrap()
}

fn intent(target: &Target) -> Intent {
    let rule = &target.contracts["payment"].key.value;
    let mut fresh = Counted::default();
    intent::make(
        "k",
        &KeyShape::Fresh,
        &BTreeMap::new(),
        rule,
        "run1",
        &mut fresh,
    )
    .unwrap()
}

fn sent(target: &Target, fields: &RequestFields, slow: bool) -> Prepared {
    let instance = instance(target, "drill.replay@payment");
    prepare(target, &instance, fields, Some(&intent(target)), 0, slow).unwrap()
}

fn header(prepared: &Prepared, name: &str) -> Option<String> {
    let found = prepared
        .headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| String::from_utf8(value.clone()).unwrap())
}

#[test]
fn a_body_goes_out_byte_for_byte_but_for_what_is_filled_in() {
    let target = target(SHOP);
    let prepared = sent(&target, &RequestFields::default(), false);
    let reference = intent(&target).reference;
    let body = String::from_utf8(prepared.body.clone()).unwrap();
    assert_eq!(
        body,
        format!(r#"{{ "amount": 49900,  "ref" : "{reference}", "note":"1" }}"#)
    );
    assert_eq!(
        prepared.url.as_str(),
        "http://127.0.0.1:8080/api/shops/s%201/payments?dry=no"
    );
    assert_eq!(header(&prepared, "idempotency-key"), intent(&target).key);
    assert_eq!(
        header(&prepared, "authorization").unwrap(),
        "Bearer token-of-a"
    );
    assert_eq!(
        header(&prepared, "content-type").unwrap(),
        "application/json"
    );
    assert_eq!(
        prepared,
        sent(&target, &RequestFields::default(), false),
        "a repeat has the same bytes"
    );
}

#[test]
fn variants_lie_over_each_other_and_the_named_one_wins() {
    let target = target(SHOP);
    let fields = RequestFields {
        body: Some("declined".into()),
        ..RequestFields::default()
    };
    let prepared = sent(&target, &fields, true);
    assert_eq!(header(&prepared, "x-env").unwrap(), "declined");
    assert_eq!(
        header(&prepared, "x-delay").unwrap(),
        "1s",
        "every request of the intent is slow"
    );
    assert!(
        String::from_utf8(prepared.body)
            .unwrap()
            .ends_with(r#","card":"4000" }"#)
    );
}

#[test]
fn the_changed_request_is_found_where_none_is_declared() {
    let target = target(SHOP);
    let fields = RequestFields {
        body: Some("changed".into()),
        ..RequestFields::default()
    };
    let body = String::from_utf8(sent(&target, &fields, false).body).unwrap();
    assert!(body.contains(r#""amount": 49901,"#), "{body}");
}

#[test]
fn what_is_varied_is_varied_and_nothing_else() {
    let target = target(SHOP);
    let with = |vary: Vary| {
        sent(
            &target,
            &RequestFields {
                vary: Some(vary),
                ..RequestFields::default()
            },
            false,
        )
    };
    let plain = sent(&target, &RequestFields::default(), false);
    assert_eq!(header(&with(Vary::NoCredentials), "authorization"), None);
    assert_eq!(
        header(&with(Vary::BadCredentials), "authorization").unwrap(),
        "Bearer xxxxx-xx-x"
    );
    assert_eq!(with(Vary::Query).url.query(), Some("dry=no&doubletap=1"));
    assert_eq!(with(Vary::Query).body, plain.body);
    let charset = header(&with(Vary::ContentTypeCharset), "content-type");
    assert_eq!(charset.unwrap(), "application/json; charset=utf-8");
    let preflight = with(Vary::Preflight);
    assert_eq!(
        (preflight.method.as_str(), preflight.body.len()),
        ("OPTIONS", 0)
    );
    assert_eq!(
        header(&preflight, "access-control-request-headers").unwrap(),
        "idempotency-key"
    );
    // it belongs to no intent, whatever the body that is not sent would hold
    let fields = RequestFields {
        vary: Some(Vary::Preflight),
        ..RequestFields::default()
    };
    let of_none = prepare(
        &target,
        &instance(&target, "drill.replay@payment"),
        &fields,
        None,
        0,
        false,
    );
    assert_eq!(of_none.map(|sent| sent.method).as_deref(), Ok("OPTIONS"));
    let written = RequestFields {
        written: Some(Written::MembersReordered),
        ..RequestFields::default()
    };
    let body = String::from_utf8(sent(&target, &written, false).body).unwrap();
    assert!(body.starts_with(r#"{"note":"1","ref" : "#), "{body}");
}

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
fn what_the_target_lacks_is_skipped_with_the_reason_or_left_out() {
    let target = target(SHOP);
    let skip = |id: &str| instance(&target, id).skip.unwrap_or_default();
    assert!(skip("drill.other-account/a-first@payment").contains("no account `b`"));
    assert!(skip("drill.after-retention@payment").contains("[expire]"));
    assert!(skip("storage.validation@payment").contains("bodies.invalid"));
    assert!(skip("syntax.key-shapes/blank@payment").contains("outer blanks"));
    assert!(skip("replicas.at-once@payment").contains("no further replica"));
    assert!(skip("retention.inside-window@payment").contains("how long keys are kept"));
    assert!(skip("fingerprint.written-otherwise/array-reordered@payment").contains("no array"));
    assert_eq!(skip("drill.replay@payment"), "");

    let control = instance(&target, "drill.control@payment");
    assert_eq!(
        control.skip, None,
        "a second account is not what the control is for"
    );
    assert!(
        control
            .left_out
            .iter()
            .any(|text| text.contains("second-account"))
    );
    assert!(
        control
            .drill
            .check
            .iter()
            .all(|check| check.steps().second.as_deref() != Some("second-account"))
    );
    // a refund has an empty body: nothing can be changed, and the rest of the drill stays
    let progress = instance(&target, "drill.in-progress@refund");
    assert_eq!(progress.skip, None);
    assert_eq!(progress.drill.check.len(), 2);
}

#[test]
fn the_control_of_every_operation_that_is_sent_to_is_planned() {
    let target = target(SHOP);
    let ids = |wanted: &str| -> Vec<String> {
        let plan = planned(&target, &|instance| instance.id == wanted);
        plan.instances
            .into_iter()
            .map(|instance| instance.id)
            .collect()
    };
    assert_eq!(
        ids("drill.replay@payment"),
        ["drill.control@payment", "drill.replay@payment"]
    );
    assert_eq!(
        ids("scope.other-route@payment"),
        [
            "drill.control@payment",
            "scope.other-route@payment",
            "drill.control@refund"
        ]
    );
    assert!(ids("drill.nonsense@payment").is_empty());
}

#[test]
fn the_estimate_counts_copies_rounds_set_ups_and_reads() {
    let target = target(SHOP);
    let requests = |id: &str| planned(&target, &|instance| instance.id == id).requests;
    let control = requests("drill.control@payment");
    // five rounds of ten copies, one later repeat and one count each, and as many again for rounds out of step
    assert_eq!(
        requests("drill.concurrent@payment") - control,
        2 * 5 * (10 + 1 + 1)
    );
    assert_eq!(
        requests("drill.other-account/a-first@payment"),
        control,
        "what is skipped sends nothing"
    );
}

#[test]
fn a_read_carries_a_key_in_a_header_and_never_in_a_body() {
    let skip = |key: &str| {
        let key = format!("contract.key.in = {key}\n[account.a]");
        let text = SHOP.replacen("[account.a]", &key, 1);
        instance(&target(&text), "methods.get@payment").skip
    };
    assert_eq!(skip("{ header = \"X-Key\" }"), None);
    assert_eq!(skip("{ query = \"key\" }"), None);
    assert!(
        skip("{ json = \"/key\" }")
            .unwrap()
            .contains("a GET has none")
    );
}
