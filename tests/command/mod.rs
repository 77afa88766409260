//! The program as people and pipelines run it: exit codes, reports, saved runs.
//! Must not know anything that the command line does not tell.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod baselines;
mod exit_codes;
mod interrupted;
mod measured;
mod openapi;
mod packaging;
mod politeness;
mod refused;
mod resumed;
mod saved_runs;
mod scripts;
mod secrets;
mod starting;
mod story;
mod streams;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A place for the files of one test, and the program that works in it.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, with nothing of the environment that could change what it does.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_doubletap"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            // a run that waits for its keys to grow old has a test of its own
            .env("DOUBLETAP_KEY_AGE", "0s")
            .current_dir(self.folder.path());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The JSON report on standard output.
pub fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}\n{}\n{}", stdout(output), stderr(output)))
}

/// The drill of a report that is called so.
pub fn drill<'r>(report: &'r Value, name: &str) -> &'r Value {
    let drills = report["drills"].as_array().unwrap();
    let found = drills
        .iter()
        .find(|drill| drill["id"].as_str().unwrap().starts_with(name));
    found.unwrap_or_else(|| panic!("{name} is not in the report"))
}

/// The smallest demo that tests races, too.
pub const SMALL: [&str; 7] = [
    "demo",
    "--design",
    "one-transaction",
    "--copies",
    "3",
    "--rounds",
    "1",
];

pub fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().copied().chain(more.iter().copied()).collect()
}

/// A sandbox that ends with the test.
pub struct Sandbox {
    child: Child,
    pub url: String,
}

impl Sandbox {
    pub fn start(args: &[&str]) -> Self {
        Self::start_at(&[&["--listen", "127.0.0.1:0"], args].concat())
    }

    /// Where the arguments say.
    pub fn start_at(args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_doubletap"))
            .args(["sandbox", "--exit-with-stdin"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let url = out
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        Self {
            child,
            url: url.expect("the sandbox says where it listens"),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
