//! The literal paths of a policy: served as payments, each under its own clauses.

use serde_json::json;

use super::stage::under;
use crate::sandbox::api::Api;

const ORDERS: &str = "/v2/checkout/orders";

fn order(api: &Api, key: Option<&str>, with_source: bool) -> crate::sandbox::api::Call {
    let mut body = json!({ "intent": "CAPTURE", "reference": "r", "purchase_units": [{}] });
    if with_source {
        body["payment_source"] = json!({ "card": {} });
    }
    let call = api.post(ORDERS).json(body);
    match key {
        Some(key) => call.header("PayPal-Request-Id", key),
        None => call,
    }
}

#[tokio::test]
async fn a_route_is_served_and_its_body_decides_what_is_declared_of_it() {
    under("paypal", async |api| {
        let first = order(api, Some("k"), true).send().await;
        assert_eq!(first.status, 201, "{}", first.text());
        let again = order(api, Some("k"), true).send().await;
        assert_eq!((again.status, again.id()), (200, first.id()));
        assert_eq!(order(api, None, false).send().await.status, 201);
        let refused = order(api, None, true).send().await;
        assert_eq!(refused.status, 400);
        let issue = &refused.json()["details"][0]["issue"];
        assert_eq!(issue, "PAYPAL_REQUEST_ID_REQUIRED");
        assert_eq!(api.count("r").await, 2);
        // Elsewhere the same policy keeps the status.
        let call = || api.pay("x", "p").header("PayPal-Request-Id", "k2");
        assert_eq!(call().send().await.status, 201);
        assert_eq!(call().send().await.status, 201);
        assert_eq!(api.count("p").await, 1);
    })
    .await;
}

#[tokio::test]
async fn what_was_made_is_listed_and_shown_there() {
    under("paypal", async |api| {
        let made = order(api, Some("k"), false).send().await.id();
        let listed = api
            .call("GET", &format!("{ORDERS}?reference=r"))
            .send()
            .await;
        assert_eq!(listed.json()["count"], 1);
        let shown = api.call("GET", &format!("{ORDERS}/{made}")).send().await;
        assert_eq!(shown.json()["id"], made);
        assert_eq!(api.call("DELETE", ORDERS).send().await.status, 405);
        assert_eq!(api.post("/v2/checkout").send().await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_replay_is_the_state_of_now() {
    under("paypal", async |api| {
        let call = || api.pay("x", "r").header("PayPal-Request-Id", "k");
        let first = call().send().await;
        let capture = api.post(&format!("/payments/{}/capture", first.id()));
        assert_eq!(capture.send().await.status, 201);
        let again = call().send().await;
        assert_eq!(again.id(), first.id());
        assert_eq!(first.json()["status"], "succeeded");
        assert_eq!(again.json()["status"], "captured");
    })
    .await;
}
