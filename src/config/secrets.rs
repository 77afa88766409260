//! Which values must never be shown: what came by variables, credentials in headers, and the database's password.
//! It must not know where values are shown; whoever shows something replaces them by their names.

use secrecy::{ExposeSecret, SecretString};

use super::expand::Variables;
use super::target::{Account, Operation, Postgres, Secret};

/// Shorter values cannot be hidden without hiding half of every report.
pub const LEAST: usize = 4;

/// Headers whose value is a secret wherever they stand. Every header of an account is one.
const CREDENTIALS: [&str; 5] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "api-key",
];
const SCHEMES: [&str; 5] = ["Bearer ", "Basic ", "Token ", "Digest ", "ApiKey "];

/// All secrets, longest first, and what could not be hidden.
pub fn secrets(
    used: &Variables,
    public: &[String],
    accounts: &[Account],
    operations: &[Operation],
    postgres: Option<&Postgres>,
) -> (Vec<Secret>, Vec<String>) {
    let mut found = Found::default();
    for (name, value) in used {
        if value.is_empty() {
            found.warnings.push(format!("the variable {name} is empty"));
        } else if !public.contains(name) {
            found.add(&format!("${name}"), value);
        }
    }
    for account in accounts {
        for (header, value) in &account.headers {
            found.header(header, &account.name, value);
        }
        if let Some(oauth) = &account.oauth {
            let name = format!("$CLIENT_SECRET_{}", shell_name(&account.name));
            found.add(&name, oauth.client_secret.expose_secret());
        }
    }
    for operation in operations {
        let variants = operation
            .bodies
            .values()
            .flat_map(|variant| &variant.headers);
        for (header, value) in operation.headers.iter().chain(variants) {
            if is_credential(header) {
                found.header(header, &operation.name, value);
            }
        }
    }
    if let Some(password) = postgres.and_then(|postgres| password(postgres.url.expose_secret())) {
        found.add("$POSTGRES_PASSWORD", &password.0);
        if password.1 != password.0 {
            found.add("$POSTGRES_PASSWORD", &password.1);
        }
    }
    found
        .secrets
        .sort_by_key(|secret| std::cmp::Reverse(secret.value.expose_secret().len()));
    (found.secrets, found.warnings)
}

/// Whether a header of this name holds a credential.
pub fn is_credential(header: &str) -> bool {
    CREDENTIALS.contains(&header.to_ascii_lowercase().as_str())
}

#[derive(Default)]
struct Found {
    secrets: Vec<Secret>,
    warnings: Vec<String>,
}

impl Found {
    fn add(&mut self, name: &str, value: &str) {
        if value.chars().count() < LEAST {
            self.warnings.push(format!(
                "the value of {name} is too short to be hidden ({LEAST} characters are needed)"
            ));
        } else if self
            .secrets
            .iter()
            .all(|known| known.value.expose_secret() != value)
        {
            self.secrets.push(Secret {
                name: name.to_owned(),
                value: SecretString::from(value.to_owned()),
            });
        }
    }

    /// The credential in a header: what follows the scheme, and what a Basic credential says in clear.
    fn header(&mut self, header: &str, of: &str, value: &str) {
        let credential = SCHEMES
            .iter()
            .find_map(|scheme| strip_scheme(value, scheme))
            .unwrap_or(value);
        // a variable's name says more than the header's
        let covered = self
            .secrets
            .iter()
            .any(|known| known.value.expose_secret() == credential);
        if covered || credential.contains("{{") || credential.is_empty() {
            return;
        }
        let name = format!("${}_{}", shell_name(header), shell_name(of));
        self.add(&name, credential);
        if let Some(clear) = strip_scheme(value, "Basic ").and_then(decoded)
            && let Some((_, password)) = clear.split_once(':')
            && password.chars().count() >= LEAST
        {
            self.add(&format!("{name}_PASSWORD"), password);
        }
        if header.eq_ignore_ascii_case("cookie") {
            for (n, (_, crumb)) in credential
                .split(';')
                .filter_map(|crumb| crumb.split_once('='))
                .enumerate()
            {
                if crumb.trim().chars().count() >= 8 {
                    self.add(&format!("{name}_{}", n + 1), crumb.trim());
                }
            }
        }
    }
}

fn strip_scheme<'a>(value: &'a str, scheme: &str) -> Option<&'a str> {
    let start = value.get(..scheme.len())?;
    start
        .eq_ignore_ascii_case(scheme)
        .then(|| value[scheme.len()..].trim())
}

fn decoded(basic: &str) -> Option<String> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(basic)
        .ok()?;
    String::from_utf8(bytes).ok()
}

/// The user and password of a Basic credential, and any other value as it is: where live keys are looked for.
pub fn clear_text(value: &str) -> String {
    strip_scheme(value, "Basic ")
        .and_then(decoded)
        .unwrap_or_else(|| value.to_owned())
}

fn shell_name(text: &str) -> String {
    text.to_uppercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// The password of a database's URL, as written and as meant.
fn password(url: &str) -> Option<(String, String)> {
    if let Some((_, rest)) = url.split_once("://") {
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        let written = authority
            .rsplit_once('@')
            .and_then(|(user, _)| user.split_once(':'))
            .map(|(_, password)| password);
        let in_query = || {
            let (_, query) = rest.split_once('?')?;
            query
                .split('&')
                .find_map(|pair| pair.strip_prefix("password="))
        };
        let written = written.or_else(in_query)?;
        let meant = percent_encoding::percent_decode_str(written)
            .decode_utf8_lossy()
            .into_owned();
        return Some((written.to_owned(), meant));
    }
    let at = url.find("password=")?;
    let value = &url[at + "password=".len()..];
    let value = match value.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next(),
        None => value.split_whitespace().next(),
    }?;
    Some((value.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(header: &str, value: &str) -> Account {
        Account {
            name: "a".into(),
            id: None,
            same_as: None,
            headers: vec![(header.into(), value.into())],
            values: std::collections::BTreeMap::new(),
            oauth: None,
        }
    }

    fn named(
        used: &[(&str, &str)],
        public: &[&str],
        accounts: &[Account],
        postgres: Option<&str>,
    ) -> Vec<(String, String)> {
        let used = used
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect();
        let public: Vec<String> = public.iter().map(|p| (*p).to_owned()).collect();
        let postgres = postgres.map(|url| Postgres {
            url: SecretString::from(url.to_owned()),
            statement_timeout: crate::contract::Length::seconds(5),
        });
        let (secrets, _) = secrets(&used, &public, accounts, &[], postgres.as_ref());
        secrets
            .into_iter()
            .map(|s| (s.name, s.value.expose_secret().to_owned()))
            .collect()
    }

    #[test]
    fn a_variable_is_a_secret_unless_it_is_public_or_too_short() {
        let used = [
            ("TOKEN", "hush-hush"),
            ("BASE_URL", "http://localhost"),
            ("ID", "17"),
        ];
        assert_eq!(
            named(&used, &["BASE_URL"], &[], None),
            [("$TOKEN".to_owned(), "hush-hush".to_owned())]
        );
    }

    #[test]
    fn a_credential_is_named_by_its_variable_or_else_by_its_header() {
        let both = named(
            &[("TOKEN", "hush-hush")],
            &[],
            &[account("Authorization", "Bearer hush-hush")],
            None,
        );
        assert_eq!(both, [("$TOKEN".to_owned(), "hush-hush".to_owned())]);
        let literal = named(
            &[],
            &[],
            &[account("authorization", "bearer hush-hush")],
            None,
        );
        assert_eq!(
            literal,
            [("$AUTHORIZATION_A".to_owned(), "hush-hush".to_owned())]
        );
        let basic = named(
            &[],
            &[],
            &[account("Authorization", "Basic dXNlcjpodXNoLWh1c2g=")],
            None,
        );
        assert!(
            basic.contains(&(
                "$AUTHORIZATION_A_PASSWORD".to_owned(),
                "hush-hush".to_owned()
            )),
            "{basic:?}"
        );
        let any = named(&[], &[], &[account("X-Tenant", "tenant-7")], None);
        assert_eq!(any, [("$X_TENANT_A".to_owned(), "tenant-7".to_owned())]);
    }

    #[test]
    fn a_public_variable_is_still_hidden_where_it_is_a_credential() {
        let found = named(
            &[("TOKEN", "hush-hush")],
            &["TOKEN"],
            &[account("Authorization", "Bearer hush-hush")],
            None,
        );
        assert_eq!(
            found,
            [("$AUTHORIZATION_A".to_owned(), "hush-hush".to_owned())]
        );
    }

    #[test]
    fn the_databases_password_is_hidden_as_written_and_as_meant() {
        let found = named(&[], &[], &[], Some("postgres://me:p%40ssword@h:5432/db"));
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["p%40ssword", "p@ssword"]);
        assert_eq!(
            named(&[], &[], &[], Some("host=h password='pass word' user=me"))[0].1,
            "pass word"
        );
        assert!(named(&[], &[], &[], Some("postgres://me@h/db")).is_empty());
    }
}
