//! Credentials that are more than a header: user and password, and tokens that the client fetches itself.
//! It must not fetch anything.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::resolver::Resolver;
use super::target::{Account, OAuth};
use super::target_file::{AccountTable, BasicTable, OAuthTable, SendClient};

impl Resolver<'_> {
    /// An account's headers with the one that its credentials make, and how its token is fetched.
    pub fn credentials(
        &mut self,
        name: &str,
        table: &AccountTable,
    ) -> (Vec<(String, String)>, Option<OAuth>) {
        let mut headers: Vec<(String, String)> = table.headers.0.clone();
        let has_header = headers
            .iter()
            .any(|(header, _)| header.eq_ignore_ascii_case("authorization"));
        let given = [
            ("headers.Authorization", has_header),
            ("basic", table.basic.is_some()),
            ("oauth", table.oauth.is_some()),
        ];
        let given: Vec<&str> = given
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| *name)
            .collect();
        if given.len() > 1 {
            let error = self.places.error_at_name(
                &["account", name, given[given.len() - 1]],
                format!("Authorization is given twice: by {}", given.join(" and ")),
            );
            self.wrong(error.help("keep one of them"));
        }
        if let Some(basic) = &table.basic {
            headers.extend(self.basic(name, basic));
        }
        let oauth = table
            .oauth
            .as_ref()
            .and_then(|oauth| self.oauth(name, oauth));
        if oauth.is_some() {
            let value = format!("Bearer {}", OAuth::stand_in(name));
            headers.push(("Authorization".to_owned(), value));
        }
        (headers, oauth)
    }

    fn basic(&mut self, name: &str, basic: &BasicTable) -> Option<(String, String)> {
        if basic.user.contains(':') {
            let error = self.places.error(
                &["account", name, "basic", "user"],
                "a user of Basic credentials has no colon in it",
            );
            self.wrong(error.help("the first colon ends the user (RFC 7617)"));
            return None;
        }
        let pair = format!("{}:{}", basic.user, basic.password);
        let value = format!("Basic {}", STANDARD.encode(pair));
        Some(("Authorization".to_owned(), value))
    }

    fn oauth(&mut self, name: &str, table: &OAuthTable) -> Option<OAuth> {
        let path = ["account", name, "oauth"];
        let at = |field: &'static str| [path[0], path[1], path[2], field];
        let url = Url::parse(&table.token_url)
            .ok()
            .filter(|url| ["http", "https"].contains(&url.scheme()) && url.host().is_some())
            .filter(|url| url.username().is_empty() && url.password().is_none());
        let Some(token_url) = url else {
            let error = self
                .places
                .error(&at("token-url"), "not the URL of a token endpoint");
            self.wrong(error.help(
                "a whole URL without credentials, such as https://api.example.com/oauth2/token",
            ));
            return None;
        };
        for (field, value) in [
            ("client-id", &table.client_id),
            ("client-secret", &table.client_secret),
        ] {
            if value.is_empty() {
                let error = self.places.error(&at(field), format!("`{field}` is empty"));
                self.wrong(error.help(format!(
                    "take it from the environment: {field} = \"${{{}}}\"",
                    field.to_uppercase().replace('-', "_")
                )));
            }
        }
        let taken = ["grant_type", "client_id", "client_secret", "scope"];
        for (parameter, _) in &table.params.0 {
            if taken.contains(&parameter.as_str()) {
                let error = self.places.error_at_name(
                    &[path[0], path[1], path[2], "params", parameter],
                    format!("`{parameter}` is set by the tool itself"),
                );
                self.wrong(error.help("take it away"));
            }
        }
        Some(OAuth {
            token_url,
            client_id: table.client_id.clone(),
            client_secret: SecretString::from(table.client_secret.clone()),
            scope: table.scope.clone(),
            in_body: table.send == Some(SendClient::Body),
            params: table.params.0.clone(),
        })
    }
}

/// Whether two accounts are one client.
pub fn same_client(a: &Account, b: &Account) -> bool {
    match (&a.oauth, &b.oauth) {
        (Some(a), Some(b)) => {
            a.token_url == b.token_url
                && a.client_id == b.client_id
                && a.client_secret.expose_secret() == b.client_secret.expose_secret()
                && a.params == b.params
                && a.scope == b.scope
        }
        _ => false,
    }
}
