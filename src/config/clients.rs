//! How a service's clients repeat their requests: for how long, against how long the keys are kept.
//! It must not send anything: it is arithmetic on what was declared.

use std::collections::BTreeMap;
use std::time::Duration;

use super::gathering::Origins;
use super::places::Places;
use super::resolver::Resolver;
use super::target_file::ClientTable;
use crate::contract::{Contract, Length};

/// How long one try takes where nothing is said.
const TRY: Duration = Duration::from_secs(30);
/// Nobody repeats a request for longer.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
/// Waits that double are longer than anything after so many.
const DOUBLINGS: u32 = 62;

impl Resolver<'_> {
    /// The clients with the longest time between their first and their last try.
    pub fn clients(&mut self) -> Vec<(String, Length)> {
        let mut clients = Vec::new();
        for (name, table) in &self.file.client.0 {
            if table.window.is_none() && table.tries.is_none() {
                let error = self.places.error_at_name(
                    &["client", name],
                    format!("for how long the client `{name}` repeats is not said"),
                );
                self.wrong(
                    error.help("give window = \"3d\", or tries = 8 with backoff, most and timeout"),
                );
                continue;
            }
            clients.push((name.clone(), window(table)));
        }
        clients
    }
}

/// From the first try to the end of the last one: every try takes its whole time, and the waits between double up to the longest.
fn window(table: &ClientTable) -> Length {
    if let Some(window) = table.window {
        return window;
    }
    let tries = table.tries.unwrap_or(1).max(1);
    let timeout = table.timeout.map_or(TRY, |length| length.0);
    let first = table.backoff.map_or(Duration::ZERO, |length| length.0);
    let most = table.most.map_or(FOR_EVER, |length| length.0);
    let mut whole = timeout.saturating_mul(tries);
    let doubling = (tries - 1).min(DOUBLINGS);
    let mut wait = first.min(most);
    for _ in 0..doubling {
        whole = whole.saturating_add(wait);
        wait = wait.saturating_mul(2).min(most);
    }
    let rest = wait.saturating_mul(tries - 1 - doubling);
    Length(whole.saturating_add(rest).min(FOR_EVER))
}

/// What `check` shows of them.
pub fn rows(clients: &[(String, Length)], places: &Places<'_>) -> Origins {
    clients
        .iter()
        .map(|(name, window)| {
            let told = format!("repeats a request for up to {window}");
            let origin = places.origin(&["client", name]).unwrap_or_default();
            (format!("client.{name}"), told, origin)
        })
        .collect()
}

/// Where a client goes on for longer than keys are kept, or nobody says how long they are.
pub fn warnings(
    clients: &[(String, Length)],
    contracts: &BTreeMap<String, Contract>,
) -> Vec<String> {
    let Some((name, longest)) = clients.iter().max_by_key(|(_, window)| window.0) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    let mut undeclared = Vec::new();
    for (operation, contract) in contracts {
        match contract.retention.value.at_least {
            None => undeclared.push(operation.as_str()),
            Some(kept) if kept.0 < longest.0 => warnings.push(format!(
                "the client `{name}` repeats a request for up to {longest}, and keys of {operation} are only kept for {kept}: a later repeat \
                 is a new request (let the client stop before, or keep keys longer: contract.retention.at-least)"
            )),
            Some(_) => {}
        }
    }
    if !undeclared.is_empty() {
        warnings.push(format!(
            "the client `{name}` repeats a request for up to {longest}, and nobody says how long keys of {} are kept (contract.retention.at-least)",
            undeclared.join(", ")
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Duration {
        window(&toml::from_str(text).unwrap()).0
    }

    #[test]
    fn the_window_is_all_tries_and_the_waits_between() {
        let s = Duration::from_secs;
        assert_eq!(of("window = \"3d\""), s(3 * 24 * 3600));
        assert_eq!(of("tries = 1"), s(30));
        assert_eq!(
            of("tries = 3\nbackoff = \"1s\"\ntimeout = \"10s\""),
            s(30 + 1 + 2)
        );
        assert_eq!(
            of("tries = 5\nbackoff = \"1s\"\nmost = \"3s\"\ntimeout = \"1s\""),
            s(5 + 1 + 2 + 3 + 3)
        );
        assert_eq!(of("tries = 4000000000\nbackoff = \"1h\""), FOR_EVER);
    }

    #[test]
    fn a_client_that_goes_on_after_the_key_is_gone_is_warned_of() {
        let mut contract = crate::contract::terms::open();
        let clients = [
            ("app".to_owned(), Length::seconds(60)),
            ("queue".to_owned(), Length::seconds(7 * 24 * 3600)),
        ];
        let told = |contract: &Contract| {
            warnings(
                &clients,
                &BTreeMap::from([("payment".to_owned(), contract.clone())]),
            )
        };
        assert!(told(&contract)[0].contains("nobody says how long"));
        contract.retention.value.at_least = Some(Length::seconds(24 * 3600));
        let one = told(&contract);
        assert_eq!(one.len(), 1);
        assert!(
            one[0].contains("`queue`") && one[0].contains("payment"),
            "{one:?}"
        );
        contract.retention.value.at_least = Some(Length::seconds(8 * 24 * 3600));
        assert!(told(&contract).is_empty());
        assert!(warnings(&[], &BTreeMap::new()).is_empty());
    }
}
