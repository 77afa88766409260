//! A target file in the making: parts from a curl line and from flags, secrets taken out, written with comments.
//! It must not know where the file goes.

use super::curl::Curl;
use super::draft_secrets::BASIC;
use crate::config::Flags;
use serde_json::Value;

/// The parts.
#[derive(Debug, Default)]
pub struct Draft {
    pub(super) url: String,
    pub(super) path: String,
    pub(super) method: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) json: Option<String>,
    pub(super) form: Option<String>,
    pub(super) text: Option<(String, String)>,
    pub(super) accounts: Vec<Account>,
    pub(super) key_header: Option<String>,
    pub(super) flags: Flags,
    /// What was left out of a curl line.
    pub left_out: Vec<String>,
    /// Variables, and what to set them to.
    pub(super) variables: Vec<(String, String)>,
}

/// An account.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) id: Option<String>,
    pub(super) headers: Vec<(String, String)>,
}

/// Headers that belong to the connection or to curl, not to the operation.
const LEFT_OUT: [&str; 8] = [
    "host",
    "content-length",
    "connection",
    "accept-encoding",
    "user-agent",
    "transfer-encoding",
    "expect",
    "accept",
];

impl Draft {
    /// Takes a curl line over.
    pub fn take_curl(&mut self, curl: Curl) {
        self.left_out.extend(curl.left_out);
        self.method = curl.method;
        let url = self.without_user(&curl.url);
        self.take_url(&url);
        let mut content_type = None;
        let mut own = Vec::new();
        for (name, value) in curl.headers {
            let lower = name.to_ascii_lowercase();
            if lower.contains("idempotency") {
                // the tool sends its own key
                self.left_out.push(format!(
                    "the key of the line: every attempt gets one of its own, in the header {name}"
                ));
                self.key_header =
                    Some(name).filter(|name| !name.eq_ignore_ascii_case("Idempotency-Key"));
            } else if lower == "content-type" {
                content_type = Some(value);
            } else if let Some(hidden) = self.credential(&lower, &value, "A") {
                own.push((name, hidden));
            } else if !LEFT_OUT.contains(&lower.as_str()) {
                self.headers.push((name, value));
            }
        }
        if let Some(user) = &curl.user {
            let name = self.variable("BASIC_A", BASIC);
            if !user.is_empty() {
                own.push(("Authorization".to_owned(), format!("Basic {name}")));
            }
        }
        if !own.is_empty() {
            self.account("a").headers.extend(own);
        }
        if let Some(body) = curl.body {
            self.take_body(body, content_type.as_deref());
        }
    }

    fn take_body(&mut self, body: String, content_type: Option<&str>) {
        let is_json = content_type.is_some_and(|kind| kind.contains("json"))
            || body.trim_start().starts_with(['{', '[']);
        let is_form = content_type.is_none_or(|kind| kind.contains("x-www-form-urlencoded"));
        if is_json && serde_json::from_str::<Value>(&body).is_ok() {
            self.json = Some(self.without_secrets(body));
        } else if is_form {
            self.form = Some(body);
        } else {
            self.text = Some((content_type.unwrap_or("text/plain").to_owned(), body));
        }
    }

    /// Takes flags over; they win over a curl line.
    pub fn take_flags(&mut self, flags: &Flags) -> Result<(), String> {
        self.flags = flags.clone();
        if let Some(url) = flags.url.first() {
            let url = self.without_user(url);
            self.take_url(&url);
        }
        if self.url.is_empty() {
            self.url = "http://127.0.0.1:8080".to_owned();
            self.path = "/payments".to_owned();
            self.json = Some(
                "{\"amount\":49900,\"currency\":\"EUR\",\"reference\":\"{{ref}}\"}".to_owned(),
            );
        }
        if let Some(method) = &flags.request {
            self.method.clone_from(method);
        }
        if self.method.is_empty() {
            self.method = "POST".to_owned();
        }
        if let Some(json) = &flags.json {
            (self.form, self.text) = (None, None);
            self.json = Some(self.without_secrets(json.clone()));
        } else if !flags.data.is_empty() {
            (self.json, self.text) = (None, None);
            self.form = Some(flags.data.join("&"));
        }
        for header in &flags.header {
            let (name, value) = header
                .split_once(':')
                .ok_or(format!("`{header}` is no header; write Name: value"))?;
            let (name, value) = (name.trim(), value.trim());
            let value = self
                .credential(&name.to_ascii_lowercase(), value, "A")
                .unwrap_or_else(|| value.to_owned());
            self.headers.push((name.to_owned(), value));
        }
        for account in &flags.account {
            let parts = account
                .split_once('=')
                .and_then(|(name, header)| Some((name, header.split_once(':')?)));
            let (name, (header, value)) = parts.ok_or(format!(
                "`{account}` is no account; write a='Authorization: Bearer ${{TOKEN_A}}'"
            ))?;
            let upper = name.to_uppercase();
            let value = value.trim();
            let hidden = self.credential(&header.trim().to_ascii_lowercase(), value, &upper);
            let hidden = hidden.unwrap_or_else(|| {
                if value.contains("${") {
                    value.to_owned()
                } else {
                    self.variable(&format!("CREDENTIAL_{upper}"), "...")
                }
            });
            self.account(name)
                .headers
                .push((header.trim().to_owned(), hidden));
        }
        for id in &flags.account_id {
            let (name, id) = id
                .split_once('=')
                .ok_or(format!("`{id}` is no account's id; write a=17"))?;
            self.account(name).id = Some(id.to_owned());
        }
        if flags.key_header.is_some() {
            self.key_header.clone_from(&flags.key_header);
        }
        Ok(())
    }

    /// The account of a name, made where there is none.
    pub(super) fn account(&mut self, name: &str) -> &mut Account {
        let found = self.accounts.iter().position(|known| known.name == name);
        let at = found.unwrap_or_else(|| {
            let account = Account {
                name: name.to_owned(),
                ..Account::default()
            };
            self.accounts.push(account);
            self.accounts.len() - 1
        });
        &mut self.accounts[at]
    }

    fn take_url(&mut self, url: &str) {
        let host = url.find("://").map_or(0, |at| at + 3);
        let end = url[host..]
            .find(['/', '?'])
            .map_or(url.len(), |at| host + at);
        self.url = url[..end].to_owned();
        let path = url[end..].split('#').next().unwrap_or_default();
        self.path = match path.split_once('?') {
            None => path.to_owned(),
            Some((path, query)) => {
                let pairs: Vec<String> = query
                    .split('&')
                    .map(|pair| self.without_secret_pair(pair))
                    .collect();
                format!("{path}?{}", pairs.join("&"))
            }
        };
    }
}
