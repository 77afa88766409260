//! `doubletap sandbox`: from its arguments to a running payments API, until it is told to end.
//! Must not know designs or faults beyond their names.

#![expect(
    clippy::print_stdout,
    reason = "the command line is where text goes out"
)]

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::signal;

use super::sandbox_policy::declared;
use crate::sandbox::faults::Selected;
use crate::sandbox::{Design, Options, Ready, parse_duration, serve};

/// Usage or configuration is wrong, or the sandbox cannot start.
const WRONG: u8 = 2;

/// How long a key is kept unless somebody says otherwise.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Run the built-in payments API, right or with faults
///
/// Something to try doubletap on: it keeps keys in one of several designs, or behaves as a policy declares. A request with the
/// header `Sandbox-Delay: 400ms` is worked on for so long: that is what `run --slow 'Sandbox-Delay: 400ms'` sends to hold one in progress.
#[derive(Args, Debug)]
pub struct SandboxArgs {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Allow an address that other machines can reach
    #[arg(long)]
    listen_anywhere: bool,

    /// How keys are kept: one-transaction, claim-first, key-after-work, key-in-memory, lock-without-owner, lease-too-short
    #[arg(long, value_name = "NAME", default_value = "one-transaction")]
    design: Design,

    /// Behave as a policy declares: the name of a bundled one, or a path
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["design", "faults", "lease"])]
    policy: Option<String>,

    /// Declare a clause otherwise than the policy does (repeatable), such as mismatch=run
    #[arg(long, value_name = "CLAUSE=VALUE", requires = "policy")]
    set: Vec<String>,

    /// Switch a fault on (repeatable); `doubletap faults` lists them
    #[arg(long = "fault", value_name = "NAME[=VALUE]")]
    faults: Vec<Selected>,

    /// Keep keys and payments in PostgreSQL, in a schema of their own that is dropped at exit
    #[arg(
        long,
        value_name = "URL",
        env = "DOUBLETAP_SANDBOX_DATABASE_URL",
        hide_env_values = true
    )]
    database_url: Option<String>,

    /// The name of that schema
    #[arg(long, value_name = "NAME", requires = "database_url", value_parser = schema_name)]
    schema: Option<String>,

    /// How long a key is kept (24h, or what the policy declares)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    retention: Option<Duration>,

    /// After how long an unfinished claim may be taken over (30s on claim-first)
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    lease: Option<Duration>,

    /// How long the work of every request takes at least
    #[arg(long, value_name = "DURATION", default_value = "0ms", value_parser = parse_duration)]
    work_delay: Duration,

    /// Refuse requests without a key
    #[arg(long)]
    require_key: bool,

    /// How many listeners share the store
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    replicas: u8,

    /// End when standard input is closed
    #[arg(long, hide = true)]
    exit_with_stdin: bool,
}

/// Runs the sandbox until it is told to end, and gives the exit code.
#[must_use]
pub fn run(args: SandboxArgs) -> ExitCode {
    match sandbox(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            crate::cli::complain!("error: {error}");
            ExitCode::from(WRONG)
        }
    }
}

fn sandbox(args: SandboxArgs) -> Result<(), String> {
    if !args.listen.ip().is_loopback() && !args.listen_anywhere {
        return Err(format!(
            "{} can be reached from other machines and the sandbox has no secrets; add --listen-anywhere if that is meant",
            args.listen
        ));
    }
    for fault in &args.faults {
        fault.check(args.design)?;
    }
    let exit_with_stdin = args.exit_with_stdin;
    let policy = match &args.policy {
        Some(name) => Some(declared(name, &args.set, args.retention)?),
        None => None,
    };
    let options = Options {
        listen: args.listen,
        design: args.design,
        policy,
        faults: args.faults,
        database_url: args.database_url,
        schema: args.schema,
        warm_connections: 16,
        retention: args.retention.unwrap_or(DAY),
        lease: args.lease,
        work_delay: args.work_delay,
        require_key: args.require_key,
        replicas: usize::from(args.replicas),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let ended = runtime.block_on(serve(options, announce, until_told(exit_with_stdin)));
    // Requests that are still running are not waited for.
    runtime.shutdown_background();
    ended.map_err(|error| error.to_string())
}

/// Says where the sandbox listens, one line each, for people and for the program that started it.
fn announce(ready: &Ready) {
    if let Some(schema) = &ready.schema {
        println!("schema {schema}");
    }
    for address in &ready.addresses {
        println!("listening on http://{address}");
    }
    // If nobody reads it, it is not needed.
    let _ = std::io::stdout().flush();
}

async fn until_told(exit_with_stdin: bool) {
    let (closed, stdin_closed) = tokio::sync::oneshot::channel::<()>();
    if exit_with_stdin {
        std::thread::spawn(move || {
            let mut rest = Vec::new();
            // An error on it is an end of it.
            let _ = std::io::stdin().read_to_end(&mut rest);
            let _ = closed.send(());
        });
        tokio::select! {
            () = signalled() => {}
            _ = stdin_closed => {}
        }
    } else {
        signalled().await;
    }
}

#[cfg(unix)]
async fn signalled() {
    use signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        // Without it the keyboard has to do.
        Err(_) => {
            let _ = signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn signalled() {
    let _ = signal::ctrl_c().await;
}

fn schema_name(text: &str) -> Result<String, String> {
    let first = text.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_');
    let rest = text
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if first && rest && text.len() <= 63 {
        Ok(text.to_owned())
    } else {
        Err("write lower-case letters, digits and underscores, at most 63, not starting with a digit".to_owned())
    }
}
