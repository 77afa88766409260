//! Of the answers that a clause allows, the one that is given.
//! Must not know which situation it is given in.

use crate::contract::{Answer, Match};

/// What is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'a> {
    /// What the right designs do.
    AsUsual,
    /// The request runs, and no record protects it.
    Run,
    /// The key is taken as a valid one.
    Accept,
    /// The stored reply, as soon as there is one.
    Replay,
    /// A refusal that fits.
    Refuse(&'a Match),
}

/// The first of the answers.
pub(super) fn chosen(answer: &Answer) -> Choice<'_> {
    match answer {
        Answer::Unspecified => Choice::AsUsual,
        Answer::Run => Choice::Run,
        Answer::Accept => Choice::Accept,
        Answer::Replay | Answer::Wait => Choice::Replay,
        Answer::Refuse(how) => Choice::Refuse(how),
        Answer::AnyOf(answers) => answers.first().map_or(Choice::AsUsual, chosen),
    }
}

/// A refusal, if one is among the answers.
pub(super) fn refusal(answer: &Answer) -> Option<&Match> {
    match answer {
        Answer::Refuse(how) => Some(how),
        Answer::AnyOf(answers) => answers.iter().find_map(refusal),
        _ => None,
    }
}
