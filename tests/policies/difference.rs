//! Where a reply of the sandbox is not the one that was typed by hand, as far as the policy declares it.
//! It must not use the judge, nor the tool's reading of replies.

use std::collections::BTreeSet;

use doubletap::contract::reading::Identities;
use doubletap::contract::{BodyFidelity, Marker, Match, Received, Same, StatusPattern};

use super::variations::Declared;
use crate::replies::exchange::{Folder, Reply};
use crate::replies::situation::identities;
use crate::sandbox::api::Seen;

/// What the sandbox gave.
pub(crate) struct Given {
    pub(crate) first: Option<Seen>,
    pub(crate) second: Seen,
}

/// Where what came is not what was typed; none where it is.
pub(crate) fn difference(
    folder: &Folder,
    typed: &Reply,
    declared: &Declared,
    given: &Given,
) -> Option<String> {
    let headers = |seen: &Seen| -> Vec<(String, String)> {
        let lossy = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let lines = seen.headers.iter();
        lines
            .map(|(name, value)| (name.to_string(), lossy(value.as_bytes())))
            .collect()
    };
    let (text, lines) = (given.second.text(), headers(&given.second));
    let came = Received {
        status: given.second.status,
        headers: &lines,
        text: Some(&text),
    };
    let typed_one = typed.received();
    match declared {
        Declared::Refusal(how) => refusal(how, typed_one, came),
        Declared::Success => {
            if came.status / 100 != 2 || typed_one.status / 100 != 2 {
                return Some(format!("{} for a success", came.status));
            }
            let first = given
                .first
                .as_ref()
                .map(|first| (id(first), id(&given.second)));
            let again = first.map(|(first, second)| first == second);
            match (identities(folder, typed), again) {
                (Identities::Same, Some(false)) => Some("a result of its own".to_owned()),
                (Identities::Other, Some(true)) => Some("the first's result".to_owned()),
                _ => None,
            }
        }
        Declared::Replay(same) => {
            let first = given.first.as_ref()?;
            replayed(folder, same, typed_one, (first, &given.second), came)
        }
    }
}

fn id(seen: &Seen) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(&seen.body).ok()?;
    body["id"].as_str().map(str::to_owned)
}

fn refusal(how: &Match, typed: Received<'_>, came: Received<'_>) -> Option<String> {
    let exact = |status: &StatusPattern| matches!(status, StatusPattern::Exact(_));
    let alike = match how.status.iter().any(exact) {
        true => typed.status == came.status,
        // the policy names no status, and the provider's text gave one
        false => typed.status / 100 == came.status / 100,
    };
    if !alike {
        return Some(format!("{} instead of {}", came.status, typed.status));
    }
    for place in &how.body {
        let (wanted, found) = (typed.at(&place.at), came.at(&place.at));
        let fragments: Vec<&String> = place
            .has
            .iter()
            .filter(|part| wanted.iter().any(|text| text.contains(*part)))
            .collect();
        let right = if !place.is.is_empty() {
            found.iter().any(|value| wanted.contains(value))
        } else if place.has.is_empty() {
            came.has(&place.at) && typed.has(&place.at)
        } else {
            fragments
                .iter()
                .any(|part| found.iter().any(|text| text.contains(*part)))
        };
        if !right {
            let at = &place.at;
            return Some(format!("{found:?} instead of {wanted:?} at {at}"));
        }
    }
    let mut headers = how.header.iter();
    let missing = headers.find(|header| {
        let values = |reply: Received<'_>| -> BTreeSet<String> {
            reply.header(&header.name).map(str::to_lowercase).collect()
        };
        let (wanted, found) = (values(typed), values(came));
        found.is_empty() || wanted.is_empty() || !header.is.is_empty() && wanted != found
    });
    missing.map(|header| format!("another {}", header.name))
}

fn replayed(
    folder: &Folder,
    same: &Same,
    typed: Received<'_>,
    (first, second): (&Seen, &Seen),
    came: Received<'_>,
) -> Option<String> {
    let typed_first = folder.first()?.received();
    let alike = match typed_first.status == first.status {
        true => typed.status == second.status,
        // the provider's first status is another one than the sandbox's: whether it is kept is the same
        false => (typed_first.status == typed.status) == (first.status == second.status),
    };
    if !alike {
        return Some(format!("{} after {}", second.status, first.status));
    }
    if id(first) != id(second) || id(first).is_none() {
        return Some("another result".to_owned());
    }
    if same.body == BodyFidelity::Bytes
        && typed_first.text == typed.text
        && first.body != second.body
    {
        return Some("another body".to_owned());
    }
    for name in &same.headers {
        if first.header(name) != second.header(name) {
            return Some(format!("another {name}"));
        }
    }
    match &folder.contract.marker.value {
        Marker::Header { name, replay, .. } => {
            let wanted: Vec<&str> = typed.header(name).collect();
            let found: Vec<&str> = came.header(name).collect();
            let on_first = typed_first.has_header(name) == first.header(name).is_some();
            // without a declared value any one will do
            let alike = match replay.is_empty() {
                true => !wanted.is_empty() && !found.is_empty(),
                false => wanted.join(",").eq_ignore_ascii_case(&found.join(",")),
            };
            (!on_first || !alike).then(|| format!("{name}: {found:?} instead of {wanted:?}"))
        }
        Marker::Always { name, .. } => {
            let on_both = first.header(name).is_some() && came.has_header(name);
            (!on_both || !typed.has_header(name)).then(|| format!("no {name} on both"))
        }
        Marker::None => {
            let marked = came.has_header("Idempotent-Replayed");
            marked.then(|| "marked, and nothing is by contract".to_owned())
        }
        Marker::Unspecified => None,
    }
}
