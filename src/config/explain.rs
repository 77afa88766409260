//! Where each part of a target comes from, in words, secrets by their names: what `check` shows.
//! It must not know how it is laid out.

use secrecy::ExposeSecret;

use super::gathering::Origins;
use super::places::Places;
use super::target::{Body, Counter, Expire, Identity, OAuth, Operation, Stall, Target};

/// The parts of a target with their origins.
pub fn target_origins(target: &Target, places: &Places<'_>) -> Origins {
    let mut rows = Rows {
        target,
        places,
        rows: Vec::new(),
    };
    for (n, replica) in target.replicas.iter().enumerate() {
        let number = n.to_string();
        let ways = [
            vec!["urls", &number],
            vec!["url"],
            vec!["replica", &number, "url"],
        ];
        let path = ways
            .into_iter()
            .find(|path| places.origin(path).is_some())
            .unwrap_or_default();
        let name = if n == 0 {
            "url".to_owned()
        } else {
            format!("url {}", n + 1)
        };
        let region = replica
            .region
            .as_ref()
            .map_or(String::new(), |region| format!(" (region {region})"));
        rows.add(
            &name,
            format!("{}{region}", replica.url.as_str().trim_end_matches('/')),
            &path,
        );
    }
    rows.add(
        "policy",
        format!("{} ({})", target.policy.id, target.policy.title),
        &["policy"],
    );
    for account in &target.accounts {
        let name = format!("account.{}", account.name);
        let mut said: Vec<String> = account
            .headers
            .iter()
            .filter(|(_, value)| {
                account.oauth.is_none() || !value.ends_with(&OAuth::stand_in(&account.name))
            })
            .map(|(header, value)| format!("{header}: {value}"))
            .collect();
        if let Some(oauth) = &account.oauth {
            said.push(format!("a token from {}", oauth.token_url));
        }
        said.extend(account.id.as_ref().map(|id| format!("id {id}")));
        said.extend(
            account
                .same_as
                .as_ref()
                .map(|same| format!("same as {same}")),
        );
        let said = if said.is_empty() {
            "no credentials".to_owned()
        } else {
            said.join(", ")
        };
        rows.add(&name, said, &["account", &account.name]);
    }
    if let Some(postgres) = &target.postgres {
        rows.add(
            "postgres",
            postgres.url.expose_secret().to_owned(),
            &["postgres", "url"],
        );
    }
    for operation in &target.operations {
        rows.operation(operation);
    }
    if let Some(expire) = &target.expire {
        rows.add("expire", expiry(expire), &["expire"]);
    }
    for (name, hook) in &target.hooks {
        rows.add(
            &format!("hook.{name}"),
            hook.argv.join(" "),
            &["hook", name],
        );
    }
    rows.rows
}

struct Rows<'a> {
    target: &'a Target,
    places: &'a Places<'a>,
    rows: Origins,
}

impl Rows<'_> {
    fn add(&mut self, name: &str, value: String, path: &[&str]) {
        let origin = self
            .places
            .origin(path)
            .unwrap_or_else(|| "built-in".to_owned());
        self.rows
            .push((name.to_owned(), hidden(self.target, value), origin));
    }

    fn operation(&mut self, operation: &Operation) {
        let path = ["operation", operation.name.as_str()];
        let row = |part: &str| format!("operation.{}{part}", operation.name);
        let setup = if operation.setup_only {
            " (only to set up)"
        } else {
            ""
        };
        let at = if self.places.origin(&[path[0], path[1], "request"]).is_some() {
            vec![path[0], path[1], "request"]
        } else {
            path.to_vec()
        };
        self.add(
            &row(""),
            format!("{} {}{setup}", operation.method, operation.path),
            &at,
        );
        let (field, body) = body_text(&operation.body);
        if let Some(body) = body {
            self.add(&row(&format!(".{field}")), body, &[path[0], path[1], field]);
        }
        for (name, value) in &operation.headers {
            self.add(
                &row(".headers"),
                format!("{name}: {value}"),
                &[path[0], path[1], "headers", name],
            );
        }
        if let Some(at) = &operation.reference_at {
            self.add(&row(".ref"), at.clone(), &[path[0], path[1], "ref"]);
        }
        let success: Vec<String> = operation.success.iter().map(u16::to_string).collect();
        let success = if success.is_empty() {
            "any 2xx".to_owned()
        } else {
            success.join(", ")
        };
        self.add(&row(".success"), success, &[path[0], path[1], "success"]);
        self.add(
            &row(".identity"),
            identity(&operation.identity),
            &[path[0], path[1], "identity"],
        );
        for (name, variant) in &operation.bodies {
            let mut said: Vec<String> = variant
                .set
                .iter()
                .map(|(at, value)| format!("{at} = {value}"))
                .collect();
            said.extend(variant.remove.iter().map(|at| format!("without {at}")));
            said.extend(variant.body.as_ref().and_then(|body| body_text(body).1));
            said.extend(
                variant
                    .headers
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}")),
            );
            let path = [path[0], path[1], "bodies", name.as_str()];
            let known = self.places.origin(&path).is_some();
            let why = if known {
                ""
            } else {
                " (the first integer plus one)"
            };
            self.add(
                &row(&format!(".bodies.{name}")),
                format!("{}{why}", said.join(", ")),
                &path,
            );
        }
        let count = operation
            .count
            .as_ref()
            .map_or("not at all: the identity decides".to_owned(), counter);
        self.add(&row(".count"), count, &[path[0], path[1], "count"]);
        if let Some(read) = &operation.read {
            let read = format!("GET {read}");
            self.add(&row(".read"), read, &[path[0], path[1], "read"]);
        }
        for (name, value) in &operation.other_query {
            let at = [path[0], path[1], "other-query", name];
            self.add(&row(".other-query"), format!("{name}={value}"), &at);
        }
        if let Some(how) = &operation.stall {
            self.add(&row(".stall"), stall(how), &[path[0], path[1], "stall"]);
        }
        for (name, needed) in &operation.needs {
            self.add(
                &row(".needs"),
                format!("{{{{{name}}}}} of {needed}"),
                &[path[0], path[1], "needs", name],
            );
        }
    }
}

/// The text with every secret replaced by its name.
pub fn hidden(target: &Target, mut text: String) -> String {
    // longest first, so that a password inside a hidden URL does not leave the rest of it behind
    for secret in &target.secrets {
        let value = secret.value.expose_secret();
        if text.contains(value) {
            text = text.replace(value, &secret.name);
        }
    }
    text
}

fn body_text(body: &Body) -> (&'static str, Option<String>) {
    match body {
        Body::Empty => ("json", None),
        Body::Json(text) => ("json", Some(text.clone())),
        Body::Text { content_type, text } => ("text", Some(format!("({content_type}) {text}"))),
        Body::Form(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            ("form", Some(fields.join("&")))
        }
    }
}

fn identity(identity: &Identity) -> String {
    match identity {
        Identity::Detect => "found out before the run".to_owned(),
        Identity::Pointer(at) => at.clone(),
        Identity::Header(name) => format!("header:{name}"),
        Identity::Xml(at) => format!("xml:{at}"),
        Identity::None => "none".to_owned(),
    }
}

fn counter(counter: &Counter) -> String {
    match counter {
        Counter::Sql { sql } => sql.clone(),
        Counter::Get {
            path, at, matching, ..
        } => {
            let only = matching
                .as_ref()
                .map_or(String::new(), |(field, is)| format!("[{field}={is}]"));
            format!("GET {path}#{at}{only}")
        }
        Counter::Command(command) => command.argv.join(" "),
        Counter::Sink { listen, path } => format!(
            "calls that arrive at {listen}{}",
            path.as_deref().unwrap_or_default()
        ),
    }
}

fn stall(stall: &Stall) -> String {
    match stall {
        Stall::Slow(variant) => format!("the variant {variant} is slow"),
        Stall::Postgres {
            lock,
            is_statement: true,
            hold,
        } => format!("{lock} (at most {hold})"),
        Stall::Postgres { lock, hold, .. } => format!("a lock on {lock} (at most {hold})"),
    }
}

fn expiry(expire: &Expire) -> String {
    match expire {
        Expire::Wait(length) => format!("wait {length}"),
        Expire::Sql { sql, rows } => format!("{sql} ({rows} rows)"),
        Expire::Http { method, path, .. } => format!("{method} {path}"),
        Expire::Command(command) => command.argv.join(" "),
        Expire::Later => "later, by doubletap resume".to_owned(),
    }
}
