//! A policy by itself, without a target: what it declares of any request, and the routes that it names.
//! It must not know who asks, nor where policies are kept.

use super::contracts::{Own, Shelf, Stack};
use super::diagnostic::Diagnostic;
use super::policy::{RouteTable, route_fits};
use super::set_clause::parse_set;
use super::source::Source;
use crate::contract::{Contract, ContractPatch};

/// A request as far as the routes of a policy look at it.
pub struct Asked<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its path.
    pub path: &'a str,
    /// Whether its body has something at a JSON Pointer, or a form field of that name.
    pub body_has: &'a dyn Fn(&str) -> bool,
}

/// A policy with all that it extends, and the clauses laid over it.
pub struct DeclaredPolicy {
    stack: Stack,
    set: Vec<(String, ContractPatch)>,
}

impl DeclaredPolicy {
    /// Reads a policy; `name` is looked for by `find`, and `set` holds clauses as `--set` takes them.
    ///
    /// # Errors
    /// If there is no such policy, or something is wrong with it or with a clause.
    pub fn read(
        name: &str,
        set: &[String],
        find: &dyn Fn(&str) -> Option<Source>,
        names: &[String],
    ) -> Result<Self, Vec<Diagnostic>> {
        let shown = Source::new("command line", format!("--policy {name}"));
        let at = |title: String| Diagnostic::new(&shown, 9..shown.text.len(), title);
        let stack = Stack::build(&Shelf { find, names }, name, &at)?;
        let mut clauses = Vec::new();
        for argument in set {
            clauses.push(("--set".to_owned(), parse_set(argument)?));
        }
        Ok(Self {
            stack,
            set: clauses,
        })
    }

    /// The routes that it names, as `METHOD /path/{id}`, each once.
    #[must_use]
    pub fn routes(&self) -> Vec<String> {
        let mut routes: Vec<String> = Vec::new();
        for on in self.stack.routes().flat_map(|route| &route.on) {
            if !routes.contains(on) {
                routes.push(on.clone());
            }
        }
        routes
    }

    /// What it declares of a request.
    #[must_use]
    pub fn contract(&self, asked: &Asked<'_>) -> Contract {
        let applies = |route: &RouteTable| {
            let mut patterns = route.on.iter();
            let when = route.when.as_ref();
            patterns.any(|on| route_fits(on, asked.method, asked.path))
                && when.is_none_or(|when| (asked.body_has)(&when.body_has))
        };
        let own = Own {
            file: None,
            should: &[],
            set: &self.set,
        };
        self.stack.contract_where(&applies, &own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;

    const POLICY: &str = r#"
id = "p"
title = "p"
[contract]
missing = "run"
[[route]]
on = ["POST /orders"]
when = { body-has = "/card" }
contract.missing.refuse = {}
[[route]]
on = ["POST /orders", "* /orders/{id}"]
contract.key.most = 9
"#;

    fn read(set: &[&str]) -> DeclaredPolicy {
        let find = |name: &str| (name == "p").then(|| Source::new("p.toml", POLICY));
        let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        DeclaredPolicy::read("p", &set, &find, &["p".to_owned()]).unwrap()
    }

    fn missing(policy: &DeclaredPolicy, path: &str, with_card: bool) -> Answer {
        let asked = Asked {
            method: "POST",
            path,
            body_has: &|pointer| with_card && pointer == "/card",
        };
        policy.contract(&asked).missing.value
    }

    #[test]
    fn a_route_and_its_predicate_are_looked_at_for_each_request() {
        let policy = read(&[]);
        assert_eq!(policy.routes(), ["POST /orders", "* /orders/{id}"]);
        assert_eq!(missing(&policy, "/orders", false), Answer::Run);
        assert_eq!(missing(&policy, "/elsewhere", true), Answer::Run);
        assert!(matches!(
            missing(&policy, "/orders", true),
            Answer::Refuse(_)
        ));
    }

    #[test]
    fn a_clause_of_the_command_line_lies_on_top() {
        assert_eq!(
            missing(&read(&["missing=replay"]), "/orders", true),
            Answer::Replay
        );
        let nobody = |_: &str| None;
        assert!(DeclaredPolicy::read("q", &[], &nobody, &[]).is_err());
    }
}
