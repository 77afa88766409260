//! How effects are counted, with what can be said of it before anything is sent.
//! It must not know how statements, requests or commands are carried out.

use super::operation_file::{CountTable, GetSource, GetTable, MatchTable};
use super::resolver::{Resolver, placeholder_names};
use super::target::{Account, Body, Counter, Operation};

impl Resolver<'_> {
    /// The counter of an operation.
    pub fn counter(
        &mut self,
        path: &[&str],
        table: &CountTable,
        operation: &Operation,
        accounts: &[Account],
    ) -> Option<Counter> {
        let path = [path, &["count"]].concat();
        let at = |names: &[&'static str]| [path.as_slice(), names].concat();
        let given = [
            ("sql", table.sql.is_some()),
            ("get", table.get.is_some()),
            ("command", table.command.is_some()),
            ("sink", table.sink.is_some()),
        ];
        self.exactly_one(&path, "a count", &given)?;
        let counter = if let Some(sql) = &table.sql {
            self.database(&at(&["sql"]), "count");
            self.reads_only(&at(&["sql"]), sql);
            self.sql_parameters(&at(&["sql"]), sql, accounts);
            Counter::Sql { sql: sql.clone() }
        } else if let Some(get) = &table.get {
            self.get_counter(&at(&["get"]), get, operation, accounts)?
        } else if let Some(words) = &table.command {
            Counter::Command(self.command(&at(&["command"]), words, table.timeout)?)
        } else {
            let sink = table.sink.as_ref()?;
            if sink.listen.parse::<core::net::SocketAddr>().is_err() {
                let error = self.places.error(
                    &at(&["sink", "listen"]),
                    format!("`{}` is no address to listen on", sink.listen),
                );
                self.wrong(error.help("such as 127.0.0.1:9099"));
            }
            Counter::Sink {
                listen: sink.listen.clone(),
                path: sink.path.clone(),
            }
        };
        self.reference_is_sent(&path, &counter, operation, accounts);
        Some(counter)
    }

    /// Of several ways exactly one is given.
    pub fn exactly_one(&mut self, path: &[&str], what: &str, given: &[(&str, bool)]) -> Option<()> {
        let names: Vec<&str> = given
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| *name)
            .collect();
        if names.len() == 1 {
            return Some(());
        }
        let all: Vec<String> = given.iter().map(|(name, _)| format!("`{name}`")).collect();
        let error = match names.get(1) {
            Some(second) => {
                let error = self.places.error_at_name(
                    &[path, &[second]].concat(),
                    format!("{what} does one thing, here are {}", names.join(" and ")),
                );
                error.label("a second one")
            }
            None => self.places.error(path, format!("{what} does nothing")),
        };
        self.wrong(error.help(format!("give exactly one of {}", all.join(", "))));
        None
    }

    /// A statement needs a database.
    pub fn database(&mut self, path: &[&str], what: &str) {
        if self.file.postgres.is_none() {
            let error = self
                .places
                .error_at_name(path, format!("the {what} needs a database"));
            self.wrong(error.help("add [postgres] with url = \"${DATABASE_URL}\", or give --postgres '${DATABASE_URL}'"));
        }
    }

    fn reads_only(&mut self, path: &[&str], sql: &str) {
        let first = sql
            .trim_start()
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default()
            .to_ascii_uppercase();
        if !["SELECT", "WITH", "TABLE", "VALUES"].contains(&first.as_str()) {
            let error = self
                .places
                .error(path, "a count reads and does nothing else");
            self.wrong(error.help("such as SELECT count(*) FROM payments WHERE reference = :ref"));
        }
    }

    /// Parameters of a statement, as far as names show them.
    pub fn sql_parameters(&mut self, path: &[&str], sql: &str, accounts: &[Account]) {
        let bound = crate::plan::sql::bind(sql);
        for name in &bound.unknown {
            let error = self.places.error_within(
                path,
                &format!(":{name}"),
                format!("there is no parameter `:{name}`"),
            );
            let known = ["key", "wire_key", "account", "ref", "run"];
            let label = super::nearest::nearest(name, known)
                .map_or(String::new(), |near| format!("did you mean `:{near}`?"));
            self.wrong(
                error
                    .label(label)
                    .help("parameters are :key, :wire_key, :account, :ref and :run"),
            );
        }
        if bound
            .parameters
            .contains(&crate::plan::sql::Parameter::Account)
            && let Some(account) = accounts.iter().find(|account| account.id.is_none())
        {
            let error = self.places.error_within(
                path,
                ":account",
                format!("the account `{}` has no id for `:account`", account.name),
            );
            self.wrong(error.help(format!(
                "add it: [account.{}] id = \"...\", or --account-id {}=...",
                account.name, account.name
            )));
        }
        use crate::plan::sql::Parameter::{Key, Reference, WireKey};
        if !bound
            .parameters
            .iter()
            .any(|p| matches!(p, Key | WireKey | Reference))
            && bound.unknown.is_empty()
        {
            let error = self
                .places
                .error(path, "the statement tells no request from another");
            self.wrong(error.help("compare a column with :ref (best), or with :key"));
        }
    }

    /// Nothing can be counted by a reference that is never sent.
    fn reference_is_sent(
        &mut self,
        path: &[&str],
        counter: &Counter,
        operation: &Operation,
        accounts: &[Account],
    ) {
        let by_reference = match counter {
            Counter::Sql { sql } => crate::plan::sql::bind(sql)
                .parameters
                .contains(&crate::plan::sql::Parameter::Reference),
            Counter::Get { path, matching, .. } => {
                let mut texts = vec![path.as_str()];
                texts.extend(matching.iter().map(|(_, is)| is.as_str()));
                texts
                    .iter()
                    .any(|text| placeholder_names(text).iter().any(|name| name == "ref"))
            }
            Counter::Sink { .. } => true,
            Counter::Command(_) => false,
        };
        let has = |text: &str| placeholder_names(text).iter().any(|name| name == "ref");
        let in_body = |body: &Body| match body {
            Body::Empty => false,
            Body::Json(text) | Body::Text { text, .. } => has(text),
            Body::Form(fields) => fields.iter().any(|(_, value)| has(value)),
        };
        let sent = operation.reference_at.is_some()
            || has(&operation.path)
            || in_body(&operation.body)
            || operation.headers.iter().any(|(_, value)| has(value))
            || accounts
                .iter()
                .any(|account| account.headers.iter().any(|(_, value)| has(value)));
        if by_reference && !sent {
            let error = self.places.error(
                path,
                "the count looks for a reference that no request carries",
            );
            self.wrong(error.help("say where the reference goes: ref = \"/reference\" (or --ref), or write {{ref}} into the body"));
        }
    }

    /// The GET that shows the effects.
    pub fn read(
        &mut self,
        path: &[&str],
        read: &str,
        operation: &Operation,
        accounts: &[Account],
    ) -> String {
        let at = [path, &["read"]].concat();
        self.path_or_url(&at, read);
        let filled: Vec<&str> = operation.needs.keys().map(String::as_str).collect();
        self.placeholders(&at, read, accounts, &filled);
        read.to_owned()
    }

    /// A path after the base URL, or a whole URL.
    fn path_or_url(&mut self, at: &[&str], text: &str) {
        let is_url = ["http://", "https://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        if !is_url && !text.starts_with('/') {
            let error = self.places.error(at, format!("`{text}` is no path"));
            self.wrong(error.help(
                "a path begins with `/` and follows the base URL; a whole URL begins with http",
            ));
        }
    }

    fn get_counter(
        &mut self,
        path: &[&str],
        source: &GetSource,
        operation: &Operation,
        accounts: &[Account],
    ) -> Option<Counter> {
        let parsed;
        let (table, below) = match source {
            GetSource::Table(table) => (table, true),
            GetSource::Line(line) => match parse_get(line) {
                Some(table) => {
                    parsed = table;
                    (&parsed, false)
                }
                None => {
                    let error = self.places.error(path, "expected PATH#/pointer");
                    self.wrong(error.help("such as \"/payments?reference={{ref}}#/count\", or for a list \"/payments#/data[/reference={{ref}}]\""));
                    return None;
                }
            },
        };
        let at = |name: &'static str| {
            if below {
                [path, &[name]].concat()
            } else {
                path.to_vec()
            }
        };
        self.path_or_url(&at("path"), &table.path);
        for (name, pointer) in [
            ("at", table.at.as_str()),
            ("match", table.r#match.as_ref().map_or("", |m| &m.field)),
        ] {
            let xml = name == "at" && table.r#match.is_none() && pointer.starts_with("xml:/");
            if !pointer.is_empty() && !pointer.starts_with('/') && !xml {
                let error = self
                    .places
                    .error(&at(name), format!("`{pointer}` is no JSON Pointer"));
                self.wrong(
                    error.help("a JSON Pointer begins with `/`, such as \"/count\" or \"/data\"; elements of XML are counted by xml:/A/B, without match"),
                );
            }
        }
        let filled: Vec<&str> = operation.needs.keys().map(String::as_str).collect();
        self.placeholders(&at("path"), &table.path, accounts, &filled);
        if let Some(matching) = &table.r#match {
            self.placeholders(&at("match"), &matching.is, accounts, &filled);
        }
        self.headers(&at("headers"), &table.headers.0);
        let texts: Vec<&str> = [table.path.as_str()]
            .into_iter()
            .chain(table.r#match.iter().map(|m| m.is.as_str()))
            .collect();
        let apart = ["ref", "key", "wire_key", "uuid", "n"];
        let names: Vec<String> = texts
            .iter()
            .flat_map(|text| placeholder_names(text))
            .collect();
        let by_need = names.iter().any(|name| filled.contains(&name.as_str()));
        if !by_need && !names.iter().any(|name| apart.contains(&name.as_str())) {
            let error = self
                .places
                .error(path, "the count tells no request from another");
            self.wrong(error.help("put {{ref}} or {{key}} into the path, or count a list's elements with match = { field = \"/reference\", is = \"{{ref}}\" }"));
        }
        Some(Counter::Get {
            path: table.path.clone(),
            headers: table.headers.0.clone(),
            at: table.at.clone(),
            matching: table
                .r#match
                .as_ref()
                .map(|m| (m.field.clone(), m.is.clone())),
            page: table.page,
        })
    }
}

/// `PATH#/pointer` or `PATH#/pointer[/field=text]`.
pub fn parse_get(line: &str) -> Option<GetTable> {
    let (path, rest) = line.split_once('#')?;
    let (at, matching) = match rest.split_once('[') {
        None => (rest, None),
        Some((at, matching)) => {
            let (field, is) = matching.strip_suffix(']')?.split_once('=')?;
            (
                at,
                Some(MatchTable {
                    field: field.to_owned(),
                    is: is.to_owned(),
                }),
            )
        }
    };
    let is_pointer = at.is_empty() || at.starts_with('/') || at.starts_with("xml:/");
    is_pointer.then(|| GetTable {
        path: path.to_owned(),
        at: at.to_owned(),
        r#match: matching,
        ..GetTable::default()
    })
}

#[cfg(test)]
mod tests {
    use super::parse_get;

    #[test]
    fn a_get_counter_fits_into_one_argument() {
        let number = parse_get("/payments?reference={{ref}}#/count").unwrap();
        assert_eq!(
            (number.path.as_str(), number.at.as_str()),
            ("/payments?reference={{ref}}", "/count")
        );
        let list = parse_get("/payments#/data[/reference={{ref}}]").unwrap();
        assert_eq!(list.at, "/data");
        assert_eq!(list.r#match.unwrap().field, "/reference");
        assert_eq!(parse_get("/payments?reference={{ref}}#").unwrap().at, "");
        assert_eq!(
            parse_get("/payments?r={{ref}}#xml:/List/Item").unwrap().at,
            "xml:/List/Item"
        );
        assert!(parse_get("/payments").is_none());
        assert!(parse_get("/payments#count").is_none());
    }
}
