//! Answers to requests, and contracts, in one word each.
//! They must not know any drill.

use crate::contract::terms::open;
use crate::contract::{Answer, Contract, Marker, Match, Origin, Replay, Same, StatusPattern};

/// The outcome of a request: a status and a body, or nothing.
#[derive(Clone)]
pub enum Got {
    Reply(u16, String, Vec<(String, String)>),
    Nothing,
    NotSent,
}

/// `201` with an identity.
pub fn ran(id: &str) -> Got {
    Got::Reply(
        201,
        format!(r#"{{"id":"{id}","amount":49900}}"#),
        Vec::new(),
    )
}

/// The same, marked as a replay.
pub fn replayed(id: &str) -> Got {
    let Got::Reply(status, body, _) = ran(id) else {
        unreachable!()
    };
    Got::Reply(
        status,
        body,
        vec![("idempotent-replayed".into(), "true".into())],
    )
}

/// A status with a body.
pub fn got(status: u16, body: &str) -> Got {
    Got::Reply(status, body.to_owned(), Vec::new())
}

/// With one more header.
pub fn with(answer: Got, name: &str, value: &str) -> Got {
    match answer {
        Got::Reply(status, body, mut headers) => {
            headers.push((name.to_owned(), value.to_owned()));
            Got::Reply(status, body, headers)
        }
        other => other,
    }
}

/// A refusal with exactly this status.
pub fn refuse(status: u16) -> Answer {
    Answer::Refuse(Match {
        status: vec![StatusPattern::Exact(status)],
        ..Match::default()
    })
}

/// The contract of most stories: 422, 409, a marked copy, keys by account, a run after expiry.
pub fn contract() -> Contract {
    let mut c = open();
    let at = |line| {
        Some(Origin {
            file: "policies/story.toml".into(),
            line,
        })
    };
    c.mismatch.value = refuse(422);
    c.mismatch.origin = at(3);
    c.in_progress.value = refuse(409);
    c.in_progress.origin = at(4);
    c.replay.value = Replay::Same(Same::default());
    c.replay.origin = at(5);
    c.marker.value = Marker::Header {
        name: "Idempotent-Replayed".into(),
        replay: vec!["true".into()],
        first: vec![],
    };
    c.scope.account.value = Answer::Run;
    c.after_retention.value = Answer::Run;
    c
}
