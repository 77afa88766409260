//! A run as it is sent and kept: the plan, the journal, the events as they come.
//! It must not know what is made of the record, nor where the configuration comes from.

use std::cell::RefCell;
use std::io::{self, Write};
use std::net::ToSocketAddrs;
use std::path::PathBuf;

use super::deliver::refuse;
use super::interrupt;
use super::journal_file;
use super::look::Look;
use super::output::{OutputArg, Outputs};
use super::progress::Progress;
use super::stream::Stream;
use super::suites::SuiteError;
use super::target::show;
use super::{dry_run, facts, suites};
use crate::config::Loaded;
use crate::config::settings::Settings;
use crate::config::suite::Drill;
use crate::exit;
use crate::journal::{self, ContentMaker, Event, Journal, Redactor, Writer};
use crate::judge;
use crate::plan::chance::Aim;
use crate::plan::{Plan, Races};
use crate::run::hosts::Hosts;
use crate::run::{Limits, RecordError, Request, RunError, meter};

/// What is to be sent.
pub struct Sending<'t> {
    /// The configuration.
    pub loaded: &'t Loaded,
    /// The command line that repeats the run, before secrets are taken out.
    pub typed: &'t [String],
    /// Drills beside those of the suites.
    pub more: Vec<Drill>,
    /// Whether rounds end as soon as replies show a violation.
    pub stop_early: bool,
    /// Whether events are told on standard output as they come.
    pub streamed: bool,
}

/// A run that was carried out.
pub struct Recorded {
    /// What was kept of it.
    pub journal: Journal,
    /// Where.
    pub kept_at: String,
    /// The reports' files, opened before anything was sent.
    pub outputs: Outputs,
    /// What was told already, where events were told as they came.
    pub stream: Option<Stream>,
}

/// Sends what is planned and keeps it; `None` where only the plan was asked for.
///
/// # Errors
/// The exit code, after what is wrong was said.
pub fn record(
    task: &Sending<'_>,
    outputs: &[OutputArg],
    look: &Look,
) -> Result<Option<Recorded>, u8> {
    let (target, settings) = (&task.loaded.target, &task.loaded.settings);
    let redactor = Redactor::new(&target.secrets);
    let usage = |what: String| refuse(exit::USAGE, redactor.redact(&what));
    let plan = plan(task).map_err(|error| match error {
        SuiteError::Wrong(errors) => show(&errors, look),
        other => usage(other.to_string()),
    })?;
    let cap = cap(task.loaded).map_err(usage)?;
    if settings.dry_run {
        let said = super::faults::say(&redactor.redact(&dry_run::show(target, &plan, cap, look)));
        return if said == exit::PASSED {
            Ok(None)
        } else {
            Err(said)
        };
    }
    if plan.requests > cap {
        let needed = plan.requests;
        return Err(usage(format!(
            "the plan needs about {needed} requests and {cap} are allowed; give --max-requests {needed}, or fewer --copies, --rounds or drills"
        )));
    }
    let outputs = Outputs::open(outputs).map_err(|error| refuse(exit::OUTPUT, error))?;
    let (path, file) = open_journal(task.loaded, &plan)?;
    let kept_at = path.display().to_string();
    let seed = settings
        .seed
        .unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    let start = facts::start(target, &plan, seed, command(task.typed, &redactor));
    let maker = ContentMaker::new(redactor.clone());
    let mut recording = Recording::begin(
        file,
        &redactor,
        start,
        Progress::new(plan.instances.len(), &redactor, look),
        task.streamed.then_some(kept_at.as_str()),
    )
    .map_err(|error| refuse(exit::OUTPUT, error))?;
    recording.progress.say(&format!("journal: {kept_at}"));
    let ended = recording.carry(task, &plan, &maker);
    let (text, stream) = recording.end();
    if let Err(error) = ended {
        let code = match error {
            RunError::Record(_) => exit::OUTPUT,
            RunError::Certificates(_) | RunError::Machine(_) => exit::USAGE,
        };
        return Err(refuse(code, redactor.redact(&error.to_string())));
    }
    // what is judged is what was kept: the same as `doubletap judge` sees later
    let kept = match text {
        Some(text) => journal::read_from(text.as_slice()),
        None => match std::fs::File::open(&path) {
            Ok(file) => journal::read_from(io::BufReader::new(file)),
            Err(error) => Err(error.into()),
        },
    };
    let journal = kept.map_err(|error| refuse(exit::OUTPUT, error))?;
    Ok(Some(Recorded {
        journal,
        kept_at,
        outputs,
        stream,
    }))
}

/// What is to be seen, where that decides on the rounds.
fn aim(settings: &Settings) -> Option<Aim> {
    settings.window.map(|window| Aim {
        confidence: settings.confidence,
        window_us: u64::try_from(window.0.as_micros()).unwrap_or(u64::MAX),
    })
}

fn plan(task: &Sending<'_>) -> Result<Plan, SuiteError> {
    let loaded = task.loaded;
    let settings = &loaded.settings;
    let mut drills = suites::gather(&settings.suites, !settings.drills.is_empty())?;
    drills.extend(task.more.iter().cloned());
    let races = Races {
        copies: settings.copies,
        rounds: aim(settings).map_or(settings.rounds, |aim| aim.least_rounds()),
    };
    let run = uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
    let plan = suites::plan(&loaded.target, &drills, &settings.drills, races, &run)?;
    suites::require(&plan, &settings.require)?;
    Ok(plan)
}

/// How many requests are allowed. A host that may not be spoken to is refused here, before anything is opened;
/// one without an address is for the run to report.
fn cap(loaded: &Loaded) -> Result<u64, String> {
    let urls = || loaded.target.replicas.iter().map(|replica| &replica.url);
    let unknown = urls().any(|url| {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        (host, url.port_or_known_default().unwrap_or(80))
            .to_socket_addrs()
            .is_err()
    });
    let near = match Hosts::check(urls(), &loaded.settings.allow_hosts) {
        Ok(hosts) => hosts.all_on_this_machine(),
        Err(_) if unknown => false,
        Err(refused) => return Err(format!("{}\n  {}", refused.why, refused.remedy)),
    };
    Ok(loaded
        .settings
        .max_requests
        .unwrap_or_else(|| meter::default_cap(near)))
}

fn open_journal(loaded: &Loaded, plan: &Plan) -> Result<(PathBuf, std::fs::File), u8> {
    let (path, own) = match &loaded.settings.journal {
        Some(path) => (PathBuf::from(path), false),
        None => (journal_file::default_path(&plan.run), true),
    };
    match journal_file::make(&path, own) {
        Ok(file) => Ok((path, file)),
        Err(error) => Err(refuse(exit::OUTPUT, error)),
    }
}

/// Flags that say where things go: whoever repeats a run does not want them overwritten.
const PLACES: [&str; 2] = ["--output", "--journal"];

/// The command line as it may be shown and typed again.
fn command(typed: &[String], redactor: &Redactor) -> String {
    let mut words = Vec::new();
    let mut typed = typed.iter();
    while let Some(word) = typed.next() {
        if PLACES.contains(&word.as_str()) {
            typed.next();
        } else if !PLACES
            .iter()
            .any(|place| word.starts_with(&format!("{place}=")))
        {
            words.push(crate::report::bash::word(&redactor.redact(word)));
        }
    }
    words.join(" ")
}

/// A file, and the same text in memory where it cannot be read back: the judge reads what was kept even where it is a pipe.
struct Tee {
    file: std::fs::File,
    text: Option<Vec<u8>>,
}

impl Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        if let Some(text) = &mut self.text {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A run that is being recorded.
struct Recording {
    writer: Writer<Tee>,
    live: Journal,
    progress: Progress,
    stream: Option<Stream>,
}

impl Recording {
    fn begin(
        file: std::fs::File,
        redactor: &Redactor,
        start: journal::Start,
        progress: Progress,
        streamed: Option<&str>,
    ) -> Result<Self, journal::WriteError> {
        let is_file = file.metadata().is_ok_and(|file| file.is_file());
        let tee = Tee {
            file,
            text: (!is_file).then(Vec::new),
        };
        let mut writer = Writer::new(tee, redactor.clone());
        writer.write(&Event::Start(Box::new(start.clone())))?;
        let live = Journal::new(start);
        Ok(Self {
            writer,
            stream: streamed.map(|kept_at| Stream::begin(&live, kept_at, redactor)),
            live,
            progress,
        })
    }

    fn carry(
        &mut self,
        task: &Sending<'_>,
        plan: &Plan,
        maker: &ContentMaker,
    ) -> Result<(), RunError> {
        let loaded = task.loaded;
        let settings = &loaded.settings;
        let contracts = &loaded.target.contracts;
        let request = Request {
            target: &loaded.target,
            plan,
            limits: Limits {
                max_requests: settings.max_requests,
                rate: settings.rate,
                allow_hosts: settings.allow_hosts.clone(),
                wait: settings.wait.map(|length| length.0),
            },
            protocol: settings.protocol,
            keep_going: settings.keep_going,
            aim: aim(settings),
            content: &|bytes, cut| maker.make(bytes, cut),
            header: &|name, value| maker.header(name, value),
        };
        let interrupted = interrupt::flag();
        let this = RefCell::new(self);
        let mut record = |event: Event| {
            let this = &mut *this.borrow_mut();
            this.progress.tell(&event);
            this.writer
                .write(&event)
                .map_err(|error| RecordError(error.to_string()))?;
            let told = Stream::of(&event).filter(|_| this.stream.is_some());
            this.live
                .add(event)
                .map_err(|misfit| RecordError(misfit.to_string()))?;
            if let (Some(stream), Some(told)) = (&mut this.stream, told) {
                stream.tell(told, &this.live);
            }
            Ok(())
        };
        let mut stop_early = |instance: &str, round: u32| {
            let live = &mut this.borrow_mut().live;
            let stop =
                task.stop_early && judge::violated_in_round(live, contracts, instance, round);
            // it is kept: nothing asks for it before the end
            live.forget(instance, round);
            stop
        };
        crate::run::run(request, &mut record, &mut stop_early, &interrupted).map(drop)
    }

    /// Everything that was kept, where it cannot be read back, and what was told of it already.
    fn end(self) -> (Option<Vec<u8>>, Option<Stream>) {
        self.progress.end();
        let tee = self.writer.into_inner();
        if let Err(error) = tee.file.sync_all()
            && error.kind() != io::ErrorKind::InvalidInput
        {
            crate::cli::complain!("warning: the journal may not be on the disk yet: {error}");
        }
        (tee.text, self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_repeats_a_run_overwrites_nothing() {
        let typed = [
            "doubletap",
            "run",
            "shop.toml",
            "--output",
            "json=r.json",
            "--journal=r.jsonl",
            "-H",
            "X: it's $HOME",
        ];
        let typed: Vec<String> = typed.map(str::to_owned).to_vec();
        let shown = command(&typed, &Redactor::default());
        assert_eq!(shown, "doubletap run shop.toml -H 'X: it'\\''s '\"$HOME\"");
    }
}
