//! The target file of a document, with comments that say what was taken from where.
//! It must not know how a document is read.

use std::fmt::Write as _;

use serde_json::Value;

use super::document::Document;
use super::operation::{Body, Found, Operation};
use super::security::{self, Credentials};

/// The file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// How many operations it has.
    pub operations: usize,
    /// What was left out, and why.
    pub left_out: Vec<String>,
    /// Variables, and what to set them to.
    pub variables: Vec<(String, String)>,
    /// The host.
    pub host: String,
}

/// Where a service is looked for whose document names no server.
const NOWHERE: &str = "http://127.0.0.1:8080";

/// Writes it.
pub fn write(document: &Document<'_>, found: &Found) -> Written {
    let credentials = security::all(document);
    let url = document.server();
    let mut out = String::new();
    head(&mut out, document, url.as_deref(), found);
    accounts(&mut out, &credentials);
    for operation in &found.operations {
        one(&mut out, operation);
    }
    let url = url.unwrap_or_else(|| NOWHERE.to_owned());
    let host = url.split("://").nth(1).unwrap_or_default();
    let host = host.split([':', '/']).next().unwrap_or_default().to_owned();
    out.push_str(
        "[run]                               # politely: raise these for a service of your own\n",
    );
    out.push_str("copies       = 3\nrounds       = 3\n");
    let left_out = found.left_out.iter().chain(&credentials.left_out);
    Written {
        text: out,
        operations: found.operations.len(),
        left_out: left_out.cloned().collect(),
        variables: credentials
            .variables
            .iter()
            .map(|(name, how)| (name.replace("{}", "A"), how.clone()))
            .collect(),
        host,
    }
}

fn head(out: &mut String, document: &Document<'_>, url: Option<&str>, found: &Found) {
    let info = &document.root["info"];
    let title = info["title"].as_str().unwrap_or("an API");
    let version = info["version"].as_str().unwrap_or_default();
    let _ = writeln!(out, "# {} {}", one_line(title), one_line(version));
    out.push_str("# Made from its OpenAPI document by `doubletap init --openapi`: look through it before you send anything. Bodies are examples, or the\n");
    out.push_str("# least that the schemas ask for; every operation is tested unless it says setup-only = true. `--operation NAME` takes one of them.\n");
    match url {
        Some(url) => {
            let _ = writeln!(out, "url    = {}", text(url));
        }
        None => {
            let _ = writeln!(
                out,
                "url    = {:<26} # the document names no server",
                text(NOWHERE)
            );
        }
    }
    out.push_str("policy = \"plain\"                    # what the API promises: `doubletap policies` lists the bundled ones\n");
    let mut keys: Vec<&String> = found
        .operations
        .iter()
        .filter_map(|o| o.key.as_ref())
        .collect();
    keys.dedup();
    match keys.first() {
        Some(key) => {
            let _ = writeln!(out, "contract.key.in = {{ header = {} }}", text(key));
            let without = found.operations.iter().filter(|o| o.key.is_none()).count();
            if without > 0 {
                let _ = writeln!(
                    out,
                    "# {without} of {} operations declare no such header: whether they take one is to be seen",
                    found.operations.len()
                );
            }
        }
        None => {
            out.push_str("# the document declares no header for the key: Idempotency-Key is sent\n")
        }
    }
    out.push('\n');
}

fn accounts(out: &mut String, credentials: &Credentials) {
    if credentials.headers.is_empty() {
        out.push_str("[account.a]                         # the document asks for no credentials in a header\n\n");
        return;
    }
    for (letter, mark) in [("a", ""), ("b", "# ")] {
        if letter == "b" {
            out.push_str("# a second account: with it, keys of one are tried from the other\n");
        }
        let pairs: Vec<String> = credentials
            .headers
            .iter()
            .map(|(name, value)| {
                let value = value.replace("{}", &letter.to_uppercase());
                format!("{} = {}", key(name), text(&value))
            })
            .collect();
        let _ = writeln!(
            out,
            "{mark}[account.{letter}]\n{mark}headers = {{ {} }}\n",
            pairs.join(", ")
        );
    }
}

fn one(out: &mut String, operation: &Operation) {
    let _ = writeln!(out, "[operation.{}]", operation.name);
    let _ = writeln!(out, "request  = {}", text(&operation.request));
    if !operation.examples.is_empty() {
        let _ = writeln!(
            out,
            "# {} in the path: an example; name one that exists",
            operation.examples.join(", ")
        );
    }
    if !operation.needs.is_empty() {
        let pairs: Vec<String> = operation
            .needs
            .iter()
            .map(|(name, by)| format!("{name} = {}", text(by)))
            .collect();
        let _ = writeln!(out, "needs    = {{ {} }}", pairs.join(", "));
    }
    let mut headers = operation.headers.clone();
    match &operation.body {
        Body::Empty => {}
        Body::Json(value, kind) => {
            let _ = writeln!(out, "json     = {}", json(value));
            headers.extend(
                kind.iter()
                    .map(|kind| ("Content-Type".to_owned(), kind.clone())),
            );
        }
        Body::Form(fields) => {
            let pairs: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{} = {}", key(name), literal(value)))
                .collect();
            let _ = writeln!(out, "form     = {{ {} }}", pairs.join(", "));
        }
    }
    if !headers.is_empty() {
        let pairs: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{} = {}", key(name), text(value)))
            .collect();
        let _ = writeln!(out, "headers  = {{ {} }}", pairs.join(", "));
    }
    if let Some(reference) = &operation.reference {
        let _ = writeln!(out, "ref      = {}", text(reference));
    }
    if !operation.success.is_empty() {
        let _ = writeln!(out, "success  = {:?}", operation.success);
    }
    if let Some((at, value)) = &operation.changed {
        let _ = writeln!(
            out,
            "bodies.changed = {{ set = {{ {} = {} }} }}",
            key(at),
            inline(value).unwrap_or_else(|| text(&value.to_string()))
        );
    }
    out.push('\n');
}

/// A JSON body: a table where TOML can say it and it is short, else the text.
fn json(value: &Value) -> String {
    match inline(value).filter(|table| value.is_object() && table.len() <= 160) {
        Some(table) => table,
        None => literal(&value.to_string()),
    }
}

/// `None` where TOML has no such value.
fn inline(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => {
            if number.as_i64().is_none() && !number.is_f64() {
                return None;
            }
            number.to_string()
        }
        Value::String(value) => literal(value),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(inline).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) => {
            let members: Option<Vec<String>> = members
                .iter()
                .map(|(name, value)| Some(format!("{} = {}", key(name), inline(value)?)))
                .collect();
            let members = members?;
            if members.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", members.join(", "))
            }
        }
    })
}

/// An example's text: what would be a variable or a placeholder in a target is none there.
fn literal(example: &str) -> String {
    text(&example.replace("${", "$ {").replace("{{", "{ {"))
}

/// A text in TOML's quotes.
fn text(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

fn key(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if plain { name.to_owned() } else { text(name) }
}

fn one_line(text: &str) -> String {
    crate::report::text::line(text)
}
