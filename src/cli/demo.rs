//! `doubletap demo`: the drill against the built-in sandbox, right or with faults, without any set-up.
//! It must not know what a design or a fault does, nor how a run is carried out.

use clap::Args;
use secrecy::ExposeSecret;

use super::baseline::BaselineFlag;
use super::deliver::refuse;
use super::flags::{RaceArgs, ReportArgs};
use super::look::Look;
use super::run::{Evidence, outputs, typed};
use super::sandbox_child::{SandboxChild, WORK, Wanted};
use super::session::{self, Task};
use super::target::{load_source, show};
use crate::config::{Flags, Loaded, Source};
use crate::exit;
use crate::journal::Stage;
use crate::report::bash;
use crate::sandbox::Design;
use crate::sandbox::faults::Selected;

/// The sandbox as a target.
const TARGET: &str = include_str!("../../fixtures/targets/sandbox.toml");
/// Its name, as errors and reports show it.
const TARGET_NAME: &str = "fixtures/targets/sandbox.toml";
/// The designs that promise something: the others are faults of a whole.
const DESIGNS: [Design; 2] = [Design::OneTransaction, Design::ClaimFirst];
/// The operation that the documented drill is about.
const OPERATION: &str = "payment";

/// See the drill at work on the built-in sandbox; no set-up
///
/// Without a fault everything passes, on both designs that are right; with one, the drills that see it tell its story.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  doubletap demo
  doubletap demo --design one-transaction --fault check-then-insert
  doubletap demo --fault global-scope --suite all
  doubletap faults                                 what can be broken
")]
pub struct DemoArgs {
    /// Only this design (repeatable) [both that are right: one-transaction, claim-first]
    #[arg(long, value_name = "NAME")]
    design: Vec<Design>,

    /// Switch a fault on (repeatable); it runs on the designs that it applies to
    #[arg(long = "fault", value_name = "NAME[=VALUE]")]
    faults: Vec<Selected>,

    /// Keep the sandbox's tables in PostgreSQL and count rows there
    #[arg(
        long,
        value_name = "URL",
        env = "DOUBLETAP_DEMO_DATABASE_URL",
        hide_env_values = true
    )]
    database_url: Option<String>,

    #[command(flatten)]
    races: RaceArgs,

    #[command(flatten)]
    reports: ReportArgs,

    #[command(flatten)]
    evidence: Evidence,

    #[command(flatten)]
    baseline: BaselineFlag,
}

/// Shows it, and gives the worst exit code of all designs.
#[must_use]
pub fn run(args: &DemoArgs, look: &Look) -> u8 {
    let designs = match designs(args) {
        Ok(designs) => designs,
        Err(why) => return refuse(exit::USAGE, why),
    };
    let mut code = exit::PASSED;
    for design in &designs {
        let (own, alone) = on(*design, &designs, args, look);
        code = exit::worst(code, own);
        if alone || code == exit::INTERRUPTED || code == exit::USAGE {
            break;
        }
    }
    code
}

/// The designs that are asked for and that all faults apply to.
fn designs(args: &DemoArgs) -> Result<Vec<Design>, String> {
    let named = !args.design.is_empty();
    let asked: Vec<Design> = if named {
        args.design.clone()
    } else {
        DESIGNS.to_vec()
    };
    let check = |design: &Design| {
        args.faults
            .iter()
            .try_for_each(|fault| fault.check(*design))
    };
    if named {
        asked.iter().try_for_each(check)?;
        return Ok(asked);
    }
    let fitting: Vec<Design> = asked
        .iter()
        .copied()
        .filter(|design| check(design).is_ok())
        .collect();
    match fitting.is_empty() {
        // the first reason is as good as any: no design takes them all
        true => asked.iter().try_for_each(check).map(|()| fitting),
        false => Ok(fitting),
    }
}

/// Shows one of the designs. The second value: no other one may follow, since the report is one document.
fn on(design: Design, all: &[Design], args: &DemoArgs, look: &Look) -> (u8, bool) {
    let mut alone = false;
    let code = show_one(design, all, args, look, &mut alone).unwrap_or_else(|code| code);
    (code, alone)
}

fn show_one(
    design: Design,
    all: &[Design],
    args: &DemoArgs,
    look: &Look,
    alone: &mut bool,
) -> Result<u8, u8> {
    let faults: Vec<String> = args.faults.iter().map(ToString::to_string).collect();
    let wanted = Wanted {
        design: design.name(),
        faults: &faults,
        database_url: args.database_url.as_deref(),
        ..Wanted::default()
    };
    let child = SandboxChild::start(&wanted).map_err(|error| refuse(exit::USAGE, error))?;
    let loaded = configure(design, &child, args).map_err(|errors| show(&errors, look))?;
    let format = loaded.settings.format;
    *alone = format.is_one_document() && all.len() > 1;
    if *alone && !args.design.is_empty() {
        let why = format!(
            "--format {format} is one document, and {} designs are asked for; give one, or --output {format}=PATH",
            all.len()
        );
        return Err(refuse(exit::USAGE, why));
    }
    if *alone && !look.is_quiet() {
        crate::cli::complain!(
            "note: --format {format} is one document: only the design `{}` is shown (--design chooses)",
            design.name()
        );
    }
    let part = (all.len() > 1 && !*alone).then(|| design.name());
    let outputs = outputs(&loaded.settings, part).map_err(|why| refuse(exit::USAGE, why))?;
    let baseline = args.baseline.read(look)?;
    if !look.is_quiet() && loaded.settings.format == crate::report::Format::Table {
        let broken = if faults.is_empty() {
            String::new()
        } else {
            format!(" with {}", faults.join(", "))
        };
        let headline = format!("The sandbox's design `{}`{broken}\n\n", design.name());
        let code = super::faults::say(&headline);
        if code != exit::PASSED {
            return Err(code);
        }
    }
    let task = Task {
        loaded: &loaded,
        typed: &typed(),
        outputs,
        evidence: &args.evidence,
        baseline: baseline.as_ref(),
        stage: Some(stage(design, &child, args, &loaded)),
    };
    Ok(session::run(task, look))
}

/// How to have this sandbox again, at the same address: it ends with the demo, and a reader wants to repeat what it tells.
fn stage(design: Design, child: &SandboxChild, args: &DemoArgs, loaded: &Loaded) -> Stage {
    let mut words = vec![
        "doubletap sandbox --design".to_owned(),
        design.name().to_owned(),
    ];
    for fault in &args.faults {
        words.push(format!("--fault {}", bash::word(&fault.to_string())));
    }
    words.push(format!("--work-delay {WORK}"));
    let address = child
        .urls
        .first()
        .and_then(|url| url.strip_prefix("http://"));
    words.extend(address.map(|address| format!("--listen {address}")));
    if let Some(schema) = &child.schema {
        words.push(format!(
            "--database-url \"$DOUBLETAP_DEMO_DATABASE_URL\" --schema {schema}"
        ));
    }
    // the sandbox's accounts are examples; a database's password is none
    let examples = loaded
        .target
        .secrets
        .iter()
        .map(|secret| {
            (
                secret.name.trim_start_matches('$'),
                secret.value.expose_secret(),
            )
        })
        .filter(|(_, value)| TARGET.contains(&format!("\"Bearer {value}\"")));
    Stage {
        command: words.join(" "),
        values: examples
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// The sandbox as a target, its variables filled in: the lines stay, so that places in the file stay.
pub(super) fn target(urls: &[String], policy: &str) -> Source {
    let first = urls.first().map_or("", String::as_str);
    let all: Vec<String> = urls.iter().map(|url| format!("{url:?}")).collect();
    let mut text = TARGET
        .replace("${SANDBOX_POLICY}", policy)
        .replace("\npublic = ", "\n# public = ");
    if urls.len() > 1 {
        text = text.replace(
            "url    = \"${SANDBOX_URL}\"",
            &format!("urls   = [{}]", all.join(", ")),
        );
    }
    Source::new(TARGET_NAME, text.replace("${SANDBOX_URL}", first))
}

/// What a design promises; a wrong one promises what the right one does that answers like it.
fn policy(design: Design) -> &'static str {
    match design {
        Design::OneTransaction | Design::KeyAfterWork | Design::KeyInMemory => "one-transaction",
        Design::ClaimFirst | Design::LockWithoutOwner | Design::LeaseTooShort => "claim-first",
    }
}

fn configure(
    design: Design,
    child: &SandboxChild,
    args: &DemoArgs,
) -> Result<Loaded, Vec<crate::config::Diagnostic>> {
    // the cap spares other people's servers: this one is its own
    let mut flags = Flags {
        max_requests: Some("1000000".to_owned()),
        ..Flags::default()
    };
    args.races.lay(&mut flags);
    args.reports.lay(&mut flags);
    // a drill that is asked for by its whole name names its operation, too
    if !flags.drill.iter().any(|drill| drill.contains('@')) {
        flags.operation.push(OPERATION.to_owned());
    }
    if let (Some(url), Some(schema)) = (&args.database_url, &child.schema) {
        flags.postgres = Some(url.clone());
        flags.count_sql.get_or_insert_with(|| {
            format!("SELECT count(*) FROM {schema}.payments WHERE account_id = :account AND reference = :ref")
        });
    }
    load_source(Some(target(&child.urls, policy(design))), &flags)
}
