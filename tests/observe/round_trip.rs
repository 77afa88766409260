//! Observing the sandbox under a policy gives the policy back, as far as it can be observed; and the draft is kept by that sandbox.
//! `DOUBLETAP_ALL_POLICIES=1` takes every bundled policy; otherwise those whose shapes differ most.

use std::sync::Mutex;

use super::*;
use crate::command::{code, report, stderr};

/// One policy of each shape.
const SHAPES: [&str; 13] = [
    "stripe",
    "ietf",
    "claim-first",
    "gocardless",
    "mercury",
    "modern-treasury",
    "oasis-repeatable-requests",
    "ppro",
    "checkbook",
    "google-aip-155",
    "coinbase-cdp",
    "adyen",
    "shopify",
];

/// What observing the built-in target cannot show, and why.
const UNSEEN: [(&str, &str); 7] = [
    (
        "retention",
        "keys are made to expire, nobody waits for them",
    ),
    ("scope.region", "the sandbox stands alone"),
    ("scope.resource", "a payment needs no resource of its own"),
    ("methods.put", "a payment is a POST"),
    ("methods.delete", "a payment is a POST"),
    ("methods.stale-if-match", "a payment is a POST"),
    (
        "fingerprint.ignores",
        "the target names no member to ignore",
    ),
];

/// Clauses that a policy declares and its own sandbox does not show, with the reason.
const UNSEEN_OF: [(&str, &str, &str); 3] = [
    (
        "ppro",
        "in-progress",
        "the same reply as for another body, so a copy's reply may be either",
    ),
    (
        "aws-ec2",
        "fingerprint.covers",
        "a form has no other writing that the drills know",
    ),
    (
        "aws-efs",
        "fingerprint.covers",
        "every repeat is refused, whatever its body",
    ),
];

/// Policies that their own sandbox does not show well enough.
const OTHER_TARGETS: [(&str, &str); 1] = [(
    "rafiki",
    "its refusals are a 200 with a sentence: nothing tells in progress from another body",
)];

#[test]
fn observing_the_sandbox_of_a_policy_gives_the_policy_back() {
    let all = std::env::var_os("DOUBLETAP_ALL_POLICIES").is_some();
    let waiting: Vec<String> = if all {
        doubletap::cli::target::policy_names()
    } else {
        SHAPES.iter().map(|name| (*name).to_owned()).collect()
    };
    let waiting: Vec<String> = waiting
        .into_iter()
        .filter(|name| !OTHER_TARGETS.iter().any(|(other, _)| other == name))
        .collect();
    let waiting = Mutex::new(waiting);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(policy) = { waiting.lock().unwrap().pop() } {
                    // a machine under load may let the other body overtake the first: once more, then
                    let mut found = round_trip(&policy);
                    if !found.is_empty() {
                        found = round_trip(&policy);
                    }
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Observes, compares, and runs the draft on a fresh sandbox. Says what is wrong.
fn round_trip(policy: &str) -> Vec<String> {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    let mut say = |what: String| wrong.push(format!("{policy}: {what}"));
    let sandbox = Sandbox::start(&["--policy", policy]);
    let observed = on(
        &bench,
        &sandbox,
        policy,
        &["observe"],
        &[
            "--against",
            policy,
            "--policy-out",
            "draft.toml",
            "--format",
            "json",
        ],
    );
    drop(sandbox);
    if code(&observed) != 0 {
        say(format!(
            "observe ended with {}: {}",
            code(&observed),
            stderr(&observed)
        ));
        return wrong;
    }
    for row in report(&observed)["against"].as_array().unwrap() {
        let (clause, standing) = (
            row["clause"].as_str().unwrap(),
            row["standing"].as_str().unwrap(),
        );
        let unseen = UNSEEN.iter().any(|(known, _)| *known == clause)
            || UNSEEN_OF
                .iter()
                .any(|(of, known, _)| *of == policy && *known == clause);
        match standing {
            "differs" => say(format!(
                "{clause} differs: {} was seen as {}",
                row["documented"], row["seen"]
            )),
            "not-seen" if !unseen => say(format!("{clause} was not seen: {}", row["documented"])),
            _ => {}
        }
    }
    let sandbox = Sandbox::start(&["--policy", policy]);
    let run = on(
        &bench,
        &sandbox,
        policy,
        &["run"],
        &[
            "--policy",
            "./draft.toml",
            "--suite",
            "all",
            "--format",
            "json",
        ],
    );
    if code(&run) != 0 {
        say(format!(
            "the run by the draft ended with {}: {}",
            code(&run),
            stderr(&run)
        ));
        if code(&run) != 2 {
            for drill in report(&run)["drills"].as_array().unwrap() {
                if matches!(drill["verdict"].as_str(), Some("fail" | "inconclusive")) {
                    say(format!(
                        "{} {}: {}",
                        drill["verdict"], drill["id"], drill["reason"]
                    ));
                }
            }
        }
    }
    wrong
}
