//! Observation: what is read from a record, and what observing a sandbox gives back of the policy that it acts out.
//! Must not know how anything is observed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod card;
mod round_trip;

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::command::{Bench, Sandbox};

/// The smallest run that tries everything.
const SMALL: [&str; 8] = [
    "--operation",
    "payment",
    "--settle",
    "10ms",
    "--copies",
    "3",
    "--rounds",
    "1",
];

/// The built-in sandbox as a target; some policies want their key in a form field.
fn target(policy: &str) -> PathBuf {
    let file = match policy {
        "aws-ec2" => "policy-form.toml",
        _ => "sandbox.toml",
    };
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/targets")
        .join(file)
}

/// The program on a sandbox, by a policy.
fn on(bench: &Bench, sandbox: &Sandbox, policy: &str, words: &[&str], more: &[&str]) -> Output {
    let target = target(policy).display().to_string();
    let args = [&words[..1], &[target.as_str()], &words[1..], &SMALL, more].concat();
    let mut command: Command = bench.command(&args);
    command
        .env("SANDBOX_URL", &sandbox.url)
        .env("SANDBOX_POLICY", policy);
    command.output().unwrap()
}
