//! `doubletap bench probe`: the server at which arrivals are measured, by itself.
//! It must not know what is measured with it.

#![expect(
    clippy::print_stdout,
    reason = "the command line is where text goes out"
)]

use std::io::{Read, Write};
use std::net::SocketAddr;

use clap::{Args, ValueEnum};

use crate::bench::probe::{awaited, threads};
use crate::cli::deliver::refuse;
use crate::exit;

/// Run only the probe server: POST /race/100us, POST /locked, GET /report
#[derive(Args, Debug)]
pub struct ProbeArgs {
    /// How it serves
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Serve::Tokio)]
    serve: Serve,

    /// End when standard input is closed
    #[arg(long, hide = true)]
    exit_with_stdin: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Serve {
    /// Tokio with two workers, HTTP/1.1 and HTTP/2
    Tokio,
    /// One blocking thread a connection, HTTP/1.1
    Threads,
}

/// Serves until it is told to end.
#[must_use]
pub fn run(args: &ProbeArgs) -> u8 {
    let (closed, stdin_closed) = tokio::sync::oneshot::channel::<()>();
    let exit_with_stdin = args.exit_with_stdin;
    if exit_with_stdin {
        let threads = args.serve == Serve::Threads;
        std::thread::spawn(move || {
            let mut rest = Vec::new();
            // an error on it is an end of it
            let _ = std::io::stdin().read_to_end(&mut rest);
            let _ = closed.send(());
            if threads {
                #[expect(clippy::exit, reason = "threads that block have no other end")]
                std::process::exit(0);
            }
        });
    }
    let ended = match args.serve {
        Serve::Tokio => awaited::serve(announce, async {
            if !exit_with_stdin {
                std::future::pending::<()>().await;
            }
            // it ends as well when the thread that reads is gone
            let _ = stdin_closed.await;
        }),
        Serve::Threads => threads::serve(announce),
    };
    match ended {
        Ok(()) => exit::PASSED,
        Err(error) => refuse(exit::USAGE, format!("the probe cannot serve: {error}")),
    }
}

fn announce(address: SocketAddr) {
    println!("listening on http://{address}");
    // if nobody reads it, it is not needed
    let _ = std::io::stdout().flush();
}
