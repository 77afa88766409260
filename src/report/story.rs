//! One drill's story: what was sent, what was expected by which clause, what was seen, what it means, and how to repeat it.
//! It must not know the format that shows it; every text is safe to show.

use super::Document;
use super::bash;
use super::document::{AttemptRecord, CheckRecord, DrillRecord};
use super::repeat::{self, Line};
use super::sent;
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
    parts.extend(sent::table(&shown));
    if let Some(more) = left_out(document, drill, &shown).filter(|_| !shown.is_empty()) {
        parts.push(Part::Text("", more));
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
        .filter(|check| tells(drill, check))
        .collect();
    let mut rest = telling.as_slice();
    while let Some((check, more)) = rest.split_first() {
        // what several checks found alike is told once
        let alike = more
            .iter()
            .take_while(|other| is_alike(check, other))
            .count();
        let ids = rest.iter().take(1 + alike).map(|check| check.id.as_str());
        parts.extend(told(check, &ids.collect::<Vec<_>>().join(", ")));
        rest = rest.get(1 + alike..).unwrap_or_default();
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
    let open: Vec<&str> = drill
        .checks
        .iter()
        .filter(|check| check.verdict == Verdict::Observed && !tells(drill, check))
        .map(|check| check.id.as_str())
        .collect();
    if !open.is_empty() {
        let ids = open.join(", ");
        parts.push(Part::Text(
            "left open",
            format!("{ids}: observed, not judged"),
        ));
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
    let code = repeat(document, drill);
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

/// Whether a check is told in full: of a drill that did not pass what shows it, and not what was kept or only observed.
fn tells(drill: &DrillRecord, check: &CheckRecord) -> bool {
    match drill.verdict {
        Verdict::Pass => true,
        Verdict::Observed => check.verdict != Verdict::Pass,
        _ => !matches!(check.verdict, Verdict::Pass | Verdict::Observed),
    }
}

/// Whether two checks say the same of what was seen.
fn is_alike(one: &CheckRecord, other: &CheckRecord) -> bool {
    let said = |check: &CheckRecord| CheckRecord {
        id: String::new(),
        attempts: Vec::new(),
        ..check.clone()
    };
    said(one) == said(other)
}

fn told(check: &CheckRecord, ids: &str) -> Vec<Part> {
    let mut parts = vec![Part::Text(
        "check",
        format!("{}: {}", text::line(ids), word(check.verdict)),
    )];
    let level = match check.level {
        Level::Must => "must",
        Level::Should => "should",
    };
    parts.push(Part::Text("expected", text::line(&check.expected)));
    match &check.clause {
        Some(clause) => {
            let part = check.part.as_deref();
            let part = part.map_or_else(String::new, |part| format!("its part {part}, "));
            parts.push(Part::Text(
                "by",
                text::line(&format!(
                    "{}, {part}a {level}: {}",
                    clause.place(),
                    clause.declared
                )),
            ));
        }
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
        .filter(|check| tells(drill, check))
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
pub fn repeat(document: &Document, drill: &DrillRecord) -> Vec<CodeLine> {
    let mut lines = Vec::new();
    for line in repeat::lines(document, drill) {
        match line {
            Line::Plain(line) | Line::Again(line) => lines.push(CodeLine::Whole(line)),
            Line::Shown(name, words) => {
                lines.push(CodeLine::Whole(format!("# {name}")));
                lines.push(CodeLine::Words(words));
            }
            Line::Quiet(words) => lines.push(CodeLine::Words(words)),
        }
    }
    lines
}
