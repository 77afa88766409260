//! The rest of the API: methods, lists, CORS, protocols, and refusals of bad requests.

use serde_json::json;

use super::api::{Api, payment};
use super::stage::on_right_designs;

#[tokio::test]
async fn patch_merges_the_note_and_minds_the_version() {
    on_right_designs(async |api| {
        let path = format!("/payments/{}", api.payment("r").await);
        let patch = |tag: &str, note: serde_json::Value| {
            let call = api.call("PATCH", &path).header("If-Match", tag);
            call.json(json!({ "note": note }))
        };
        let first = patch("\"v1\"", json!("a")).key("k").send().await;
        assert_eq!((first.status, first.header("etag")), (200, Some("\"v2\"")));
        assert!(first.is_replayed_by(&patch("\"v1\"", json!("a")).key("k").send().await));
        assert_eq!(patch("\"v1\"", json!("b")).send().await.status, 412);
        assert_eq!(api.call("GET", &path).send().await.json()["note"], "a");
        assert_eq!(patch("*", json!(null)).send().await.status, 200);
        assert_eq!(api.call("GET", &path).send().await.json().get("note"), None);
    })
    .await;
}

#[tokio::test]
async fn lists_count_by_key_by_reference_and_by_account() {
    on_right_designs(async |api| {
        api.pay("\"k\"", "r").send().await;
        api.pay("k2", "r").send().await;
        api.pay("k", "r").account("acct-b").send().await;
        for (query, count) in [
            ("", 2),
            ("?key=k", 1),
            ("?key=k3", 0),
            ("?reference=r", 2),
            ("?key=k2&reference=r", 1),
        ] {
            let listed = api
                .call("GET", &format!("/payments{query}"))
                .send()
                .await
                .json();
            assert_eq!(listed["count"], count, "{query}");
            assert_eq!(listed["items"].as_array().unwrap().len(), count, "{query}");
        }
        assert_eq!(
            api.call("GET", "/payments").nobody().send().await.status,
            401
        );
    })
    .await;
}

#[tokio::test]
async fn bad_requests_are_refused_with_a_problem() {
    on_right_designs(async |api| {
        for (body, status) in [
            (r#"{"currency":"INR"}"#, 400),
            (r#"{"amount":-1,"currency":"INR"}"#, 400),
            (r#"{"amount":1.5,"currency":"INR"}"#, 400),
            (r#"{"amount":1}"#, 400),
            (r#"{"amount":1,"currency":"Rupee"}"#, 400),
            ("[1]", 400),
            ("{", 400),
        ] {
            let seen = api.post("/payments").key("k").text(body).send().await;
            assert_eq!(seen.status, status, "{body}");
            assert_eq!(seen.json()["status"], status, "{body}");
            assert_eq!(
                seen.header("content-type"),
                Some("application/problem+json")
            );
        }
        let text = api
            .post("/payments")
            .header("Content-Type", "text/plain")
            .text("x");
        assert_eq!(text.send().await.status, 415);
        assert_eq!(
            api.post("/payments/pay_none/capture")
                .key("k")
                .send()
                .await
                .status,
            404
        );
        assert_eq!(
            api.post("/nothing").json(payment("r")).send().await.status,
            404
        );
        assert_eq!(api.call("DELETE", "/payments").send().await.status, 405);
        let slow = api.pay("k", "r").header("Sandbox-Delay", "soon");
        assert_eq!(slow.send().await.status, 400);
    })
    .await;
}

#[tokio::test]
async fn http2_is_spoken_by_prior_knowledge_on_the_same_port() {
    on_right_designs(async |api: &Api| {
        let client = reqwest::Client::builder()
            .http2_prior_knowledge()
            .no_proxy()
            .build()
            .unwrap();
        let url = format!("http://{}/payments", api.running.ready().addresses[0]);
        let request = client.post(url).header("Authorization", "Bearer acct-a");
        let reply = request
            .header("Idempotency-Key", "k")
            .body(payment("r").to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(reply.version(), reqwest::Version::HTTP_2);
        assert_eq!(reply.status(), 201);
        assert!(api.pay("k", "r").send().await.is_replay());
    })
    .await;
}
