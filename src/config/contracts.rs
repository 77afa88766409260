//! From policies, their routes, the target's own clauses and `--set` to one contract for each operation.
//! It must not know where policies are kept, nor how contracts are judged.

use std::collections::BTreeMap;

use super::body::probe;
use super::diagnostic::Diagnostic;
use super::nearest::nearest;
use super::policy::{Policy, RouteTable, parse_policy, route_fits};
use super::source::Source;
use super::target::{Body, Operation, PolicyFacts};
use crate::contract::merge::{Group, Layer, merge};
use crate::contract::{Contract, ContractPatch, Origin};

/// The policy that answers what others leave out.
pub const FLOOR: &str = "floor";
/// The policy that applies where none is named.
pub const PLAIN: &str = "plain";

/// Where policies are found.
pub struct Shelf<'a> {
    /// A policy by its name or path.
    pub find: &'a dyn Fn(&str) -> Option<Source>,
    /// The names of the bundled ones.
    pub names: &'a [String],
}

/// Policies in the order in which they are laid over each other: floor first.
pub struct Stack {
    policies: Vec<Policy>,
}

/// Clauses declared outside of policies.
pub struct Own<'a> {
    /// The target file's.
    pub file: Option<(&'a Source, &'a ContractPatch)>,
    /// The target file's `should`.
    pub should: &'a [String],
    /// Those of the command line, in order, each with the flag's name.
    pub set: &'a [(String, ContractPatch)],
}

impl Stack {
    /// The named policy and all that it extends. `at` makes an error at the place where the name stands.
    pub fn build(
        shelf: &Shelf<'_>,
        name: &str,
        at: &dyn Fn(String) -> Diagnostic,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut policies: Vec<Policy> = Vec::new();
        let mut next = Some((name.to_owned(), None::<Source>));
        while let Some((name, from)) = next {
            let error = |title: String| match &from {
                Some(source) => {
                    let at = source.text.find(&format!("\"{name}\"")).unwrap_or(0);
                    Diagnostic::new(source, at..at + name.len() + 2, title)
                }
                None => at(title),
            };
            let Some(source) = (shelf.find)(&name) else {
                let known: Vec<&str> = shelf.names.iter().map(String::as_str).collect();
                let label = nearest(&name, known.iter().copied())
                    .map_or(String::new(), |n| format!("did you mean `{n}`?"));
                let help = "`doubletap policies` lists the bundled ones; a file is named by its path, such as ./mine.toml";
                return Err(vec![
                    error(format!("there is no policy `{name}`"))
                        .label(label)
                        .help(help),
                ]);
            };
            let policy = parse_policy(&source)?;
            if policies.iter().any(|known| known.file.id == policy.file.id) {
                return Err(vec![
                    error(format!("the policy `{}` extends itself", policy.file.id))
                        .help("take one of the `extends` away"),
                ]);
            }
            next = policy
                .file
                .extends
                .clone()
                .map(|extends| (extends, Some(source)));
            policies.insert(0, policy);
        }
        if policies[0].file.id != FLOOR
            && let Some(source) = (shelf.find)(FLOOR)
        {
            policies.insert(0, parse_policy(&source)?);
        }
        Ok(Self { policies })
    }

    /// The routes of all policies, in order.
    pub fn routes(&self) -> impl Iterator<Item = &RouteTable> {
        self.policies.iter().flat_map(|policy| &policy.file.route)
    }

    /// The named policy's facts.
    pub fn facts(&self) -> PolicyFacts {
        // `build` puts in at least the named one
        let last = &self.policies[self.policies.len() - 1];
        PolicyFacts {
            id: last.file.id.clone(),
            title: last.file.title.clone(),
            file: last.source.name.clone(),
            seen: last.file.seen.clone(),
            sources: last.file.sources.clone(),
        }
    }

    /// The contract of each operation.
    pub fn contracts(
        &self,
        operations: &[Operation],
        base_path: &str,
        own: &Own<'_>,
    ) -> BTreeMap<String, Contract> {
        operations
            .iter()
            .map(|operation| {
                (
                    operation.name.clone(),
                    self.contract(operation, base_path, own),
                )
            })
            .collect()
    }

    fn contract(&self, operation: &Operation, base_path: &str, own: &Own<'_>) -> Contract {
        let whole = format!("{}{}", base_path.trim_end_matches('/'), operation.path);
        let on = |route: &RouteTable, path: &str| {
            let mut patterns = route.on.iter();
            patterns.any(|on| route_fits(on, &operation.method, path))
        };
        let applies = |route: &RouteTable| {
            let when = route.when.as_ref();
            (on(route, &operation.path) || on(route, &whole))
                && when.is_none_or(|when| body_has(&operation.body, &when.body_has))
        };
        self.contract_where(&applies, own)
    }

    /// The contract that holds where these routes apply.
    pub fn contract_where(&self, applies: &dyn Fn(&RouteTable) -> bool, own: &Own<'_>) -> Contract {
        let origins: Vec<Box<dyn Fn(usize) -> Origin + '_>> = self
            .policies
            .iter()
            .map(|policy| {
                Box::new(|byte| policy.source.origin(byte)) as Box<dyn Fn(usize) -> Origin>
            })
            .collect();
        let mut groups: Vec<Group<'_>> = Vec::new();
        for (policy, origin) in self.policies.iter().zip(&origins) {
            let routes = policy.file.route.iter().filter(|route| applies(route));
            let patches =
                std::iter::once(&policy.file.contract).chain(routes.map(|route| &route.contract));
            let layers = patches.map(|patch| Layer { patch, origin }).collect();
            groups.push(Group {
                layers,
                should: &policy.file.should,
            });
        }
        let file_origin = |byte: usize| match own.file {
            Some((source, _)) => source.origin(byte),
            None => Origin {
                file: String::new(),
                line: 0,
            },
        };
        let layers = own
            .file
            .iter()
            .map(|(_, patch)| Layer {
                patch,
                origin: &file_origin,
            })
            .collect();
        groups.push(Group {
            layers,
            should: own.should,
        });
        let set_origins: Vec<Box<dyn Fn(usize) -> Origin + '_>> = own
            .set
            .iter()
            .map(|(flag, _)| {
                Box::new(move |_| Origin {
                    file: flag.clone(),
                    line: 0,
                }) as Box<dyn Fn(usize) -> Origin>
            })
            .collect();
        for ((_, patch), origin) in own.set.iter().zip(&set_origins) {
            groups.push(Group {
                layers: vec![Layer { patch, origin }],
                should: &[],
            });
        }
        merge(&groups)
    }
}

/// Whether the base body has something there.
fn body_has(body: &Body, at: &str) -> bool {
    match body {
        Body::Json(text) => probe(text).is_ok_and(|value| value.pointer(at).is_some()),
        Body::Form(fields) => fields
            .iter()
            .any(|(name, _)| name == at.trim_start_matches('/')),
        Body::Empty | Body::Text { .. } => false,
    }
}
