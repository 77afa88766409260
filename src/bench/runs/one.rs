//! One run of this program as a child: its report, its time and its memory.
//! It must not know what the run is to show.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What the drill came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It failed.
    Failed,
    /// It passed.
    Passed,
    /// No verdict.
    Neither,
}

/// A run.
#[derive(Clone, Debug)]
pub struct One {
    /// What the drill came to.
    pub outcome: Outcome,
    /// Rounds of copies.
    pub rounds: u32,
    /// Those in step.
    pub in_step: u32,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// How long its requests took one after the other, in milliseconds.
    pub requests_ms: u64,
    /// The most memory that it had, in KiB.
    pub peak_kib: u64,
    /// What it said of its power.
    pub power: Option<String>,
}

/// The drill that is run.
const DRILL: &str = "drill.concurrent";

impl One {
    /// Runs `doubletap demo` on the design that claims first, only the drill of simultaneous copies.
    ///
    /// # Errors
    /// Where it does not end with a report.
    pub fn run(arguments: &[String], database_url: Option<&str>) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("a run could not be carried out: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        // nothing of it is kept
        let state = tempfile::tempdir().map_err(failed)?;
        let mut command = Command::new(program);
        command
            .args(["demo", "--design", "claim-first", "--drill", DRILL])
            .args(["--format", "json", "--quiet"])
            .args(arguments)
            .env("XDG_STATE_HOME", state.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(url) = database_url {
            command.env("DOUBLETAP_DEMO_DATABASE_URL", url);
        }
        let began = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        let out = child.stdout.take();
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            // what cannot be read is no report
            let _ = out.map(|mut out| out.read_to_string(&mut text));
            text
        });
        let mut peak_kib = 0;
        loop {
            peak_kib = peak_kib.max(peak(child.id()));
            match child.try_wait().map_err(failed)? {
                Some(_) => break,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        let took = began.elapsed();
        let text = reading.join().unwrap_or_default();
        let report: Value = serde_json::from_str(&text).map_err(|error| {
            let typed = arguments.join(" ");
            format!("`doubletap demo {typed}` ended without a report ({error}); run it to see why")
        })?;
        let mut one = Self::read(&report);
        one.took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        one.peak_kib = peak_kib;
        Ok(one)
    }

    fn read(report: &Value) -> Self {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let drill = list(&report["drills"])
            .into_iter()
            .find(|drill| drill["id"].as_str().is_some_and(|id| id.starts_with(DRILL)))
            .unwrap_or_default();
        let gates = list(&drill["gates"]);
        let in_step = gates.iter().filter(|gate| gate["in_step"] == true).count();
        Self {
            outcome: match drill["verdict"].as_str() {
                Some("fail") => Outcome::Failed,
                Some("pass") => Outcome::Passed,
                _ => Outcome::Neither,
            },
            rounds: u32::try_from(gates.len()).unwrap_or(u32::MAX),
            in_step: u32::try_from(in_step).unwrap_or(u32::MAX),
            took_ms: 0,
            requests_ms: requests_us(&list(&report["attempts"])) / 1_000,
            peak_kib: 0,
            power: report["power"].as_str().map(str::to_owned),
        }
    }
}

/// How long requests took, those of a burst counted once from the first hand-over to the last reply (the settle time included).
fn requests_us(attempts: &[Value]) -> u64 {
    let mut spans: BTreeMap<(String, u64, String), (u64, u64)> = BTreeMap::new();
    for (number, attempt) in attempts.iter().enumerate() {
        let (Some(sent), Some(end)) = (attempt["sent_us"].as_u64(), attempt["end_us"].as_u64())
        else {
            continue;
        };
        let text = |name: &str| attempt[name].as_str().unwrap_or_default().to_owned();
        let step = match text("step").as_str() {
            "copies" => "copies".to_owned(),
            other => format!("{other} {number}"),
        };
        let round = attempt["round"].as_u64().unwrap_or_default();
        let span = spans
            .entry((text("drill"), round, step))
            .or_insert((sent, end));
        *span = (span.0.min(sent), span.1.max(end));
    }
    spans.values().map(|(sent, end)| end - sent).sum()
}

/// The most memory that a process had so far, in KiB; 0 where the system does not tell.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or_default();
    let number = line.trim().trim_end_matches("kB").trim();
    number.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_burst_counts_once_and_other_requests_one_by_one() {
        let attempt = |step: &str, sent: u64, end: u64| json!({ "drill": "d", "round": 0, "step": step, "sent_us": sent, "end_us": end });
        let attempts = [
            attempt("copies", 0, 4_000),
            attempt("copies", 10, 5_000),
            attempt("later", 5_000, 6_000),
            attempt("later", 6_000, 7_000),
        ];
        assert_eq!(requests_us(&attempts), 7_000);
    }

    #[test]
    fn a_report_is_read_for_the_drill_alone() {
        let report = json!({
            "power": "so and so",
            "drills": [
                { "id": "control", "verdict": "fail" },
                { "id": "drill.concurrent@payment", "verdict": "pass", "gates": [{ "in_step": true }, { "in_step": false }] },
            ],
        });
        let one = One::read(&report);
        assert_eq!(one.outcome, Outcome::Passed);
        assert_eq!((one.rounds, one.in_step), (2, 1));
        assert_eq!(one.power.as_deref(), Some("so and so"));
    }
}
