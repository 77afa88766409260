//! `doubletap run`: the drills against a target of one's own.
//! It must not know how the configuration is read, nor how a run is carried out.

use clap::Args;

use super::apart::{self, Used};
use super::baseline::BaselineFlag;
use super::deliver::refuse;
use super::flags::FlagArgs;
use super::look::Look;
use super::output::OutputArg;
use super::session::{self, Task};
use super::target::load_target;
use crate::config::Settings;
use crate::exit;

/// Run drills against an API and judge them by its contract
///
/// What to send, who sends, what is declared and how effects are counted stand in a target file or in flags; a flag wins over
/// the file. `doubletap init` writes a file, `doubletap check` shows what is meant.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap run                                    ./doubletap.toml, or above
  doubletap run shop.toml --dry-run                what would be sent
  doubletap run shop.toml --drill drill.concurrent --rounds 50
  doubletap run --url http://localhost:8080/payments \\
    --json '{\"order_ref\":\"{{ref}}\",\"amount\":49900}' \\
    --account a='Authorization: Bearer ${TOKEN_A}' --policy ietf \\
    --postgres '${DATABASE_URL}' \\
    --count-sql 'SELECT count(*) FROM payments WHERE order_ref = :ref'
")]
pub struct RunArgs {
    #[command(flatten)]
    flags: FlagArgs,

    #[command(flatten)]
    evidence: Evidence,

    #[command(flatten)]
    baseline: BaselineFlag,
}

/// How much is shown, and where else.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Reports")]
pub struct Evidence {
    /// Show the evidence of passing drills, too, and of those that were only observed
    #[arg(long, value_name = "WHICH", value_parser = ["failures", "all"], default_value = "failures")]
    evidence: String,

    /// For GitHub Actions: annotations on standard error, and the report in the step's summary
    #[arg(long)]
    github: bool,
}

impl Evidence {
    /// Whether the evidence of passing drills is shown, too.
    #[must_use]
    pub fn all(&self) -> bool {
        self.evidence == "all"
    }

    /// Whether a workflow of GitHub is told.
    #[must_use]
    pub fn github(&self) -> bool {
        self.github
    }
}

/// Runs them, and gives the exit code.
#[must_use]
pub fn run(args: &RunArgs, look: &Look) -> u8 {
    let loaded = match load_target(&args.flags, look) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let baseline = match args.baseline.read(look) {
        Ok(baseline) => baseline,
        Err(code) => return code,
    };
    let outputs = match outputs(&loaded.settings, None) {
        Ok(outputs) => outputs,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let known = args
        .baseline
        .path()
        .map(|path| Used::new("the baseline", path));
    let mut written = apart::reports(&outputs);
    let journal = loaded.settings.journal.as_ref();
    written.extend(journal.map(|path| Used::new("the journal", path)));
    if let Err(why) = apart::check(known.as_slice(), &written) {
        return refuse(exit::USAGE, why);
    }
    let task = Task {
        loaded: &loaded,
        typed: &typed(),
        outputs,
        evidence: &args.evidence,
        baseline: baseline.as_ref(),
        stage: None,
    };
    session::run(task, look)
}

/// The command line as typed.
#[must_use]
pub fn typed() -> Vec<String> {
    let mut words = vec!["doubletap".to_owned()];
    words.extend(
        std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned()),
    );
    words
}

/// The report files of the settings; `part` tells several runs of one command apart.
///
/// # Errors
/// Two reports into one file.
pub fn outputs(settings: &Settings, part: Option<&str>) -> Result<Vec<OutputArg>, String> {
    let mut outputs: Vec<OutputArg> = Vec::new();
    for (format, path) in &settings.outputs {
        let mut path = std::path::PathBuf::from(path);
        if let Some(part) = part {
            let name = match path.extension() {
                Some(extension) => format!("{part}.{}", extension.to_string_lossy()),
                None => part.to_owned(),
            };
            path.set_extension(name);
        }
        if outputs.iter().any(|known| known.path == path) {
            return Err(format!(
                "two reports go into {}; give each a file of its own",
                path.display()
            ));
        }
        outputs.push(OutputArg {
            format: *format,
            path,
        });
    }
    Ok(outputs)
}
