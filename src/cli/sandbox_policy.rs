//! A policy for the sandbox: found by its name or path, read, and handed over as what it declares of each request.
//! It must not know how the sandbox behaves by it.

use std::sync::Arc;
use std::time::Duration;

use super::target::{find_policy, policy_names};
use crate::config::{Asked, DeclaredPolicy};
use crate::sandbox::Policy;

/// The policy of that name or path, with these clauses laid over it.
///
/// # Errors
/// With a text for people, if there is none, or something is wrong with it.
pub fn declared(name: &str, set: &[String], retention: Option<Duration>) -> Result<Policy, String> {
    let policy =
        DeclaredPolicy::read(name, set, &find_policy, &policy_names()).map_err(|wrong| {
            let told: Vec<String> = wrong.iter().map(|error| error.render(false)).collect();
            let told = told.join("\n");
            told.trim_start_matches("error: ").to_owned()
        })?;
    let routes = policy.routes();
    let declares = move |method: &str, path: &str, body_has: &dyn Fn(&str) -> bool| {
        policy.contract(&Asked {
            method,
            path,
            body_has,
        })
    };
    let policy = Policy::new(routes, Arc::new(declares));
    Ok(match retention {
        Some(retention) => policy.keeping(retention),
        None => policy,
    })
}
