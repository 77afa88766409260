//! Lays the flags over the target file, as if they had been written there, and notes where each came from.
//! It must not know how arguments are parsed, nor whether the whole makes sense.

use super::diagnostic::Diagnostic;
use super::expand::{Variables, expand};
use super::flags::Flags;
use super::gathering::variable;
use super::json_value::Text;
use super::places::{COMMAND_LINE, Places};
use super::source::Source;
use super::target_file::{ExpireTable, PostgresTable, TargetFile};
use super::variables::expand_error;

/// What laying over needs and finds.
pub struct Layover<'a, 's> {
    /// The environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Flags that were not typed but come from `DOUBLETAP_*` variables.
    pub from_env: &'a [&'static str],
    /// Variables used so far.
    pub used: &'a mut Variables,
    /// Where everything was written.
    pub places: &'a mut Places<'s>,
    /// What was wrong.
    pub errors: Vec<Diagnostic>,
}

/// A flag's value, expanded, with the text that shows it.
#[derive(Clone)]
pub struct Given {
    /// What was typed.
    pub source: Source,
    /// Its value.
    pub value: String,
    /// Where the value begins.
    pub start: usize,
}

impl Given {
    /// An error at the value.
    pub fn wrong(&self, title: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.source, self.start..self.source.text.len(), title).help(help)
    }
}

impl Layover<'_, '_> {
    /// Lays the flags over a file (an empty one where there is none).
    pub fn apply(&mut self, flags: &Flags, file: &mut TargetFile, has_file: bool) {
        if has_file {
            self.base_urls(flags, file);
        } else {
            self.endpoint(flags, file);
        }
        self.accounts(flags, file);
        if let Some(given) = self.given("policy", flags.policy.as_deref()) {
            self.note(&["policy"], &given);
            file.policy = Some(given.value);
        }
        if let Some(given) = self.given("postgres", flags.postgres.as_deref()) {
            self.note(&["postgres"], &given);
            self.note(&["postgres", "url"], &given);
            let timeout = file.postgres.take().and_then(|old| old.statement_timeout);
            file.postgres = Some(PostgresTable {
                url: given.value,
                statement_timeout: timeout,
            });
        }
        if let Some(given) = self.given("expire-sql", flags.expire_sql.as_deref()) {
            self.note(&["expire"], &given);
            file.expire = Some(ExpireTable {
                sql: Some(given.value),
                ..ExpireTable::default()
            });
        }
        if let Some(given) = self.given("expire-wait", flags.expire_wait.as_deref()) {
            self.note(&["expire"], &given);
            match given.value.parse() {
                Ok(length) => {
                    file.expire = Some(ExpireTable {
                        wait: Some(length),
                        ..ExpireTable::default()
                    })
                }
                Err(error) => self
                    .errors
                    .push(given.wrong(error, "such as --expire-wait 90s")),
            }
        }
        self.only(flags, file);
        self.request(flags, file);
    }

    /// A flag's value, expanded.
    pub fn given(&mut self, flag: &str, value: Option<&str>) -> Option<Given> {
        let value = value?;
        let source = if self.from_env.contains(&flag) {
            Source::new("environment", format!("{}={value}", variable(flag)))
        } else {
            Source::new(COMMAND_LINE, format!("--{flag} {value}"))
        };
        let start = source.text.len() - value.len();
        match expand(value, self.env, self.used) {
            Ok(expanded) => Some(Given {
                source,
                value: expanded.unwrap_or_else(|| value.to_owned()),
                start,
            }),
            Err(error) => {
                self.errors
                    .push(expand_error(&source, start..source.text.len(), &error));
                None
            }
        }
    }

    /// The values of a repeatable flag.
    pub fn all(&mut self, flag: &str, values: &[String]) -> Vec<Given> {
        values
            .iter()
            .filter_map(|value| self.given(flag, Some(value)))
            .collect()
    }

    /// Notes that a value was given by a flag.
    pub fn note(&mut self, path: &[&str], given: &Given) {
        self.places
            .write(path, &given.source, given.start..given.source.text.len());
    }

    fn base_urls(&mut self, flags: &Flags, file: &mut TargetFile) {
        let given = self.all("url", &flags.url);
        let Some(first) = given.first() else { return };
        self.note(&["url"], first);
        self.note(&["urls"], first);
        file.url = None;
        file.replica.clear();
        file.urls = given.iter().map(|given| given.value.clone()).collect();
        for (n, given) in given.iter().enumerate() {
            self.note(&["urls", &n.to_string()], given);
        }
    }

    /// Without a file `--url` names the endpoint: what follows the host is the operation's path.
    fn endpoint(&mut self, flags: &Flags, file: &mut TargetFile) {
        let given = self.all("url", &flags.url);
        let Some(first) = given.first().cloned() else {
            return;
        };
        let (_, path) = split_endpoint(&first.value);
        let name = operation_name(path);
        let table = file.operation.entry(&name);
        let method = flags.request.clone().unwrap_or_else(|| "POST".to_owned());
        table.request = Some(format!("{method} {path}"));
        self.note(&["operation", &name], &first);
        for (n, given) in given.iter().enumerate() {
            let (base, other) = split_endpoint(&given.value);
            if other != path {
                self.errors.push(given.wrong(
                    "the endpoints have different paths",
                    "replicas of one service answer under the same path",
                ));
            }
            file.urls.push(base.to_owned());
            self.note(&["urls", &n.to_string()], given);
        }
    }

    fn accounts(&mut self, flags: &Flags, file: &mut TargetFile) {
        for given in self.all("account", &flags.account) {
            let header = given
                .value
                .split_once('=')
                .and_then(|(name, header)| Some((name, header.split_once(':')?)));
            let Some((name, (header, value))) = header else {
                self.errors.push(given.wrong(
                    "expected NAME=Header: value",
                    "such as --account a='Authorization: Bearer ${TOKEN_A}'",
                ));
                continue;
            };
            self.note(&["account", name, "headers", header.trim()], &given);
            if file.account.get(name).is_none() {
                self.note(&["account", name], &given);
            }
            file.account
                .entry(name)
                .headers
                .set_header(header.trim(), value.trim());
        }
        for given in self.all("account-id", &flags.account_id) {
            let Some((name, id)) = given.value.split_once('=') else {
                self.errors
                    .push(given.wrong("expected NAME=ID", "such as --account-id a=17"));
                continue;
            };
            self.note(&["account", name, "id"], &given);
            if file.account.get(name).is_none() {
                self.note(&["account", name], &given);
            }
            file.account.entry(name).id = Some(Text(id.to_owned()));
        }
    }

    /// `--operation`: the others are only there to set up.
    fn only(&mut self, flags: &Flags, file: &mut TargetFile) {
        let given = self.all("operation", &flags.operation);
        for given in &given {
            if file.operation.get(&given.value).is_none() {
                let known: Vec<&str> = file.operation.names().collect();
                let error = given.wrong(
                    format!("there is no operation `{}`", given.value),
                    format!("known: {}", known.join(", ")),
                );
                let near = super::nearest::nearest(&given.value, known);
                self.errors.push(
                    error.label(
                        near.map_or(String::new(), |near| format!("did you mean `{near}`?")),
                    ),
                );
            }
        }
        if !given.is_empty() {
            for (name, table) in &mut file.operation.0 {
                table.setup_only = !given.iter().any(|given| given.value == *name);
            }
        }
    }
}

/// `http://host/payments?x=1`: the base URL, then path and query as they were typed.
fn split_endpoint(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..]
        .find(['/', '?'])
        .map_or(url.len(), |at| host + at);
    url.split_at(end)
}

/// The last word of a path: `payments` of `/v1/payments`.
fn operation_name(path: &str) -> String {
    let plain = path.split('?').next().unwrap_or_default();
    let mut words = plain.split('/').filter(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    });
    words.next_back().unwrap_or("operation").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{operation_name, split_endpoint};

    #[test]
    fn an_endpoint_is_a_base_url_and_a_path_as_typed() {
        assert_eq!(
            split_endpoint("http://h:1/a/{{n}}?b=c"),
            ("http://h:1", "/a/{{n}}?b=c")
        );
        assert_eq!(split_endpoint("https://h"), ("https://h", ""));
        assert_eq!(operation_name("/v1/payments?x=/y"), "payments");
        assert_eq!(operation_name("/v1/payments/{{payment}}"), "payments");
        assert_eq!(operation_name(""), "operation");
    }
}
