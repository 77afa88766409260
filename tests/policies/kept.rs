//! Every bundled policy: the sandbox under it passes the drills that are judged by it.
//! It must not know what any policy says; that both read it alike proves the wiring, and `fixtures/replies` the rest.

use doubletap::bundled;

use super::stage::{Said, run, side_by_side};

/// Those with most waiting, so that nobody waits for them at the end.
const LONGEST: [&str; 3] = ["paypal", "ppro", "rafiki"];

/// Drills without a verdict under a policy, each with the reason. There is none: one that comes must be argued for here.
const NO_VERDICT: [(&str, &str, &str); 0] = [];

/// What is judged under every policy.
const ALWAYS: [&str; 5] = [
    "drill.control",
    "drill.replay",
    "drill.concurrent",
    "drill.in-progress",
    "fingerprint.equal-body",
];

/// What is sent under every policy, and judged where it does not leave the clause open.
const SENT: [&str; 3] = [
    "drill.mismatch",
    "scope.no-credentials",
    "drill.other-account/a-first",
];

fn wrong(policy: &str, said: &Said) -> Vec<String> {
    let mut wrong = Vec::new();
    for (drill, reason) in said.with(&["fail", "warn", "inconclusive"]) {
        let known = NO_VERDICT
            .iter()
            .any(|(of, id, _)| (*of, *id) == (policy, drill));
        if !known || said.verdict(drill) != "inconclusive" {
            let verdict = said.verdict(drill);
            wrong.push(format!("{policy}: {verdict} {drill}: {reason}"));
        }
    }
    for drill in ALWAYS.iter().filter(|drill| said.verdict(drill) != "pass") {
        let verdict = said.verdict(drill);
        wrong.push(format!("{policy}: {drill} is {verdict} and no pass"));
    }
    let sent = |drill: &&&str| matches!(said.verdict(drill), "pass" | "observed");
    for drill in SENT.iter().filter(|drill| !sent(drill)) {
        let verdict = said.verdict(drill);
        wrong.push(format!("{policy}: {drill} is {verdict}"));
    }
    if wrong.is_empty() && said.code != 0 {
        wrong.push(format!(
            "{policy}: exit code {}: {}",
            said.code, said.errors
        ));
    }
    wrong
}

#[test]
fn the_sandbox_under_every_policy_passes_the_drills_judged_by_it() {
    let mut policies: Vec<&str> = bundled::policies()
        .iter()
        .map(|(name, _)| name.trim_start_matches("policies/"))
        .map(|name| name.trim_end_matches(".toml"))
        .filter(|name| *name != "floor")
        .collect();
    assert!(policies.len() > 60, "{policies:?}");
    policies.sort_by_key(|policy| !LONGEST.contains(policy));
    let wrong = side_by_side(&policies, |policy| wrong(policy, &run(policy, &[])));
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
