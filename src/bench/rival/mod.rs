//! Other tools as senders, so that they are measured in the same run: those that are installed, by their names.
//! It must not know how arrivals are measured.

pub mod command;
pub mod wrk;

use std::path::PathBuf;

use super::sender::{Http, Sender};
use command::{Invocation, Tool};

/// All tools that are found on this machine, for the protocols that they speak without TLS.
#[must_use]
pub fn installed() -> Vec<Box<dyn Sender>> {
    let mut found: Vec<Box<dyn Sender>> = Vec::new();
    if program("curl").is_some() && program("sh").is_some() {
        found.push(Box::new(Tool::new(Invocation::ShellLoop, Http::One)));
        found.push(Box::new(Tool::new(Invocation::CurlParallel, Http::One)));
        found.push(Box::new(Tool::new(Invocation::CurlParallel, Http::Two)));
        if program("xargs").is_some() {
            found.push(Box::new(Tool::new(Invocation::Xargs, Http::One)));
        }
    }
    if program("oha").is_some() {
        found.push(Box::new(Tool::new(Invocation::Oha, Http::One)));
        found.push(Box::new(Tool::new(Invocation::Oha, Http::Two)));
    }
    if program("hey").is_some() {
        found.push(Box::new(Tool::new(Invocation::Hey, Http::One)));
    }
    if program("h2load").is_some() {
        found.push(Box::new(Tool::new(Invocation::H2load, Http::Two)));
    }
    if program("wrk").is_some() {
        found.push(Box::new(wrk::Wrk));
    }
    found
}

/// Where a program is.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
