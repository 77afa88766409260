//! Replies typed by hand from the providers' texts, read under the bundled policies: each is what its name says, and nothing else.
//! Neither the sandbox nor the judge has a say here, so a policy that only agrees with both of them is found out.

#![expect(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

mod catalogue;
pub(crate) mod exchange;
mod flipped;
pub(crate) mod situation;

use std::collections::BTreeSet;

use doubletap::contract::reading::{Identities, Situation, read};

use exchange::{Folder, Reply, folders};
use situation::{identities, readings};

/// The situations in a file's name: `in-progress+mismatch~409` lists two.
pub(crate) fn listed(name: &str) -> Vec<&str> {
    name.split('~').next().unwrap().split('+').collect()
}

fn reading(folder: &Folder, name: &str, reply: &Reply) -> BTreeSet<Situation> {
    let identities = match name {
        "first" => Identities::Unknown,
        _ => identities(folder, reply),
    };
    read(
        &folder.contract,
        &folder.operation.success,
        reply.received(),
        identities,
    )
    .0
}

/// What is wrong with a folder's replies, or with its policy.
fn wrong(folder: &Folder) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, reply) in &folder.replies {
        let file = format!("{}/{}: {name}.http", folder.policy, folder.operation.name);
        let mut expected = BTreeSet::new();
        for situation in listed(name) {
            match readings(folder, situation, reply) {
                Ok(readings) => expected.extend(readings),
                Err(why) => wrong.push(format!("{file} is no {situation}: {why}")),
            }
        }
        if expected.is_empty() {
            expected.insert(Situation::Refused);
        }
        let found = reading(folder, name, reply);
        if found != expected {
            wrong.push(format!(
                "{file} is read as {found:?} instead of {expected:?}"
            ));
        }
    }
    wrong
}

#[test]
fn every_reply_is_read_as_exactly_the_situations_in_its_name() {
    let folders = folders();
    let wrong: Vec<String> = folders.iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let count: usize = folders.iter().map(|folder| folder.replies.len()).sum();
    assert!(count > 200, "only {count} replies");
}

#[test]
fn a_reply_is_parsed_as_it_was_typed() {
    let reply = Reply::parse("HTTP/1.1 409 Conflict\r\nA: b: c\r\nX: 1\r\n\r\n{\n}\n");
    let received = reply.received();
    assert_eq!(received.status, 409);
    assert_eq!(received.header("a").collect::<Vec<_>>(), ["b: c"]);
    assert_eq!(received.text, Some("{\n}"));
    assert_eq!(
        Reply::parse("HTTP/1.1 409 Conflict\n").received().text,
        Some("")
    );
}
