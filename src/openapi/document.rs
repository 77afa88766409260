//! The document with its references: where `$ref` leads, which server is meant, how often a schema is entered.
//! It must not know what a schema or an operation means.

use serde_json::Value;

/// References of references end here: a ring must not run for ever.
const DEEPEST: usize = 16;

/// The document.
#[derive(Clone, Copy)]
pub struct Document<'d> {
    /// All of it.
    pub root: &'d Value,
}

impl<'d> Document<'d> {
    pub fn new(root: &'d Value) -> Self {
        Self { root }
    }

    /// What a value stands for: itself, or where its `$ref` leads inside the document.
    pub fn resolve(self, value: &'d Value) -> &'d Value {
        let mut value = value;
        for _ in 0..DEEPEST {
            let Some(pointer) = value["$ref"].as_str().and_then(|at| at.strip_prefix('#')) else {
                return value;
            };
            match self.root.pointer(&decoded(pointer)) {
                Some(found) => value = found,
                None => return value,
            }
        }
        value
    }

    /// The base URL: the server that is a sandbox by its name, else the first. `None`: none is named, or a relative one.
    pub fn server(self) -> Option<String> {
        let servers = self.root["servers"].as_array()?;
        let is_test = |server: &&Value| {
            let text = format!("{} {}", server["url"], server["description"]).to_lowercase();
            ["sandbox", "test", "demo", "staging", "localhost"]
                .iter()
                .any(|word| text.contains(word))
        };
        let server = servers.iter().find(is_test).or_else(|| servers.first())?;
        let mut url = server["url"].as_str()?.to_owned();
        if let Some(variables) = server["variables"].as_object() {
            for (name, variable) in variables {
                let value = variable["default"].as_str().unwrap_or_default();
                url = url.replace(&format!("{{{name}}}"), value);
            }
        }
        let whole = url.starts_with("http://") || url.starts_with("https://");
        (whole && !url.contains(['{', '$', '?', '#'])).then(|| url.trim_end_matches('/').to_owned())
    }
}

/// A fragment of a URL: `%7B` for `{`.
fn decoded(pointer: &str) -> String {
    percent_encoding::percent_decode_str(pointer)
        .decode_utf8_lossy()
        .into_owned()
}
