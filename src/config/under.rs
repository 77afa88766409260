//! The contracts that a policy alone makes for given operations: to compare policies, and to judge a saved run by another one.
//! It must not know where policies are kept, nor what a run did.

use std::collections::BTreeMap;

use super::contracts::{Own, Shelf, Stack};
use super::diagnostic::Diagnostic;
use super::source::Source;
use super::target::{Body, Identity, Operation, PolicyFacts};
use crate::contract::Contract;

/// What is known of an operation without its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// Its name.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path after the base URL.
    pub path: String,
    /// Its JSON body, where it is known: routes may ask for a member of it.
    pub body: Option<String>,
}

/// The policy's facts, and a contract for each operation.
///
/// # Errors
/// A policy that is not there, or does not make sense.
pub fn contracts_under(
    policy: &str,
    find: &dyn Fn(&str) -> Option<Source>,
    names: &[String],
    base_path: &str,
    operations: &[Sketch],
) -> Result<(PolicyFacts, BTreeMap<String, Contract>), Vec<Diagnostic>> {
    let shelf = Shelf { find, names };
    let source = Source::new("--policy", policy);
    let stack = Stack::build(&shelf, policy, &|title| {
        Diagnostic::new(&source, 0..policy.len(), title)
    })?;
    let operations: Vec<Operation> = operations.iter().map(operation).collect();
    let own = Own {
        file: None,
        should: &[],
        set: &[],
    };
    let contracts = stack.contracts(&operations, base_path, &own);
    Ok((stack.facts(), contracts))
}

fn operation(sketch: &Sketch) -> Operation {
    Operation {
        name: sketch.name.clone(),
        method: sketch.method.clone(),
        path: sketch.path.clone(),
        headers: Vec::new(),
        body: sketch.body.clone().map_or(Body::Empty, Body::Json),
        reference_at: None,
        success: Vec::new(),
        identity: Identity::Detect,
        bodies: BTreeMap::new(),
        count: None,
        other_query: Vec::new(),
        stall: None,
        needs: BTreeMap::new(),
        setup_only: false,
        read: None,
        unique_reference: None,
    }
}
