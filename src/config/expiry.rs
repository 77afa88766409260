//! How keys are made to expire, and the commands of a target.
//! It must not know how statements, requests or commands are carried out.

use std::collections::BTreeMap;

use super::body::{Written, body};
use super::resolver::Resolver;
use super::target::{Account, Body, CommandLine, Expire};
use super::target_file::Words;
use crate::contract::Length;

impl Resolver<'_> {
    /// Program and arguments.
    pub fn command(
        &mut self,
        path: &[&str],
        words: &Words,
        timeout: Option<Length>,
    ) -> Option<CommandLine> {
        let argv = match words {
            Words::List(argv) => Some(argv.clone()),
            Words::Line(line) => shlex::split(line),
        };
        match argv.filter(|argv| argv.first().is_some_and(|program| !program.is_empty())) {
            Some(argv) => Some(CommandLine {
                argv,
                timeout: timeout.unwrap_or(Length::seconds(30)),
            }),
            None => {
                let error = self.places.error(path, "this is no command");
                self.wrong(error.help("such as [\"./count.sh\", \"payments\"]; for pipes and the like: [\"sh\", \"-c\", \"...\"]"));
                None
            }
        }
    }

    /// How a key is made to expire.
    pub fn expiry(&mut self, accounts: &[Account]) -> Option<Expire> {
        let table = self.file.expire.as_ref()?;
        let given = [
            ("sql", table.sql.is_some()),
            ("wait", table.wait.is_some()),
            ("http", table.http.is_some()),
            ("command", table.command.is_some()),
            ("later", table.later.is_some()),
        ];
        self.exactly_one(&["expire"], "an expiry", &given)?;
        if table.rows.is_some() && table.sql.is_none() {
            let error = self
                .places
                .error_at_name(&["expire", "rows"], "`rows` goes with `sql`");
            self.wrong(error.help("take it away"));
        }
        if let Some(sql) = &table.sql {
            self.database(&["expire", "sql"], "expiry");
            self.sql_parameters(&["expire", "sql"], sql, accounts);
            return Some(Expire::Sql {
                sql: sql.clone(),
                rows: table.rows.unwrap_or(1),
            });
        }
        if let Some(wait) = table.wait {
            return Some(Expire::Wait(wait));
        }
        if let Some(words) = &table.command {
            return self
                .command(&["expire", "command"], words, table.timeout)
                .map(Expire::Command);
        }
        if let Some(http) = &table.http {
            let (method, path) =
                self.request_line(&["expire", "http", "request"], Some(&http.request))?;
            let written = Written {
                json: http.json.as_ref(),
                form: http.form.as_ref(),
                text: None,
                content_type: None,
            };
            let body = body(self.places, &["expire", "http"], &written, &mut self.wrong)
                .unwrap_or(Body::Empty);
            self.headers(&["expire", "http", "headers"], &http.headers.0);
            self.placeholders(&["expire", "http", "request"], &path, accounts, &[]);
            self.body_placeholders(&["expire", "http"], &body, accounts, &[]);
            for (name, value) in &http.headers.0 {
                self.placeholders(&["expire", "http", "headers", name], value, accounts, &[]);
            }
            return Some(Expire::Http {
                method,
                path,
                headers: http.headers.0.clone(),
                body,
            });
        }
        (table.later == Some(true)).then_some(Expire::Later)
    }

    /// Commands by name.
    pub fn hooks(&mut self) -> BTreeMap<String, CommandLine> {
        let file = self.file;
        let mut hooks = BTreeMap::new();
        for (name, hook) in &file.hook {
            if let Some(command) =
                self.command(&["hook", name, "command"], &hook.command, hook.timeout)
            {
                hooks.insert(name.clone(), command);
            }
        }
        hooks
    }
}
