//! region: whether two requests went to different regions, and what may then be done once more.
//! A base URL without a region, or in the same one, is the same service. It must not know what a drill wants to show.

use std::collections::BTreeSet;

use super::evidence::{Evidence, Scene, Seen};
use crate::config::suite::Vary;
use crate::contract::Answer;
use crate::contract::reading::Identities;
use crate::journal::{AttemptSent, Journal};

/// The region that a request went to, where the target gives its base URL one.
fn of<'a>(evidence: Evidence<'a>, seen: &Seen<'_>) -> Option<&'a str> {
    let regions = &evidence.journal.start.regions;
    regions.get(url_of(&seen.attempt.sent))?.as_deref()
}

/// Which of the base URLs a request went to.
fn url_of(sent: &AttemptSent) -> usize {
    match sent.vary {
        Some(Vary::Replica(index)) => usize::try_from(index).unwrap_or(usize::MAX),
        _ => 0,
    }
}

/// Whether both went to a region that is known, and not to the same.
#[must_use]
pub fn differ(evidence: Evidence<'_>, one: &Seen<'_>, other: &Seen<'_>) -> bool {
    match (of(evidence, one), of(evidence, other)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// Whether each region may do what another has done: it is declared so, or left open.
fn may_run(seen: &Seen<'_>) -> bool {
    let clause = &seen.op.contract.scope.region.value;
    clause.is_open() || *clause == Answer::Run
}

/// How many effects of the first's key other regions may have had: one for each that gave a result of its own.
#[must_use]
pub fn effects(scene: &Scene<'_>, first: &Seen<'_>) -> i64 {
    if !may_run(first) {
        return 0;
    }
    let sent = &first.attempt.sent;
    let all = scene.round.attempts.iter();
    let others = all.filter(|a| a.sent.key == sent.key && a.sent.account == sent.account);
    let others = others.filter_map(|a| scene.see(a));
    let regions: BTreeSet<&str> = others
        .filter(|seen| differ(scene.evidence, first, seen))
        .filter(|seen| seen.is_success() && seen.identities(first) != Identities::Same)
        .filter_map(|seen| of(scene.evidence, &seen))
        .collect();
    i64::try_from(regions.len()).unwrap_or(i64::MAX)
}

/// Why copies of one request need not have one effect, where they went to regions of which each may do it.
#[must_use]
pub fn apart(evidence: Evidence<'_>, copies: &[Seen<'_>]) -> Option<String> {
    let first = copies.first().filter(|first| may_run(first))?;
    let other = copies.iter().find(|c| differ(evidence, first, c))?;
    Some(format!(
        "copies went to the regions {} and {}, and `scope.region` does not say that they share keys",
        of(evidence, first)?,
        of(evidence, other)?
    ))
}

/// Which base URLs no request went to, in one sentence: what was seen says nothing of them.
#[must_use]
pub fn not_asked(journal: &Journal) -> Option<String> {
    let rounds = journal
        .instances
        .iter()
        .flat_map(|instance| instance.rounds.values());
    let asked: BTreeSet<usize> = rounds
        .flat_map(|round| &round.attempts)
        .map(|attempt| url_of(&attempt.sent))
        .collect();
    let urls = journal.start.urls.iter().enumerate();
    let left: Vec<&str> = urls
        .filter(|(index, _)| !asked.is_empty() && !asked.contains(index))
        .map(|(_, url)| url.as_str())
        .collect();
    (!left.is_empty()).then(|| format!("no request of a drill went to {}", left.join(", ")))
}
