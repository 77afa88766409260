//! One drill's story: what was sent, what was expected by which clause, what was seen, what it means, and how to repeat it.
//! It must not know the format that shows it; every text is safe to show.

use super::Document;
use super::bash;
use super::curl::{self, Command};
use super::document::{AttemptRecord, CheckRecord, DrillRecord, OutcomeWord};
use super::summary::word;
use super::text;
use crate::contract::Level;
use crate::journal::CountTaken;
use crate::judge::Verdict;

/// Attempts shown at the most; a burst of a hundred copies is one picture, not a hundred.
const MOST_ATTEMPTS: usize = 12;

/// A story, part by part.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The drill's id.
    pub id: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// What must hold.
    pub title: String,
    /// Its parts, in the order in which they are read.
    pub parts: Vec<Part>,
}

/// A part of a story.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A label and a text.
    Text(&'static str, String),
    /// A label and rows of columns; the first row names them.
    Rows(&'static str, Vec<Vec<String>>),
    /// A label and a command for bash, not to be wrapped.
    Code(&'static str, Vec<CodeLine>),
}

/// A line of bash.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeLine {
    /// As it is.
    Whole(String),
    /// Words that may be continued on further lines.
    Words(Vec<String>),
}

impl CodeLine {
    /// The line, folded at a width.
    #[must_use]
    pub fn folded(&self, width: usize) -> String {
        match self {
            Self::Whole(line) => line.clone(),
            Self::Words(words) => bash::fold(words, width),
        }
    }
}

/// The story of a drill.
#[must_use]
pub fn tell(document: &Document, drill: &DrillRecord) -> Story {
    let mut parts = Vec::new();
    let shown = attempts(document, drill);
    if !shown.is_empty() {
        parts.push(Part::Rows("sent", rows(&shown)));
        if let Some(more) = left_out(document, drill, &shown) {
            parts.push(Part::Text("", more));
        }
    }
    parts.extend(counts(drill, &shown));
    parts.extend(
        drill
            .holds
            .iter()
            .filter(|held| shown.iter().any(|a| a.round == held.round))
            .map(|held| {
                let proven = if held.proven { "held" } else { "not held" };
                Part::Text(
                    "held",
                    format!(
                        "{proven} ({}): {}",
                        text::line(&held.how),
                        text::line(&held.detail)
                    ),
                )
            }),
    );
    if drill.checks.is_empty() {
        parts.push(Part::Text("observed", text::line(&drill.reason)));
    }
    let telling: Vec<&CheckRecord> = drill
        .checks
        .iter()
        .filter(|check| drill.verdict == Verdict::Pass || check.verdict != Verdict::Pass)
        .collect();
    for check in &telling {
        parts.extend(told(check));
    }
    let kept: Vec<&str> = drill
        .checks
        .iter()
        .filter(|check| check.verdict == Verdict::Pass && drill.verdict != Verdict::Pass)
        .map(|check| check.id.as_str())
        .collect();
    if !kept.is_empty() {
        parts.push(Part::Text("kept", kept.join(", ")));
    }
    if matches!(
        drill.verdict,
        Verdict::Fail | Verdict::Known | Verdict::Warn
    ) {
        parts.push(Part::Text("look for", text::line(&drill.hint)));
    }
    parts.extend(
        drill
            .proof
            .iter()
            .map(|proof| Part::Text("rests on", text::line(proof))),
    );
    if !drill.sources.is_empty() {
        parts.push(Part::Text("source", text::line(&drill.sources.join("; "))));
    }
    let code = repeat(document, drill, &shown);
    if !code.is_empty() {
        parts.push(Part::Code("repeat", code));
    }
    Story {
        id: text::line(&drill.id),
        verdict: drill.verdict,
        title: text::line(&drill.title),
        parts,
    }
}

fn told(check: &CheckRecord) -> Vec<Part> {
    let mut parts = vec![Part::Text(
        "check",
        format!("{}: {}", text::line(&check.id), word(check.verdict)),
    )];
    let level = match check.level {
        Level::Must => "must",
        Level::Should => "should",
    };
    parts.push(Part::Text("expected", text::line(&check.expected)));
    match &check.clause {
        Some(clause) => parts.push(Part::Text(
            "by",
            text::line(&format!(
                "{}, a {level}: {}",
                clause.place(),
                clause.declared
            )),
        )),
        None => parts.push(Part::Text(
            "by",
            "a premise of every verdict, not a clause of the policy".to_owned(),
        )),
    }
    parts.push(Part::Text("observed", text::line(&check.observed)));
    parts.extend(
        check
            .known
            .as_deref()
            .map(|known| Part::Text("known", text::line(known.trim_start_matches("known ")))),
    );
    parts.extend(
        check
            .meaning
            .as_deref()
            .map(|meaning| Part::Text("means", text::line(meaning))),
    );
    parts
}

/// The attempts that show what is told: those of the checks that did not pass, else all of the first round.
#[must_use]
pub fn attempts<'d>(document: &'d Document, drill: &DrillRecord) -> Vec<&'d AttemptRecord> {
    let mut ids: Vec<u64> = drill
        .checks
        .iter()
        .filter(|check| drill.verdict == Verdict::Pass || check.verdict != Verdict::Pass)
        .flat_map(|check| check.attempts.iter().take(MOST_ATTEMPTS))
        .copied()
        .collect();
    if ids.is_empty() {
        ids = of(document, drill)
            .filter(|attempt| attempt.round == 0)
            .map(|attempt| attempt.id)
            .collect();
    }
    // the decisive ones come first in a check: those are kept, then told in the order in which they were sent
    let mut kept: Vec<u64> = Vec::new();
    for id in ids {
        if !kept.contains(&id) && kept.len() < MOST_ATTEMPTS {
            kept.push(id);
        }
    }
    kept.sort_unstable();
    kept.into_iter()
        .filter_map(|id| document.attempt(id))
        .collect()
}

fn of<'d>(document: &'d Document, drill: &DrillRecord) -> impl Iterator<Item = &'d AttemptRecord> {
    let id = drill.id.clone();
    document
        .attempts
        .iter()
        .filter(move |attempt| attempt.drill == id)
}

fn left_out(document: &Document, drill: &DrillRecord, shown: &[&AttemptRecord]) -> Option<String> {
    let all = of(document, drill).count();
    let rest = all.saturating_sub(shown.len());
    (rest > 0).then(|| {
        format!(
            "and {} of this drill, in the journal",
            text::counted(rest as u64, "more request")
        )
    })
}

fn rows(shown: &[&AttemptRecord]) -> Vec<Vec<String>> {
    let start = shown.first().map_or(0, |attempt| attempt.sent_us);
    let rounds = shown.iter().any(|attempt| attempt.round != 0);
    let head = ["#", "step", "ms", "account", "key", "body", "answer"];
    let head = head.map(str::to_owned).to_vec();
    let sent = shown.iter().map(|attempt| {
        let mut step = text::line(&attempt.step);
        if attempt.repeat > 0 {
            step.push_str(&format!(" (try {})", attempt.repeat + 1));
        }
        if rounds {
            step.push_str(&format!(", round {}", attempt.round + 1));
        }
        let mut what = attempt.request.body_name.clone();
        if let Some(variation) = &attempt.request.variation {
            what.push_str(&format!(", {variation}"));
        }
        vec![
            attempt.id.to_string(),
            step,
            times(attempt, start),
            text::line(&attempt.account),
            attempt
                .key
                .as_deref()
                .map_or_else(|| "none".to_owned(), text::abridged),
            text::line(&what),
            outcome(attempt),
        ]
    });
    std::iter::once(head).chain(sent).collect()
}

fn times(attempt: &AttemptRecord, start: u64) -> String {
    let from = attempt
        .released_us
        .unwrap_or(attempt.sent_us)
        .saturating_sub(start);
    match attempt.end_us {
        Some(end) => format!(
            "{}-{}",
            text::millis(from),
            text::millis(end.saturating_sub(start))
        ),
        None => format!("{}-", text::millis(from)),
    }
}

/// What came, in a few words: status, identity, whether it is marked as a replay.
#[must_use]
pub fn outcome(attempt: &AttemptRecord) -> String {
    match attempt.outcome {
        OutcomeWord::Replied => {
            let mut said = attempt
                .status
                .map_or_else(String::new, |status| status.to_string());
            match &attempt.identity {
                Some(identity) => said.push_str(&format!(" {}", text::abridged(identity))),
                None => {
                    if let Some(body) = attempt.body.as_deref().filter(|body| !body.is_empty()) {
                        said.push_str(&format!(" {}", text::short(body, 60)));
                    }
                }
            }
            if attempt.marked == Some(true) {
                said.push_str(", replay mark");
            }
            said
        }
        OutcomeWord::Unknown | OutcomeWord::NotSent => {
            let what = if attempt.outcome == OutcomeWord::Unknown {
                "unknown"
            } else {
                "not sent"
            };
            match &attempt.why {
                Some(why) => format!("{what}: {}", text::short(why, 80)),
                None => what.to_owned(),
            }
        }
    }
}

/// The counts of the rounds that are told, one row a count.
fn counts(drill: &DrillRecord, shown: &[&AttemptRecord]) -> Vec<Part> {
    let told = |round: u32| shown.is_empty() || shown.iter().any(|attempt| attempt.round == round);
    let mut rows = vec![
        ["count", "effects of each intent, by account"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for taken in drill.effects.iter().filter(|taken| told(taken.round)) {
        rows.push(vec![text::line(&taken.name), values(taken)]);
    }
    rows.truncate(1 + MOST_ATTEMPTS);
    if rows.len() == 1 {
        Vec::new()
    } else {
        vec![Part::Rows("counted", rows)]
    }
}

/// `k: a 1, b 0; fresh: a 1`
fn values(taken: &CountTaken) -> String {
    let mut intents: Vec<(&str, Vec<String>)> = Vec::new();
    for entry in &taken.entries {
        let value = match (entry.value, &entry.error) {
            (Some(value), _) => value.to_string(),
            (None, Some(error)) => format!("not counted ({})", text::short(error, 80)),
            (None, None) => "not counted".to_owned(),
        };
        let value = format!("{} {value}", text::line(&entry.account));
        match intents
            .iter_mut()
            .find(|(intent, _)| *intent == entry.intent)
        {
            Some((_, values)) => values.push(value),
            None => intents.push((&entry.intent, vec![value])),
        }
    }
    let said: Vec<String> = intents
        .iter()
        .map(|(intent, values)| format!("{}: {}", text::line(intent), values.join(", ")))
        .collect();
    said.join("; ")
}

/// How to repeat it: commands for requests that go one after the other, the tool's own command for what is timed.
#[must_use]
pub fn repeat(document: &Document, drill: &DrillRecord, shown: &[&AttemptRecord]) -> Vec<CodeLine> {
    if shown.is_empty() {
        return Vec::new();
    }
    if drill.timed {
        return vec![CodeLine::Whole(again(document, drill))];
    }
    let script = curl::script(shown);
    let mut lines: Vec<CodeLine> = script.variables.into_iter().map(CodeLine::Whole).collect();
    let mut expired = drill.expired.iter().peekable();
    for (attempt, command) in shown.iter().zip(script.commands) {
        // what was done between two requests is no request, but without it nothing repeats
        while let Some(done) = expired.next_if(|done| done.at_us <= attempt.sent_us) {
            lines.push(CodeLine::Whole(format!(
                "# here the key was made to expire ({})",
                text::line(&done.how)
            )));
        }
        lines.push(match command {
            Command::Words(words) => CodeLine::Words(words),
            Command::Comment(comment) => CodeLine::Whole(text::line(&comment)),
        });
    }
    lines
}

/// The tool's own command for one drill.
#[must_use]
pub fn again(document: &Document, drill: &DrillRecord) -> String {
    let name = drill.id.split(['/', '@']).next().unwrap_or(&drill.id);
    let command = if document.run.command.is_empty() {
        "doubletap run"
    } else {
        document.run.command.as_str()
    };
    if command.contains("--drill") {
        text::line(command)
    } else {
        format!("{} --drill {}", text::line(command), text::line(name))
    }
}
