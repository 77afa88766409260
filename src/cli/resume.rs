//! `doubletap resume`: goes on with what a run left waiting for keys to expire, when it is time; before, it says how long.
//! It must not know what is sent then, nor how it is judged.

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::apart::{self, Used};
use super::deliver::{Delivery, deliver, refuse};
use super::flags::FlagArgs;
use super::journal_file;
use super::look::Look;
use super::output::Outputs;
use super::private;
use super::rebuilt;
use super::recording::{self, Resumed};
use super::run::{Evidence, outputs, typed};
use super::run_key;
use super::target::load_target;
use crate::config::{Format, Loaded};
use crate::exit;
use crate::journal::{ContentMaker, Journal, Redactor, Waiting};
use crate::judge;

/// Go on with a run whose keys had to expire first
///
/// Only what comes after the expiry is sent. A target with `[expire] later = true` leaves keys to expire by themselves. `run` keeps what waits in its journal, with a key
/// beside it (JOURNAL.key); this command makes the requests again from the target and the environment, checks that they are the
/// same, and completes the journal and the report.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// The saved run: its journal's path, its id, or `last`: the newest that waits
    #[arg(value_name = "RUN")]
    earlier: String,

    #[command(flatten)]
    flags: FlagArgs,

    #[command(flatten)]
    evidence: Evidence,
}

/// Goes on, and gives the exit code of the whole run.
#[must_use]
pub fn run(args: &ResumeArgs, look: &Look) -> u8 {
    carry_out(args, look).unwrap_or_else(|code| code)
}

fn carry_out(args: &ResumeArgs, look: &Look) -> Result<u8, u8> {
    let usage = |what: String| refuse(exit::USAGE, what);
    if args.earlier == "-" {
        return Err(usage("a journal that goes on must be a file".to_owned()));
    }
    let (earlier, path) =
        journal_file::open_waiting(&args.earlier).map_err(|error| usage(error.to_string()))?;
    let path = path.as_str();
    let waiting: Vec<&Waiting> = earlier.waiting().collect();
    if waiting.is_empty() {
        return Err(usage(nothing_waits(path, &earlier)));
    }
    let now = Timestamp::now();
    if let Some(why) = not_yet(&waiting, now).map_err(usage)? {
        return Err(refuse(exit::INCONCLUSIVE, why));
    }
    let key = run_key::read(path).map_err(|error| usage(error.to_string()))?;
    if !look.is_quiet() {
        private::note(&format!("{path}.key"), "it is this run's key");
    }
    let loaded = load_target(&args.flags, look)?;
    let redactor = Redactor::new(&loaded.target.secrets);
    let maker = ContentMaker::with_key(key, redactor.clone());
    rebuilt::check(&loaded.target, &earlier, &maker).map_err(|why| usage(redactor.redact(&why)))?;
    go_on(args, path, &loaded, earlier, maker, now, look)
}

fn go_on(
    args: &ResumeArgs,
    path: &str,
    loaded: &Loaded,
    earlier: Journal,
    maker: ContentMaker,
    now: Timestamp,
    look: &Look,
) -> Result<u8, u8> {
    let settings = &loaded.settings;
    let wanted = outputs(settings, None).map_err(|why| refuse(exit::USAGE, why))?;
    let mut read = vec![Used::new("the journal", path)];
    let file = loaded.file.as_ref();
    read.extend(file.map(|path| Used::new("the target file", path)));
    apart::check(&read, &apart::reports(&wanted)).map_err(|why| refuse(exit::USAGE, why))?;
    let outputs = Outputs::open(&wanted).map_err(|error| refuse(exit::OUTPUT, error))?;
    if settings.format == Format::Ndjson {
        return Err(refuse(
            exit::USAGE,
            "what goes on cannot be told as it comes; `doubletap report` writes ndjson afterwards",
        ));
    }
    let resumed = Resumed {
        loaded,
        path,
        earlier,
        maker,
        now,
    };
    let journal = recording::resume(resumed, &typed(), look)?;
    if journal.waiting().next().is_none() {
        run_key::forget(path);
    }
    let judged = judge::judge(
        &journal,
        &journal.start.contracts,
        settings.strict,
        &settings.require,
    );
    let delivery = Delivery {
        judged: &judged,
        journal: &journal,
        kept_at: Some(path),
        format: settings.format,
        evidence: &args.evidence,
        stream: None,
    };
    Ok(deliver(delivery, outputs, look))
}

fn nothing_waits(path: &str, journal: &Journal) -> String {
    if journal.start.schema_version < 2 {
        return format!(
            "{path} was written by {}, which kept nothing to go on with (format {}); run the drills again with [expire] later = true",
            journal.start.tool, journal.start.schema_version
        );
    }
    format!(
        "nothing waits in {path}: either its run left no key to expire ([expire] later = true), or it was gone on with already; \
         `doubletap judge {path}` judges it"
    )
}

/// Why it is not time yet.
///
/// # Errors
/// A time that cannot be read: then nobody knows whether it is.
fn not_yet(waiting: &[&Waiting], now: Timestamp) -> Result<Option<String>, String> {
    let latest = |times: &mut dyn Iterator<Item = &str>| {
        times
            .map(|text| {
                text.parse::<Timestamp>().map_err(|_| {
                    format!(
                        "the journal says `{}` where a time should stand, so whether the keys have expired is not known; nothing was sent",
                        crate::report::text::line(text)
                    )
                })
            })
            .try_fold(Timestamp::MIN, |latest, time: Result<_, String>| {
                time.map(|time| latest.max(time))
            })
    };
    let since = latest(&mut waiting.iter().map(|w| w.since.as_str()))?;
    let due = latest(&mut waiting.iter().map(|w| w.due.as_str()))?;
    if now < since {
        return Ok(Some(format!(
            "this machine's clock says {now}, and the keys were left to expire at {since}: the clock was set back, or is another \
             machine's and {} behind; set it right, nothing was sent",
            rough(since.duration_since(now))
        )));
    }
    Ok((now < due).then(|| {
        format!(
            "the keys expire at {due:.0}, in {}; come back then, nothing was sent",
            rough(due.duration_since(now))
        )
    }))
}

/// A length as people say it: the two greatest units, rounded up to a second.
fn rough(length: SignedDuration) -> String {
    let seconds = length.as_secs() + i64::from(length.subsec_nanos() > 0);
    let parts = [
        (seconds / 86_400, "d"),
        (seconds % 86_400 / 3_600, "h"),
        (seconds % 3_600 / 60, "min"),
        (seconds % 60, "s"),
    ];
    let told: Vec<String> = parts
        .iter()
        .skip_while(|(n, _)| *n == 0)
        .take(2)
        .filter(|(n, _)| *n > 0)
        .map(|(n, unit)| format!("{n} {unit}"))
        .collect();
    told.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(since: &str, due: &str) -> Waiting {
        Waiting {
            instance: "drill.after-retention@pay".into(),
            round: 0,
            step: 2,
            intent: "k".into(),
            intents: Vec::new(),
            used: Vec::new(),
            succeeded: Vec::new(),
            since: since.into(),
            due: due.into(),
            at_us: 0,
        }
    }

    #[test]
    fn before_the_time_it_says_how_long_and_afterwards_nothing() {
        let kept = waiting("2026-01-01T00:00:00Z", "2026-01-02T00:05:00Z");
        let at = |text: &str| not_yet(&[&kept], text.parse().unwrap()).unwrap();
        let told = at("2026-01-01T20:00:00Z").unwrap();
        assert!(told.contains("in 4 h 5 min"), "{told}");
        assert_eq!(at("2026-01-02T00:05:00Z"), None);
    }

    #[test]
    fn a_clock_that_was_set_back_is_said_and_not_taken_for_a_wait() {
        let kept = waiting("2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z");
        let told = not_yet(&[&kept], "2026-01-01T23:00:00Z".parse().unwrap())
            .unwrap()
            .unwrap();
        assert!(
            told.contains("1 h behind") && told.contains("nothing was sent"),
            "{told}"
        );
    }

    #[test]
    fn the_last_of_several_decides() {
        let (one, other) = (
            waiting("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            waiting("2026-01-01T00:00:00Z", "2026-01-08T00:00:00Z"),
        );
        let told = not_yet(&[&one, &other], "2026-01-03T00:00:00Z".parse().unwrap()).unwrap();
        assert!(told.unwrap().contains("in 5 d"));
    }

    #[test]
    fn a_time_that_cannot_be_read_is_no_time_that_has_come() {
        let kept = waiting("2026-01-01T00:00:00Z", "2026-13-99");
        let error = not_yet(&[&kept], "2027-01-01T00:00:00Z".parse().unwrap()).unwrap_err();
        assert!(
            error.contains("2026-13-99") && error.contains("nothing was sent"),
            "{error}"
        );
    }
}
