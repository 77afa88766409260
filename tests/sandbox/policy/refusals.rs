//! Refusals of every shape: XML, forms, texts, lists in JSON, headers, and statuses by class.

use serde_json::json;

use super::stage::with_clauses;
use crate::sandbox::api::{Seen, payment};

/// The refusal of another body under a used key, with the mismatch declared like this.
async fn refused(mismatch: &str) -> Seen {
    let seen = std::sync::Mutex::new(None);
    let clause = format!("mismatch.refuse={mismatch}");
    with_clauses("plain", &[&clause], async |api| {
        assert_eq!(api.pay("k", "r").send().await.status, 201);
        let mut other = payment("r");
        other["amount"] = json!(1);
        let other = api.post("/payments").key("k").json(other).send().await;
        *seen.lock().unwrap() = Some(other);
    })
    .await;
    seen.into_inner().unwrap().unwrap()
}

#[tokio::test]
async fn an_xml_refusal_has_its_elements_and_attributes() {
    let seen = refused(
        r#"{ body = [{ at = "xml:/Response/Errors/Error/Code", is = ["A&B"] }, { at = "xml:/Response/Errors/Error/@no", is = ["9"] }] }"#,
    )
    .await;
    assert_eq!(seen.header("content-type"), Some("application/xml"));
    let wanted =
        "<Response><Errors><Error no=\"9\"><Code>A&amp;B</Code></Error></Errors></Response>";
    assert!(seen.text().ends_with(wanted), "{}", seen.text());
}

#[tokio::test]
async fn a_form_a_text_and_a_list_are_made_as_declared() {
    let form = refused(r#"{ body = [{ at = "form:error", is = ["a b"] }] }"#).await;
    assert_eq!(form.text(), "error=a+b");
    let text = refused(r#"{ body = [{ at = "text", has = ["USED", "x"] }] }"#).await;
    assert_eq!(text.text(), "USED");
    let list =
        refused(r#"{ body = [{ at = "/errors/0/code", is = ["c"] }, { at = "/errors/0/a~1b" }] }"#)
            .await;
    assert_eq!(list.json()["errors"][0]["code"], "c");
    assert!(list.json()["errors"][0]["a/b"].is_string());
    assert_eq!(list.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn headers_and_statuses_are_made_as_declared() {
    let seen = refused(r#"{ status = [417, 422], header = [{ name = "X-Error", is = ["b", "a"] }, { name = "Retry-After" }, { name = "Content-Type", is = ["application/problem+json"] }] }"#).await;
    assert_eq!(seen.status, 417);
    assert_eq!(seen.header("x-error"), Some("b"));
    assert_eq!(seen.header("retry-after"), Some("1"));
    assert_eq!(
        seen.header("content-type"),
        Some("application/problem+json")
    );
    for (status, expected) in [
        ("[\"4xx\"]", 422),
        ("[\"5xx\"]", 500),
        ("[\"5xx\", 422]", 500),
        ("[422, 409]", 422),
        ("[200]", 200),
        ("[102, 409]", 409),
    ] {
        let seen = refused(&format!("{{ status = {status} }}")).await;
        assert_eq!(seen.status, expected, "{status}");
    }
}

#[tokio::test]
async fn a_refusal_names_what_there_is_only_where_it_may() {
    assert_eq!(
        refused("{ reveals = false }").await.json().get("existing"),
        None
    );
    assert!(refused("{ reveals = true }").await.json()["existing"].is_string());
}
