//! The first event of a run: what the target declares, without its secrets.
//! It must not know what the judge makes of it.

use crate::config::target::{Body, Counter, Operation, Stall, Target};
use crate::contract::Carrier;
use crate::journal::{self, AccountFacts, CounterFacts, OperationFacts, Start};
use crate::plan::sql::{self, Parameter};
use crate::plan::{Plan, counting, template};

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
        regions: regions(target),
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
        stage: None,
    }
}

/// The region of each base URL, where any has one.
fn regions(target: &Target) -> Vec<Option<String>> {
    let named = target.replicas.iter().any(|r| r.region.is_some());
    let all = target.replicas.iter().filter(|_| named);
    all.map(|replica| replica.region.clone()).collect()
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
    let counting::Apart {
        by_key,
        by_reference,
    } = counting::apart(counter);
    let (kind, text, by_account, page) = match counter {
        Counter::Sql { sql } => {
            let asks = sql::bind(sql).parameters.contains(&Parameter::Account);
            ("sql", sql.clone(), asks, None)
        }
        Counter::Get { path, at, page, .. } => {
            let place = if at.is_empty() { "the whole body" } else { at };
            // it goes out with the account's own credentials
            ("http", format!("GET {path}, {place}"), true, *page)
        }
        Counter::Command(command) => {
            let line = shlex::try_join(command.argv.iter().map(String::as_str))
                .unwrap_or_else(|_| command.argv.join(" "));
            let asks = !line.contains("DOUBLETAP_") || line.contains("DOUBLETAP_ACCOUNT");
            ("command", line, asks, None)
        }
        Counter::Sink { listen, path } => {
            let text = format!("calls to {listen}{}", path.as_deref().unwrap_or_default());
            ("sink", text, false, None)
        }
    };
    CounterFacts {
        kind: kind.to_owned(),
        text,
        by_key,
        by_reference,
        by_account,
        page,
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
