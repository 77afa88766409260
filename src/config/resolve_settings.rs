//! The settings of a run, each gathered from flag, environment and file.
//! It must not know what a setting does.

use super::flags::Flags;
use super::gathering::Gathering;
use super::places::COMMAND_LINE;
use super::settings::{Format, KEY_AGE, MOST_COPIES, MOST_ROUNDS, Protocol, Settings};
use super::source::Source;
use super::target_file::RunTable;
use crate::contract::Length;

/// Requests a second at the least: one in a hundred seconds.
const SLOWEST: f64 = 0.01;
/// Requests a second at the most; more is no limit.
const FASTEST: f64 = 100_000.0;
/// Below a microsecond no clock here tells anything.
const SHORTEST_WINDOW: Length = Length(std::time::Duration::from_micros(1));

/// The settings of a run. `timeout` and `settle` belong to the target and are gathered by its own resolution.
pub fn settings(gathering: &mut Gathering<'_>, flags: &Flags, run: &RunTable) -> Settings {
    let g = gathering;
    let copies = g.one("copies", flags.copies.as_deref(), run.copies, 10);
    g.bounded("copies", copies, 2, MOST_COPIES);
    let max_copies = g.maybe(
        "max-copies",
        flags.max_copies.as_deref(),
        run.max_copies,
        "as the drills have it",
    );
    g.bounded("max-copies", max_copies.unwrap_or(2), 2, MOST_COPIES);
    let rounds = g.one("rounds", flags.rounds.as_deref(), run.rounds, 10);
    g.bounded("rounds", rounds, 1, MOST_ROUNDS);
    let window = g.maybe(
        "window",
        flags.window.as_deref(),
        run.window,
        "as the rounds have it",
    );
    let confidence = g.one(
        "confidence",
        flags.confidence.as_deref(),
        run.confidence,
        0.99,
    );
    if !(0.5..=0.9999).contains(&confidence) {
        let title = format!("confidence must be 0.5 to 0.9999, not {confidence}");
        g.refuse("confidence", title, "0.99 is one miss in a hundred");
    }
    let rate = g.maybe("rate", flags.rate.as_deref(), run.rate, "no limit");
    if let Some(rate) = rate.filter(|rate| !(SLOWEST..=FASTEST).contains(rate)) {
        let title = format!("rate must be {SLOWEST} to {FASTEST} requests a second, not {rate}");
        g.refuse("rate", title, "leave it out for no limit");
    }
    let wait = g.maybe("wait", flags.wait.as_deref(), run.wait, "not at all");
    if let Some(wait) = wait {
        g.within(
            "wait",
            wait,
            Length::millis(0),
            Length::seconds(3600),
            "60s",
        );
    }
    let key_age = g.one("key-age", flags.key_age.as_deref(), run.key_age, KEY_AGE);
    g.within(
        "key-age",
        key_age,
        Length::millis(0),
        Length::seconds(3600),
        "60s",
    );
    if let Some(window) = window {
        g.within(
            "window",
            window,
            SHORTEST_WINDOW,
            Length::seconds(10),
            "100us",
        );
    }
    let format = g.word(
        "format",
        flags.format.as_deref(),
        run.format.as_deref(),
        Format::Table,
    );
    let protocol = g.word(
        "protocol",
        flags.protocol.as_deref(),
        run.protocol.as_deref(),
        Protocol::Auto,
    );
    let max_requests = g.maybe(
        "max-requests",
        flags.max_requests.as_deref(),
        run.max_requests,
        "20000 on loopback, 1000 elsewhere",
    );
    if max_requests == Some(0) {
        let title = "max-requests must be 1 or more, not 0".to_owned();
        g.refuse("max-requests", title, "--dry-run sends nothing");
    }
    Settings {
        copies,
        max_copies,
        rounds,
        window,
        confidence,
        strict: g.switch("strict", flags.strict, run.strict),
        keep_going: g.switch("keep-going", flags.keep_going, run.keep_going),
        require: g.list("require", "require", &flags.require, &run.require, "none"),
        seed: g.maybe("seed", flags.seed.as_deref(), run.seed, "by chance"),
        wait,
        key_age,
        rate,
        max_requests,
        allow_hosts: g.list(
            "allow-host",
            "allow-hosts",
            &flags.allow_host,
            &run.allow_hosts,
            "loopback and private ones",
        ),
        suites: g.list("suite", "suites", &flags.suite, &run.suites, "drill"),
        drills: g.list(
            "drill",
            "drills",
            &flags.drill,
            &run.drills,
            "all of the suites",
        ),
        format,
        outputs: outputs(g, &flags.output),
        journal: g.maybe(
            "journal",
            flags.journal.as_deref(),
            run.journal.clone(),
            "in the state directory",
        ),
        dry_run: flags.dry_run,
        cacert: g.maybe(
            "cacert",
            flags.cacert.as_deref(),
            run.cacert.clone(),
            "none",
        ),
        protocol,
    }
}

fn outputs(g: &mut Gathering<'_>, outputs: &[String]) -> Vec<(Format, String)> {
    let mut found = Vec::new();
    for text in outputs {
        let source = Source::new(COMMAND_LINE, format!("--output {text}"));
        match text.split_once('=') {
            Some((format, path)) if !path.is_empty() => match format.parse::<Format>() {
                Ok(format) => found.push((format, path.to_owned())),
                Err(error) => g.wrong(&source, 9, &error),
            },
            _ => g.wrong(
                &source,
                9,
                "expected FORMAT=PATH; such as --output junit=report.xml",
            ),
        }
    }
    found
}
