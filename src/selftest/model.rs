//! The model: fault -> exactly the drills that fail, from `fixtures/faults.toml`.
//! It must not know what the drills really find.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The bundled model.
const TEXT: &str = include_str!("../../fixtures/faults.toml");
/// The operation that an id without `@` is about.
const OPERATION: &str = "payment";

/// The whole model.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Model {
    /// Drills that every fault meets, whether they see it or not.
    pub sentinels: Vec<String>,
    /// Drills of other operations than `payment` that belong to a full run.
    pub elsewhere: Vec<String>,
    /// Clean designs, wrong designs and faults by name.
    #[serde(default)]
    pub design: BTreeMap<String, Entry>,
    /// Faults by name.
    pub fault: BTreeMap<String, Entry>,
}

/// What one fault, or one wrong design, makes fail.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Entry {
    /// Drills that fail, on every design.
    pub fails: Vec<String>,
    /// Drills that warn, on every design.
    pub warns: Vec<String>,
    /// Drills that fail on this design only.
    pub one_transaction: Vec<String>,
    /// Drills that fail on this design only.
    pub claim_first: Vec<String>,
    /// Drills that timing decides: they may fail.
    pub may: Vec<String>,
    /// The policy that a wrong design is held against.
    pub policy: Option<String>,
    /// The retention that the sandbox promises, where it must be short enough to wait for.
    pub retention: Option<String>,
    /// How long a claim stands, where not as the design has it.
    pub lease: Option<String>,
    /// How many replicas are started.
    pub replicas: Option<u32>,
}

/// One sandbox to be tested, and what must be found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The design.
    pub design: String,
    /// The fault; `None`: the design as it is.
    pub fault: Option<String>,
    /// The policy that it is held against.
    pub policy: String,
    /// Ids (`drill/case@operation`) that must fail.
    pub fails: BTreeSet<String>,
    /// Ids that must warn.
    pub warns: BTreeSet<String>,
    /// Ids that may fail.
    pub may: BTreeSet<String>,
    /// A short retention.
    pub retention: Option<String>,
    /// A lease.
    pub lease: Option<String>,
    /// Replicas.
    pub replicas: u32,
}

impl Model {
    /// The bundled model.
    ///
    /// # Errors
    /// Where the text is no model; a test holds that it is one.
    pub fn bundled() -> Result<Self, toml::de::Error> {
        toml::from_str(TEXT)
    }

    /// The cases: the clean designs, the wrong ones, and every fault on every design that it applies to.
    #[must_use]
    pub fn cases(&self, applies: &dyn Fn(&str, &str) -> bool) -> Vec<Case> {
        let mut cases = Vec::new();
        for design in ["one-transaction", "claim-first"] {
            cases.push(case(design, None, &Entry::default()));
        }
        for (design, entry) in &self.design {
            cases.push(case(design, None, entry));
        }
        for (fault, entry) in &self.fault {
            for design in ["one-transaction", "claim-first"] {
                if applies(fault, design) {
                    cases.push(case(design, Some(fault), entry));
                }
            }
        }
        cases
    }

    /// The drills that a case meets: those of its model and the sentinels.
    #[must_use]
    pub fn drills(&self, case: &Case) -> BTreeSet<String> {
        let sentinels = self.sentinels.iter().map(|id| whole(id));
        let named = case.fails.iter().chain(&case.warns).chain(&case.may);
        sentinels.chain(named.cloned()).collect()
    }

    /// The drills of other operations that belong to a full run.
    #[must_use]
    pub fn elsewhere(&self) -> BTreeSet<String> {
        self.elsewhere.iter().map(|id| whole(id)).collect()
    }

    /// The drills that see a fault, those of one design included, as they are written.
    #[must_use]
    pub fn seen_by(&self, fault: &str) -> Vec<&str> {
        let entry = self.fault.get(fault);
        let all = entry.into_iter().flat_map(|entry| {
            let own = entry.one_transaction.iter().chain(&entry.claim_first);
            entry.fails.iter().chain(&entry.warns).chain(own)
        });
        let mut seen: Vec<&str> = Vec::new();
        for id in all {
            if !seen.contains(&id.as_str()) {
                seen.push(id);
            }
        }
        seen
    }

    /// The faults, and the designs wrong as a whole, whose entry names a drill (or a case of it).
    #[must_use]
    pub fn found_by(&self, drill: &str) -> Vec<&str> {
        let names = |entry: &Entry| {
            let all = entry.fails.iter().chain(&entry.warns);
            all.chain(&entry.one_transaction)
                .chain(&entry.claim_first)
                .any(|id| id == drill || id.split(['/', '@']).next() == Some(drill))
        };
        let all = self.fault.iter().chain(&self.design);
        let found = all.filter(|(_, entry)| names(entry));
        found.map(|(name, _)| name.as_str()).collect()
    }
}

/// The id of an instance: the operation is `payment` where none is named.
fn whole(id: &str) -> String {
    if id.contains('@') {
        id.to_owned()
    } else {
        format!("{id}@{OPERATION}")
    }
}

fn case(design: &str, fault: Option<&String>, entry: &Entry) -> Case {
    let own = match design {
        "one-transaction" => &entry.one_transaction[..],
        "claim-first" => &entry.claim_first[..],
        _ => &[],
    };
    let ids = |names: &[String]| names.iter().map(|id| whole(id)).collect::<BTreeSet<_>>();
    let mut fails = ids(&entry.fails);
    fails.extend(ids(own));
    Case {
        design: design.to_owned(),
        fault: fault.cloned(),
        policy: entry.policy.clone().unwrap_or_else(|| design.to_owned()),
        fails,
        warns: ids(&entry.warns),
        may: ids(&entry.may),
        retention: entry.retention.clone(),
        lease: entry.lease.clone(),
        replicas: entry.replicas.unwrap_or(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_without_an_operation_is_about_the_payment() {
        assert_eq!(whole("drill.replay"), "drill.replay@payment");
        assert_eq!(whole("drill.replay@cancel"), "drill.replay@cancel");
    }

    #[test]
    fn the_bundled_model_names_no_drill_twice() {
        let model = Model::bundled().unwrap();
        assert_eq!(model.sentinels.len(), 10);
        for (name, entry) in model.fault.iter().chain(&model.design) {
            for own in [&entry.one_transaction, &entry.claim_first] {
                let mut all: Vec<&String> =
                    entry.fails.iter().chain(own).chain(&entry.may).collect();
                let count = all.len();
                all.sort();
                all.dedup();
                assert_eq!(all.len(), count, "{name} names a drill twice");
            }
            let nothing = entry.fails.is_empty()
                && entry.one_transaction.is_empty()
                && entry.claim_first.is_empty();
            assert!(!nothing || !entry.warns.is_empty(), "no drill sees {name}");
        }
    }
}
