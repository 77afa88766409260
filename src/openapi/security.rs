//! Security schemes as the credentials of an account, with `${VARIABLES}` for all that is secret.
//! It must not know any operation.

use serde_json::Value;

use super::document::Document;
use super::toml_text::{table, text};

/// Credentials of one account; `{}` stands for the account's letter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Credentials {
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Further lines of the account's table (`basic`, `oauth`).
    pub lines: Vec<String>,
    /// What stands in every query. It is the same for all accounts.
    pub query: Vec<(String, String)>,
    /// Variables, and what to set them to.
    pub variables: Vec<(String, String)>,
    /// What cannot be sent.
    pub left_out: Vec<String>,
}

/// The first requirement of the document, or what most operations ask for where the document has none; else the first scheme.
pub fn all(document: Document<'_>) -> Credentials {
    let root = document.root;
    let schemes = root["components"]["securitySchemes"].as_object();
    let mut credentials = Credentials::default();
    let Some(schemes) = schemes.filter(|schemes| !schemes.is_empty()) else {
        return credentials;
    };
    let required = requirement(root, &root["security"]).or_else(|| most_asked(root));
    let first = || schemes.keys().next().cloned().into_iter().collect();
    for name in required.unwrap_or_else(first) {
        if let Some(scheme) = schemes.get(&name) {
            one(document, &name, document.resolve(scheme), &mut credentials);
        }
    }
    credentials
}

/// What most operations ask for.
fn most_asked(root: &Value) -> Option<Vec<String>> {
    let mut counted: Vec<(Vec<String>, usize)> = Vec::new();
    let paths = root["paths"].as_object().into_iter().flatten();
    let operations = paths.filter_map(|(_, path)| path.as_object()).flatten();
    for asked in operations.filter_map(|(_, operation)| requirement(root, &operation["security"])) {
        match counted.iter_mut().find(|(known, _)| *known == asked) {
            Some((_, count)) => *count += 1,
            None => counted.push((asked, 1)),
        }
    }
    let most = counted.iter().map(|(_, count)| *count).max()?;
    let first = counted.into_iter().find(|(_, count)| *count == most);
    first.map(|(asked, _)| asked)
}

/// The names of the first requirement that asks for anything; one that differs by account before one that all accounts share.
fn requirement(root: &Value, security: &Value) -> Option<Vec<String>> {
    let all = security.as_array()?.iter().filter_map(Value::as_object);
    let all: Vec<Vec<String>> = all
        .filter(|names| !names.is_empty())
        .map(|names| names.keys().cloned().collect())
        .collect();
    let schemes = &root["components"]["securitySchemes"];
    let is_own = |names: &&Vec<String>| names.iter().all(|name| schemes[name]["in"] != "query");
    all.iter().find(is_own).or(all.first()).cloned()
}

fn one(document: Document<'_>, name: &str, scheme: &Value, credentials: &mut Credentials) {
    let is_basic = scheme["scheme"]
        .as_str()
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic"));
    let told = scheme["name"].as_str();
    match (scheme["type"].as_str(), scheme["in"].as_str()) {
        (Some("http"), _) if is_basic => {
            credentials.lines.push(
                "basic   = { user = \"${USER_{}}\", password = \"${PASSWORD_{}}\" }".to_owned(),
            );
            credentials.variable("USER_{}");
            credentials.variable("PASSWORD_{}");
        }
        (Some("oauth2"), _) if client_credentials(document, scheme).is_some() => {
            let (url, scopes) = client_credentials(document, scheme).unwrap_or_default();
            let parts = [
                ("token-url", text(&url)),
                ("client-id", text("${CLIENT_ID_{}}")),
                ("client-secret", text("${CLIENT_SECRET_{}}")),
            ];
            let parts = parts.map(|(name, value)| (name.to_owned(), value));
            credentials
                .lines
                .push(format!("oauth   = {}", table(parts.into_iter())));
            if !scopes.is_empty() {
                credentials
                    .lines
                    .push(format!("# scope = {} can be added there", text(&scopes)));
            }
            credentials.variable("CLIENT_ID_{}");
            credentials.variable("CLIENT_SECRET_{}");
        }
        (Some("http" | "oauth2" | "openIdConnect"), _) => {
            credentials.header("Authorization", "Bearer ", "TOKEN_{}");
        }
        (Some("apiKey"), Some("header")) => {
            let header = told.unwrap_or("X-API-Key");
            credentials.header(header, "", &format!("{}_{{}}", shouted(name)));
        }
        (Some("apiKey"), Some("cookie")) => {
            let cookie = told.unwrap_or("session");
            credentials.header(
                "Cookie",
                &format!("{cookie}="),
                &format!("{}_{{}}", shouted(name)),
            );
        }
        (Some("apiKey"), Some("query")) => {
            let variable = shouted(name);
            let value = format!("${{{variable}}}");
            credentials
                .query
                .push((told.unwrap_or("key").to_owned(), value));
            credentials.variable(&variable);
        }
        _ => credentials
            .left_out
            .push(format!("the security scheme {name}: it cannot be sent")),
    }
}

/// The token URL and the scopes of client credentials, where the scheme has them.
fn client_credentials(document: Document<'_>, scheme: &Value) -> Option<(String, String)> {
    let flow = &scheme["flows"]["clientCredentials"];
    let url = flow["tokenUrl"].as_str()?;
    // a relative one follows the server's host, not its path
    let base = url::Url::parse(&document.server()?).ok()?;
    let url = base.join(url).ok()?;
    let scopes = flow["scopes"].as_object().into_iter().flatten();
    let scopes: Vec<&str> = scopes.map(|(name, _)| name.as_str()).take(3).collect();
    let is_web = ["http", "https"].contains(&url.scheme()) && !url.as_str().contains('$');
    is_web.then(|| (url.to_string(), scopes.join(" ")))
}

impl Credentials {
    fn header(&mut self, header: &str, prefix: &str, variable: &str) {
        // two schemes in one header are two ways to say the same
        let is_taken = |(known, _): &(String, String)| known.eq_ignore_ascii_case(header);
        if self.headers.iter().any(is_taken) || !super::parameter::is_header(header) {
            self.left_out
                .push(format!("credentials in the header {header}"));
            return;
        }
        let value = format!("{prefix}${{{variable}}}");
        self.headers.push((header.to_owned(), value));
        self.variable(variable);
    }

    fn variable(&mut self, variable: &str) {
        self.variables.push((variable.to_owned(), "...".to_owned()));
    }
}

/// A name as a variable of the environment.
fn shouted(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_uppercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert_str(0, "KEY_");
    }
    out.trim_end_matches('_').to_owned()
}
