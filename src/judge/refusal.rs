//! Whether a reply fits a declared refusal, and which part of it does not.
//! It must not know which situation the refusal is declared for.

use super::evidence::Seen;
use crate::contract::{Answer, Match, reading};

/// How a reply fits the refusals of an answer.
#[derive(Clone, Copy, Debug)]
pub enum Fit<'a> {
    /// It fits this one.
    Fits(&'a Match),
    /// It is a refusal, and this part of the nearest declared one does not fit.
    Near(&'static str),
    /// No refusal is declared.
    NoneDeclared,
}

/// Fits a reply to the refusals among an answer's alternatives.
#[must_use]
pub fn fit<'a>(answer: &'a Answer, seen: &Seen<'_>) -> Fit<'a> {
    let declared = reading::refusals_of(answer);
    let Some(reply) = seen.received() else {
        return Fit::NoneDeclared;
    };
    if let Some(how) = declared.iter().find(|how| reading::matches(how, reply)) {
        return Fit::Fits(how);
    }
    let part = |how: &&Match| {
        if !how.status_fits(reply.status) {
            "status"
        } else if !reading::body_fits(how, reply) {
            "code"
        } else {
            "header"
        }
    };
    // the one of which most fits
    let nearest = declared.into_iter().max_by_key(|how| match part(how) {
        "status" => 0,
        "code" => 1,
        _ => 2,
    });
    nearest.map_or(Fit::NoneDeclared, |how| Fit::Near(part(&how)))
}

/// What is amiss with a reply that is not the declared refusal.
#[must_use]
pub fn amiss(part: Option<&str>) -> &'static str {
    match part {
        Some("header" | "headers") => "without the declared header",
        Some("code" | "body") => "without the declared code in its body",
        Some("status") => "which is not a declared status",
        _ => "which is not the declared answer",
    }
}

/// Whether the answer is left open, alone or as one of several.
#[must_use]
pub fn allows(answer: &Answer, what: impl Fn(&Answer) -> bool) -> bool {
    answer
        .alternatives()
        .into_iter()
        .any(|a| what(a) || matches!(a, Answer::Unspecified))
}
