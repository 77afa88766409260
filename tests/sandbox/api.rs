//! A sandbox in this process and a plain client for it. The client keeps nothing, retries nothing, and follows nothing.

#![expect(clippy::unwrap_used, reason = "a test that meets an error has failed")]

use std::sync::Once;
use std::time::Duration;

use doubletap::sandbox::{Design, Options, Running, start};
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// The header that marks a replay.
pub const MARKER: &str = "idempotent-replayed";

/// A running sandbox with a client.
pub struct Api {
    pub design: Design,
    pub running: Running,
    client: Client,
    base: String,
}

impl Api {
    pub async fn start(options: Options) -> Self {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            rustls::crypto::ring::default_provider()
                .install_default()
                .unwrap();
        });
        let design = options.design;
        let running = start(options).await.unwrap();
        let client = Client::builder()
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(Duration::from_secs(30))
            .build()
            .unwrap();
        let base = format!("http://{}", running.ready().addresses[0]);
        Self {
            design,
            running,
            client,
            base,
        }
    }

    /// The same client at another replica.
    pub fn at_replica(&self, number: usize, call: Call) -> Call {
        Call {
            base: format!("http://{}", self.running.ready().addresses[number]),
            ..call
        }
    }

    pub fn call(&self, method: &str, path: &str) -> Call {
        Call {
            client: self.client.clone(),
            base: self.base.clone(),
            method: method.parse().unwrap(),
            path: path.to_owned(),
            account: Some("acct-a".to_owned()),
            headers: Vec::new(),
            body: None,
        }
    }

    pub fn post(&self, path: &str) -> Call {
        self.call("POST", path)
    }

    /// An ordinary payment.
    pub fn pay(&self, key: &str, reference: &str) -> Call {
        self.post("/payments").key(key).json(payment(reference))
    }

    /// How many effects of a kind an account has with that reference.
    pub async fn count_as(&self, account: &str, table: &str, reference: &str) -> u64 {
        let path = format!("/{table}?reference={reference}");
        let seen = self.call("GET", &path).account(account).send().await;
        assert_eq!(seen.status, 200, "{}", seen.text());
        seen.json()["count"].as_u64().unwrap()
    }

    /// How many payments acct-a has with that reference.
    pub async fn count(&self, reference: &str) -> u64 {
        self.count_as("acct-a", "payments", reference).await
    }

    /// How often the payment provider was called.
    pub async fn provider_calls(&self, reference: &str) -> u64 {
        let path = format!("/_sandbox/downstream?reference={reference}");
        self.call("GET", &path).send().await.json()["count"]
            .as_u64()
            .unwrap()
    }

    pub async fn expire(&self, account: &str, key: &str) -> u64 {
        let asked = json!({ "account": account, "key": key });
        let seen = self.post("/_sandbox/expire").json(asked).send().await;
        seen.json()["expired"].as_u64().unwrap()
    }

    /// Makes a payment and gives its id.
    pub async fn payment(&self, reference: &str) -> String {
        let seen = self.post("/payments").json(payment(reference)).send().await;
        assert_eq!(seen.status, 201, "{}", seen.text());
        seen.id()
    }
}

/// The body of an ordinary payment.
pub fn payment(reference: &str) -> Value {
    json!({ "amount": 49900, "currency": "INR", "reference": reference })
}

/// A request to come.
#[derive(Clone)]
pub struct Call {
    client: Client,
    base: String,
    method: Method,
    path: String,
    account: Option<String>,
    headers: Vec<(String, Vec<u8>)>,
    body: Option<String>,
}

impl Call {
    pub fn key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    pub fn header(self, name: &str, value: &str) -> Self {
        self.raw_header(name, value.as_bytes())
    }

    pub fn raw_header(mut self, name: &str, value: &[u8]) -> Self {
        self.headers.push((name.to_owned(), value.to_vec()));
        self
    }

    pub fn account(mut self, account: &str) -> Self {
        self.account = Some(account.to_owned());
        self
    }

    pub fn nobody(mut self) -> Self {
        self.account = None;
        self
    }

    pub fn json(self, body: Value) -> Self {
        self.text(&body.to_string())
    }

    pub fn text(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self
    }

    pub fn slowly(self, delay: &str) -> Self {
        self.header("Sandbox-Delay", delay)
    }

    pub fn simulating(self, what: &str) -> Self {
        self.header("Sandbox-Simulate", what)
    }

    fn build(self) -> reqwest::RequestBuilder {
        let mut request = self
            .client
            .request(self.method, format!("{}{}", self.base, self.path));
        if let Some(account) = &self.account {
            request = request.header("Authorization", format!("Bearer {account}"));
        }
        let form = self.headers.iter().any(|(name, _)| name == "Content-Type");
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = self.body {
            if !form {
                request = request.header("Content-Type", "application/json");
            }
            request = request.body(body);
        }
        request
    }

    pub async fn send(self) -> Seen {
        let reply = self.build().send().await.unwrap();
        let status = reply.status().as_u16();
        let headers = reply.headers().clone();
        let body = reply.bytes().await.unwrap().to_vec();
        Seen {
            status,
            headers,
            body,
        }
    }

    /// Sends it and hangs up after a while, whether the reply has come or not.
    pub async fn send_and_hang_up(self, after: Duration) {
        // A client of its own, because its connection is closed with it.
        let client = Client::builder()
            .retry(reqwest::retry::never())
            .no_proxy()
            .build()
            .unwrap();
        let request = Call { client, ..self }.build();
        let _ = tokio::time::timeout(after, request.send()).await;
    }
}

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn id(&self) -> String {
        self.json()["id"]
            .as_str()
            .unwrap_or_else(|| panic!("no id in {}", self.text()))
            .to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub fn is_replay(&self) -> bool {
        self.header(MARKER) == Some("true")
    }

    /// The same reply once more, with the marker: what a replay has to be.
    pub fn is_replayed_by(&self, later: &Self) -> bool {
        let kept = |seen: &Self| {
            let names = [
                "content-type",
                "location",
                "x-receipt-id",
                "etag",
                "set-cookie",
            ];
            names.map(|name| seen.headers.get(name).cloned())
        };
        !self.is_replay()
            && later.is_replay()
            && self.status == later.status
            && self.body == later.body
            && kept(self) == kept(later)
    }
}
