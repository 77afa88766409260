//! What a browser has to be told: that the key may be sent, and that the marker may be read.
//! Must not know what a request does.

use axum::http::{HeaderMap, header};

use super::reply::{MARKER, Reply};
use crate::sandbox::machine::Machine;

/// Answers a preflight.
pub(crate) fn preflight(machine: &Machine, headers: &HeaderMap) -> Reply {
    let reply = Reply::empty(204)
        .with("Allow", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
        .with(
            "Access-Control-Allow-Methods",
            "GET, POST, PUT, PATCH, DELETE",
        )
        .with(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match",
        )
        .with("Access-Control-Max-Age", "600");
    with_origin(machine, headers, reply)
}

/// Adds what a browser needs to read the reply; nothing for other clients.
pub(crate) fn expose(machine: &Machine, headers: &HeaderMap, reply: Reply) -> Reply {
    if headers.contains_key(header::ORIGIN) {
        with_origin(machine, headers, reply)
    } else {
        reply
    }
}

fn with_origin(machine: &Machine, headers: &HeaderMap, reply: Reply) -> Reply {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let mut reply = reply
        .with("Access-Control-Allow-Origin", origin.unwrap_or("*"))
        .with("Vary", "Origin")
        .with(
            "Access-Control-Expose-Headers",
            format!("{MARKER}, Location, Retry-After, ETag, X-Receipt-Id"),
        );
    for defect in machine.defects.iter() {
        defect.shared(&mut reply);
    }
    reply
}
