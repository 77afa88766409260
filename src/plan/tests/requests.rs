//! Stories of requests: what is sent byte for byte, and what a difference outside the body changes.
//! They must not send anything.

use super::*;

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
fn another_query_is_the_declared_one() {
    let url_with = |declared: &str| {
        let shop = SHOP.replacen(
            "ref = \"/ref\"\n",
            &format!("ref = \"/ref\"\n{declared}\n"),
            1,
        );
        let fields = RequestFields {
            vary: Some(Vary::Query),
            ..RequestFields::default()
        };
        let url = sent(
            &target(&shop.replacen("?dry=no", "?dry=no&x=a%20b", 1)),
            &fields,
            false,
        )
        .url;
        url.query().unwrap().to_owned()
    };
    assert_eq!(url_with(""), "dry=no&x=a%20b&doubletap=1");
    let other = url_with("other-query = { dry = \"yes\" }");
    assert_eq!(other, "x=a%20b&dry=yes");
    let other = url_with("other-query = { mode = \"a b\", of = \"{{account.shop}}\" }");
    assert_eq!(other, "dry=no&x=a%20b&mode=a+b&of=s+1");
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

fn varied(vary: Vary) -> RequestFields {
    RequestFields {
        vary: Some(vary),
        ..RequestFields::default()
    }
}

/// The shop with other headers for its account, and what is said of a request to it.
fn with_credentials(headers: &str, vary: Vary) -> Result<Prepared, String> {
    let headers = format!("headers = {{ {headers} }}");
    let target = target(&SHOP.replacen(
        "headers = { Authorization = \"Bearer token-of-a\" }",
        &headers,
        1,
    ));
    let instance = instance(&target, "drill.replay@payment");
    prepare(
        &target,
        &instance,
        &varied(vary),
        Some(&intent(&target)),
        0,
        false,
    )
}

#[test]
fn another_method_keeps_the_request_and_a_get_has_no_content() {
    let target = target(SHOP);
    let plain = sent(&target, &RequestFields::default(), false);
    let put = sent(&target, &varied(Vary::Method("PUT".into())), false);
    assert_eq!(put.method, "PUT");
    assert_eq!(
        (&put.body, &put.headers, &put.url),
        (&plain.body, &plain.headers, &plain.url)
    );
    for method in ["GET", "HEAD"] {
        let get = sent(&target, &varied(Vary::Method(method.into())), false);
        assert_eq!((get.method.as_str(), get.body.len()), (method, 0));
        assert_eq!(header(&get, "content-type"), None);
        assert_eq!(header(&get, "idempotency-key"), intent(&target).key);
    }
}

#[test]
fn a_header_more_is_all_that_an_unrelated_and_a_stale_header_change() {
    let target = target(SHOP);
    let plain = sent(&target, &RequestFields::default(), false);
    for (vary, name, value) in [
        (
            Vary::UnrelatedHeader,
            "X-Doubletap-Unrelated",
            intent(&target).uuid,
        ),
        (Vary::StaleIfMatch, "If-Match", "\"doubletap-stale\"".into()),
    ] {
        let mut with = sent(&target, &varied(vary), false);
        assert_eq!(header(&with, name), Some(value));
        with.headers.retain(|(other, _)| other != name);
        assert_eq!(with, plain);
    }
}

#[test]
fn every_request_says_what_it_takes_and_who_asks_unless_the_target_does() {
    let plain = sent(&target(SHOP), &RequestFields::default(), false);
    assert_eq!(header(&plain, "accept").unwrap(), "*/*");
    let agent = header(&plain, "user-agent").unwrap();
    assert!(agent.starts_with("doubletap/"), "{agent}");
    let own = SHOP.replacen(
        "{ X-Env = \"test\" }",
        r#"{ X-Env = "run {{run}}", accept = "text/csv", User-Agent = "shop" }"#,
        1,
    );
    let own = sent(&target(&own), &RequestFields::default(), false);
    let of = |name: &str| {
        let all = own
            .headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name));
        let all = all.map(|(_, value)| String::from_utf8(value.clone()).unwrap());
        all.collect::<Vec<_>>()
    };
    assert_eq!(
        (of("accept"), of("user-agent")),
        (vec!["text/csv".into()], vec!["shop".into()])
    );
    assert_eq!(of("x-env"), ["run run1"]);
}

#[test]
fn a_preflight_asks_for_the_method_and_the_keys_header_from_elsewhere() {
    let preflight = sent(&target(SHOP), &varied(Vary::Preflight), false);
    let names: Vec<&str> = preflight
        .headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "Origin",
            "Access-Control-Request-Method",
            "Access-Control-Request-Headers"
        ]
    );
    assert_eq!(
        header(&preflight, "access-control-request-method").unwrap(),
        "POST"
    );
}

#[test]
fn credentials_that_are_not_there_cannot_be_left_out_or_spoilt() {
    for vary in [Vary::NoCredentials, Vary::BadCredentials] {
        assert!(
            with_credentials("", vary)
                .unwrap_err()
                .contains("no credentials")
        );
    }
    let spoilt = with_credentials("X-Api-Key = \"live-K17\"", Vary::BadCredentials).unwrap();
    assert_eq!(header(&spoilt, "x-api-key").unwrap(), "xxxx-xxx");
    let without = with_credentials("X-Api-Key = \"live-K17\"", Vary::NoCredentials).unwrap();
    assert_eq!(header(&without, "x-api-key"), None);
    assert_eq!(
        header(&without, "idempotency-key").map(|key| key.len()),
        Some(36)
    );
}

#[test]
fn a_content_type_with_a_parameter_gets_no_second_one() {
    let typed = SHOP.replacen(
        "X-Env = \"test\"",
        "Content-Type = \"application/json; v=2\"",
        1,
    );
    let target = target(&typed);
    let charset = varied(Vary::ContentTypeCharset);
    let instance = instance(&target, "drill.replay@payment");
    let sent = prepare(
        &target,
        &instance,
        &charset,
        Some(&intent(&target)),
        0,
        false,
    );
    assert!(sent.unwrap_err().contains("already has a parameter"));
}

#[test]
fn a_policys_companions_are_sent_beside_the_key() {
    let companions = "contract.key.companions = [{ header = \"Prefer\", value = \"respond-async\" }]\n[account.a]";
    let target = target(&SHOP.replacen("[account.a]", companions, 1));
    let plain = sent(&target, &RequestFields::default(), false);
    assert_eq!(header(&plain, "prefer").unwrap(), "respond-async");
}

#[test]
fn the_key_as_sent_is_kept_with_all_its_lines() {
    let target = target(SHOP);
    let instance = instance(&target, "drill.replay@payment");
    let rule = &target.contracts["payment"].key.value;
    let wire = |shape: KeyShape| {
        let mut fresh = Counted::default();
        let others = BTreeMap::new();
        let intent = intent::make("k", &shape, &others, rule, "run1", &mut fresh).unwrap();
        let plain = RequestFields::default();
        let sent = prepare(&target, &instance, &plain, Some(&intent), 0, false).unwrap();
        let key = intent.key.unwrap_or_default();
        sent.wire_key.map(|wire| wire.replace(&key, "KEY"))
    };
    assert_eq!(wire(KeyShape::Fresh).as_deref(), Some("KEY"));
    assert_eq!(wire(KeyShape::TwoLines).as_deref(), Some("KEY\nKEY"));
    assert_eq!(wire(KeyShape::Missing), None);
}
