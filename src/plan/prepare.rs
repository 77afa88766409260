//! A request as final bytes: method, URL, headers and body, with the key where the policy wants it.
//! It must not know how or when the bytes are sent; nothing later adds a header but Host and Content-Length.

use url::Url;

use super::Instance;
use super::body::{self, Payload};
use super::intent::Intent;
use super::template::{self, Values};
use crate::config::suite::{RequestFields, Vary};
use crate::config::target::{Account, Body, Counter, Operation, Target};
use crate::contract::Carrier;

/// A request as final bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The method.
    pub method: String,
    /// The whole URL.
    pub url: Url,
    /// The headers in order; a name may stand twice.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body.
    pub body: Vec<u8>,
    /// The key as sent, lines joined by a line break.
    pub wire_key: Option<String>,
    /// The operation.
    pub operation: String,
    /// The account.
    pub account: String,
    /// The body's name.
    pub body_name: String,
}

/// The name of the operation that a request is sent to.
pub fn operation_name<'a>(
    instance: &'a Instance,
    fields: &'a RequestFields,
) -> Result<&'a str, String> {
    match fields.operation.as_deref() {
        None | Some("under-test") => Ok(&instance.operation),
        Some("other") => instance
            .other_operation
            .as_deref()
            .ok_or_else(|| "the target declares no second operation".to_owned()),
        Some(name) => Ok(name),
    }
}

/// Looks an operation up.
pub fn operation<'a>(target: &'a Target, name: &str) -> Result<&'a Operation, String> {
    let found = target
        .operations
        .iter()
        .find(|operation| operation.name == name);
    found.ok_or_else(|| format!("the target declares no operation `{name}`"))
}

/// Looks an account up.
pub fn account<'a>(target: &'a Target, name: &str) -> Result<&'a Account, String> {
    let found = target.accounts.iter().find(|account| account.name == name);
    found.ok_or_else(|| format!("the target declares no account `{name}`"))
}

/// The request that `fields` describe. `slow` adds the variant that holds every request of the intent;
/// `Err` says what the target lacks for it (a skip).
pub fn prepare(
    target: &Target,
    instance: &Instance,
    fields: &RequestFields,
    intent: Option<&Intent>,
    replica: usize,
    slow: bool,
) -> Result<Prepared, String> {
    let operation = operation(target, operation_name(instance, fields)?)?;
    request_to(target, operation, fields, intent, replica, slow)
}

fn request_to(
    target: &Target,
    operation: &Operation,
    fields: &RequestFields,
    intent: Option<&Intent>,
    replica: usize,
    slow: bool,
) -> Result<Prepared, String> {
    let account = account(target, fields.account.as_deref().unwrap_or("a"))?;
    let rule = &target
        .contracts
        .get(&operation.name)
        .ok_or("the operation has no contract")?
        .key
        .value;
    let values = match (intent, &fields.vary) {
        // a browser asks with the path alone
        (None, Some(Vary::Preflight)) => Values::of_none(run_of(intent), account),
        _ => Values::of(run_of(intent), account, intent),
    };
    let fill = |text: &str| template::render(text, &values).map_err(|missing| missing.to_string());

    let body_name = fields.body.clone().unwrap_or_else(|| "base".to_owned());
    let variants = body::variants(operation, &body_name, slow)?;
    let mut payload = Payload::of(operation, &variants, &values)?;
    if let (Some(at), Some(intent)) = (&operation.reference_at, intent) {
        payload.set_text(at, &intent.reference)?;
    }
    if let Some(written) = fields.written {
        let ignores = &target.contracts[&operation.name].fingerprint.ignores.value;
        payload.rewrite(written, ignores.first().map(String::as_str))?;
    }

    let lines = match (intent, fields.form) {
        (None, _) => Vec::new(),
        (Some(intent), Some(form)) => intent.lines_in(form),
        (Some(intent), None) => intent.lines.clone(),
    };
    let text_of = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let mut headers = Headers::default();
    let mut query: Vec<(String, String)> = Vec::new();
    for line in &lines {
        match &rule.carrier {
            Carrier::Header(name) => headers.add(name, line.clone()),
            Carrier::Json(pointer) => payload.add_member(pointer, &text_of(line))?,
            Carrier::Form(name) => payload.add_field(name, &text_of(line))?,
            Carrier::Query(name) => query.push((name.clone(), text_of(line))),
            Carrier::Path(_) => {} // the template's `{{key}}`
        }
    }
    for (name, value) in intent.iter().flat_map(|intent| &intent.companions) {
        headers.add(name, value.clone().into_bytes());
    }
    for (name, value) in &operation.headers {
        headers.set(name, fill(value)?);
    }
    for (name, value) in variants.iter().flat_map(|variant| &variant.headers) {
        headers.set(name, fill(value)?);
    }
    match fields.vary {
        Some(Vary::NoCredentials) if account.headers.is_empty() => {
            return Err("the account has no credentials".to_owned());
        }
        Some(Vary::NoCredentials) => {}
        Some(Vary::BadCredentials) if account.headers.is_empty() => {
            return Err("the account has no credentials".to_owned());
        }
        Some(Vary::BadCredentials) => {
            for (name, value) in &account.headers {
                headers.set(name, spoilt(&fill(value)?));
            }
        }
        _ => {
            for (name, value) in &account.headers {
                headers.set(name, fill(value)?);
            }
        }
    }
    if let Some(content_type) = payload.content_type() {
        headers.set_default("Content-Type", content_type);
    }
    headers.set_default("Accept", "*/*");
    headers.set_default(
        "User-Agent",
        concat!("doubletap/", env!("CARGO_PKG_VERSION")),
    );

    let replica = match fields.vary {
        Some(Vary::Replica(index)) => index as usize,
        _ => replica,
    };
    let base = target
        .replicas
        .get(replica)
        .ok_or("the target has no further replica")?;
    let path =
        template::render_path(&operation.path, &values).map_err(|missing| missing.to_string())?;
    let mut url = join(&base.url, &path)?;
    if fields.vary == Some(Vary::Query) {
        if operation.other_query.is_empty() {
            query.push(("doubletap".to_owned(), "1".to_owned()));
        }
        for (name, value) in &operation.other_query {
            if matches!(&rule.carrier, Carrier::Query(key) if key == name) {
                return Err(format!(
                    "the parameter `{name}` of other-query carries the key"
                ));
            }
            without_parameter(&mut url, name);
            query.push((name.clone(), fill(value)?));
        }
    }
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let mut method = operation.method.clone();
    let mut bytes = payload.into_bytes();
    match &fields.vary {
        Some(Vary::Method(other)) => {
            method.clone_from(other);
            if matches!(other.as_str(), "GET" | "HEAD") {
                bytes.clear();
                headers.remove("Content-Type");
            }
        }
        Some(Vary::ContentTypeCharset) => headers.append_to("Content-Type", "; charset=utf-8")?,
        Some(Vary::UnrelatedHeader) => headers.add(
            "X-Doubletap-Unrelated",
            values.get("uuid").unwrap_or("1").into(),
        ),
        Some(Vary::StaleIfMatch) => headers.add("If-Match", b"\"doubletap-stale\"".to_vec()),
        Some(Vary::Preflight) => {
            let Carrier::Header(key) = &rule.carrier else {
                return Err("the key is no header".to_owned());
            };
            let mut preflight = Headers::default();
            preflight.add("Origin", b"https://doubletap.invalid".to_vec());
            preflight.add("Access-Control-Request-Method", method.clone().into_bytes());
            preflight.add(
                "Access-Control-Request-Headers",
                key.to_lowercase().into_bytes(),
            );
            (headers, method) = (preflight, "OPTIONS".to_owned());
            bytes.clear();
        }
        _ => {}
    }
    let wire_key = (!lines.is_empty()).then(|| {
        lines
            .iter()
            .map(|line| text_of(line))
            .collect::<Vec<_>>()
            .join("\n")
    });
    Ok(Prepared {
        method,
        url,
        headers: headers.0,
        body: bytes,
        wire_key,
        operation: operation.name.clone(),
        account: account.name.clone(),
        body_name,
    })
}

/// Takes a parameter out of the query; what else stands there stays as it was written.
fn without_parameter(url: &mut Url, name: &str) {
    let Some(query) = url.query() else { return };
    let is_other = |part: &&str| {
        let mut pairs = url::form_urlencoded::parse(part.as_bytes());
        pairs.next().is_none_or(|(known, _)| known != name)
    };
    let rest: Vec<&str> = query.split('&').filter(is_other).collect();
    let rest = (!rest.is_empty()).then(|| rest.join("&"));
    url.set_query(rest.as_deref());
}

/// `{{run}}` as the intent's reference carries it: `dt-RUN-N-...`.
fn run_of(intent: Option<&Intent>) -> &str {
    intent
        .and_then(|intent| intent.reference.split('-').nth(1))
        .unwrap_or_default()
}

/// A base URL with path and query behind it; a whole URL stands for itself.
pub fn join(base: &Url, path: &str) -> Result<Url, String> {
    let text = if path.starts_with("http://") || path.starts_with("https://") {
        path.to_owned()
    } else if path.is_empty() {
        return Ok(base.clone());
    } else {
        format!(
            "{}/{}",
            base.as_str().trim_end_matches('/'),
            path.trim_start_matches('/')
        )
    };
    Url::parse(&text).map_err(|error| format!("`{text}` is no URL: {error}"))
}

/// Credentials of the same shape that nobody has.
fn spoilt(value: &str) -> String {
    let (scheme, secret) = value
        .split_once(' ')
        .map_or(("", value), |(scheme, secret)| (scheme, secret));
    let secret: String = secret
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { 'x' } else { c })
        .collect();
    format!("{scheme} {secret}").trim_start().to_owned()
}

/// Headers in order.
#[derive(Clone, Debug, Default)]
struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    fn add(&mut self, name: &str, value: Vec<u8>) {
        self.0.push((name.to_owned(), value));
    }

    fn set(&mut self, name: &str, value: String) {
        self.remove(name);
        self.add(name, value.into_bytes());
    }

    fn set_default(&mut self, name: &str, value: &str) {
        if !self
            .0
            .iter()
            .any(|(other, _)| other.eq_ignore_ascii_case(name))
        {
            self.add(name, value.as_bytes().to_vec());
        }
    }

    fn remove(&mut self, name: &str) {
        self.0
            .retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    }

    fn append_to(&mut self, name: &str, text: &str) -> Result<(), String> {
        let found = self
            .0
            .iter_mut()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        let (_, value) = found.ok_or("the request has no content type")?;
        if value.contains(&b';') {
            return Err("the content type already has a parameter".to_owned());
        }
        value.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// The GET that shows an operation's effects: the declared one, or that by which they are counted.
#[must_use]
pub fn read_of(operation: &Operation) -> Option<(&str, &[(String, String)])> {
    match (&operation.read, &operation.count) {
        (Some(path), _) => Some((path, &[])),
        (None, Some(Counter::Get { path, headers, .. })) => Some((path, headers)),
        (None, _) => None,
    }
}

/// The GET that shows an operation's effects, with the intent's key: keys must change nothing there.
pub fn prepare_read(
    target: &Target,
    instance: &Instance,
    fields: &RequestFields,
    intent: Option<&Intent>,
) -> Result<Prepared, String> {
    let operation = operation(target, operation_name(instance, fields)?)?;
    let Some((path, headers)) = read_of(operation) else {
        return Err(format!(
            "the target declares no GET that shows the effects: under [operation.{}] add  read = \"/PATH?reference={{{{ref}}}}\"",
            operation.name
        ));
    };
    let read = Operation {
        method: "GET".to_owned(),
        path: path.to_owned(),
        headers: headers.to_vec(),
        body: Body::Empty,
        reference_at: None,
        ..operation.clone()
    };
    let fields = RequestFields {
        body: None,
        written: None,
        ..fields.clone()
    };
    request_to(target, &read, &fields, intent, 0, false)
}
