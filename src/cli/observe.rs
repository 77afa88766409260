//! `doubletap observe`: what an API really does, as a contract card and a draft policy, and beside what is documented.
//! It must not know how anything is read from the record.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::apart::{self, Used};
use super::deliver::refuse;
use super::faults::{list, say};
use super::flags::FlagArgs;
use super::look::Look;
use super::output::{OutputArg, Outputs};
use super::recording::{self, Sending};
use super::run::{outputs, typed};
use super::target::load_target;
use super::{journal_file, rejudge};
use crate::config::suite::Drill;
use crate::config::target::PolicyFacts;
use crate::contract::Contract;
use crate::exit;
use crate::journal::Journal;
use crate::observe::against::{Row, Standing, against};
use crate::observe::{self, Observed, card};
use crate::report::{Format, text};

/// The word for what the target itself declares.
const DECLARED: &str = "declared";

/// Write down what an API really does, judging nothing
///
/// Runs every drill that the target allows and writes a contract card: eight questions, each answered by what was seen.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap observe shop.toml --policy-out seen.toml
  doubletap observe shop.toml --against stripe     documentation beside behaviour
  doubletap observe --from last                    of a saved run; nothing is sent
")]
pub struct ObserveArgs {
    #[command(flatten)]
    flags: FlagArgs,

    /// Read a saved run instead of sending anything: its journal's path, its id, or `last`
    #[arg(long, value_name = "RUN", conflicts_with = "file")]
    from: Option<String>,

    /// Write a draft policy here: what was seen, `unspecified` where nothing was
    #[arg(long, value_name = "PATH")]
    policy_out: Option<PathBuf>,

    /// Show documentation beside behaviour: a bundled policy, a file, or `declared` for what the target declares
    #[arg(long, value_name = "NAME|PATH")]
    against: Option<String>,
}

/// Observes, and gives the exit code.
#[must_use]
pub fn run(args: &ObserveArgs, look: &Look) -> u8 {
    carry_out(args, look).unwrap_or_else(|code| code)
}

fn carry_out(args: &ObserveArgs, look: &Look) -> Result<u8, u8> {
    if let Some(path) = &args.from {
        return from(path, args, look);
    }
    let mut loaded = load_target(&args.flags, look)?;
    let format = loaded.settings.format;
    let asked = loaded.settings.outputs.iter().map(|(format, _)| *format);
    writable(asked.chain([format]))?;
    let declared = loaded.target.contracts.clone();
    for contract in loaded.target.contracts.values_mut() {
        *contract = observe::opened(contract);
    }
    // found out before anything is sent
    if let Some(name) = args.against.as_deref().filter(|name| *name != DECLARED)
        && super::target::find_policy(name).is_none()
    {
        return Err(refuse(
            exit::USAGE,
            format!(
                "there is no policy `{name}`; `doubletap policies` lists the bundled ones, and `declared` is the target's own"
            ),
        ));
    }
    loaded.target.policy = nothing();
    if loaded.settings.suites.is_empty() && loaded.settings.drills.is_empty() {
        loaded.settings.suites.push("all".to_owned());
    }
    let whole = loaded
        .settings
        .suites
        .iter()
        .any(|suite| suite == "all" || suite == "syntax");
    let outputs = outputs(&loaded.settings, None).map_err(|why| refuse(exit::USAGE, why))?;
    let mut written = apart::reports(&outputs);
    let draft = args.policy_out.as_ref();
    written.extend(draft.map(|path| Used::new("the draft policy", path)));
    let file = loaded.file.as_ref();
    let read = file.map(|path| Used::new("the target file", path));
    apart::check(read.as_slice(), &written).map_err(|why| refuse(exit::USAGE, why))?;
    let sending = Sending {
        typed: &typed(),
        stop_early: false,
        streamed: false,
        stage: None,
        more: if whole { lengths()? } else { Vec::new() },
        loaded: &loaded,
    };
    let Some(recorded) = recording::record(&sending, &outputs, look)? else {
        return Ok(exit::PASSED);
    };
    let mut seen = Seen::of(recorded.journal, declared, args, look)?;
    seen.kept_at = Some(recorded.kept_at);
    let told = seen.tell(format, recorded.outputs, look);
    Ok(exit::worst(told, seen.finish()))
}

/// Reads a saved run.
fn from(path: &str, args: &ObserveArgs, look: &Look) -> Result<u8, u8> {
    let usage = |why: String| refuse(exit::USAGE, why);
    let flags = args.flags.flags();
    let format = flags
        .format
        .as_deref()
        .map_or(Ok(Format::Table), str::parse);
    let format = format.map_err(usage)?;
    let files: Result<Vec<OutputArg>, String> = flags.output.iter().map(|f| f.parse()).collect();
    let files = files.map_err(usage)?;
    writable(files.iter().map(|file| file.format).chain([format]))?;
    let (journal, _) = journal_file::open(path).map_err(|error| refuse(exit::USAGE, error))?;
    let outputs = Outputs::open(&files).map_err(|error| refuse(exit::OUTPUT, error))?;
    let declared = journal.start.contracts.clone();
    let seen = Seen::of(journal, declared, args, look)?;
    Ok(exit::worst(seen.tell(format, outputs, look), seen.finish()))
}

/// A card is no report of verdicts: it comes in few formats.
fn writable(formats: impl IntoIterator<Item = Format>) -> Result<(), u8> {
    for format in formats {
        if !matches!(format, Format::Table | Format::Markdown | Format::Json) {
            let why = format!(
                "a contract card cannot be written as {format}; known: table, markdown, json"
            );
            return Err(refuse(exit::USAGE, why));
        }
    }
    Ok(())
}

/// By this an API is observed: by nothing.
fn nothing() -> PolicyFacts {
    PolicyFacts {
        id: "observed".to_owned(),
        title: "Nothing is declared: everything is sent and observed".to_owned(),
        file: "doubletap observe".to_owned(),
        seen: None,
        sources: Vec::new(),
    }
}

/// The drill of lengths.
fn lengths() -> Result<Vec<Drill>, u8> {
    let drill = toml::from_str(observe::LENGTHS).map_err(|error| refuse(exit::USAGE, error))?;
    Ok(vec![drill])
}

/// What was seen, with what is to be shown of it.
struct Seen {
    journal: Journal,
    observed: Observed,
    rows: Option<Vec<Row>>,
    against: String,
    kept_at: Option<String>,
    draft: Option<Result<PathBuf, String>>,
}

impl Seen {
    /// Reads the record, and writes the draft where one is asked for.
    fn of(
        journal: Journal,
        declared: BTreeMap<String, Contract>,
        args: &ObserveArgs,
        look: &Look,
    ) -> Result<Self, u8> {
        let observed = observe::observe(&journal);
        let rows = match args.against.as_deref() {
            None => None,
            Some(DECLARED) => Some(against(&journal, &observed, &declared)),
            Some(name) => {
                let (_, contracts) = rejudge::contracts(&journal, name, look)?;
                Some(against(&journal, &observed, &contracts))
            }
        };
        let draft = args.policy_out.as_ref().map(|path| {
            if observed.operations.is_empty() {
                return Err(format!(
                    "nothing was seen of any operation, so {} was not written",
                    path.display()
                ));
            }
            let id = path.file_stem().map_or_else(
                || "observed".into(),
                |stem| stem.to_string_lossy().into_owned(),
            );
            write(path, &observe::draft::draft(&observed, &id)).map(|()| path.clone())
        });
        Ok(Self {
            journal,
            observed,
            rows,
            against: args.against.clone().unwrap_or_default(),
            kept_at: None,
            draft,
        })
    }

    /// To the screen, and into the files.
    fn tell(&self, format: Format, outputs: Outputs, look: &Look) -> u8 {
        let mut code = say(&self.screen(format, look));
        for failure in outputs.write(|format| Ok(self.file(format))) {
            code = exit::worst(code, refuse(exit::OUTPUT, failure));
        }
        code
    }

    /// What goes to the screen.
    fn screen(&self, format: Format, look: &Look) -> String {
        if format != Format::Table {
            return self.file(format);
        }
        let columns = usize::from(look.stdout().columns());
        let mut out = observe::text(&card::card(&self.observed), columns);
        if let Some(rows) = &self.rows {
            out.push_str(&format!(
                "\nDocumentation ({}) beside behaviour\n",
                self.documented()
            ));
            let mut table = list(look, &["operation", "clause", "documented", "seen", "so"]);
            for row in rows {
                table.add_row([
                    text::line(&row.operation),
                    row.clause.clone(),
                    text::line(&row.documented),
                    text::line(&row.seen),
                    word(row.standing).to_owned(),
                ]);
            }
            for line in table.lines() {
                out.push_str(line.trim_end());
                out.push('\n');
            }
            out.push_str(&summary(rows));
        }
        if let Some(Ok(path)) = &self.draft {
            out.push_str(&format!(
                "\ndraft policy: {}; doubletap run --policy {} judges by it\n",
                path.display(),
                path.display()
            ));
        }
        if let Some(kept_at) = &self.kept_at {
            out.push_str(&format!("journal: {kept_at}\n"));
        }
        text::without_commands(&out)
    }

    fn documented(&self) -> &str {
        if self.against == DECLARED {
            "the target's own contract"
        } else {
            &self.against
        }
    }

    /// What goes into a file.
    fn file(&self, format: Format) -> String {
        let card = card::card(&self.observed);
        match format {
            Format::Json => {
                let whole = serde_json::json!({ "card": card, "against": self.rows });
                serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
            }
            Format::Markdown => {
                let mut out = observe::markdown(&card);
                if let Some(rows) = &self.rows {
                    out.push_str(&observe::against_markdown(rows, self.documented()));
                }
                out
            }
            _ => observe::text(&card, 100),
        }
    }

    /// The exit code of what was seen.
    fn finish(&self) -> u8 {
        if let Some(Err(why)) = &self.draft {
            let code = if self.observed.operations.is_empty() {
                exit::INCONCLUSIVE
            } else {
                exit::OUTPUT
            };
            return refuse(code, why);
        }
        let interrupted = self.journal.end.as_ref().is_some_and(|end| end.interrupted);
        if interrupted {
            return exit::INTERRUPTED;
        }
        let nothing = self
            .observed
            .operations
            .iter()
            .all(|operation| operation.sights.iter().all(|sight| sight.clause.is_none()));
        if self.observed.stopped.is_some() || nothing {
            exit::INCONCLUSIVE
        } else {
            exit::PASSED
        }
    }
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Agrees => "agrees",
        Standing::Differs => "DIFFERS",
        Standing::NotSeen => "not seen",
        Standing::Undocumented => "undocumented",
    }
}

fn summary(rows: &[Row]) -> String {
    let count = |standing: Standing| rows.iter().filter(|row| row.standing == standing).count();
    format!(
        "{} agree, {} differ, {} not seen, {} undocumented\n",
        count(Standing::Agrees),
        count(Standing::Differs),
        count(Standing::NotSeen),
        count(Standing::Undocumented)
    )
}

/// Writes the draft whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    });
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}
