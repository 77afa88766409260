//! A target file in the making: parts from a curl line and from flags, secrets taken out, written with comments.
//! It must not know where the file goes.

use std::fmt::Write as _;

use serde_json::Value;
use toml_edit::{InlineTable, Value as Toml};

use super::curl::Curl;
use crate::config::Flags;

/// The parts.
#[derive(Debug, Default)]
pub struct Draft {
    url: String,
    path: String,
    method: String,
    headers: Vec<(String, String)>,
    json: Option<String>,
    form: Option<String>,
    text: Option<(String, String)>,
    accounts: Vec<(String, Option<String>, Vec<(String, String)>)>,
    key_header: Option<String>,
    flags: Flags,
    /// What was left out of a curl line.
    pub left_out: Vec<String>,
    /// Variables, and what to set them to.
    variables: Vec<(String, String)>,
}

/// The file.
#[derive(Debug)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// The variables that it uses, and what to set them to.
    pub variables: Vec<(String, String)>,
    /// The host that it is about.
    pub host: String,
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
            let name = self.variable("BASIC_A", "$(printf %s 'USER:PASSWORD' | base64 -w0)");
            if !user.is_empty() {
                own.push(("Authorization".to_owned(), format!("Basic {name}")));
            }
        }
        if !own.is_empty() {
            self.accounts.push(("a".to_owned(), None, own));
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
                .2
                .push((header.trim().to_owned(), hidden));
        }
        for id in &flags.account_id {
            let (name, id) = id
                .split_once('=')
                .ok_or(format!("`{id}` is no account's id; write a=17"))?;
            self.account(name).1 = Some(id.to_owned());
        }
        if flags.key_header.is_some() {
            self.key_header.clone_from(&flags.key_header);
        }
        Ok(())
    }

    fn account(&mut self, name: &str) -> &mut (String, Option<String>, Vec<(String, String)>) {
        let at = self
            .accounts
            .iter()
            .position(|(known, ..)| known == name)
            .unwrap_or_else(|| {
                self.accounts.push((name.to_owned(), None, Vec::new()));
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

    /// `http://user:password@host` is a Basic credential.
    fn without_user(&mut self, url: &str) -> String {
        let Some((scheme, rest)) = url.split_once("://") else {
            return url.to_owned();
        };
        let authority = rest.find(['/', '?']).unwrap_or(rest.len());
        match rest[..authority].rfind('@') {
            None => url.to_owned(),
            Some(sign) => {
                let name = self.variable("BASIC_A", "$(printf %s 'USER:PASSWORD' | base64 -w0)");
                self.account("a")
                    .2
                    .push(("Authorization".to_owned(), format!("Basic {name}")));
                format!("{scheme}://{}", &rest[sign + 1..])
            }
        }
    }

    fn without_secret_pair(&mut self, pair: &str) -> String {
        match pair.split_once('=') {
            Some((name, value)) if is_secret_name(name) && !value.contains("${") => {
                let variable = self.variable(&shell_name(name), "...");
                format!("{name}={variable}")
            }
            _ => pair.to_owned(),
        }
    }

    /// JSON text whose members with telling names hold variables; everything else stays as it is.
    fn without_secrets(&mut self, text: String) -> String {
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            return text;
        };
        let mut found = Vec::new();
        secrets_of(&value, &mut found);
        found.into_iter().fold(text, |text, (name, secret)| {
            let quoted = Value::from(secret).to_string();
            let variable = self.variable(&shell_name(&name), "...");
            text.replace(&quoted, &format!("\"{variable}\""))
        })
    }

    /// What stands in a credential header instead of its value. `None`: the header is none.
    fn credential(&mut self, lower: &str, value: &str, account: &str) -> Option<String> {
        let name = match lower {
            "authorization" | "proxy-authorization" => "TOKEN",
            "cookie" => "COOKIE",
            _ if is_secret_name(lower) => "API_KEY",
            _ => return None,
        };
        if value.contains("${") {
            return Some(value.to_owned());
        }
        let (scheme, _) = value
            .split_once(' ')
            .filter(|(scheme, _)| name == "TOKEN" && scheme.len() < 12)
            .unwrap_or(("", value));
        let basic = scheme.eq_ignore_ascii_case("basic");
        let (name, how) = if basic {
            ("BASIC", "$(printf %s 'USER:PASSWORD' | base64 -w0)")
        } else {
            (name, "...")
        };
        let variable = self.variable(&format!("{name}_{account}"), how);
        Some(if scheme.is_empty() {
            variable
        } else {
            format!("{scheme} {variable}")
        })
    }

    fn variable(&mut self, name: &str, how: &str) -> String {
        if self.variables.iter().all(|(known, _)| known != name) {
            self.variables.push((name.to_owned(), how.to_owned()));
        }
        format!("${{{name}}}")
    }

    /// The file's text.
    pub fn write(&self) -> Written {
        let mut variables = self.variables.clone();
        let mut out = String::new();
        let flags = &self.flags;
        self.head(&mut out);
        self.write_accounts(&mut out);
        match &flags.postgres {
            Some(url) => {
                let url = if url.contains("${") { url.as_str() } else { "${DATABASE_URL}" };
                if url == "${DATABASE_URL}" {
                    variables.push(("DATABASE_URL".to_owned(), "postgres://...".to_owned()));
                }
                let _ = writeln!(out, "[postgres]\nurl = {}\n", text(url));
            }
            None => out.push_str("# [postgres]                        # effects are best counted in the database\n# url = \"${DATABASE_URL}\"\n\n"),
        }
        self.operation(&mut out);
        self.expire(&mut out);
        let host = self.url.split("://").nth(1).unwrap_or_default();
        let host = host.split([':', '/']).next().unwrap_or_default().to_owned();
        Written {
            text: out,
            variables,
            host,
        }
    }

    fn head(&self, out: &mut String) {
        let policy = self.flags.policy.as_deref().unwrap_or("plain");
        let _ = writeln!(
            out,
            "# What doubletap tests. `doubletap check` shows what this file means, `doubletap run` runs it."
        );
        let _ = writeln!(
            out,
            "# ${{VARIABLES}} come from the environment; their values are secrets and never shown."
        );
        let _ = writeln!(out, "url    = {}", text(&self.url));
        let _ = writeln!(
            out,
            "policy = {:<26} # what the API promises: `doubletap policies` lists the bundled ones",
            text(policy)
        );
        for set in &self.flags.set {
            let (clause, value) = set.split_once('=').unwrap_or((set, ""));
            let value = value
                .parse::<Toml>()
                .map_or_else(|_| text(value), |_| value.to_owned());
            let _ = writeln!(out, "contract.{clause} = {value}");
        }
        if let Some(name) = &self.key_header {
            let _ = writeln!(out, "contract.key.in = {{ header = {} }}", text(name));
        }
        out.push_str("# contract.mismatch  = { refuse = { status = [422] } }   # single clauses of your own\n");
        out.push_str("# contract.retention = { at-least = \"24h\" }\n\n");
    }

    fn write_accounts(&self, out: &mut String) {
        for (name, id, headers) in &self.accounts {
            let _ = writeln!(out, "[account.{name}]");
            match id {
                Some(id) => {
                    let _ = writeln!(out, "id      = {}", text(id));
                }
                None => out.push_str(
                    "# id    = \"17\"                      # what :account is bound to in SQL\n",
                ),
            }
            if !headers.is_empty() {
                let _ = writeln!(out, "headers = {}", table(headers));
            }
            out.push('\n');
        }
        if self.accounts.iter().all(|(name, ..)| name != "b") {
            out.push_str("# [account.b]                       # with a second account, keys of one are tried from the other\n");
            out.push_str("# headers = { Authorization = \"Bearer ${TOKEN_B}\" }\n\n");
        }
    }

    fn operation(&self, out: &mut String) {
        let flags = &self.flags;
        let plain = self.path.split('?').next().unwrap_or_default();
        let words = plain.split('/').filter(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        });
        let name = words.last().unwrap_or("operation");
        let _ = writeln!(out, "[operation.{name}]");
        let _ = writeln!(
            out,
            "request  = {}",
            text(&format!("{} {}", self.method, self.path))
        );
        if let Some(json) = &self.json {
            let _ = writeln!(out, "json     = {}", body(json));
        } else if let Some(form) = &self.form {
            let _ = writeln!(out, "form     = {}", text(form));
        } else if let Some((content_type, body)) = &self.text {
            let _ = writeln!(
                out,
                "text     = {}\ncontent-type = {}",
                text(body),
                text(content_type)
            );
        }
        if !self.headers.is_empty() {
            let _ = writeln!(out, "headers  = {}", table(&self.headers));
        }
        match &flags.reference {
            Some(reference) => {
                let _ = writeln!(out, "ref      = {:<24} # the tool's own text goes here, a new one for each intent", text(reference));
            }
            None => out.push_str("# ref    = \"/reference\"             # where the tool may put its own text: effects are counted by it\n"),
        }
        let success: Vec<&str> = flags
            .success
            .iter()
            .flat_map(|text| text.split(','))
            .map(str::trim)
            .collect();
        match success.as_slice() {
            [] => out.push_str("# success  = [201]                  # any 2xx, unless said here\n"),
            statuses => {
                let _ = writeln!(out, "success  = [{}]", statuses.join(", "));
            }
        }
        match &flags.identity {
            Some(identity) => {
                let _ = writeln!(out, "identity = {}", text(identity));
            }
            None => out.push_str("# identity = \"/id\"                  # what tells results apart; found out before the run, unless said here\n"),
        }
        let sets: Vec<String> = flags
            .changed
            .iter()
            .filter_map(|set| set.split_once('='))
            .map(|(at, value)| {
                let value = serde_json::from_str(value)
                    .ok()
                    .and_then(|value| toml(&value));
                (at, value)
            })
            .zip(&flags.changed)
            .map(|((at, value), raw)| {
                let value = value.map_or_else(
                    || text(raw.split_once('=').map_or("", |(_, value)| value)),
                    |value| value.to_string().trim().to_owned(),
                );
                format!("{} = {value}", text(at))
            })
            .collect();
        if sets.is_empty() {
            out.push_str("# bodies.changed  = { set = { \"/amount\" = 49901 } }     # another request under the same key; the first integer plus one\n");
        } else {
            let _ = writeln!(
                out,
                "bodies.changed = {{ set = {{ {} }} }}",
                sets.join(", ")
            );
        }
        out.push_str("# bodies.declined = { set = { \"/amount\" = 66600 } }     # also invalid, failing, rate-limited: what provokes such a reply\n");
        if let Some((header, value)) = flags.slow.as_deref().and_then(|slow| slow.split_once(':')) {
            let _ = writeln!(
                out,
                "bodies.slow = {{ headers = {} }}\nstall = {{ slow = \"slow\" }}",
                table(&[(header.trim().to_owned(), value.trim().to_owned())])
            );
        } else {
            out.push_str("# stall = { postgres = { lock = \"payments\" } }         # how a request is held in progress\n");
        }
        if let Some(sql) = &flags.count_sql {
            let _ = writeln!(out, "count = {{ sql = {} }}", text(sql));
        } else if let Some(get) = &flags.count_get {
            let _ = writeln!(out, "count = {{ get = {} }}", text(get));
        } else {
            out.push_str("# count = { sql = \"SELECT count(*) FROM payments WHERE reference = :ref\" }   # or get = \"/payments?reference={{ref}}#/count\"\n");
        }
        out.push('\n');
    }

    fn expire(&self, out: &mut String) {
        if let Some(sql) = &self.flags.expire_sql {
            let _ = writeln!(out, "[expire]\nsql = {}", text(sql));
        } else if let Some(wait) = &self.flags.expire_wait {
            let _ = writeln!(out, "[expire]\nwait = {}", text(wait));
        } else {
            out.push_str("# [expire]                          # how a key is made to expire: sql, wait, http or command\n");
            out.push_str("# sql = \"UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE idem_key = :key\"\n");
        }
    }
}

/// Names under which credentials travel.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let whole = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "auth",
        "signature",
        "client-secret",
        "access-token",
        "api-key",
        "apikey",
    ];
    whole.contains(&name.as_str())
        || ["api-key", "apikey", "-token", "-secret", "password"]
            .iter()
            .any(|part| name.ends_with(part))
}

fn secrets_of(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                match inner {
                    Value::String(text)
                        if is_secret_name(name)
                            && !text.contains("${")
                            && !text.contains("{{")
                            && !text.is_empty() =>
                    {
                        found.push((name.clone(), text.clone()));
                    }
                    _ => secrets_of(inner, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| secrets_of(item, found)),
        _ => {}
    }
}

fn shell_name(name: &str) -> String {
    let name: String = name
        .to_uppercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else {
        name
    }
}

/// A text in TOML's quotes.
fn text(text: &str) -> String {
    Toml::from(text).to_string().trim().to_owned()
}

fn table(pairs: &[(String, String)]) -> String {
    let mut table = InlineTable::new();
    for (name, value) in pairs {
        table.insert(name, value.as_str().into());
    }
    table.to_string().trim().to_owned()
}

/// A JSON body: a table where that says the same and is short enough to read, else the text byte for byte.
fn body(json: &str) -> String {
    let table = serde_json::from_str(json)
        .ok()
        .and_then(|value: Value| toml(&value))
        .filter(Toml::is_inline_table);
    match table.map(|table| table.to_string().trim().to_owned()) {
        Some(table) if table.len() <= 120 => table,
        _ => text(json),
    }
}

/// `None` where TOML has no such value: `null`, numbers above 64 bits.
fn toml(value: &Value) -> Option<Toml> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None if number.is_f64() => number.as_f64()?.into(),
            None => return None,
        },
        Value::Array(items) => Toml::Array(items.iter().map(toml).collect::<Option<_>>()?),
        Value::Object(members) => {
            let pairs = members
                .iter()
                .map(|(name, value)| Some((name.clone(), toml(value)?)));
            Toml::InlineTable(pairs.collect::<Option<InlineTable>>()?)
        }
    })
}
