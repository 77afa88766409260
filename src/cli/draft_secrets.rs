//! Takes credentials out of a target file in the making: variables stand in their places.
//! It must not know where the file goes, nor keep what it has taken out.

use serde_json::Value;

use super::draft::Draft;

/// How a Basic credential is made.
pub(super) const BASIC: &str = "$(printf %s 'USER:PASSWORD' | base64 -w0)";

impl Draft {
    /// `http://user:password@host` is a Basic credential.
    pub(super) fn without_user(&mut self, url: &str) -> String {
        let Some((scheme, rest)) = url.split_once("://") else {
            return url.to_owned();
        };
        let authority = rest.find(['/', '?']).unwrap_or(rest.len());
        match rest[..authority].rfind('@') {
            None => url.to_owned(),
            Some(sign) => {
                let name = self.variable("BASIC_A", BASIC);
                self.account("a")
                    .headers
                    .push(("Authorization".to_owned(), format!("Basic {name}")));
                format!("{scheme}://{}", &rest[sign + 1..])
            }
        }
    }

    pub(super) fn without_secret_pair(&mut self, pair: &str) -> String {
        match pair.split_once('=') {
            Some((name, value)) if is_secret_name(name) && !value.contains("${") => {
                let variable = self.variable(&shell_name(name), "...");
                format!("{name}={variable}")
            }
            _ => pair.to_owned(),
        }
    }

    /// JSON text whose members with telling names hold variables; everything else stays as it is.
    pub(super) fn without_secrets(&mut self, text: String) -> String {
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
    pub(super) fn credential(&mut self, lower: &str, value: &str, account: &str) -> Option<String> {
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
            ("BASIC", BASIC)
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

    pub(super) fn variable(&mut self, name: &str, how: &str) -> String {
        if self.variables.iter().all(|(known, _)| known != name) {
            self.variables.push((name.to_owned(), how.to_owned()));
        }
        format!("${{{name}}}")
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
