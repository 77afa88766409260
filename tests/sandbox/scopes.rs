//! Whose key it is: accounts, credentials, strangers.

use super::api::{Api, payment};
use super::stage::{on_right_designs, with_fault};

#[tokio::test]
async fn two_accounts_with_one_key_have_nothing_to_do_with_each_other() {
    on_right_designs(async |api| {
        let a = api.pay("k", "r").send().await;
        let b = api.pay("k", "r").account("acct-b").send().await;
        assert_eq!((a.status, b.status), (201, 201));
        assert!(!b.is_replay());
        assert!(!b.text().contains(&a.id()));
        assert_eq!(api.count_as("acct-a", "payments", "r").await, 1);
        assert_eq!(api.count_as("acct-b", "payments", "r").await, 1);
        // Two credentials of one account are one account.
        assert!(a.is_replayed_by(&api.pay("k", "r").account("acct-a2").send().await));
        let theirs = api
            .call("GET", &format!("/payments/{}", a.id()))
            .account("acct-b");
        assert_eq!(theirs.send().await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn global_scope_gives_one_account_the_reply_of_another() {
    with_fault("global-scope", async |api| {
        let a = api.pay("k", "r").send().await;
        let b = api.pay("k", "r").account("acct-b").send().await;
        assert!(a.is_replayed_by(&b));
        assert_eq!(api.count_as("acct-b", "payments", "r").await, 0);
        // The record is still the first account's, so it can expire.
        assert_eq!(api.expire("acct-a", "k").await, 1);
    })
    .await;
}

#[tokio::test]
async fn anonymous_bucket_gives_a_stored_reply_to_a_stranger() {
    let story = async |api: &Api| {
        let first = api.pay("k", "r").send().await;
        let stranger = api.pay("k", "r").nobody().send().await;
        let wrong = api.pay("k", "other").account("acct-x").send().await;
        assert_eq!(api.pay("fresh", "r").nobody().send().await.status, 401);
        assert_eq!(api.count("r").await, 1);
        (first, stranger, wrong)
    };
    with_fault("anonymous-bucket", async |api| {
        let (first, stranger, wrong) = story(api).await;
        assert!(first.is_replayed_by(&stranger));
        assert!(first.is_replayed_by(&wrong));
    })
    .await;
    on_right_designs(async |api| {
        let (first, stranger, wrong) = story(api).await;
        for refused in [stranger, wrong] {
            assert_eq!(refused.status, 401);
            assert!(!refused.text().contains(&first.id()));
            assert_eq!(
                refused.header("content-type"),
                Some("application/problem+json")
            );
        }
    })
    .await;
}

#[tokio::test]
async fn auth_error_stored_refuses_good_credentials_after_bad_ones() {
    let story = async |api: &Api| {
        assert_eq!(api.pay("k", "r").account("acct-x").send().await.status, 401);
        api.pay("k", "r").send().await
    };
    with_fault("auth-error-stored", async |api| {
        let seen = story(api).await;
        assert_eq!((seen.status, seen.is_replay()), (401, true));
        assert_eq!(api.count("r").await, 0);
        let first = api.pay("good", "good").send().await;
        assert!(first.is_replayed_by(&api.pay("good", "good").send().await));
        // What an account has stored stays with it.
        assert_eq!(api.pay("good", "good").nobody().send().await.status, 401);
    })
    .await;
    on_right_designs(async |api| {
        assert_eq!(story(api).await.status, 201);
        assert_eq!(api.count("r").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_key_on_another_route_is_refused() {
    on_right_designs(async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        let refund = api.post("/refunds").key("k").json(payment("r"));
        assert_eq!(refund.send().await.status, 422);
        assert_eq!(api.count_as("acct-a", "refunds", "r").await, 0);
    })
    .await;
}

#[tokio::test]
async fn keys_per_credential_run_again_for_a_colleague() {
    with_fault("keys-per-credential", async |api| {
        let first = api.pay("k", "r").send().await;
        let colleague = api.pay("k", "r").account("acct-a2").send().await;
        assert_eq!((colleague.status, colleague.is_replay()), (201, false));
        assert_ne!(first.id(), colleague.id());
        assert!(first.is_replayed_by(&api.pay("k", "r").send().await));
        assert_eq!(api.count("r").await, 2);
    })
    .await;
}

/// A POST, then a PUT with its key and body.
async fn put_after_post(api: &Api) -> (super::api::Seen, super::api::Seen) {
    let first = api.pay("k", "r").send().await;
    let put = |key: &str| {
        let put = api.call("PUT", "/payments").key(key);
        put.json(payment("r"))
    };
    let second = put("k").send().await;
    assert_eq!(put("fresh").send().await.status, 201);
    (first, second)
}

#[tokio::test]
async fn a_key_with_another_method_is_refused() {
    on_right_designs(async |api| {
        let (_, second) = put_after_post(api).await;
        assert_eq!(second.status, 422);
        assert_eq!(api.count("r").await, 2);
    })
    .await;
}

#[tokio::test]
async fn method_blind_answers_a_put_with_the_reply_to_a_post() {
    with_fault("method-blind", async |api| {
        let (first, second) = put_after_post(api).await;
        assert!(first.is_replayed_by(&second));
    })
    .await;
}
