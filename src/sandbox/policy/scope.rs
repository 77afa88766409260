//! What else, beside its text, makes a key another key: part of the record's identity, or compared when it is met.
//! Must not look at bodies.

use super::choice::{Choice, chosen};
use super::print::Print;
use crate::contract::{Answer, Contract, Match};

/// How far a later request is from the first one.
pub(super) enum Distance<'a> {
    /// In the same place.
    None,
    /// Elsewhere, where the key means the same whatever is asked for.
    Shared,
    /// Elsewhere, where that is another request.
    Another,
    /// Elsewhere, where it is refused.
    Refused(&'a Match),
}

/// The clauses with the part of a request that each is about, and whether both requests are taken for different ones where
/// the policy leaves it open.
fn parts<'a>(contract: &'a Contract, print: &'a Print) -> [(&'static str, &'a Answer, &'a str); 6] {
    let scope = &contract.scope;
    [
        ("account", &scope.account.value, &print.account),
        ("credential", &scope.credential.value, &print.credential),
        ("route", &scope.route.value, &print.route),
        ("resource", &scope.resource.value, &print.resource),
        ("query", &scope.query.value, &print.query),
        ("method", &scope.method.value, &print.method),
    ]
}

/// The parts that belong to the key.
pub(super) fn scope(contract: &Contract, print: &Print) -> String {
    let own = parts(contract, print)
        .into_iter()
        .filter(|(name, answer, _)| match chosen(answer) {
            Choice::Run => true,
            Choice::AsUsual => *name == "account",
            _ => false,
        });
    let own: Vec<String> = own
        .map(|(name, _, part)| format!("{name}={part}"))
        .collect();
    own.join("\n")
}

/// How far two requests are from each other that met under one key.
pub(super) fn distance<'a>(
    contract: &'a Contract,
    first: &'a Print,
    second: &'a Print,
) -> Distance<'a> {
    let mut distance = Distance::None;
    let pairs = parts(contract, first)
        .into_iter()
        .zip(parts(contract, second));
    for ((name, answer, one), (_, _, other)) in pairs {
        if one == other {
            continue;
        }
        match chosen(answer) {
            Choice::Refuse(how) => return Distance::Refused(how),
            // Who sends it and with which query says nothing about the body; another route has another body.
            Choice::Replay if matches!(name, "route" | "resource" | "method") => {
                distance = Distance::Shared;
            }
            Choice::AsUsual if !matches!(name, "account" | "credential") => {
                return Distance::Another;
            }
            _ => {}
        }
    }
    distance
}
