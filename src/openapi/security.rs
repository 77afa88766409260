//! Security schemes as the credentials of an account: headers with `${VARIABLES}`.
//! It must not know any operation.

use serde_json::Value;

use super::document::Document;

/// Credentials of one account.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Credentials {
    /// Headers; `{}` stands for the account's letter.
    pub headers: Vec<(String, String)>,
    /// Variables, and what to set them to.
    pub variables: Vec<(String, String)>,
    /// What cannot be a header.
    pub left_out: Vec<String>,
}

/// The first requirement of the document, or of an operation where the document has none; else the first scheme.
pub fn all(document: &Document<'_>) -> Credentials {
    let root = document.root;
    let schemes = root["components"]["securitySchemes"].as_object();
    let mut credentials = Credentials::default();
    let Some(schemes) = schemes.filter(|schemes| !schemes.is_empty()) else {
        return credentials;
    };
    let required = requirement(&root["security"]).or_else(|| {
        let paths = root["paths"].as_object()?.values();
        let mut operations =
            paths.flat_map(|path| path.as_object().into_iter().flat_map(|o| o.values()));
        operations.find_map(|operation| requirement(&operation["security"]))
    });
    let first = || schemes.keys().next().cloned().into_iter().collect();
    for name in required.unwrap_or_else(first) {
        if let Some(scheme) = schemes.get(&name) {
            one(&name, document.resolve(scheme), &mut credentials);
        }
    }
    credentials
}

/// The names of the first requirement that asks for anything.
fn requirement(security: &Value) -> Option<Vec<String>> {
    let mut all = security.as_array()?.iter().filter_map(Value::as_object);
    let first = all.find(|names| !names.is_empty())?;
    Some(first.keys().cloned().collect())
}

fn one(name: &str, scheme: &Value, credentials: &mut Credentials) {
    let mut add = |header: &str, prefix: &str, variable: String, how: &str| {
        let value = format!("{prefix}${{{variable}}}");
        credentials.headers.push((header.to_owned(), value));
        credentials.variables.push((variable, how.to_owned()));
    };
    match (scheme["type"].as_str(), scheme["in"].as_str()) {
        (Some("http"), _)
            if scheme["scheme"]
                .as_str()
                .is_some_and(|s| s.eq_ignore_ascii_case("basic")) =>
        {
            add(
                "Authorization",
                "Basic ",
                "BASIC_{}".to_owned(),
                "$(printf %s \"$USER:$PASSWORD\" | base64 -w0)",
            );
        }
        (Some("http" | "oauth2" | "openIdConnect"), _) => {
            add("Authorization", "Bearer ", "TOKEN_{}".to_owned(), "...");
        }
        (Some("apiKey"), Some("header")) => {
            let header = scheme["name"].as_str().unwrap_or("X-API-Key");
            add(header, "", format!("{}_{{}}", shouted(name)), "...");
        }
        (Some("apiKey"), Some("cookie")) => {
            let cookie = scheme["name"].as_str().unwrap_or("session");
            add(
                "Cookie",
                &format!("{cookie}="),
                format!("{}_{{}}", shouted(name)),
                "...",
            );
        }
        _ => credentials
            .left_out
            .push(format!("the security scheme {name}: it is no header")),
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
