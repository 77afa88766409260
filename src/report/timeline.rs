//! A drill's attempts as a picture: one lane an attempt, from the hand-over over the release and the first byte to the end.
//! It must not know how it is drawn; it gives numbers.

use serde::Serialize;

use super::document::{AttemptRecord, DrillRecord, OutcomeWord};
use super::{sent, text};

/// Where lanes begin: labels stand before it.
const LEFT: f64 = 190.0;
/// How wide lanes are.
const WIDTH: f64 = 430.0;
/// How high a lane is.
const LANE: f64 = 22.0;
/// Room for the axis.
const TOP: f64 = 26.0;

/// A picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timeline {
    /// Its height.
    pub height: f64,
    /// Marks on the axis: place and text.
    pub marks: Vec<(f64, String)>,
    /// Lanes from top to bottom.
    pub lanes: Vec<Lane>,
    /// When copies were released together: from the first to the last.
    pub gate: Option<(f64, f64)>,
    /// When the number of effects rose.
    pub rises: Vec<Rise>,
    /// What was counted afterwards, in words.
    pub counted: Option<String>,
}

/// Between two readings the number of effects rose: nobody knows when, but it was in here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rise {
    /// From the top.
    pub y: f64,
    /// The reading before, or the left edge.
    pub from: f64,
    /// The reading that saw it, or the right edge.
    pub to: f64,
    /// By how much, and when it was seen.
    pub label: String,
}

/// An attempt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lane {
    /// From the top.
    pub y: f64,
    /// What it is.
    pub label: String,
    /// The hand-over.
    pub sent: f64,
    /// The last byte, where measured.
    pub released: Option<f64>,
    /// The reply's head.
    pub first_byte: Option<f64>,
    /// The end.
    pub end: f64,
    /// What came, for the end of the lane.
    pub answer: String,
    /// `success`, `refused`, `error` or `unknown`: how it is drawn.
    pub kind: &'static str,
    /// Whether the client vanished.
    pub cut: bool,
}

/// The picture of these attempts.
#[must_use]
pub fn draw(drill: &DrillRecord, shown: &[&AttemptRecord]) -> Option<Timeline> {
    let from = shown.iter().map(|attempt| attempt.sent_us).min()?;
    let latest = |attempt: &&AttemptRecord| attempt.end_us.unwrap_or(attempt.sent_us);
    let to = shown.iter().map(latest).max()?.max(from + 1);
    #[expect(clippy::cast_precision_loss, reason = "a picture needs three digits")]
    let place = |at: u64| {
        let share = at.saturating_sub(from) as f64 / (to - from) as f64;
        rounded(LEFT + share.min(1.0) * WIDTH)
    };
    let mut y = TOP;
    let lanes: Vec<Lane> = shown
        .iter()
        .map(|attempt| {
            y += LANE;
            Lane {
                y,
                label: text::short(
                    &format!("#{} {} ({})", attempt.id, attempt.step, attempt.account),
                    26,
                ),
                sent: place(attempt.sent_us),
                released: attempt.released_us.map(place),
                first_byte: attempt.first_byte_us.map(place),
                end: place(latest(attempt)),
                answer: text::short(&sent::outcome(attempt), 30),
                kind: kind(attempt),
                cut: attempt
                    .request
                    .variation
                    .as_deref()
                    .is_some_and(|how| how.contains("cut ")),
            }
        })
        .collect();
    // copies have others of their step beside them; what is sent before or after them was not released with them
    let copied = |attempt: &&&AttemptRecord| {
        let of =
            |other: &&&AttemptRecord| (other.round, &other.step) == (attempt.round, &attempt.step);
        shown.iter().filter(of).count() > 1
    };
    let releases = || {
        shown
            .iter()
            .filter(copied)
            .filter_map(|attempt| attempt.released_us)
    };
    let gate = releases()
        .min()
        .zip(releases().max())
        .filter(|_| !drill.gates.is_empty());
    let rises: Vec<Rise> = rises(drill, shown, from)
        .into_iter()
        .map(|(before, seen, label)| {
            y += LANE;
            Rise {
                y,
                from: place(before),
                to: place(seen),
                label,
            }
        })
        .collect();
    Some(Timeline {
        height: y + LANE,
        rises,
        marks: (0..=4)
            .map(|quarter| {
                let at = from + (to - from) * quarter / 4;
                (place(at), format!("{} ms", text::millis(at - from)))
            })
            .collect(),
        lanes,
        gate: gate.map(|(first, last)| (place(first), place(last))),
        counted: counted(drill, shown, from),
    })
}

fn rounded(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn kind(attempt: &AttemptRecord) -> &'static str {
    match (attempt.outcome, attempt.status) {
        (OutcomeWord::Replied, Some(200..=299)) => "success",
        (OutcomeWord::Replied, Some(400..=499)) => "refused",
        (OutcomeWord::Replied, Some(_)) => "error",
        _ => "unknown",
    }
}

/// The readings of the rounds shown between which the number of effects rose: the one before, the one that saw it, by how much.
fn rises(drill: &DrillRecord, shown: &[&AttemptRecord], from: u64) -> Vec<(u64, u64, String)> {
    let mut before: Vec<(u32, u64, i64)> = Vec::new();
    let mut rises = Vec::new();
    for taken in &drill.effects {
        if !shown.iter().any(|attempt| attempt.round == taken.round) {
            continue;
        }
        let sum: i64 = taken.entries.iter().filter_map(|entry| entry.value).sum();
        let last = before
            .iter()
            .rev()
            .find(|(round, ..)| *round == taken.round);
        let (last_at, last_sum) = last.map_or((from, 0), |(_, at_us, sum)| (*at_us, *sum));
        if sum > last_sum {
            let late = text::millis(taken.at_us.saturating_sub(from));
            rises.push((
                last_at,
                taken.at_us,
                format!("{last_sum} to {sum}, seen at {late} ms"),
            ));
        }
        before.push((taken.round, taken.at_us, sum));
    }
    rises.truncate(4);
    rises
}

/// The counts of the rounds shown: between which two moments the number of effects changed.
fn counted(drill: &DrillRecord, shown: &[&AttemptRecord], from: u64) -> Option<String> {
    let taken: Vec<_> = drill
        .effects
        .iter()
        .filter(|taken| shown.iter().any(|attempt| attempt.round == taken.round))
        .collect();
    let said: Vec<String> = taken
        .iter()
        .map(|taken| {
            let values: Vec<String> = taken
                .entries
                .iter()
                .map(|entry| {
                    let value = entry
                        .value
                        .map_or_else(|| "?".to_owned(), |value| value.to_string());
                    format!(
                        "{value} ({}/{})",
                        text::line(&entry.account),
                        text::line(&entry.intent)
                    )
                })
                .collect();
            format!(
                "{} at {} ms: {}",
                text::line(&taken.name),
                text::millis(taken.at_us.saturating_sub(from)),
                values.join(", ")
            )
        })
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}
