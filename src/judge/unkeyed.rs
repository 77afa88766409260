//! unkeyed: the same request twice without a key.
//!
//! Read: both replies, the counts before and after the second. Pass: what `missing` declares: two effects (`run`), a refusal
//! of both, or one effect where a replay is declared. Fail: anything else that can be told. Observed: the clause is open.
//! Inconclusive: unknown outcomes, or nothing tells whether it ran twice.

use super::evidence::Evidence;
use super::outcome;
use super::tally::{Cited, Tally};
use crate::config::suite::Steps;

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(format!("unkeyed:{second}"), evidence.instance.plan.rounds);
    let Some(op) = evidence.op() else {
        return tally;
    };
    let clause = &op.contract.missing;
    tally.expect(Cited::of(clause), clause.value.to_string());
    if clause.value.is_open() {
        tally.leave_open();
    }
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        let Some(first) = scene.need(steps.first.as_ref(), &mut tally) else {
            continue;
        };
        let Some(second) = scene.need(steps.second.as_ref(), &mut tally) else {
            continue;
        };
        let outcome = outcome::of(&scene, steps, &first, &second);
        let meaning = "What the service does without a key is not what it declares: a client that relies on it is charged twice, or \
                       loses an order.";
        outcome::judge(&outcome, clause, &first, &second, meaning, &mut tally);
    }
    tally
}
