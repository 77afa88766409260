//! How a drill is repeated by hand: every request of the round that shows it, in order and under fresh keys, with what was done
//! between them, and the counts at the end. It must not know the format that shows it.

use super::Document;
use super::bash::literal;
use super::curl::{self, Command, Fill};
use super::document::{AttemptRecord, DrillRecord, OutcomeWord};
use super::made::{self, Made};
use super::recount;
use super::text;
use crate::judge::Verdict;

/// A pause of this length was meant: what went on between two requests beside it is quicker.
const MEANT_US: u64 = 1_000_000;
/// Tries of one retry that are repeated: a client that was told to wait a hundred times is a long script that says nothing more.
const MOST_TRIES: usize = 3;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A remark, an assignment, a pause: a whole line of bash.
    Plain(String),
    /// A request of which the answer is looked at: its name, and the command in words.
    Shown(String, Vec<String>),
    /// A command in words of which the output is no answer.
    Quiet(Vec<String>),
    /// The tool's own command, where what was sent together is no matter for a shell.
    Again(String),
}

fn note(text: &str) -> Line {
    Line::Plain(format!("# {text}"))
}

/// What repeats a drill; empty where nothing was sent.
#[must_use]
pub fn lines(document: &Document, drill: &DrillRecord) -> Vec<Line> {
    let sent = round(document, drill);
    if sent.is_empty() {
        return Vec::new();
    }
    if is_timed(drill, &sent) {
        return vec![Line::Again(again(document, drill))];
    }
    let expiries: Vec<_> = drill
        .expired
        .iter()
        .filter(|done| done.round == sent[0].round)
        .collect();
    let mut fill = Fill::of(&sent);
    let counted = recount::counts(document, drill, &sent, &fill);
    let made = made::things(&sent);
    let mut steps = Vec::new();
    let mut expired = expiries.iter().peekable();
    let mut before: Option<&AttemptRecord> = None;
    for attempt in &sent {
        while let Some(done) = expired.next_if(|done| done.at_us <= attempt.sent_us) {
            steps.push(match &done.errand {
                Some(errand) => Line::Shown(
                    format!("expire {}", text::line(&done.intent)),
                    curl::errand(errand, &fill),
                ),
                None => by_hand(&done.how, attempt.key.as_deref(), &fill),
            });
            before = None;
        }
        steps.extend(before.and_then(|before| pause(before, attempt)));
        let thing = made.iter().find(|made| made.by == attempt.id);
        steps.push(match (curl::command(attempt, &fill), thing) {
            (Command::Comment(why), _) => Line::Plain(text::line(&why)),
            (Command::Words(words), Some(made)) => Line::Quiet(made.assigned(words)),
            (Command::Words(words), None) => Line::Shown(text::line(&attempt.step), words),
        });
        if let Some(made) = thing {
            fill.know(&made.text, &made.variable);
        }
        before = Some(attempt);
    }
    let mut lines = preamble(document, &sent, &made);
    lines.extend(fill.assignments().into_iter().map(Line::Plain));
    lines.extend(steps);
    lines.extend(counted);
    lines
}

/// What no request does: the reader does it, and says when.
fn by_hand(how: &str, key: Option<&str>, fill: &Fill) -> Line {
    let ask = format!(
        "make this key expire ({}), then press Enter: ",
        text::line(how)
    );
    let words = ["read", "-rp"].map(str::to_owned).into_iter();
    let asked = format!("{}{}", literal(&ask), fill.word(key.unwrap_or_default()));
    Line::Quiet(words.chain([asked, "</dev/tty".to_owned()]).collect())
}

/// Where the API comes from, where it ended with the run, and what stands for secrets.
fn preamble(document: &Document, sent: &[&AttemptRecord], made: &[Made]) -> Vec<Line> {
    let mut lines = Vec::new();
    let stage = document.run.stage.as_ref();
    if let Some(stage) = stage {
        lines.push(note(
            "this API ended with the run; start the same in another terminal:",
        ));
        lines.push(note(&format!("  {}", text::line(&stage.command))));
    }
    for name in curl::secrets(sent) {
        let value = stage.and_then(|stage| stage.values.get(&name));
        lines.push(Line::Plain(match value {
            Some(value) => format!("{name}={}", literal(value)),
            None => format!(": \"${{{name}:?stands for what the run sent: set it}}\""),
        }));
    }
    if made.iter().any(|made| made.needs_jq) {
        lines.push(note("jq reads the id of what is set up first"));
    }
    lines
}

/// Whether no list of single commands repeats it: copies of one moment, a request that is held, a reply that is cut off.
fn is_timed(drill: &DrillRecord, sent: &[&AttemptRecord]) -> bool {
    let is_cut = |attempt: &&AttemptRecord| {
        let variation = attempt.request.variation.as_deref().unwrap_or_default();
        variation.split(", ").any(|part| part.starts_with("cut "))
    };
    drill.timed || sent.iter().any(is_cut)
}

/// All requests of the round that shows what is told, set-ups included: what a check does not name may be what spoilt the record.
fn round<'d>(document: &'d Document, drill: &DrillRecord) -> Vec<&'d AttemptRecord> {
    let tells = |verdict: Verdict| {
        matches!(
            verdict,
            Verdict::Fail | Verdict::Known | Verdict::Warn | Verdict::Inconclusive
        )
    };
    let telling = drill.checks.iter().filter(|check| tells(check.verdict));
    let first = telling.flat_map(|check| &check.attempts).next();
    let number = first
        .and_then(|id| document.attempt(*id))
        .map_or(0, |attempt| attempt.round);
    let sent = document.attempts.iter().filter(|attempt| {
        attempt.drill == drill.id
            && attempt.round == number
            && attempt.outcome != OutcomeWord::NotSent
    });
    let mut kept: Vec<&AttemptRecord> = Vec::new();
    for attempt in sent {
        let tries = kept.iter().rev();
        let alike = tries
            .take_while(|other| other.step == attempt.step && other.step != "setup")
            .count();
        // the last try is what is judged: it takes the place of the one before
        if attempt.repeat > 0 && alike >= MOST_TRIES {
            kept.pop();
        }
        kept.push(attempt);
    }
    kept
}

/// A drill's own wait, or a client's that was told when to come again.
fn pause(before: &AttemptRecord, next: &AttemptRecord) -> Option<Line> {
    let ended = before.end_us.unwrap_or(before.sent_us);
    let passed = next.sent_us.saturating_sub(ended);
    let tenths = passed.div_ceil(100_000);
    (passed >= MEANT_US).then(|| Line::Plain(format!("sleep {}.{}", tenths / 10, tenths % 10)))
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
