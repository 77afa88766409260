//! Operations: the request, and what it needs before.
//! It must not know how effects are counted, nor how requests are sent.

use super::body::{Written, body};
use super::operation_file::OperationTable;
use super::resolver::Resolver;
use super::target::{Account, Body, Identity, Operation};
use super::variants::changed_by_itself;

impl Resolver<'_> {
    /// All operations, in order.
    pub fn operations(&mut self, accounts: &[Account]) -> Vec<Operation> {
        let mut operations = Vec::new();
        for (name, table) in &self.file.operation.0 {
            operations.extend(self.operation(name, table, accounts));
        }
        if self.file.operation.0.is_empty() {
            let error = self.places.error(&[], "no operation is declared");
            self.wrong(error.help("add [operation.payment] with request = \"POST /payments\", or give --url with the endpoint"));
        } else if self
            .file
            .operation
            .0
            .iter()
            .all(|(_, table)| table.setup_only)
        {
            let error = self.places.error_at_name(
                &["operation"],
                "no operation is left to test: all are `setup-only`",
            );
            self.wrong(error.help("take `setup-only` away from one"));
        }
        self.circles(&operations);
        operations
    }

    fn operation(
        &mut self,
        name: &str,
        table: &OperationTable,
        accounts: &[Account],
    ) -> Option<Operation> {
        let path = ["operation", name];
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !is_name {
            let error = self
                .places
                .error_at_name(&path, format!("`{name}` cannot name an operation"));
            self.wrong(error.help("names are letters, digits, dashes and dots, such as payment"));
        }
        let (method, url_path) =
            self.request_line(&[path[0], path[1], "request"], table.request.as_deref())?;
        let written = Written {
            json: table.json.as_ref(),
            form: table.form.as_ref(),
            text: table.text.as_deref(),
            content_type: table.content_type.as_deref(),
        };
        let base = body(self.places, &path, &written, &mut self.wrong).unwrap_or(Body::Empty);
        let headers = table.headers.0.clone();
        self.headers(&[path[0], path[1], "headers"], &headers);
        self.statuses(&[path[0], path[1], "success"], &table.success);
        let mut bodies = std::collections::BTreeMap::new();
        for (variant_name, variant) in &table.bodies.0 {
            let at = [path[0], path[1], "bodies", variant_name.as_str()];
            if variant_name == "base" {
                let error = self
                    .places
                    .error_at_name(&at, "`base` is the request itself");
                self.wrong(error.help("give the variant another name"));
            }
            bodies.insert(variant_name.clone(), self.variant(&at, variant, &base));
        }
        let reference_at = self.reference(&path, table.r#ref.as_deref(), &base);
        if !bodies.contains_key("changed")
            && let Some(changed) = changed_by_itself(&base, reference_at.as_deref())
        {
            bodies.insert("changed".to_owned(), changed);
        }
        let stall = self.stall(&path, table, &bodies);
        let needs = table.needs.0.iter().cloned().collect();
        let mut operation = Operation {
            name: name.to_owned(),
            method,
            path: url_path,
            headers,
            body: base,
            reference_at,
            success: table.success.clone(),
            identity: self.identity(&path, table.identity.as_deref()),
            bodies,
            count: None,
            read: None,
            other_query: table.other_query.0.clone(),
            stall,
            needs,
            unique_reference: table.unique_reference,
            setup_only: table.setup_only,
        };
        self.operation_placeholders(&operation, table, accounts);
        self.other_query(&[path[0], path[1], "other-query"], &operation);
        operation.count = table
            .count
            .as_ref()
            .and_then(|count| self.counter(&path, count, &operation, accounts));
        operation.read = table
            .read
            .as_ref()
            .map(|read| self.read(&path, read, &operation, accounts));
        if operation.identity == Identity::None
            && operation.count.is_none()
            && !operation.setup_only
        {
            let error = self.places.error(
                &[path[0], path[1], "identity"],
                "without an identity effects must be counted",
            );
            self.wrong(error.help("add `count`, or say where results differ: identity = \"/id\""));
        }
        Some(operation)
    }

    /// Another query is another one than that of the request.
    fn other_query(&mut self, path: &[&str], operation: &Operation) {
        let own = operation.path.split_once('?').map_or("", |(_, own)| own);
        let own: Vec<_> = url::form_urlencoded::parse(own.as_bytes()).collect();
        let is_own = |(name, value): &(String, String)| {
            own.iter().any(|(known, its)| known == name && its == value)
        };
        let other = &operation.other_query;
        if !other.is_empty() && other.iter().all(is_own) {
            let title = "the other query is the query of the request itself";
            let error = self.places.error_at_name(path, title);
            self.wrong(error.help("give a parameter another value, or name another parameter"));
        }
    }

    /// `POST /payments`
    pub fn request_line(&mut self, path: &[&str], text: Option<&str>) -> Option<(String, String)> {
        const HELP: &str = "such as request = \"POST /payments\"";
        let Some(text) = text else {
            let error = self
                .places
                .error_at_name(&path[..path.len() - 1], "`request` is missing");
            self.wrong(error.help(HELP));
            return None;
        };
        let (method, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let rest = rest.trim();
        let is_method =
            !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
        if !is_method {
            let error = self
                .places
                .error_within(path, method, format!("`{method}` is no method"));
            self.wrong(error.help(format!("methods are written in capitals, {HELP}")));
            return None;
        }
        if !(rest.is_empty() || rest.starts_with('/') || rest.starts_with('?'))
            || rest.contains(' ')
            || rest.contains('#')
        {
            let error = self
                .places
                .error_within(path, rest, format!("`{rest}` is no path"));
            self.wrong(error.help(format!(
                "a path begins with `/` and follows the base URL, {HELP}"
            )));
            return None;
        }
        Some((method.to_owned(), rest.to_owned()))
    }

    /// Set-ups must exist and come to an end.
    fn circles(&mut self, operations: &[Operation]) {
        let known: Vec<&str> = self.file.operation.names().collect();
        for (name, table) in &self.file.operation.0 {
            for (placeholder, needed) in &table.needs.0 {
                let path = ["operation", name, "needs", placeholder];
                if !known.contains(&needed.as_str()) {
                    self.unknown(&path, needed, "operation", &known);
                }
            }
            let mut seen = vec![name.as_str()];
            let mut next: Vec<&str> = table
                .needs
                .0
                .iter()
                .map(|(_, needed)| needed.as_str())
                .collect();
            while let Some(needed) = next.pop() {
                if needed == name {
                    let error = self.places.error_at_name(
                        &["operation", name, "needs"],
                        format!("`{name}` needs itself to be set up"),
                    );
                    self.wrong(
                        error
                            .label(format!("by way of {}", seen.join(", ")))
                            .help("break the circle"),
                    );
                    break;
                }
                if !seen.contains(&needed) {
                    seen.push(needed);
                    let found = operations.iter().find(|operation| operation.name == needed);
                    next.extend(
                        found
                            .iter()
                            .flat_map(|operation| operation.needs.values().map(String::as_str)),
                    );
                }
            }
        }
    }
}
