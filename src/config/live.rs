//! Refuses what looks like a live system: live credentials, and the hosts on which real money moves.
//! It must not look names up: whether a host is private is decided when it is resolved.

use secrecy::ExposeSecret;
use url::Url;

use super::resolver::Resolver;
use super::secrets::clear_text;
use super::target::{Account, Body, Operation, Replica};

/// How live keys of providers begin.
const LIVE_KEYS: [&str; 8] = [
    "sk_live_",
    "rk_live_",
    "rzp_live_",
    "xnd_production_",
    "live_sk_",
    "flwseck_live",
    "pk_live_",
    "prod_sk_",
];

/// Hosts on which real money moves, and how a test credential for the same host begins, where there is one.
const LIVE_HOSTS: [(&str, &[&str]); 30] = [
    ("api.stripe.com", &["sk_test_", "rk_test_"]),
    ("api.razorpay.com", &["rzp_test_"]),
    ("api.mollie.com", &["test_"]),
    ("api.paystack.co", &["sk_test_"]),
    ("api.xendit.co", &["xnd_development_"]),
    ("api.column.com", &["test_"]),
    ("api.mercadopago.com", &["test-"]),
    ("api.paypal.com", &[]),
    ("api-m.paypal.com", &[]),
    ("api.dwolla.com", &[]),
    ("connect.squareup.com", &[]),
    ("api.gocardless.com", &[]),
    ("api.wise.com", &[]),
    ("api.transferwise.com", &[]),
    ("api.checkout.com", &[]),
    ("access.worldpay.com", &[]),
    ("payments.braintree-api.com", &[]),
    ("production.plaid.com", &[]),
    ("api.increase.com", &[]),
    ("api.lithic.com", &[]),
    ("api.airwallex.com", &[]),
    ("api.mangopay.com", &[]),
    ("api.truelayer.com", &[]),
    ("api.circle.com", &[]),
    ("api.alpaca.markets", &[]),
    ("broker-api.alpaca.markets", &[]),
    ("global-api.afterpay.com", &[]),
    ("api.bvnk.com", &[]),
    ("adyenpayments.com", &[]),
    ("api.eu.ppro.com", &[]),
];

const REMEDY: &str = "use the provider's sandbox and its test credentials; --allow-live sends real requests with real effects";

impl Resolver<'_> {
    /// Refuses live keys wherever they are sent, and live hosts without a test credential.
    pub fn live(&mut self, replicas: &[Replica], accounts: &[Account], operations: &[Operation]) {
        let mut credentials = Vec::new();
        for account in accounts {
            for (header, value) in &account.headers {
                let path = vec!["account", account.name.as_str(), "headers", header.as_str()];
                credentials.push((path, clear_text(value)));
            }
            if let Some(oauth) = &account.oauth {
                let path = vec!["account", account.name.as_str(), "oauth"];
                let secret = oauth.client_secret.expose_secret().to_owned();
                credentials.push((path.clone(), oauth.client_id.clone()));
                credentials.push((path, secret));
            }
        }
        for operation in operations {
            for (header, value) in &operation.headers {
                let path = vec![
                    "operation",
                    operation.name.as_str(),
                    "headers",
                    header.as_str(),
                ];
                credentials.push((path, clear_text(value)));
            }
        }
        for operation in operations {
            let path = vec!["operation", operation.name.as_str()];
            credentials.push((path.clone(), clear_text(&operation.path)));
            let fields;
            let body = match &operation.body {
                Body::Json(text) | Body::Text { text, .. } => text,
                Body::Form(pairs) => {
                    fields = pairs
                        .iter()
                        .map(|(_, value)| value.as_str())
                        .collect::<Vec<_>>()
                        .join("\n");
                    &fields
                }
                Body::Empty => continue,
            };
            credentials.push((path, clear_text(body)));
        }
        for (path, value) in &credentials {
            let lower = value.to_ascii_lowercase();
            if let Some(key) = LIVE_KEYS.iter().find(|key| lower.contains(**key)) {
                let error = self
                    .places
                    .error(path, format!("a live credential ({key}...)"));
                self.wrong(error.label("this moves real money").help(REMEDY));
            }
        }
        for (path, url) in self.addresses(replicas, accounts) {
            let Some((host, tests)) = live_host(url) else {
                continue;
            };
            let holds = |value: &str| {
                tests
                    .iter()
                    .any(|test| value.to_ascii_lowercase().contains(test))
            };
            if credentials.iter().any(|(_, value)| holds(value)) {
                continue;
            }
            let title = format!("{host} is a live system");
            let error = self.places.error_within(&path, host, title);
            let label = match tests.first() {
                Some(test) => format!("and no credential is a test one ({test}...)"),
                None => "real effects happen here".to_owned(),
            };
            self.wrong(error.label(label).help(REMEDY));
        }
    }

    /// Everywhere that something is sent to, with its place in the file.
    fn addresses<'a>(
        &self,
        replicas: &'a [Replica],
        accounts: &'a [Account],
    ) -> Vec<(Vec<&'a str>, &'a url::Url)> {
        let url_path = self.url_path();
        let urls = replicas
            .iter()
            .map(|replica| (url_path.to_vec(), &replica.url));
        let tokens = accounts.iter().filter_map(|account| {
            let path = ["account", account.name.as_str(), "oauth", "token-url"];
            Some((path.to_vec(), &account.oauth.as_ref()?.token_url))
        });
        urls.chain(tokens).collect()
    }

    fn url_path(&self) -> [&'static str; 1] {
        if self.file.url.is_some() {
            ["url"]
        } else if self.file.urls.is_empty() {
            ["replica"]
        } else {
            ["urls"]
        }
    }

    /// An address that is neither loopback nor private must be allowed by name. Names are judged when they are resolved.
    pub fn public_addresses(
        &mut self,
        replicas: &[Replica],
        accounts: &[Account],
        allowed: &[String],
    ) {
        for (path, url) in self.addresses(replicas, accounts) {
            let private = match url.host() {
                Some(url::Host::Ipv4(ip)) => {
                    ip.is_loopback() || ip.is_private() || ip.is_link_local()
                }
                Some(url::Host::Ipv6(ip)) => {
                    ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
                }
                _ => true,
            };
            let host = url.host_str().unwrap_or_default();
            if !private && !allowed.iter().any(|name| name == host) {
                let title = format!("{host} is neither loopback nor private");
                let error = self.places.error(&path, title);
                self.wrong(error.help(format!(
                    "where you may test it, say so: --allow-host {host}"
                )));
            }
        }
    }
}

fn live_host(url: &Url) -> Option<(&'static str, &'static [&'static str])> {
    let host = url.host_str()?.to_ascii_lowercase();
    LIVE_HOSTS
        .iter()
        .find(|(known, _)| {
            host == *known
                || (host.ends_with(known) && host.as_bytes()[host.len() - known.len() - 1] == b'.')
        })
        .map(|(known, tests)| (*known, *tests))
}

#[cfg(test)]
mod tests {
    use super::live_host;

    #[test]
    fn a_live_host_is_known_with_its_subdomains_and_a_sandbox_is_none() {
        let is_live = |url: &str| live_host(&url.parse().unwrap()).is_some();
        assert!(is_live("https://api.stripe.com/v1"));
        assert!(is_live("https://abc-checkout-live.adyenpayments.com"));
        assert!(!is_live("https://api-m.sandbox.paypal.com"));
        assert!(!is_live("https://notapi.stripe.com.example.org"));
        assert!(!is_live("http://127.0.0.1:8080"));
    }
}
