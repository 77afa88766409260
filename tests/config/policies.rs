//! The bundled policies say what their sources say.

use super::loaded;
use doubletap::config::{Flags, Source, parse_policy};
use doubletap::contract::{
    Answer, BodyFidelity, Contract, Level, Marker, Replay, StatusPattern, Storage, WireForm,
};

fn contract(policy: &str) -> Contract {
    let file = format!(
        "url = \"http://127.0.0.1:1\"\npolicy = \"{policy}\"\n[operation.payment]\nrequest = \"POST /payments\""
    );
    loaded(&file, &Flags::default(), &[]).target.contracts["payment"].clone()
}

fn statuses(answer: &Answer) -> Vec<StatusPattern> {
    answer
        .alternatives()
        .into_iter()
        .flat_map(|a| {
            if let Answer::Refuse(how) = a {
                how.status.clone()
            } else {
                vec![]
            }
        })
        .collect()
}

#[test]
fn every_bundled_policy_is_valid_and_called_like_its_file() {
    let mut count = 0;
    for (name, text) in doubletap::bundled::policies() {
        let policy = parse_policy(&Source::new(*name, *text)).unwrap();
        assert_eq!(*name, format!("policies/{}.toml", policy.file.id));
        contract(&policy.file.id);
        count += 1;
    }
    assert!(count >= 6, "{count} policies");
}

#[test]
fn the_floor_answers_what_plain_leaves_out() {
    let plain = contract("plain");
    assert!(plain.one_effect.value && plain.isolation.value && plain.no_server_error.value);
    assert_eq!(
        plain.one_effect.origin.as_ref().unwrap().file,
        "policies/floor.toml"
    );
    assert_eq!(
        plain.key.origin.as_ref().unwrap().file,
        "policies/plain.toml"
    );
    assert_eq!(plain.scope.account.value, Answer::Run);
    assert_eq!(
        plain.mismatch.value,
        Answer::Refuse(doubletap::contract::Match::default())
    );
    assert_eq!(plain.in_progress.value.alternatives().len(), 3);
    assert!(plain.missing.value.is_open() && plain.after_retention.value.is_open());
    assert_eq!(plain.replay.value, Replay::Unspecified);
}

#[test]
fn ietf_quotes_the_key_and_its_three_statuses_are_shoulds() {
    let ietf = contract("ietf");
    assert_eq!(ietf.key.value.form, WireForm::SfString);
    for (clause, status) in [
        (&ietf.missing, 400),
        (&ietf.mismatch, 422),
        (&ietf.in_progress, 409),
    ] {
        assert_eq!(
            statuses(&clause.value),
            [StatusPattern::Exact(status)],
            "{}",
            clause.name
        );
        assert_eq!(clause.level, Level::Must, "{}", clause.name);
        assert_eq!(clause.level_of("status"), Level::Should, "{}", clause.name);
    }
    assert!(matches!(&ietf.replay.value, Replay::Same(same) if same.body == BodyFidelity::Json));
    assert!(ietf.after_retention.value.is_open() && ietf.marker.value == Marker::Unspecified);
}

#[test]
fn stripe_tells_its_two_refusals_apart_by_their_bodies() {
    let stripe = contract("stripe");
    let Answer::Refuse(mismatch) = &stripe.mismatch.value else {
        panic!("{:?}", stripe.mismatch)
    };
    assert_eq!(
        (mismatch.status.as_slice(), mismatch.body[0].is[0].as_str()),
        (&[StatusPattern::Exact(400)] as &[_], "idempotency_error")
    );
    let Answer::Refuse(busy) = &stripe.in_progress.value else {
        panic!("{:?}", stripe.in_progress)
    };
    assert_eq!(busy.body[0].is, ["idempotency_key_in_use"]);
    assert_eq!(stripe.stored.server_error.value, Storage::Stored);
    assert_eq!(
        stripe.stored.auth.value,
        Storage::Unspecified,
        "not documented"
    );
    assert!(stripe.malformed.charset.value.is_open(), "not documented");
}

#[test]
fn the_sandboxes_designs_differ_in_one_clause() {
    let (one, claim) = (contract("one-transaction"), contract("claim-first"));
    assert_eq!(one.in_progress.value, Answer::Wait);
    let Answer::Refuse(busy) = &claim.in_progress.value else {
        panic!("{:?}", claim.in_progress)
    };
    assert_eq!(busy.header[0].name, "Retry-After");
    let without_origins = |contract: &Contract| {
        let mut json = serde_json::to_value(contract).unwrap();
        json["in-progress"] = serde_json::Value::Null;
        json.to_string().replace("claim-first", "one-transaction")
    };
    assert_eq!(without_origins(&one), without_origins(&claim));
}
