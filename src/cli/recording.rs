//! A run as it is sent and kept: the plan, the journal, the events as they come.
//! It must not know what is made of the record, nor where the configuration comes from.

use std::net::ToSocketAddrs;
use std::path::PathBuf;

use super::apart::{self, Used};
use super::deliver::refuse;
use super::journal_file;
use super::look::Look;
use super::output::{OutputArg, Outputs};
use super::progress::Progress;
use super::stream::Stream;
use super::suites::SuiteError;
use super::tape::{Recording, aim};
use super::target::show;
use super::{dry_run, facts, suites};
use crate::config::suite::Drill;
use crate::config::{Format, Loaded};
use crate::exit;
use crate::journal::{ContentMaker, Journal, Redactor, Stage, Start};
use crate::plan::{self, Instance, Plan, Races};
use crate::run::hosts::Hosts;
use crate::run::{RunError, meter};

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
    /// How to have the API again, where it ends with the run.
    pub stage: Option<Stage>,
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
        let said =
            super::faults::say(&redactor.redact(&dry_run::show(task.loaded, &plan, cap, look)));
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
    let mut written = apart::reports(outputs);
    let journal = settings.journal.as_ref();
    written.extend(journal.map(|path| Used::new("the journal", path)));
    apart::check(&reads(task.loaded), &written).map_err(usage)?;
    let outputs = Outputs::open(outputs).map_err(|error| refuse(exit::OUTPUT, error))?;
    let (path, file) = open_journal(task.loaded, &plan)?;
    let kept_at = path.display().to_string();
    let seed = settings
        .seed
        .unwrap_or_else(|| uuid::Uuid::new_v4().as_u64_pair().1);
    let start = Start {
        stage: task.stage.clone(),
        ..facts::start(target, &plan, seed, command(task.typed, &redactor))
    };
    let maker = ContentMaker::new(redactor.clone());
    let mut recording = Recording::begin(
        file,
        &redactor,
        start,
        Progress::new(plan.instances.len(), &redactor, look),
        task.streamed.then_some(kept_at.as_str()),
        &kept_at,
    )
    .map_err(|error| refuse(exit::OUTPUT, error))?;
    recording.say(&announced(task.loaded, &plan));
    // the table ends with it, on the same screen
    let told_later = look.one_screen() && matches!(settings.format, Format::Table);
    if !told_later {
        recording.say(&format!("journal: {kept_at}"));
    }
    let ended = recording.carry(task, &plan, &maker);
    let (kept, stream) = recording.end();
    if let Err(error) = ended {
        let code = match error {
            RunError::Record(_) => exit::OUTPUT,
            RunError::Certificates(_) | RunError::Machine(_) => exit::USAGE,
        };
        let kept = if told_later {
            format!("\njournal: {kept_at}")
        } else {
            String::new()
        };
        return Err(refuse(
            code,
            format!("{}{kept}", redactor.redact(&error.to_string())),
        ));
    }
    // what is judged is what was kept: the same as `doubletap judge` sees later
    let journal = kept.map_err(|error| refuse(exit::OUTPUT, error))?;
    Ok(Some(Recorded {
        journal,
        kept_at,
        outputs,
        stream,
    }))
}

/// A run that goes on.
pub struct Resumed<'t> {
    /// The configuration, as it is now.
    pub loaded: &'t Loaded,
    /// The journal's file.
    pub path: &'t str,
    /// What is in it.
    pub earlier: Journal,
    /// What is kept of bodies, with the first run's key.
    pub maker: ContentMaker,
    /// The time by this machine's clock.
    pub now: jiff::Timestamp,
}

/// Sends what comes after the expiry, and keeps it in the same journal. Gives the whole.
///
/// # Errors
/// The exit code, after what is wrong was said.
pub fn resume(resumed: Resumed<'_>, typed: &[String], look: &Look) -> Result<Journal, u8> {
    let redactor = resumed.maker.redactor().clone();
    let waiting: Vec<String> = resumed
        .earlier
        .waiting()
        .map(|w| w.instance.clone())
        .collect();
    let instances: Vec<Instance> = resumed
        .earlier
        .start
        .plan
        .iter()
        .filter(|instance| waiting.contains(&instance.id))
        .cloned()
        .collect();
    let requests = instances
        .iter()
        .map(|instance| {
            plan::requests_of_a_round(&resumed.loaded.target, instance)
                * u64::from(instance.rounds.max(1))
        })
        .sum();
    let plan = Plan {
        run: resumed.earlier.start.run.clone(),
        instances,
        requests,
    };
    let usage = |what: String| refuse(exit::USAGE, redactor.redact(&what));
    let cap = cap(resumed.loaded).map_err(usage)?;
    if resumed.loaded.settings.dry_run {
        let shown = dry_run::show(resumed.loaded, &plan, cap, look);
        return Err(super::faults::say(&redactor.redact(&shown)));
    }
    let file = journal_file::reopen(resumed.path).map_err(|error| refuse(exit::OUTPUT, error))?;
    let progress = Progress::new(plan.instances.len(), &redactor, look);
    progress.say(&format!("going on: {}", command(typed, &redactor)));
    let live = resumed.earlier.clone();
    let mut recording = Recording::again(file, &redactor, live, progress, resumed.path);
    let ended = recording.go_on(&resumed, &plan);
    let (kept, _) = recording.end();
    ended.map_err(|error| refuse(exit::OUTPUT, redactor.redact(&error.to_string())))?;
    kept.map_err(|error| refuse(exit::OUTPUT, error))
}

fn plan(task: &Sending<'_>) -> Result<Plan, SuiteError> {
    let loaded = task.loaded;
    let settings = &loaded.settings;
    let mut drills = suites::gather(&settings.suites, !settings.drills.is_empty())?;
    drills.extend(task.more.iter().cloned());
    let races = Races {
        copies: settings.copies,
        rounds: aim(settings).map_or(settings.rounds, |aim| aim.least_rounds()),
        max_copies: settings.max_copies,
    };
    let run = uuid::Uuid::new_v4().simple().to_string()[..8].to_owned();
    let plan = suites::plan(&loaded.target, &drills, &settings.drills, races, &run)?;
    suites::require(&plan, &settings.require)?;
    Ok(plan)
}

/// The files that a run is configured by.
fn reads(loaded: &Loaded) -> Vec<Used> {
    let (target, settings) = (&loaded.target, &loaded.settings);
    let mut files = vec![Used::new("the policy", &target.policy.file)];
    let file = loaded.file.as_ref();
    files.extend(file.map(|path| Used::new("the target file", path)));
    let bundle = settings.cacert.as_ref();
    files.extend(bundle.map(|path| Used::new("the certificates", path)));
    let suites = settings
        .suites
        .iter()
        .flat_map(|name| suites::files_of(name));
    files.extend(suites.map(|path| Used::new("a drill", path)));
    files
}

/// How many requests are allowed. A host that may not be spoken to is refused here, before anything is opened;
/// one without an address is for the run to report.
fn cap(loaded: &Loaded) -> Result<u64, String> {
    let target = &loaded.target;
    let replicas = || target.replicas.iter().map(|replica| &replica.url);
    let urls = || replicas().chain(target.token_urls());
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
        Ok(file) => {
            if let (true, Some(folder)) = (own, path.parent()) {
                journal_file::trim(folder, journal_file::KEPT);
            }
            Ok((path, file))
        }
        Err(error) => Err(refuse(exit::OUTPUT, error)),
    }
}

/// What is about to be sent, before anything is.
fn announced(loaded: &Loaded, plan: &Plan) -> String {
    let (target, settings) = (&loaded.target, &loaded.settings);
    let host = |url: &url::Url| url.host_str().unwrap_or_default().to_owned();
    let mut hosts: Vec<String> = target.replicas.iter().map(|r| host(&r.url)).collect();
    hosts.extend(target.token_urls().map(host));
    hosts.dedup();
    let mut said = format!(
        "about {} to {}, and more where rounds out of step are repeated or a busy server is asked again",
        crate::report::text::counted(plan.requests, "request"),
        crate::report::text::line(&hosts.join(", "))
    );
    if let Some(rate) = settings.rate {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a time for people, and no number of requests is so great"
        )]
        let seconds = plan.requests as f64 / rate;
        said.push_str(&format!(
            ", {rate} a second: {} s at the least if all of them are sent",
            seconds.ceil()
        ));
    }
    said
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
