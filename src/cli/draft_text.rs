//! The text of a target file in the making, with comments that say what else can stand there.
//! It must not know where the file goes.

use std::fmt::Write as _;

use serde_json::Value;
use toml_edit::{InlineTable, Value as Toml};

use super::draft::{Account, Draft};

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

/// The comment below which the file's variables are listed.
const VARIABLES: &str =
    "# ${VARIABLES} come from the environment; their values are secrets and never shown.\n";

impl Written {
    /// Says in the file which variables it needs; knows from now on all of them, in the file's order.
    pub fn needs(&mut self, used: &[String]) {
        if used.is_empty() {
            return;
        }
        let listed = format!("{VARIABLES}# It needs: {}\n", used.join(", "));
        self.text = self.text.replacen(VARIABLES, &listed, 1);
        let known = std::mem::take(&mut self.variables);
        self.variables = used
            .iter()
            .map(|name| {
                let how = known.iter().find(|(known, _)| known == name);
                (name.clone(), how.map_or("...", |(_, how)| how).to_owned())
            })
            .collect();
    }
}

impl Draft {
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
        out.push_str(VARIABLES);
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
        for Account { name, id, headers } in &self.accounts {
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
        if self.accounts.iter().all(|account| account.name != "b") {
            out.push_str("# [account.b]                       # with a second account, keys of one are tried from the other\n");
            out.push_str("# headers = { Authorization = \"Bearer ${TOKEN_B}\" }\n\n");
        }
    }

    fn operation(&self, out: &mut String) {
        let flags = &self.flags;
        let plain = self.path.split('?').next().unwrap_or_default();
        let mut words = plain.split('/').filter(|word| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        });
        let name = words.next_back().unwrap_or("operation");
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
pub(super) fn toml(value: &Value) -> Option<Toml> {
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
