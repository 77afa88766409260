//! The parts of an operation: variants, the reference, the identity, the hold, and the placeholders of all texts.
//! It must not know how requests are sent.

use std::collections::BTreeMap;

use super::body::{Written, body, first_integer, probe};
use super::edits::{led_astray, set, try_edits};
use super::operation_file::{BodyTable, OperationTable};
use super::resolver::Resolver;
use super::target::{Account, Body, Identity, Operation, Stall, Variant};
use crate::contract::Length;

impl Resolver<'_> {
    /// Statuses are numbers of HTTP.
    pub fn statuses(&mut self, path: &[&str], statuses: &[u16]) {
        for (n, status) in statuses.iter().enumerate() {
            if !(100..600).contains(status) {
                let error = self.places.error(
                    &[path, &[&n.to_string()]].concat(),
                    format!("{status} is no HTTP status"),
                );
                self.wrong(error.help("statuses are 100 to 599"));
            }
        }
    }

    /// A variant, its edits tried out on the base body.
    pub fn variant(&mut self, path: &[&str], table: &BodyTable, base: &Body) -> Variant {
        let written = Written {
            json: table.json.as_ref(),
            form: table.form.as_ref(),
            text: table.text.as_deref(),
            content_type: table.content_type.as_deref(),
        };
        let whole = body(self.places, path, &written, &mut self.wrong);
        self.headers(&[path, &["headers"]].concat(), &table.headers.0);
        self.statuses(&[path, &["expect"]].concat(), &table.expect);
        let variant = Variant {
            set: table
                .set
                .0
                .iter()
                .map(|(at, value)| (at.clone(), value.0.clone()))
                .collect(),
            remove: table.remove.clone(),
            body: whole,
            headers: table.headers.0.clone(),
            expect: table.expect.clone(),
        };
        let edits = !variant.set.is_empty() || !variant.remove.is_empty();
        if edits && variant.body.is_some() {
            let error = self
                .places
                .error_at_name(path, "a variant has edits or a whole body, not both");
            self.wrong(error.help("write the edited values into the body"));
        } else if !edits
            && variant.body.is_none()
            && variant.headers.is_empty()
            && path.last() == Some(&"changed")
        {
            let error = self
                .places
                .error_at_name(path, "the changed body is the same as the base one");
            self.wrong(
                error.help("give `set`, `remove`, `headers`, or a whole `json`, `form` or `text`"),
            );
        } else {
            try_edits(self.places, path, base, &variant, &mut self.wrong);
        }
        variant
    }

    /// Where the tool's own reference goes.
    pub fn reference(
        &mut self,
        path: &[&str],
        pointer: Option<&str>,
        base: &Body,
    ) -> Option<String> {
        let pointer = pointer?;
        let why = match base {
            Body::Json(text) => match probe(text) {
                Ok(mut value) => match led_astray(&value, pointer, false) {
                    Some((why, help)) => Some(format!("{why}; {help}")),
                    None => set(&mut value, pointer, "".into()).err(),
                },
                Err(_) => None,
            },
            Body::Form(_) => None,
            Body::Empty | Body::Text { .. } => Some("`ref` needs a JSON or form body".to_owned()),
        };
        if let Some(why) = why {
            let (why, near) = why.split_once("; ").unwrap_or((&why, ""));
            let error = self
                .places
                .error(&[path, &["ref"]].concat(), why)
                .label(near);
            self.wrong(error.help("a JSON Pointer such as \"/reference\"; elsewhere write {{ref}} where the reference belongs"));
        }
        Some(pointer.to_owned())
    }

    /// What tells results apart.
    pub fn identity(&mut self, path: &[&str], text: Option<&str>) -> Identity {
        let Some(text) = text else {
            return Identity::Detect;
        };
        if text == "none" {
            return Identity::None;
        }
        if let Some(name) = text.strip_prefix("header:").filter(|name| !name.is_empty()) {
            return Identity::Header(name.to_owned());
        }
        if let Some(xml) = text.strip_prefix("xml:").filter(|xml| xml.starts_with('/')) {
            return Identity::Xml(xml.to_owned());
        }
        if text.starts_with('/') {
            return Identity::Pointer(text.to_owned());
        }
        let error = self.places.error(
            &[path, &["identity"]].concat(),
            format!("`{text}` names no identity"),
        );
        self.wrong(
            error.help(
                "write a JSON Pointer (\"/id\"), \"header:Location\", \"xml:/A/B\" or \"none\"",
            ),
        );
        Identity::Detect
    }

    /// How a request is held in progress.
    pub fn stall(
        &mut self,
        path: &[&str],
        table: &OperationTable,
        bodies: &BTreeMap<String, Variant>,
    ) -> Option<Stall> {
        let stall = table.stall.as_ref()?;
        let at = |names: &[&'static str]| [path, &["stall"], names].concat();
        match (&stall.slow, &stall.postgres) {
            (Some(slow), None) => {
                if !bodies.contains_key(slow) {
                    let known: Vec<&str> = bodies.keys().map(String::as_str).collect();
                    self.unknown(&at(&["slow"]), slow, "variant", &known);
                }
                Some(Stall::Slow(slow.clone()))
            }
            (None, Some(lock)) => {
                if self.file.postgres.is_none() {
                    let error = self
                        .places
                        .error_at_name(&at(&["postgres"]), "the lock needs a database");
                    self.wrong(error.help("add [postgres] with url = \"${DATABASE_URL}\""));
                }
                let hold = lock.hold.unwrap_or(Length::seconds(2));
                match (&lock.lock, &lock.statement) {
                    (Some(table), None) => Some(Stall::Postgres {
                        lock: table.clone(),
                        is_statement: false,
                        hold,
                    }),
                    (None, Some(statement)) => Some(Stall::Postgres {
                        lock: statement.clone(),
                        is_statement: true,
                        hold,
                    }),
                    _ => {
                        let error = self
                            .places
                            .error(&at(&["postgres"]), "expected either `lock` or `statement`");
                        self.wrong(
                            error.help("such as stall = { postgres = { lock = \"payments\" } }"),
                        );
                        None
                    }
                }
            }
            _ => {
                let error = self.places.error(&at(&[]), "a stall does one thing");
                self.wrong(
                    error.help("give `slow = \"VARIANT\"` or `postgres = { lock = \"TABLE\" }`"),
                );
                None
            }
        }
    }

    /// The placeholders of all texts of an operation.
    pub fn operation_placeholders(
        &mut self,
        operation: &Operation,
        table: &OperationTable,
        accounts: &[Account],
    ) {
        let path = ["operation", operation.name.as_str()];
        let filled: Vec<&str> = table.needs.names().collect();
        self.placeholders(
            &[path[0], path[1], "request"],
            &operation.path,
            accounts,
            &filled,
        );
        for (header, value) in &operation.headers {
            self.placeholders(
                &[path[0], path[1], "headers", header],
                value,
                accounts,
                &filled,
            );
        }
        for (name, value) in &operation.other_query {
            let at = [path[0], path[1], "other-query", name];
            self.placeholders(&at, value, accounts, &filled);
        }
        self.body_placeholders(&path, &operation.body, accounts, &filled);
        for (name, variant) in &operation.bodies {
            let at = [path[0], path[1], "bodies", name.as_str()];
            if let Some(body) = &variant.body {
                self.body_placeholders(&at, body, accounts, &filled);
            }
            for (pointer, value) in &variant.set {
                let at = [path[0], path[1], "bodies", name.as_str(), "set", pointer];
                self.placeholders(&at, &value.to_string(), accounts, &filled);
            }
            for (header, value) in &variant.headers {
                let at = [path[0], path[1], "bodies", name.as_str(), "headers", header];
                self.placeholders(&at, value, accounts, &filled);
            }
        }
    }

    /// Placeholders of a body, wherever it was written.
    pub fn body_placeholders(
        &mut self,
        path: &[&str],
        body: &Body,
        accounts: &[Account],
        filled: &[&str],
    ) {
        match body {
            Body::Empty => {}
            Body::Json(text) => {
                self.placeholders(&[path, &["json"]].concat(), text, accounts, filled)
            }
            Body::Text { text, .. } => {
                self.placeholders(&[path, &["text"]].concat(), text, accounts, filled)
            }
            Body::Form(fields) => {
                for (_, value) in fields {
                    self.placeholders(&[path, &["form"]].concat(), value, accounts, filled);
                }
            }
        }
    }
}

/// Without a declared `changed`, the first integer plus one is tried; the control decides whether it means another request.
pub fn changed_by_itself(base: &Body, reference_at: Option<&str>) -> Option<Variant> {
    let (at, value) = match base {
        Body::Json(text) => first_integer(&probe(text).ok()?, "", reference_at)?,
        Body::Form(fields) => fields
            .iter()
            .filter(|(name, _)| reference_at.is_none_or(|at| at.trim_start_matches('/') != name))
            .find_map(|(name, value)| {
                Some((
                    name.clone(),
                    value.parse::<i64>().ok().filter(|n| *n < i64::MAX)?,
                ))
            })?,
        Body::Empty | Body::Text { .. } => return None,
    };
    Some(Variant {
        set: vec![(at, (value + 1).into())],
        ..Variant::default()
    })
}
