//! What a browser has to be told: that the key may be sent, and that the marker may be read.
//! Must not know what a request does.

use axum::http::{HeaderMap, header};

use super::reply::{MARKER, Reply};
use crate::sandbox::machine::Machine;

/// Answers a preflight.
pub(crate) fn preflight(machine: &Machine, path: &str, headers: &HeaderMap) -> Reply {
    let (keys, _) = headers_of_keys(machine, path);
    let reply = Reply::empty(204)
        .with("Allow", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
        .with(
            "Access-Control-Allow-Methods",
            "GET, POST, PUT, PATCH, DELETE",
        )
        .with(
            "Access-Control-Allow-Headers",
            listed(&["Authorization", "Content-Type"], &keys, &["If-Match"]),
        )
        .with("Access-Control-Max-Age", "600");
    with_origin(machine, path, headers, reply)
}

/// Adds what a browser needs to read the reply; nothing for other clients.
pub(crate) fn expose(machine: &Machine, path: &str, headers: &HeaderMap, reply: Reply) -> Reply {
    if headers.contains_key(header::ORIGIN) {
        with_origin(machine, path, headers, reply)
    } else {
        reply
    }
}

fn with_origin(machine: &Machine, path: &str, headers: &HeaderMap, reply: Reply) -> Reply {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let (_, markers) = headers_of_keys(machine, path);
    let mut reply = reply
        .with("Access-Control-Allow-Origin", origin.unwrap_or("*"))
        .with("Vary", "Origin")
        .with(
            "Access-Control-Expose-Headers",
            listed(
                &[],
                &markers,
                &["Location", "Retry-After", "ETag", "X-Receipt-Id"],
            ),
        );
    for defect in machine.defects.iter() {
        defect.shared(&mut reply);
    }
    reply
}

/// The headers that carry keys, and those that mark replays.
fn headers_of_keys(machine: &Machine, path: &str) -> (Vec<String>, Vec<String>) {
    match &machine.policy {
        Some(policy) => policy.headers(path),
        None => (vec!["Idempotency-Key".to_owned()], vec![MARKER.to_owned()]),
    }
}

fn listed(before: &[&str], names: &[String], after: &[&str]) -> String {
    let names = names.iter().map(String::as_str);
    let all: Vec<&str> = before
        .iter()
        .copied()
        .chain(names)
        .chain(after.iter().copied())
        .collect();
    all.join(", ")
}
