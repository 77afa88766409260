//! What an API really does about idempotency keys, read from the record of a run: pure, and by no policy.
//! It must not know how requests are sent, nor what anybody declares: that is laid beside it at the end (`against`).

pub mod against;
mod answered;
mod atomicity;
pub mod card;
pub mod draft;
mod field;
mod fingerprint;
mod in_progress;
mod key;
mod lengths;
mod markdown;
mod marker;
mod meeting;
mod methods;
mod mismatch;
mod refusal;
mod replay;
mod retention;
mod scope;
mod stored;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;

pub use card::Card;
pub use markdown::{against as against_markdown, markdown};
pub use text::text;

use crate::contract::{Answer, Contract, terms};
use crate::journal::Journal;
use crate::judge::control;
use field::Field;

/// The drill that tries keys of many lengths; no suite holds it, because it judges nothing that `syntax.key-shapes` does not.
pub const LENGTHS: &str = include_str!("key-lengths.toml");

/// The eight questions that a careful team asks before it ships a POST that may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Which operations take a key.
    Operations,
    /// What a key may look like.
    Key,
    /// What else makes a key another key.
    Scope,
    /// What makes a request another request, and what it then gets.
    Fingerprint,
    /// Whether claim, work and record are one.
    Atomicity,
    /// What a duplicate gets while the first is running.
    Concurrent,
    /// Which results are stored.
    Stored,
    /// How long.
    Retention,
}

/// One thing seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sight {
    /// The question that it answers.
    pub question: Question,
    /// The clause that it speaks of, where one does.
    pub clause: Option<String>,
    /// In words.
    pub words: String,
    /// The attempts behind it.
    pub attempts: Vec<u64>,
    /// Whether it is nothing that any contract should say: two effects for one key, one account's result in another's reply.
    pub alarm: bool,
}

/// What was seen of one operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name in the target.
    pub name: String,
    /// Its method.
    pub method: String,
    /// Its path, placeholders as written.
    pub path: String,
    /// What was seen, as a contract; what was not seen is unspecified.
    pub contract: Contract,
    /// Everything seen, in the questions' order.
    pub sights: Vec<Sight>,
    /// Drills that were skipped, with the reason: nothing was seen there.
    pub unseen: Vec<(String, String)>,
}

/// What was seen of a target.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The run's id.
    pub run: String,
    /// When it began.
    pub started_at: String,
    /// The base URLs.
    pub urls: Vec<String>,
    /// Each operation.
    pub operations: Vec<Operation>,
    /// Why the target could not be observed, where it could not.
    pub stopped: Option<String>,
}

/// A contract that says how keys are sent and how long a client waits, and leaves all else open: by it an API is observed.
#[must_use]
pub fn opened(declared: &Contract) -> Contract {
    let mut open = terms::open();
    open.key = declared.key.clone();
    open.in_progress_for = declared.in_progress_for.clone();
    // how long to wait for the drill inside the window; what is seen never comes from here
    open.retention = declared.retention.clone();
    open
}

/// Reads what was seen. Two passes: what a repeat gets tells how everything else is read.
#[must_use]
pub fn observe(journal: &Journal) -> Observed {
    let mut contracts: BTreeMap<String, Contract> = journal
        .start
        .contracts
        .iter()
        .map(|(name, declared)| (name.clone(), opened(declared)))
        .collect();
    let repeats: Vec<(String, Contract)> = with_controls(journal, &contracts, |field| {
        let mut book = Book::new(field);
        replay::read(field, &mut book);
        (field.operation.to_owned(), book.contract)
    });
    for (name, seen) in repeats {
        if let Some(contract) = contracts.get_mut(&name) {
            contract.replay = seen.replay;
            contract.marker = seen.marker;
        }
    }
    let mut operations = with_controls(journal, &contracts, read);
    // one that only others needed was not observed
    operations.retain(|operation| operation.sights.iter().any(|sight| sight.clause.is_some()));
    Observed {
        run: journal.start.run.clone(),
        started_at: journal.start.started_at.clone(),
        urls: journal.start.urls.clone(),
        operations,
        stopped: journal
            .stopped
            .as_ref()
            .map(|stopped| format!("{}; {}", stopped.why, stopped.remedy)),
    }
}

fn with_controls<T>(
    journal: &Journal,
    contracts: &BTreeMap<String, Contract>,
    each: impl Fn(&Field<'_>) -> T,
) -> Vec<T> {
    let names = || journal.start.operations.iter().map(|facts| &facts.name);
    let controls = names()
        .map(|name| (name.clone(), control::examine(journal, contracts, name)))
        .collect();
    let planned = |name: &&String| {
        let mut instances = journal.instances.iter();
        instances.any(|i| i.plan.operation == **name && i.skip.is_none())
    };
    names()
        .filter(planned)
        .map(|operation| {
            each(&Field {
                journal,
                contracts,
                controls: &controls,
                operation,
            })
        })
        .collect()
}

fn read(field: &Field<'_>) -> Operation {
    let mut book = Book::new(field);
    for subject in [
        replay::read,
        key::read,
        lengths::read,
        methods::read,
        scope::read,
        mismatch::read,
        fingerprint::read,
        atomicity::read,
        in_progress::read,
        stored::read,
        retention::read,
    ] {
        subject(field, &mut book);
    }
    let mut sights = book.sights;
    sights.sort_by_key(|sight| sight.question);
    let facts = field.facts();
    Operation {
        name: field.operation.to_owned(),
        method: facts.map(|f| f.method.clone()).unwrap_or_default(),
        path: facts.map(|f| f.path.clone()).unwrap_or_default(),
        contract: book.contract,
        sights,
        unseen: field.skipped(),
    }
}

/// What is written down while an operation is read.
pub(crate) struct Book {
    contract: Contract,
    sights: Vec<Sight>,
    guard: Guard,
}

/// What a key does for an ordinary repeat; nothing finer can be told of keys that do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Guard {
    /// Its repeat does nothing.
    #[default]
    Holds,
    /// Its repeat gets the first's result, and the work is done again behind it.
    Hollow,
    /// Its repeat is a request like any other.
    None,
}

impl Book {
    fn new(field: &Field<'_>) -> Self {
        let mut contract = terms::open();
        if let Some(known) = field.contracts.get(field.operation) {
            let (sent, empty) = (&known.key.value, crate::contract::KeyRule::default());
            contract.key.value = crate::contract::KeyRule {
                // how keys were sent is known; what may be sent is to be seen
                carrier: sent.carrier.clone(),
                form: sent.form,
                format: sent.format,
                unit: sent.unit,
                companions: sent.companions.clone(),
                ..empty
            };
        }
        Self {
            contract,
            sights: Vec::new(),
            guard: Guard::default(),
        }
    }

    /// Something about a clause.
    fn saw(&mut self, question: Question, clause: &str, words: impl Into<String>, by: &[u64]) {
        self.write(question, Some(clause), words.into(), by, false);
    }

    /// Something that no clause speaks of.
    fn note(&mut self, question: Question, words: impl Into<String>, by: &[u64]) {
        self.write(question, None, words.into(), by, false);
    }

    /// Something that no contract should say.
    fn alarm(&mut self, question: Question, clause: Option<&str>, words: String, by: &[u64]) {
        self.write(question, clause, words, by, true);
    }

    fn write(
        &mut self,
        question: Question,
        clause: Option<&str>,
        words: String,
        by: &[u64],
        alarm: bool,
    ) {
        let mut attempts = by.to_vec();
        attempts.sort_unstable();
        attempts.dedup();
        self.sights.push(Sight {
            question,
            clause: clause.map(str::to_owned),
            words,
            attempts,
            alarm,
        });
    }
}

/// Several answers as one: none is unspecified, one is itself.
fn either(mut answers: Vec<Answer>) -> Answer {
    let mut kept: Vec<Answer> = Vec::new();
    answers.retain(|answer| *answer != Answer::Unspecified);
    for answer in answers {
        if !kept.contains(&answer) {
            kept.push(answer);
        }
    }
    match kept.len() {
        0 => Answer::Unspecified,
        1 => kept.remove(0),
        _ => Answer::AnyOf(kept),
    }
}

/// The one answer of several trials; unspecified where they contradict each other.
fn one_of(answers: Vec<Answer>) -> Answer {
    match answers.split_first() {
        Some((first, rest)) if rest.iter().all(|answer| answer == first) => first.clone(),
        _ => Answer::Unspecified,
    }
}
