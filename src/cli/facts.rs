//! The first event of a run: what the target declares, without its secrets.
//! It must not know what the judge makes of it.

use crate::config::target::{Body, Counter, Operation, Stall, Target};
use crate::contract::Carrier;
use crate::journal::{self, AccountFacts, CounterFacts, OperationFacts, Start};
use crate::plan::sql::{self, Parameter};
use crate::plan::{Plan, template};

/// What is known before anything is sent.
#[must_use]
pub fn start(target: &Target, plan: &Plan, seed: u64, command: String) -> Start {
    Start {
        schema_version: journal::SCHEMA_VERSION,
        tool: concat!("doubletap ", env!("CARGO_PKG_VERSION")).to_owned(),
        run: plan.run.clone(),
        seed,
        started_at: jiff::Timestamp::now().to_string(),
        urls: target
            .replicas
            .iter()
            .map(|replica| without_credentials(&replica.url))
            .collect(),
        policy: target.policy.clone(),
        contracts: target.contracts.clone(),
        operations: target
            .operations
            .iter()
            .map(|operation| facts(target, operation))
            .collect(),
        accounts: target
            .accounts
            .iter()
            .map(|account| AccountFacts {
                name: account.name.clone(),
                same_as: account.same_as.clone(),
            })
            .collect(),
        plan: plan.instances.clone(),
        settle_us: u64::try_from(target.settle.0.as_micros()).unwrap_or(u64::MAX),
        command,
    }
}

fn without_credentials(url: &url::Url) -> String {
    let mut url = url.clone();
    // a URL that can carry no credentials has none
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.as_str().trim_end_matches('/').to_owned()
}

fn facts(target: &Target, operation: &Operation) -> OperationFacts {
    OperationFacts {
        name: operation.name.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        success: operation.success.clone(),
        identity: operation.identity.clone(),
        counter: operation.count.as_ref().map(counter),
        stall: operation.stall.as_ref().map(|stall| match stall {
            Stall::Slow(variant) => format!("the slow variant `{variant}`"),
            Stall::Postgres { lock, .. } => format!("a lock in the database: {lock}"),
        }),
        expect: operation
            .bodies
            .iter()
            .filter(|(_, variant)| !variant.expect.is_empty())
            .map(|(name, variant)| (name.clone(), variant.expect.clone()))
            .collect(),
        carries_reference: carries_reference(target, operation),
        unique_reference: operation.unique_reference,
    }
}

/// Whether the tool's reference stands anywhere in the request.
fn carries_reference(target: &Target, operation: &Operation) -> bool {
    let of_body = |body: &Body| match body {
        Body::Empty => Vec::new(),
        Body::Json(text) | Body::Text { text, .. } => vec![text.clone()],
        Body::Form(fields) => fields.iter().map(|(_, value)| value.clone()).collect(),
    };
    let mut texts = of_body(&operation.body);
    texts.push(operation.path.clone());
    texts.extend(operation.headers.iter().map(|(_, value)| value.clone()));
    let carried = target.contracts.get(&operation.name).is_some_and(|contract| {
        matches!(&contract.key.value.carrier, Carrier::Path(_) if operation.path.contains("{{ref}}"))
    });
    operation.reference_at.is_some() || carried || texts.iter().any(|text| names(text, &["ref"]))
}

/// Whether a text has one of these placeholders.
fn names(text: &str, wanted: &[&str]) -> bool {
    template::names(text)
        .iter()
        .any(|name| wanted.contains(&name.as_str()))
}

fn counter(counter: &Counter) -> CounterFacts {
    match counter {
        Counter::Sql { sql } => {
            let parameters = sql::bind(sql).parameters;
            let has = |wanted: Parameter| parameters.contains(&wanted);
            CounterFacts {
                kind: "sql".to_owned(),
                text: sql.clone(),
                by_key: has(Parameter::Key) || has(Parameter::WireKey),
                by_reference: has(Parameter::Reference),
                by_account: has(Parameter::Account),
                page: None,
            }
        }
        Counter::Get {
            path,
            headers,
            at,
            matching,
            page,
        } => {
            let mut texts: Vec<&str> = vec![path];
            texts.extend(headers.iter().map(|(_, value)| value.as_str()));
            texts.extend(matching.as_ref().map(|(_, text)| text.as_str()));
            let has = |wanted: &[&str]| texts.iter().any(|text| names(text, wanted));
            CounterFacts {
                kind: "http".to_owned(),
                text: format!(
                    "GET {path}, {}",
                    if at.is_empty() { "the whole body" } else { at }
                ),
                by_key: has(&["key", "wire_key"]),
                by_reference: has(&["ref"]),
                // it goes out with the account's own credentials
                by_account: true,
                page: *page,
            }
        }
        Counter::Command(command) => {
            let line = shlex::try_join(command.argv.iter().map(String::as_str))
                .unwrap_or_else(|_| command.argv.join(" "));
            // a script that names none of them in its command line may read them all
            let opaque = !line.contains("DOUBLETAP_");
            CounterFacts {
                kind: "command".to_owned(),
                by_key: opaque || line.contains("DOUBLETAP_KEY"),
                by_reference: opaque || line.contains("DOUBLETAP_REF"),
                by_account: opaque || line.contains("DOUBLETAP_ACCOUNT"),
                text: line,
                page: None,
            }
        }
        Counter::Sink { listen, path } => CounterFacts {
            kind: "sink".to_owned(),
            text: format!("calls to {listen}{}", path.as_deref().unwrap_or_default()),
            by_key: false,
            by_reference: true,
            by_account: false,
            page: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::target::CommandLine;
    use crate::contract::Length;

    #[test]
    fn a_statement_tells_what_its_parameters_tell() {
        let facts = counter(&Counter::Sql {
            sql: "SELECT count(*) FROM p WHERE note <> ':key' AND account_id = :account AND reference = :ref".into(),
        });
        assert!(
            facts.by_account && facts.by_reference && !facts.by_key,
            "{facts:?}"
        );
    }

    #[test]
    fn a_get_tells_accounts_apart_by_its_credentials() {
        let facts = counter(&Counter::Get {
            path: "/payments?key={{key}}".into(),
            headers: Vec::new(),
            at: "/count".into(),
            matching: None,
            page: None,
        });
        assert!(
            facts.by_account && facts.by_key && !facts.by_reference,
            "{facts:?}"
        );
    }

    #[test]
    fn a_script_may_read_what_its_line_does_not_name() {
        let of = |argv: &[&str]| {
            counter(&Counter::Command(CommandLine {
                argv: argv.iter().map(|word| (*word).to_owned()).collect(),
                timeout: Length::seconds(5),
            }))
        };
        assert!(of(&["./count.sh"]).by_account);
        let named = of(&["sh", "-c", "grep -c \"$DOUBLETAP_REF\" log"]);
        assert!(named.by_reference && !named.by_key, "{named:?}");
    }
}
