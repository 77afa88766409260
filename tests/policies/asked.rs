//! Requests to the sandbox with a key wherever a policy puts it, and the situations that they provoke.
//! It must not know what must be answered.

use std::time::Duration;

use doubletap::contract::{Carrier, Contract, KeyFormat, WireForm};
use serde_json::{Value, json};

use crate::sandbox::api::{Api, Call, Seen};

/// How long a request is held, and when the other one comes.
const HELD: &str = "900ms";
const MEANWHILE: Duration = Duration::from_millis(250);

/// What is asked under a contract.
pub(crate) struct Asker<'a> {
    pub(crate) api: &'a Api,
    pub(crate) contract: &'a Contract,
}

/// A key as it is sent: no line, one, or two.
type Lines = Vec<String>;

impl Asker<'_> {
    /// A fresh key that is valid.
    fn fresh(&self) -> String {
        let rule = &self.contract.key.value;
        let text = match rule.format {
            KeyFormat::UuidV7 => uuid::Uuid::now_v7().to_string(),
            KeyFormat::Hex32 => uuid::Uuid::new_v4().simple().to_string(),
            KeyFormat::Digits => uuid::Uuid::new_v4().as_u128().to_string(),
            KeyFormat::Any | KeyFormat::Uuid | KeyFormat::UuidV4 => {
                uuid::Uuid::new_v4().to_string()
            }
        };
        let most = rule.most.map_or(text.len(), |most| most as usize);
        text[..most.min(text.len())].to_owned()
    }

    fn written(&self, key: &str) -> Lines {
        match self.contract.key.value.form {
            WireForm::Bare => vec![key.to_owned()],
            WireForm::SfString => vec![format!("\"{key}\"")],
        }
    }

    fn call(&self, path: &str, amount: u32, key: &Lines) -> Call {
        let rule = &self.contract.key.value;
        let mut path = path.to_owned();
        let mut body = json!({ "amount": amount, "currency": "EUR", "reference": "typed" });
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in key {
            match &rule.carrier {
                Carrier::Header(name) => headers.push((name.clone(), line.clone())),
                Carrier::Json(pointer) => put(&mut body, pointer, line),
                Carrier::Form(name) => body[name] = json!(line),
                Carrier::Query(name) => {
                    let sign = if path.contains('?') { '&' } else { '?' };
                    path = format!("{path}{sign}{name}={line}");
                }
                Carrier::Path(_) => panic!("no policy has its key in the path yet"),
            }
        }
        if !key.is_empty() {
            for companion in &rule.companions {
                let now = "Sun, 06 Nov 2033 08:49:37 GMT".to_owned();
                headers.push((companion.header.clone(), now));
            }
        }
        let call = self.api.post(&path);
        let call = headers.iter().fold(call, |call, (name, value)| {
            call.raw_header(name, value.as_bytes())
        });
        if !matches!(rule.carrier, Carrier::Form(_)) {
            return call.json(body);
        }
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in body.as_object().unwrap() {
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            form.append_pair(name, &text);
        }
        call.header("Content-Type", "application/x-www-form-urlencoded")
            .text(&form.finish())
    }

    fn pay(&self, key: &Lines) -> Call {
        self.call("/payments", 49900, key)
    }

    /// Provokes a situation: the first reply where one comes before, and the reply. `None`: no request provokes it.
    pub(crate) async fn provoke(&self, situation: &str) -> Option<(Option<Seen>, Seen)> {
        let fresh = self.fresh();
        let key = self.written(&fresh);
        if let Some(flaw) = situation.strip_prefix("malformed-") {
            let seen = self.pay(&self.flawed(flaw)).send().await;
            return Some((None, seen));
        }
        let second = match situation {
            "first" => return Some((None, self.pay(&key).send().await)),
            "missing" => return Some((None, self.pay(&Vec::new()).send().await)),
            "in-progress" => {
                let first = tokio::spawn(self.pay(&key).slowly(HELD).send());
                tokio::time::sleep(MEANWHILE).await;
                let second = self.pay(&key).send().await;
                return Some((Some(first.await.unwrap()), second));
            }
            "replay" | "after-retention" => self.pay(&key),
            "mismatch" => self.call("/payments", 49901, &key),
            "other-credential" => self.pay(&key).account("acct-a2"),
            "other-route" => self.call("/refunds", 49900, &key),
            "other-query" => self.call("/payments?more=1", 49900, &key),
            _ => return None,
        };
        let first = self.pay(&key).send().await;
        if situation == "after-retention" {
            self.api.expire("acct-a", &fresh).await;
        }
        Some((Some(first), second.send().await))
    }

    /// A key with one thing wrong.
    fn flawed(&self, flaw: &str) -> Lines {
        let rule = &self.contract.key.value;
        let valid = self.fresh();
        match flaw {
            "empty" => self.written(""),
            "too-short" => self.written(&"k".repeat(rule.least.unwrap() as usize - 1)),
            "too-long" => self.written(&"k".repeat(rule.most.unwrap_or(299) as usize + 1)),
            "charset" => self.written(&format!("{}\u{e9}", &valid[..valid.len() - 1])),
            "twice" => [self.written(&valid), self.written(&valid)].concat(),
            "form" if rule.format != KeyFormat::Any => self.written(&"k".repeat(valid.len())),
            "form" if rule.form == WireForm::SfString => vec![valid],
            "form" => vec![format!("\"{valid}\"")],
            _ => panic!("no such flaw: {flaw}"),
        }
    }
}

/// Puts a text into a document, with the objects that lead to it.
fn put(document: &mut Value, pointer: &str, text: &str) {
    let mut at = document;
    for name in pointer.split('/').skip(1) {
        at = &mut at[name];
    }
    *at = json!(text);
}
