//! The contract card: the eight questions with what was seen for each, operation by operation.
//! It must not know how a card is written out.

use serde::Serialize;

use super::{Observed, Question, Sight};

/// The questions, in order, as they stand on the card.
pub const QUESTIONS: [(Question, &str); 8] = [
    (
        Question::Operations,
        "Which operations take a key, and what does a repeat get?",
    ),
    (Question::Key, "What may a key look like?"),
    (Question::Scope, "What else makes a key another key?"),
    (
        Question::Fingerprint,
        "What is another request under a used key, and what does it get?",
    ),
    (
        Question::Atomicity,
        "Are claim, work and record one, as far as can be seen?",
    ),
    (
        Question::Concurrent,
        "What does a duplicate get while the first is running?",
    ),
    (Question::Stored, "Which results are stored?"),
    (
        Question::Retention,
        "How long is a key kept, and what comes after?",
    ),
];

/// The card.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Card {
    /// The run's id.
    pub run: String,
    /// When it began.
    pub started_at: String,
    /// The base URLs.
    pub urls: Vec<String>,
    /// Why there is little to read, where the target could not be observed.
    pub stopped: Option<String>,
    /// The questions.
    pub questions: Vec<Asked>,
    /// What was not tried, and why; each reason once, with its drills.
    pub unseen: Vec<Unseen>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Asked {
    /// It.
    pub question: String,
    /// What was seen, operation by operation.
    pub answers: Vec<Answers>,
}

/// What was seen of one operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answers {
    /// `payment (POST /payments)`.
    pub operation: String,
    /// In order.
    pub sights: Vec<Sight>,
}

/// A reason why drills were skipped.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unseen {
    /// Why.
    pub why: String,
    /// Which.
    pub drills: Vec<String>,
}

/// Makes the card.
#[must_use]
pub fn card(observed: &Observed) -> Card {
    let questions = QUESTIONS
        .iter()
        .map(|(question, words)| Asked {
            question: (*words).to_owned(),
            answers: observed
                .operations
                .iter()
                .map(|operation| Answers {
                    operation: format!(
                        "{} ({} {})",
                        operation.name, operation.method, operation.path
                    ),
                    sights: operation
                        .sights
                        .iter()
                        .filter(|sight| sight.question == *question)
                        .cloned()
                        .collect(),
                })
                .filter(|answers| !answers.sights.is_empty())
                .collect(),
        })
        .collect();
    Card {
        run: observed.run.clone(),
        started_at: observed.started_at.clone(),
        urls: observed.urls.clone(),
        stopped: observed.stopped.clone(),
        questions,
        unseen: unseen(observed),
    }
}

fn unseen(observed: &Observed) -> Vec<Unseen> {
    let mut all: Vec<Unseen> = Vec::new();
    for operation in &observed.operations {
        for (drill, why) in &operation.unseen {
            let known = match all.iter_mut().find(|unseen| unseen.why == *why) {
                Some(known) => known,
                None => {
                    all.push(Unseen {
                        why: why.clone(),
                        drills: Vec::new(),
                    });
                    // it was just put there
                    let last = all.len() - 1;
                    &mut all[last]
                }
            };
            if !known.drills.contains(drill) {
                known.drills.push(drill.clone());
            }
        }
    }
    all
}

/// The attempts of a sight as they are named: the first few, and how many more.
#[must_use]
pub fn attempts(sight: &Sight) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = sight
        .attempts
        .iter()
        .take(SHOWN)
        .map(u64::to_string)
        .collect();
    match sight.attempts.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The words of a sight with its attempts in brackets.
#[must_use]
pub fn with_attempts(sight: &Sight) -> String {
    match attempts(sight).as_str() {
        "" => sight.words.clone(),
        by => format!("{} [{by}]", sight.words),
    }
}
