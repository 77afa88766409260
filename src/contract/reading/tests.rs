//! Replies and what they may stand for.
//! They must not know what follows from a reading.

use super::*;
use crate::contract::{BodyMatch, StatusPattern};

fn how(status: &[u16], code: &[&str]) -> Match {
    Match {
        status: status.iter().map(|s| StatusPattern::Exact(*s)).collect(),
        body: if code.is_empty() {
            Vec::new()
        } else {
            vec![BodyMatch {
                at: "/code".into(),
                is: code.iter().map(|c| (*c).to_owned()).collect(),
                has: Vec::new(),
            }]
        },
        ..Match::default()
    }
}

fn contract(in_progress: Match, mismatch: Match) -> Contract {
    let mut contract = crate::contract::terms::open();
    contract.in_progress.value = Answer::Refuse(in_progress);
    contract.mismatch.value = Answer::Refuse(mismatch);
    contract
}

fn reply(status: u16, text: &'static str) -> Received<'static> {
    Received {
        status,
        headers: &[],
        text: Some(text),
    }
}

fn situations(contract: &Contract, reply: Received<'_>) -> Vec<Situation> {
    read(contract, &[], reply, Identities::Unknown)
        .0
        .into_iter()
        .collect()
}

#[test]
fn a_success_that_holds_errors_is_a_refusal_and_a_named_one_is_what_it_names() {
    let mut graphql = contract(how(&[200], &["BUSY"]), how(&[200], &["OTHER"]));
    let answered = |contract: &Contract, text| situations(contract, reply(200, text));
    let failed = r#"{"errors":[{"message":"no"}],"data":null}"#;
    assert_eq!(
        answered(&graphql, failed),
        [Situation::Run, Situation::Replay]
    );
    graphql.errors_at.value = vec!["/errors/0".into(), "/data/*/userErrors/0".into()];
    assert_eq!(answered(&graphql, failed), [Situation::Refused]);
    let user = r#"{"data":{"refundCreate":{"refund":null,"userErrors":[{"field":"x"}]}}}"#;
    assert_eq!(answered(&graphql, user), [Situation::Refused]);
    let done = r#"{"errors":[],"data":{"refundCreate":{"refund":{"id":1},"userErrors":[]}}}"#;
    assert_eq!(
        answered(&graphql, done),
        [Situation::Run, Situation::Replay]
    );
    let busy = r#"{"errors":[{"message":"wait"}],"code":"BUSY"}"#;
    assert_eq!(answered(&graphql, busy), [Situation::InProgress]);
}

#[test]
fn two_situations_may_share_a_status_and_then_the_reading_is_both() {
    let both = contract(how(&[409], &[]), how(&[409], &[]));
    assert_eq!(
        situations(&both, reply(409, "{}")),
        [Situation::InProgress, Situation::Mismatch]
    );
}

#[test]
fn of_two_refusals_the_narrower_takes_it() {
    let coded = contract(how(&[409], &["busy"]), how(&[409], &[]));
    assert_eq!(
        situations(&coded, reply(409, r#"{"code":"busy"}"#)),
        [Situation::InProgress]
    );
    assert_eq!(
        situations(&coded, reply(409, r#"{"code":"other"}"#)),
        [Situation::Mismatch]
    );
    let wide = contract(Match::default(), how(&[422], &[]));
    assert_eq!(situations(&wide, reply(422, "")), [Situation::Mismatch]);
    assert_eq!(situations(&wide, reply(400, "")), [Situation::InProgress]);
}

#[test]
fn a_gateway_and_a_limit_are_unknown_unless_the_policy_names_their_status() {
    let c = contract(how(&[409], &[]), how(&[422], &[]));
    assert_eq!(situations(&c, reply(504, "")), [Situation::Gateway]);
    assert_eq!(
        situations(&c, reply(503, "")),
        [Situation::Gateway, Situation::RateLimited]
    );
    assert_eq!(situations(&c, reply(500, "")), [Situation::ServerError]);
    let named = contract(how(&[429], &[]), how(&[422], &[]));
    assert_eq!(situations(&named, reply(429, "")), [Situation::InProgress]);
}

#[test]
fn a_success_is_a_run_or_a_replay_as_its_identity_says() {
    let c = contract(how(&[409], &[]), how(&[422], &[]));
    assert!(read(&c, &[201], reply(201, ""), Identities::Same).is_only(Situation::Replay));
    assert!(read(&c, &[201], reply(200, ""), Identities::Other).is_only(Situation::Run));
    assert_eq!(
        situations(&c, reply(201, "")),
        [Situation::Run, Situation::Replay]
    );
}

#[test]
fn an_error_inside_a_200_is_a_refusal_where_the_policy_says_so() {
    let c = contract(how(&[409], &[]), how(&[200], &["mismatch"]));
    assert_eq!(
        situations(&c, reply(200, r#"{"code":"mismatch"}"#)),
        [Situation::Mismatch]
    );
    assert!(read(&c, &[], reply(200, r#"{"id":1}"#), Identities::Unknown).is_success());
}

#[test]
fn a_client_waits_for_the_declared_answer_and_for_a_409_where_nothing_is_declared() {
    let c = contract(how(&[423], &[]), how(&[409], &[]));
    assert!(may_be_in_progress(&c, &[], reply(423, "")));
    assert!(!may_be_in_progress(&c, &[], reply(409, "")));
    let open = crate::contract::terms::open();
    assert!(may_be_in_progress(&open, &[], reply(409, "")));
    assert!(!may_be_in_progress(&open, &[], reply(422, "")));
    assert!(may_be_in_progress(&open, &[], reply(503, "")));
}

#[test]
fn any_4xx_declared_for_both_is_no_reason_to_wait_on_a_400() {
    let floor = contract(Match::default(), Match::default());
    assert!(may_be_in_progress(&floor, &[], reply(409, "")));
    assert!(!may_be_in_progress(&floor, &[], reply(400, "")));
    assert!(!may_be_in_progress(&floor, &[], reply(422, "")));
}

#[test]
fn retry_after_is_seconds_or_a_date_and_not_absurd() {
    assert!(retry_after_is_sane("1", 30));
    assert!(retry_after_is_sane("Sun, 06 Nov 1994 08:49:37 GMT", 30));
    for wrong in ["", "-1", "1.5", "soon", "315360000", "+3"] {
        assert!(!retry_after_is_sane(wrong, 30), "{wrong}");
    }
}

#[test]
fn a_header_that_every_reply_carries_marks_no_replay() {
    let mut c = contract(how(&[409], &[]), how(&[422], &[]));
    c.marker.value = Marker::Always {
        name: "Repeatability-Result".into(),
        is: vec!["accepted".into()],
    };
    let headers = [("repeatability-result".to_owned(), "accepted".to_owned())];
    let reply = Received {
        status: 201,
        headers: &headers,
        text: None,
    };
    assert_eq!(marked(&c.marker.value, reply), None);
    assert_eq!(situations(&c, reply), [Situation::Run, Situation::Replay]);
}
