//! control: effects can be seen, and a fresh key has its own.
//!
//! Read: the counts before the first request, after it, and after all; the replies and identities of the first request and
//! of the one under a fresh key (with the same body, the changed body, or from another account).
//! Pass: a key never sent counts 0; the first request succeeds and raises its own count only; the request under the fresh
//! key succeeds, has an identity of its own, and adds the same. Without a counter the identities alone decide, and it is said.
//! Inconclusive: anything else. The control never fails an API: what rests on it cannot pass.

use std::collections::BTreeMap;

use super::CheckResult;
use super::counter_reach;
use super::evidence::{Evidence, Scene, Seen};
use super::tally::Tally;
use crate::config::suite::{Check, Steps};
use crate::config::target::Identity;
use crate::contract::Contract;
use crate::journal::{CountTaken, Journal};

/// What the control of one operation proved.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// What one effect adds to the count; `None` where no counter was proved.
    pub unit: Option<i64>,
    /// The counter says the same for every account.
    pub mixes: bool,
    /// Why the counter was never seen to say more than one effect, where it was not.
    pub unseen: Option<String>,
    /// Why an equal body under a fresh key did not pass; `None` where it did.
    pub base: Standing,
    /// The same of the changed body.
    pub changed: Standing,
    /// The same of other accounts.
    pub accounts: BTreeMap<String, Standing>,
    /// Replies to ordinary requests by account, headers and body as one text: what is in them is no secret of another's.
    pub ordinary: BTreeMap<String, String>,
    /// Cookies set on ordinary requests, `name=value`.
    pub cookies: Vec<String>,
}

/// How a part of the control stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It passed.
    Passed,
    /// It was not part of the control, or the control did not run.
    #[default]
    Absent,
    /// It did not pass.
    Failed(String),
}

impl Standing {
    /// Why nothing may rest on it.
    #[must_use]
    pub fn doubt(&self, what: &str) -> Option<String> {
        match self {
            Self::Passed => None,
            Self::Absent => Some(format!("the control of {what} was not carried out")),
            Self::Failed(why) => Some(format!("the control of {what} did not pass: {why}")),
        }
    }
}

/// Examines the control of an operation.
#[must_use]
pub fn examine(journal: &Journal, contracts: &BTreeMap<String, Contract>, name: &str) -> Control {
    let mut control = Control::default();
    let instance = journal.instances.iter().find(|i| {
        i.plan.operation == name
            && i.plan
                .drill
                .check
                .iter()
                .any(|c| matches!(c, Check::Control(_)))
    });
    let Some(instance) = instance else {
        return control;
    };
    if let Some(why) = &instance.skip {
        control.base = Standing::Failed(format!("it was skipped ({why})"));
        return control;
    }
    let evidence = Evidence {
        journal,
        contracts,
        instance,
        controls: None,
        replies_only: false,
    };
    let Some(scene) = evidence.scenes().next() else {
        control.base = Standing::Failed(evidence.not_reached());
        return control;
    };
    remember(&scene, &mut control);
    let facts = journal.start.operations.iter().find(|o| o.name == name);
    let counter = facts.and_then(|facts| facts.counter.as_ref());
    control.unseen = counter_reach::not_tried(&instance.plan.left_out)
        .or_else(|| counter.and_then(counter_reach::shared_once));
    for check in &instance.plan.drill.check {
        let Check::Control(steps) = check else {
            continue;
        };
        let (result, found, proof) = judge(evidence, steps, false);
        let standing = match result.verdict {
            super::Verdict::Pass => Standing::Passed,
            super::Verdict::Skip => Standing::Absent,
            _ => Standing::Failed(result.observed),
        };
        let second = steps.second.as_deref().and_then(|s| scene.last(s));
        let first = steps.first.as_deref().and_then(|s| scene.last(s));
        match (first, second) {
            // a counter that hides the second effect proves nothing of any
            (Some(first), Some(second)) if counter_reach::is_asked(&first, &second) => {
                let shown = |line: &String| line.contains(crate::plan::counting::UNSEEN);
                control.unseen = proof.into_iter().find(shown).or(control.unseen);
                if let Standing::Failed(_) = standing {
                    control.base = standing;
                    control.unit = None;
                }
            }
            (Some(first), Some(second)) => {
                let (first, second) = (&first.attempt.sent, &second.attempt.sent);
                if first.account != second.account {
                    control.accounts.insert(second.account.clone(), standing);
                } else if first.body_name != second.body_name {
                    control.changed = standing;
                } else {
                    control.base = standing;
                    control.unit = found.unit;
                }
            }
            _ if control.base == Standing::Absent => control.base = standing,
            _ => {}
        }
        control.mixes |= found.mixes;
    }
    control
}

/// What one check of the control found beside its result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// What one effect adds, where the counter was proved.
    pub unit: Option<i64>,
    /// The counter says the same for every account.
    pub mixes: bool,
}

/// Judges one check of the control.
#[must_use]
pub fn judge(
    evidence: Evidence<'_>,
    steps: &Steps,
    strict: bool,
) -> (CheckResult, Found, Vec<String>) {
    let second = steps.second.as_deref().unwrap_or("second");
    let mut tally = Tally::new(format!("control:{second}"), 1);
    tally.premise(
        "the request succeeds under a fresh key, with an identity and an effect of its own",
    );
    let mut found = Found::default();
    match evidence.scenes().next() {
        Some(scene) => judge_scene(&scene, steps, &mut tally, &mut found),
        None => tally.doubt(evidence.not_reached(), &[]),
    }
    let proof = std::mem::take(&mut tally.proof);
    (tally.finish(strict), found, proof)
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally, found: &mut Found) {
    let ended = scene.evidence.instance.ended.as_ref();
    let whole = ended.is_some_and(|e| e.broken.is_none());
    if let Some(step) = &steps.second
        && scene.last(step).is_none()
        && whole
    {
        tally.skip("not sent: the target does not declare what it needs");
        return;
    }
    let Some(first) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let Some(second) = scene.need(steps.second.as_ref(), tally) else {
        return;
    };
    if counter_reach::is_asked(&first, &second) {
        counter_reach::judge(scene, steps, &first, &second, tally);
        return;
    }
    for (seen, which) in [(&first, "first"), (&second, "second")] {
        if !seen.is_success() {
            tally.doubt(
                format!(
                    "an ordinary request under a fresh key does not succeed: {} ({which})",
                    seen.words()
                ),
                &[seen.n()],
            );
            return;
        }
    }
    let counted = count(scene, steps, &first, &second, tally, found);
    identities(&first, &second, counted, tally);
}

/// Whether the second request had an effect of its own; `None` where that was not counted.
fn count(
    scene: &Scene<'_>,
    steps: &Steps,
    first: &Seen<'_>,
    second: &Seen<'_>,
    tally: &mut Tally,
    found: &mut Found,
) -> Option<bool> {
    let Some(counter) = &second.op.facts.counter else {
        tally.prove("effects are not counted: the identity in the replies decides");
        if *second.op.identity == Identity::None {
            tally.doubt(
                "there is neither a counter nor an identity: nothing tells one effect from two",
                &[],
            );
        }
        return None;
    };
    counter_reach::tell(counter, tally);
    let sent = &first.attempt.sent;
    let counts = &scene.round.counts;
    let zero = counts.iter().find(|c| c.at_us <= sent.at_us);
    let one = steps
        .before
        .as_ref()
        .and_then(|name| counts.iter().find(|c| c.name == *name));
    let all = steps
        .counted
        .as_ref()
        .and_then(|name| counts.iter().find(|c| c.name == *name));
    let (Some(zero), Some(one), Some(all)) = (zero, one, all) else {
        tally.doubt(format!("a count was {}", scene.evidence.not_reached()), &[]);
        return None;
    };
    for count in [zero, one, all] {
        if let Some(entry) = count.entries.iter().find(|e| e.value.is_none()) {
            let why = entry.error.as_deref().unwrap_or("no reason given");
            tally.doubt(format!("effects could not be counted: {why}"), &[]);
            return None;
        }
    }
    if let Some(entry) = zero.entries.iter().find(|e| e.value != Some(0)) {
        let n = entry.value.unwrap_or_default();
        tally.doubt(
            format!("the counter says {n} for a key that was never sent: it does not start at 0"),
            &[],
        );
        return None;
    }
    let at = |count: &CountTaken, seen: &Seen<'_>| {
        let sent = &seen.attempt.sent;
        let mut entries = count.entries.iter();
        let entry = entries.find(|e| {
            e.intent == sent.intent && e.operation == sent.operation && e.account == sent.account
        });
        entry.and_then(|e| e.value)
    };
    // the first request's own effects, asked for in another account's name
    let others = one.entries.iter().filter(|e| {
        e.intent == sent.intent && e.operation == sent.operation && e.account != sent.account
    });
    found.mixes = others.clone().any(|e| e.value.unwrap_or(0) > 0) || !counter.by_account;
    let unit = at(one, first)
        .unwrap_or(0)
        .saturating_sub(at(zero, first).unwrap_or(0));
    if unit <= 0 {
        let words = first.words();
        tally.doubt(
            format!("the counter does not rise: {words}, and the count stayed 0"),
            &[first.n()],
        );
        return None;
    }
    if let Some(from) = at(one, second).filter(|v| *v != 0) {
        tally.doubt(
            format!("the counter does not tell requests apart: it says {from} for the second key before it was sent"),
            &[first.n()],
        );
        return None;
    }
    if at(all, first) != at(one, first) {
        tally.doubt(
            "the counter does not tell requests apart: the first key's count changed when other keys were sent".to_owned(),
            &[first.n(), second.n()],
        );
        return None;
    }
    // the counter rises and starts at 0; whether the second adds the same is asked next
    found.unit = Some(unit);
    let rise = at(all, second).unwrap_or(0);
    if rise == unit {
        let words = if unit == 1 {
            String::new()
        } else {
            format!(" (one effect adds {unit})")
        };
        tally.saw(
            format!("each request adds one effect{words}"),
            &[first.n(), second.n()],
        );
        Some(true)
    } else if rise == 0 {
        Some(false)
    } else {
        found.unit = None;
        tally.doubt(
            format!(
                "the first request raises the count by {unit}, and one under a fresh key by {rise}"
            ),
            &[first.n(), second.n()],
        );
        None
    }
}

fn identities(first: &Seen<'_>, second: &Seen<'_>, own_effect: Option<bool>, tally: &mut Tally) {
    let attempts = [first.n(), second.n()];
    let elsewhere = first.attempt.sent.account != second.attempt.sent.account;
    let same = match (first.identity(), second.identity()) {
        _ if *second.op.identity == Identity::None => None,
        (Some(a), Some(b)) => Some((a == b, a)),
        _ => {
            tally.doubt(
                "a success without the declared identity in its reply",
                &attempts,
            );
            return;
        }
    };
    match (same, own_effect) {
        (Some((true, id)), Some(false)) => tally.doubt(
            format!(
                "the fresh key got the first request's result ({id}) and no effect of its own: equal requests are taken \
                 for one whatever their key, or the key is not read"
            ),
            &attempts,
        ),
        // accounts may number their own things from 1
        (Some((true, id)), Some(true)) if elsewhere && !super::leak::is_unguessable(&id) => {
            tally.saw(format!("both accounts have a result {id} of their own"), &attempts);
        }
        (Some((true, id)), _) => tally.doubt(
            format!("two requests under two keys have one identity ({id}): it does not tell results apart"),
            &attempts,
        ),
        (_, Some(false)) => tally.doubt(
            format!("a success under a fresh key that the counter does not see: {}", second.words()),
            &attempts,
        ),
        (Some((false, _)), _) => tally.saw("each has an identity of its own", &attempts),
        (None, _) => {}
    }
}

fn remember(scene: &Scene<'_>, control: &mut Control) {
    for attempt in &scene.round.attempts {
        let Some(reply) = scene
            .see(attempt)
            .filter(Seen::is_success)
            .and_then(|s| s.reply())
        else {
            continue;
        };
        let text = control
            .ordinary
            .entry(attempt.sent.account.clone())
            .or_default();
        for (name, value) in &reply.headers {
            text.push_str(value);
            text.push('\n');
            if name.eq_ignore_ascii_case("set-cookie") {
                control
                    .cookies
                    .push(value.split(';').next().unwrap_or(value).trim().to_owned());
            }
        }
        text.push_str(reply.body.text.as_deref().unwrap_or_default());
        text.push('\n');
    }
}
