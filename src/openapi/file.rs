//! The target file of a document, with comments that say what was taken from where.
//! It must not know how a document is read.

use std::fmt::Write as _;

use super::body::Body;
use super::document::Document;
use super::operation::{Found, Operation};
use super::security::Credentials;
use super::toml_text::{inline, json, key, literal, table, text};

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
pub fn write(document: Document<'_>, found: &Found, credentials: &Credentials) -> Written {
    let url = document.server();
    let mut out = String::new();
    head(&mut out, document, url.as_deref(), found);
    accounts(&mut out, credentials);
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
    if !["127.0.0.1", "localhost"].contains(&host.as_str()) {
        let allowed = text(&host);
        let _ = writeln!(
            out,
            "rate         = 5\n# allow-hosts  = [{allowed}]     # where you may test it, say so"
        );
    }
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

fn head(out: &mut String, document: Document<'_>, url: Option<&str>, found: &Found) {
    let info = &document.root["info"];
    let title = info["title"].as_str().unwrap_or("an API");
    let version = info["version"].as_str().unwrap_or_default();
    let _ = writeln!(out, "# {} {}", one_line(title), one_line(version));
    out.push_str(
        "# Made from its OpenAPI document by `doubletap init --openapi`: look through it before you send anything. Bodies are examples, or the\n\
         # least that the schemas ask for. A run tests every operation, each drill with each of them; `--operation NAME` takes one, and\n\
         # setup-only = true leaves one to set others up. Where replies hold no id, add `identity` or `count` (docs/starting.md).\n",
    );
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
    carrier(out, found);
    out.push('\n');
}

/// Where the key goes: the header that most operations declare, or the member of their bodies.
fn carrier(out: &mut String, found: &Found) {
    let declares = |header: &str| {
        let same = |one: &&Operation| {
            one.key
                .as_ref()
                .is_some_and(|key| key.eq_ignore_ascii_case(header))
        };
        found.operations.iter().filter(same).count()
    };
    let all = found.operations.len();
    let headers = found.operations.iter().filter_map(|one| one.key.as_deref());
    let most = headers.clone().max_by_key(|header| declares(header));
    match (most, &found.key_member) {
        (Some(header), _) => {
            let _ = writeln!(out, "contract.key.in = {{ header = {} }}", text(header));
            let without = all - declares(header);
            if without > 0 {
                let _ = writeln!(
                    out,
                    "# {without} of {all} operations declare no such header: whether they take one is to be seen"
                );
            }
        }
        (None, Some(member)) => {
            let _ = writeln!(out, "contract.key.in = {{ json = {} }}", text(member));
        }
        (None, None) => out.push_str(
            "# the document declares no header for the key: Idempotency-Key is sent. Another one, or a member of the body:\n\
             # contract.key.in = { header = \"X-Request-Key\" }   # or { json = \"/idempotency_key\" }\n",
        ),
    }
}

fn accounts(out: &mut String, credentials: &Credentials) {
    if credentials.headers.is_empty() && credentials.lines.is_empty() {
        out.push_str("[account.a]                         # the document asks for no credentials in a header\n\n");
        return;
    }
    for (letter, mark) in [("A", ""), ("B", "# ")] {
        if letter == "B" {
            out.push_str("# a second account: with it, keys of one are tried from the other\n");
        }
        let _ = writeln!(out, "{mark}[account.{}]", letter.to_lowercase());
        if !credentials.headers.is_empty() {
            let headers = credentials
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), text(value)));
            let headers = table(headers).replace("{}", letter);
            let _ = writeln!(out, "{mark}headers = {headers}");
        }
        for line in &credentials.lines {
            let _ = writeln!(out, "{mark}{}", line.replace("{}", letter));
        }
        out.push('\n');
    }
}

fn one(out: &mut String, operation: &Operation) {
    // a name with a dot in it is one name
    let _ = writeln!(out, "[operation.{}]", key(&operation.name));
    let _ = writeln!(out, "request  = {}", text(&operation.request));
    if !operation.examples.is_empty() {
        let names: Vec<String> = operation
            .examples
            .iter()
            .map(|name| one_line(name))
            .collect();
        let _ = writeln!(
            out,
            "# {} in the path: an example; name one that exists",
            names.join(", ")
        );
    }
    if !operation.needs.is_empty() {
        let needs = operation.needs.iter();
        let needs = needs.map(|(name, by)| (name.clone(), text(by)));
        let _ = writeln!(out, "needs    = {}", table(needs));
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
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (name.clone(), literal(value)));
            let _ = writeln!(out, "form     = {}", table(fields));
        }
    }
    if !headers.is_empty() {
        let headers = headers.into_iter();
        let headers = headers.map(|(name, value)| (name, literal(&value)));
        let _ = writeln!(out, "headers  = {}", table(headers));
    }
    if let Some(reference) = &operation.reference {
        let _ = writeln!(out, "ref      = {}", text(reference));
    }
    if !operation.success.is_empty() {
        let _ = writeln!(out, "success  = {:?}", operation.success);
    }
    if let Some((at, value)) = &operation.changed {
        let value = inline(value).unwrap_or_else(|| text(&value.to_string()));
        let changed = table(std::iter::once((at.clone(), value)));
        let _ = writeln!(out, "bodies.changed = {{ set = {changed} }}");
    }
    out.push('\n');
}

fn one_line(text: &str) -> String {
    crate::report::text::line(text)
}
