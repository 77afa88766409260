//! Lays the flags over the target file, as if they had been written there, and notes where each came from.
//! It must not know how arguments are parsed, nor whether the whole makes sense.

use serde_json::Value;

use super::diagnostic::Diagnostic;
use super::expand::{ExpandError, Variables, expand};
use super::flags::Flags;
use super::json_value::{FormSource, JsonSource, JsonValue, Text};
use super::operation_file::{BodyTable, CountTable, GetSource, StallTable};
use super::places::{COMMAND_LINE, Places};
use super::resolve_settings::variable;
use super::source::Source;
use super::target_file::{ExpireTable, PostgresTable, TargetFile};

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
struct Given {
    source: Source,
    value: String,
    start: usize,
}

impl Given {
    fn wrong(&self, title: impl Into<String>, help: impl Into<String>) -> Diagnostic {
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

    fn given(&mut self, flag: &str, value: Option<&str>) -> Option<Given> {
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

    fn all(&mut self, flag: &str, values: &[String]) -> Vec<Given> {
        values
            .iter()
            .filter_map(|value| self.given(flag, Some(value)))
            .collect()
    }

    fn note(&mut self, path: &[&str], given: &Given) {
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

    /// Flags that describe the request itself.
    fn request(&mut self, flags: &Flags, file: &mut TargetFile) {
        let headers = self.all("header", &flags.header);
        for given in &headers {
            let Some((name, value)) = given.value.split_once(':') else {
                self.errors
                    .push(given.wrong("expected Name: value", "such as -H 'X-Env: test'"));
                continue;
            };
            for (operation, table) in &mut file.operation.0 {
                table.headers.set_header(name.trim(), value.trim());
                self.places.write(
                    &["operation", operation, "headers", name.trim()],
                    &given.source,
                    given.start..given.source.text.len(),
                );
            }
        }
        if !flags.describe_a_request() {
            return;
        }
        let tested: Vec<String> = file
            .operation
            .0
            .iter()
            .filter(|(_, table)| !table.setup_only)
            .map(|(name, _)| name.clone())
            .collect();
        let [name] = tested.as_slice() else {
            if !tested.is_empty() {
                let title = format!(
                    "the flags describe one request, and the target has {}",
                    tested.join(", ")
                );
                self.errors.push(
                    Diagnostic::nowhere(title)
                        .help("name the one that is meant with --operation NAME"),
                );
            }
            return;
        };
        let name = name.clone();
        let table = file.operation.entry(&name);
        let path = |field: &'static str| ["operation".to_owned(), name.clone(), field.to_owned()];
        macro_rules! note {
            ($field:expr, $given:expr) => {{
                let path = path($field);
                self.note(&path.each_ref().map(String::as_str), $given);
            }};
        }
        if let Some(given) = self.given("request", flags.request.as_deref()) {
            let rest = table
                .request
                .as_deref()
                .and_then(|r| r.split_once(' '))
                .map_or("", |(_, path)| path);
            table.request = Some(format!("{} {rest}", given.value));
            note!("request", &given);
        }
        if let Some(given) = self.given("json", flags.json.as_deref()) {
            note!("json", &given);
            (table.form, table.text) = (None, None);
            table.json = Some(JsonSource(JsonValue(Value::String(given.value))));
        }
        let data = self.all("data", &flags.data);
        if let Some(first) = data.first() {
            note!("form", first);
            if flags.json.is_some() {
                self.errors
                    .push(first.wrong("a request has one body", "give --json or --data, not both"));
            }
            (table.json, table.text) = (None, None);
            let joined = data
                .iter()
                .map(|given| given.value.as_str())
                .collect::<Vec<_>>()
                .join("&");
            table.form = Some(FormSource(JsonValue(Value::String(joined))));
        }
        if let Some(given) = self.given("ref", flags.reference.as_deref()) {
            note!("ref", &given);
            table.r#ref = Some(given.value);
        }
        if let Some(given) = self.given("identity", flags.identity.as_deref()) {
            note!("identity", &given);
            table.identity = Some(given.value);
        }
        if let Some(given) = self.given("count-sql", flags.count_sql.as_deref()) {
            note!("count", &given);
            table.count = Some(CountTable {
                sql: Some(given.value),
                ..CountTable::default()
            });
        }
        if let Some(given) = self.given("count-get", flags.count_get.as_deref()) {
            note!("count", &given);
            if flags.count_sql.is_some() {
                self.errors.push(given.wrong(
                    "effects are counted in one way",
                    "give --count-sql or --count-get, not both",
                ));
            }
            table.count = Some(CountTable {
                get: Some(GetSource::Line(given.value)),
                ..CountTable::default()
            });
        }
        let success = self.all("success", &flags.success);
        if let Some(first) = success.first() {
            note!("success", first);
            table.success.clear();
        }
        for given in &success {
            for text in given.value.split(',') {
                match text.trim().parse() {
                    Ok(status) => table.success.push(status),
                    Err(_) => self.errors.push(
                        given.wrong(format!("`{text}` is no status"), "such as --success 201"),
                    ),
                }
            }
        }
        let changed = self.all("changed", &flags.changed);
        if !changed.is_empty() {
            *table.bodies.entry("changed") = BodyTable::default();
        }
        for given in &changed {
            let Some((pointer, value)) = given.value.split_once('=') else {
                self.errors
                    .push(given.wrong("expected POINTER=VALUE", "such as --changed /amount=49901"));
                continue;
            };
            // what is no JSON is meant as text: --changed /currency=USD
            let value =
                serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
            table
                .bodies
                .entry("changed")
                .set
                .set(pointer, JsonValue(value));
            self.note(
                &["operation", &name, "bodies", "changed", "set", pointer],
                given,
            );
            self.note(&["operation", &name, "bodies", "changed"], given);
        }
        if let Some(given) = self.given("slow", flags.slow.as_deref()) {
            let Some((header, value)) = given.value.split_once(':') else {
                self.errors
                    .push(given.wrong("expected Name: value", "such as --slow 'X-Delay: 1s'"));
                return;
            };
            table
                .bodies
                .entry("slow")
                .headers
                .set_header(header.trim(), value.trim());
            table.stall = Some(StallTable {
                slow: Some("slow".to_owned()),
                postgres: None,
            });
            self.note(&["operation", &name, "bodies", "slow"], &given);
            note!("stall", &given);
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
    let words = plain.split('/').filter(|word| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    });
    words.last().unwrap_or("operation").to_owned()
}

/// An error about a variable, at the place where it is used.
pub fn expand_error(
    source: &Source,
    within: std::ops::Range<usize>,
    error: &ExpandError,
) -> Diagnostic {
    let (part, title, help) = match error {
        ExpandError::Unset(name) => (
            format!("${{{name}}}"),
            format!("the variable `{name}` is not set"),
            format!("set it: export {name}=...; a `${{` that is meant as text is written $${{"),
        ),
        ExpandError::Malformed(part) => (
            part.clone(),
            "expected ${VARIABLE}".to_owned(),
            "a `${` that is meant as text is written $${".to_owned(),
        ),
    };
    let found = source
        .text
        .get(within.clone())
        .and_then(|text| text.find(&part));
    let span = found.map_or(within.clone(), |at| {
        within.start + at..within.start + at + part.len()
    });
    Diagnostic::new(source, span, title).help(help)
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
