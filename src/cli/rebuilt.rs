//! Requests of an earlier run made again from the target and the environment, and checked against what was kept of them.
//! It must not send anything.

use crate::config::suite::{RequestFields, Step};
use crate::config::target::Target;
use crate::journal::{Attempt, ContentMaker, Journal};
use crate::plan::Instance;
use crate::plan::prepare::{self, Prepared};

/// A header that says which version of the tool sends. Credentials are compared by their names: they may have been renewed.
const OTHERS: [&str; 1] = ["user-agent"];

/// Checks that every request of the rounds that wait would be the same again.
///
/// # Errors
/// What differs, for people.
pub fn check(target: &Target, earlier: &Journal, maker: &ContentMaker) -> Result<(), String> {
    for waiting in earlier.waiting() {
        let Some(history) = earlier.instance(&waiting.instance) else {
            continue;
        };
        let attempts = history.rounds.get(&waiting.round).map(|r| &r.attempts);
        for attempt in attempts.into_iter().flatten() {
            let Some(fields) = fields(&history.plan, attempt) else {
                continue;
            };
            let intent = waiting
                .intents
                .iter()
                .find(|intent| intent.name == attempt.sent.intent);
            let again = prepare::prepare(target, &history.plan, fields, intent, 0, false);
            let differs = match again {
                Ok(prepared) => difference(&prepared, attempt, maker),
                Err(why) => Some(format!("it cannot be made: {why}")),
            };
            if let Some(what) = differs {
                return Err(format!(
                    "the request `{}` of {} is not the one that was sent as attempt {}: {what}\n  \
                     give the target and the environment of the first run; what was changed makes its keys worthless",
                    attempt.sent.step, waiting.instance, attempt.sent.n
                ));
            }
        }
    }
    Ok(())
}

/// The fields of a plain step; bursts and what is held are not made again.
fn fields<'p>(plan: &'p Instance, attempt: &Attempt) -> Option<&'p RequestFields> {
    plan.drill.step.iter().find_map(|step| match step {
        Step::Send(fields) | Step::Retry(fields)
            if fields.name.as_deref() == Some(&attempt.sent.step) =>
        {
            Some(fields)
        }
        _ => None,
    })
}

fn difference(again: &Prepared, attempt: &Attempt, maker: &ContentMaker) -> Option<String> {
    let sent = &attempt.sent;
    let redactor = maker.redactor();
    if again.method != sent.method {
        return Some(format!(
            "its method is {} and was {}",
            again.method, sent.method
        ));
    }
    let url = redactor.redact(again.url.as_str());
    if url != sent.url {
        return Some(format!("its URL is {url} and was {}", sent.url));
    }
    if maker.make(&again.body, false).hmac != sent.body.hmac {
        return Some("its body has other bytes".to_owned());
    }
    let compared = |name: &str| !OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other));
    let mine: Vec<(String, String)> = again
        .headers
        .iter()
        .filter(|(name, _)| compared(name))
        .map(|(name, value)| (name.clone(), redactor.redact(&maker.header(name, value))))
        .collect();
    let theirs: Vec<&(String, String)> = sent
        .headers
        .iter()
        .filter(|(name, _)| compared(name))
        .collect();
    if mine.iter().ne(theirs.iter().copied()) {
        let other = mine.iter().find(|header| !theirs.contains(header));
        let name = other
            .or(theirs.first().copied())
            .map(|(name, _)| name.as_str());
        return Some(format!(
            "its headers differ ({})",
            name.unwrap_or("one is missing")
        ));
    }
    None
}
