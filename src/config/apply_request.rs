//! Lays the flags that describe the request itself over the operation that they are about.
//! It must not know how arguments are parsed, nor whether the whole makes sense.

use serde_json::Value;

use super::apply_flags::Layover;
use super::diagnostic::Diagnostic;
use super::flags::Flags;
use super::json_value::{FormSource, JsonSource, JsonValue};
use super::operation_file::{BodyTable, CountTable, GetSource, StallTable};
use super::target_file::TargetFile;

impl Layover<'_, '_> {
    /// Flags that describe the request itself.
    pub fn request(&mut self, flags: &Flags, file: &mut TargetFile) {
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
