//! control, second half: whether the counter says two where there are two. Two requests under two keys with one reference are two
//! intents, and a counter that asks by the reference sees both at once.
//!
//! Read: the counts before and after the second of them, and its reply. Pass: the count rose by one effect more. Inconclusive: the
//! service did the second, and the count stayed. Skip: the service refuses the reference, or answers with what it did before: then
//! it was never seen that the counter can say more than one, and the report says so.

use super::evidence::{Scene, Seen};
use super::tally::Tally;
use crate::config::suite::Steps;
use crate::contract::reading::Identities;
use crate::journal::{CountTaken, CounterFacts};
use crate::plan::counting::UNSEEN;

/// Why it was not tried at all, of the steps that were left out.
#[must_use]
pub fn not_tried(left_out: &[String]) -> Option<String> {
    let line = left_out.iter().find(|line| line.contains(UNSEEN))?;
    Some(
        line.split_once(": ")
            .map_or(line.as_str(), |(_, why)| why)
            .to_owned(),
    )
}

/// Whether these two are the two requests of one reference.
#[must_use]
pub fn is_asked(first: &Seen<'_>, second: &Seen<'_>) -> bool {
    let (first, second) = (&first.attempt.sent, &second.attempt.sent);
    first.reference == second.reference
        && first.key != second.key
        && first.account == second.account
}

/// Judges it.
pub fn judge(
    scene: &Scene<'_>,
    steps: &Steps,
    first: &Seen<'_>,
    second: &Seen<'_>,
    tally: &mut Tally,
) {
    tally.premise("the counter says two effects where there are two");
    let attempts = [first.n(), second.n()];
    let unseen = |why: String, tally: &mut Tally| {
        tally.prove(format!(
            "{why}: the counter was {UNSEEN}; one that ends at one (DISTINCT, EXISTS, LIMIT 1, a list of \
             one) would hide the second"
        ));
        tally.skip(why);
    };
    if second.op.facts.counter.is_none() || !first.is_success() {
        tally.skip("there is nothing to compare: no counter, or no first effect");
        return;
    }
    if !second.is_success() {
        let why = format!(
            "a second request with the reference is refused ({})",
            second.words()
        );
        unseen(why, tally);
        return;
    }
    if second.identities(first) == Identities::Same || second.marked() == Some(true) {
        let why = format!(
            "a second request with the reference gets the first's result ({})",
            second.words()
        );
        unseen(why, tally);
        return;
    }
    let at = |name: &Option<String>| {
        let named = |count: &&CountTaken| Some(&count.name) == name.as_ref();
        let taken = scene.round.counts.iter().rfind(named)?;
        let sent = &first.attempt.sent;
        let mut entries = taken.entries.iter();
        entries
            .find(|e| {
                e.intent == sent.intent
                    && e.operation == sent.operation
                    && e.account == sent.account
            })
            .map(|entry| {
                entry
                    .value
                    .ok_or(entry.error.as_deref().unwrap_or("no reason given"))
            })
    };
    match (at(&steps.before), at(&steps.counted)) {
        (Some(Ok(before)), Some(Ok(after))) if after > before => tally.saw(
            format!("the counter says {after} after a second effect of the same reference"),
            &attempts,
        ),
        (Some(Ok(before)), Some(Ok(_))) if second.identities(first) == Identities::Other => {
            tally.doubt(
                format!(
                    "the counter does not see a second effect: a request with the same reference and another key succeeds ({}), and the count \
                     stays {before}: it ends there, or counts values that both share (DISTINCT, EXISTS, LIMIT, a page of the list)",
                    second.words()
                ),
                &attempts,
            );
        }
        // without an identity of its own nobody knows whether the second did anything
        (Some(Ok(before)), Some(Ok(_))) => unseen(
            format!(
                "a second request with the reference ({}) leaves the count at {before}, and no identity tells whether it ran",
                second.words()
            ),
            tally,
        ),
        (Some(Err(why)), _) | (_, Some(Err(why))) => {
            tally.doubt(format!("effects could not be counted: {why}"), &attempts);
        }
        _ => tally.doubt(
            format!("a count was {}", scene.evidence.not_reached()),
            &attempts,
        ),
    }
}

/// Says what a counter cannot show by the way in which it asks.
pub fn tell(counter: &CounterFacts, tally: &mut Tally) {
    if counter.by_key && !counter.by_reference {
        tally.prove(
            "the counter tells effects apart by the key alone: one that the server files under another key (shortened, in \
             lower case, none) is not seen; counting by a reference in the body ({{ref}}, :ref) would see it",
        );
    }
    if let Some(why) = shared_once(counter) {
        tally.prove(why);
    }
    if let Some(page) = counter.page {
        tally.prove(format!(
            "the counter reads a list that ends at {page}: more are not seen"
        ));
    }
}

/// By which word of a statement two effects may count as one.
#[must_use]
pub fn shared_once(counter: &CounterFacts) -> Option<String> {
    if counter.kind != "sql" {
        return None;
    }
    let text = counter.text.to_ascii_uppercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let word = words.find(|word| ["DISTINCT", "EXISTS", "BOOL_OR", "LEAST"].contains(word))?;
    Some(format!(
        "the statement says {word}: effects that share what it looks at are counted once, and a second one may be hidden"
    ))
}
