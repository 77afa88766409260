//! Stories of planning: what is sent byte for byte, what is skipped and why, and what a plan rests on.
//! They must not send anything.

use std::collections::BTreeMap;

use super::fresh::Counted;
use super::intent::{self, Intent};
use super::prepare::{Prepared, prepare, prepare_read};
use super::{Instance, Plan, Races, plan};
use crate::bundled;
use crate::config::suite::{Drill, KeyShape, RequestFields, Vary, Written};
use crate::config::target::Target;
use crate::config::{Flags, Inputs, Source, load};

mod bodies;
mod keys;
mod plans;
mod reads;
mod requests;
mod skips;

const SHOP: &str = r#"
url = "http://127.0.0.1:8080/api"
policy = "plain"
[account.a]
id = "17"
headers = { Authorization = "Bearer token-of-a" }
values = { shop = "s 1" }
[operation.payment]
request = "POST /shops/{{account.shop}}/payments?dry=no"
json = '{ "amount": 49900,  "ref" : "", "note":"{{n}}" }'
ref = "/ref"
headers = { X-Env = "test" }
bodies.declined = { set = { "/card" = "4000" }, headers = { X-Env = "declined" } }
bodies.slow = { headers = { X-Delay = "1s" } }
stall = { slow = "slow" }
count = { get = { path = "/payments?ref={{ref}}", at = "/count" } }
[operation.refund]
request = "POST /payments/{{payment}}/refunds"
needs = { payment = "payment" }
"#;

fn target(text: &str) -> Target {
    let policies = |name: &str| {
        let (file, text) = bundled::policy(name)?;
        Some(Source::new(file, text))
    };
    let inputs = Inputs {
        target: Some(Source::new("shop.toml", text)),
        flags: &Flags::default(),
        env: &|_| None,
        policies: &policies,
        policy_names: &[],
    };
    load(inputs).unwrap().target
}

/// An operation of the shop.
pub fn operation() -> crate::config::target::Operation {
    target(SHOP).operations.remove(0)
}

fn drills() -> Vec<Drill> {
    let all = bundled::drills().into_iter();
    all.map(|(_, text)| toml::from_str(text).unwrap()).collect()
}

fn planned(target: &Target, wants: &dyn Fn(&Instance) -> bool) -> Plan {
    let races = Races {
        copies: 10,
        rounds: 5,
        max_copies: None,
    };
    plan(target, &drills(), races, "run1", wants)
}

fn instance(target: &Target, id: &str) -> Instance {
    let plan = planned(target, &|instance| instance.id == id);
    plan.instances.into_iter().find(|i| i.id == id).unwrap()
}

fn intent(target: &Target) -> Intent {
    let rule = &target.contracts["payment"].key.value;
    let mut fresh = Counted::default();
    intent::make(
        "k",
        &KeyShape::Fresh,
        &BTreeMap::new(),
        rule,
        "run1",
        &mut fresh,
    )
    .unwrap()
}

fn sent(target: &Target, fields: &RequestFields, slow: bool) -> Prepared {
    let instance = instance(target, "drill.replay@payment");
    prepare(target, &instance, fields, Some(&intent(target)), 0, slow).unwrap()
}

fn header(prepared: &Prepared, name: &str) -> Option<String> {
    let found = prepared
        .headers
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| String::from_utf8(value.clone()).unwrap())
}
