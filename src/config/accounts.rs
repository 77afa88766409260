//! Who sends, and to which base URLs: accounts, second credentials, replicas and the database.
//! It must not know what is sent.

use std::collections::BTreeMap;

use secrecy::SecretString;
use url::Url;

use super::credentials::same_client;
use super::resolver::Resolver;
use super::target::{Account, Postgres, Replica};
use crate::contract::Length;

impl Resolver<'_> {
    /// The accounts, `a` first. Without any there is an `a` without credentials.
    pub fn accounts(&mut self) -> Vec<Account> {
        let mut accounts: Vec<Account> = Vec::new();
        for (name, table) in &self.file.account.0 {
            let path = ["account", name.as_str()];
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
            if !is_name {
                let error = self
                    .places
                    .error_at_name(&path, format!("`{name}` cannot name an account"));
                self.wrong(error.help("names are letters and digits: a, b, a2"));
            }
            let (headers, oauth) = self.credentials(name, table);
            self.headers(&["account", name, "headers"], &headers);
            accounts.push(Account {
                name: name.clone(),
                id: table.id.as_ref().map(|id| id.0.clone()),
                same_as: table.same_as.clone(),
                headers,
                values: table
                    .values
                    .0
                    .iter()
                    .map(|(name, value)| (name.clone(), value.0.clone()))
                    .collect(),
                oauth,
            });
        }
        if accounts.is_empty() {
            accounts.push(Account {
                name: "a".to_owned(),
                id: None,
                same_as: None,
                headers: Vec::new(),
                values: BTreeMap::new(),
                oauth: None,
            });
        }
        self.same_as(&mut accounts);
        self.alike(&accounts);
        if accounts.iter().all(|account| account.name != "a") {
            let error = self
                .places
                .error_at_name(&["account", &accounts[0].name], "there is no account `a`");
            self.wrong(
                error
                    .label("the first account is not `a`")
                    .help("drills send as `a` first, then as `b`; rename one account to `a`"),
            );
        }
        accounts.sort_by_key(|account| account.name != "a");
        for account in &accounts {
            let path = ["account", &account.name, "headers"];
            for (header, value) in &account.headers {
                self.placeholders(
                    &[path[0], path[1], path[2], header],
                    value,
                    std::slice::from_ref(account),
                    &[],
                );
            }
        }
        accounts
    }

    /// Two accounts that send the same credentials are one: whatever they get of each other would look like a leak.
    fn alike(&mut self, accounts: &[Account]) {
        for (n, account) in accounts.iter().enumerate() {
            let alike = |other: &&Account| {
                !account.headers.is_empty() && other.headers == account.headers
                    || same_client(other, account)
            };
            let twin = accounts[..n].iter().find(alike);
            if let Some(twin) = twin {
                let error = self.places.error_at_name(
                    &["account", &account.name],
                    format!(
                        "`{}` and `{}` have the same credentials",
                        twin.name, account.name
                    ),
                );
                self.wrong(
                    error
                        .label("the same as the other account's")
                        .help("give each account its own credentials, or leave this one out"),
                );
            }
        }
    }

    /// A second credential has the first one's id and values.
    fn same_as(&mut self, accounts: &mut [Account]) {
        let firsts = accounts.to_vec();
        for account in accounts {
            let Some(same_as) = account.same_as.clone() else {
                continue;
            };
            let path = ["account", account.name.as_str(), "same-as"];
            let known: Vec<&str> = firsts
                .iter()
                .filter(|a| a.same_as.is_none() && a.name != account.name)
                .map(|a| a.name.as_str())
                .collect();
            let first = firsts.iter().find(|a| a.name == same_as);
            match first {
                Some(first) if first.same_as.is_none() && first.name != account.name => {
                    account.id = account.id.take().or_else(|| first.id.clone());
                    for (name, value) in &first.values {
                        account
                            .values
                            .entry(name.clone())
                            .or_insert_with(|| value.clone());
                    }
                }
                Some(_) => {
                    let error = self
                        .places
                        .error(&path, format!("`{same_as}` is no account of its own"));
                    self.wrong(error.help(format!(
                        "`same-as` names an account without `same-as`: {}",
                        known.join(", ")
                    )));
                }
                None => self.unknown(&path, &same_as, "account", &known),
            }
        }
    }

    /// The base URLs.
    pub fn replicas(&mut self) -> Vec<Replica> {
        let file = self.file;
        let ways = [
            ("url", file.url.is_some()),
            ("urls", !file.urls.is_empty()),
            ("replica", !file.replica.is_empty()),
        ];
        let given: Vec<&str> = ways
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| *name)
            .collect();
        match given.as_slice() {
            [] => {
                let error = self.places.error(&[], "no base URL is given");
                self.wrong(error.help(
                    "add url = \"http://127.0.0.1:8080\" at the top of the file, or give --url",
                ));
            }
            [_] => {}
            [_, second, ..] => {
                let error = self.places.error_at_name(
                    &[second],
                    format!("base URLs are given twice: as {}", given.join(" and ")),
                );
                self.wrong(error.help("keep one of `url`, `urls` and [[replica]]"));
            }
        }
        let mut replicas = Vec::new();
        if let Some(url) = &file.url {
            replicas.extend(
                self.base_url(&["url"], url)
                    .map(|url| Replica { url, region: None }),
            );
        }
        for (n, url) in file.urls.iter().enumerate() {
            replicas.extend(
                self.base_url(&["urls", &n.to_string()], url)
                    .map(|url| Replica { url, region: None }),
            );
        }
        for (n, replica) in file.replica.iter().enumerate() {
            let url = self.base_url(&["replica", &n.to_string(), "url"], &replica.url);
            replicas.extend(url.map(|url| Replica {
                url,
                region: replica.region.clone(),
            }));
        }
        replicas
    }

    fn base_url(&mut self, path: &[&str], text: &str) -> Option<Url> {
        let url = match Url::parse(text.trim_end_matches('/')) {
            Ok(url) => url,
            Err(error) => {
                let error = self.places.error(path, format!("not a URL: {error}"));
                self.wrong(
                    error.help("such as http://127.0.0.1:8080 or https://api.example.com/v1"),
                );
                return None;
            }
        };
        let (title, help) = if !["http", "https"].contains(&url.scheme()) {
            (
                format!("`{}` is not HTTP", url.scheme()),
                "a base URL begins with http:// or https://",
            )
        } else if url.host().is_none() {
            (
                "the URL has no host".to_owned(),
                "such as http://127.0.0.1:8080",
            )
        } else if !url.username().is_empty() || url.password().is_some() {
            (
                "credentials in a URL end up in logs".to_owned(),
                "put them into a header: [account.a] headers = { Authorization = \"Basic ${CREDENTIALS}\" }",
            )
        } else if url.query().is_some() || url.fragment().is_some() {
            (
                "a base URL has neither query nor fragment".to_owned(),
                "the query belongs into the operation: request = \"POST /payments?x=1\"",
            )
        } else {
            return Some(url);
        };
        let error = self.places.error(path, title);
        self.wrong(error.help(help));
        None
    }

    /// The database.
    pub fn postgres(&mut self) -> Option<Postgres> {
        let table = self.file.postgres.as_ref()?;
        let url = &table.url;
        let is_url = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        let is_settings = !url.contains("://") && url.contains('=');
        if !is_url && !is_settings {
            let error = self
                .places
                .error(&["postgres", "url"], "not the URL of a PostgreSQL database");
            self.wrong(
                error.help(
                    "such as postgres://user:${PGPASSWORD}@localhost:5432/shop?sslmode=require",
                ),
            );
        }
        Some(Postgres {
            url: SecretString::from(url.clone()),
            statement_timeout: table.statement_timeout.unwrap_or(Length::seconds(5)),
        })
    }
}
