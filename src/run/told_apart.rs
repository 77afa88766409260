//! What tells the results of an operation apart: found out from two replies, or declared, and then it must be there.
//! It must not know what is done with it.

use super::conductor::{Conductor, Halt};
use super::preflight::success;
use super::shot::RawReply;
use crate::config::target::{Identity, Operation};
use crate::contract::identity::{self, Detected, Sample, detect, written};
use crate::journal::event::Stopped;
use crate::plan::Instance;
use crate::plan::intent::Intent;

impl Conductor<'_> {
    /// The identity of an operation whose ordinary request was answered by `reply`.
    pub(super) fn what_tells_apart(
        &mut self,
        instance: &Instance,
        operation: &Operation,
        reply: &RawReply,
        intent: &Intent,
    ) -> Result<Identity, Halt> {
        let declared = &operation.identity;
        let holds = |reply: &RawReply| {
            identity::value(declared, reply.received()).is_some_and(|text| !text.is_empty())
        };
        if *declared == Identity::None || holds(reply) {
            let text = identity::value(declared, reply.received());
            let own =
                |text: &String| *text == intent.reference || intent.key.as_ref() == Some(text);
            if operation.count.is_none() && text.as_ref().is_some_and(own) {
                return Err(Halt::Stopped(echoed(operation)));
            }
            return Ok(declared.clone());
        }
        // found out, or declared and not there: a second reply tells what would do
        let (again, other) = self.try_once(instance, operation, "preflight-again", None)?;
        let contract = self.contract(&operation.name)?;
        let Some(other_reply) = success(contract, operation, &again) else {
            return Err(self.explain(instance, operation, &again)?);
        };
        let sent = [
            self.sent_text(instance, operation, intent)?,
            self.sent_text(instance, operation, &other)?,
        ];
        let samples = [(reply, &sent[0]), (other_reply, &sent[1])].map(|(reply, sent)| Sample {
            reply: reply.received(),
            sent,
        });
        let found = detect(&samples, &operation.name);
        if *declared == Identity::Detect {
            self.identity_among(operation, found)
        } else if holds(other_reply) {
            Ok(declared.clone())
        } else {
            Err(Halt::Stopped(astray(operation, &found)))
        }
    }

    fn identity_among(&mut self, operation: &Operation, found: Detected) -> Result<Identity, Halt> {
        let name = &operation.name;
        match found {
            Detected::Found(identity) => Ok(identity),
            Detected::Ambiguous(candidates) => {
                let all: Vec<String> = candidates.iter().map(written).collect();
                Err(Halt::Stopped(Stopped {
                    why: format!(
                        "several members of the reply to `{name}` could be its identity: {}",
                        all.join(", ")
                    ),
                    remedy: format!(
                        "say which one: under [operation.{name}] add  identity = \"{}\"  (or --identity {})",
                        all[0], all[0]
                    ),
                    misconfigured: false,
                }))
            }
            Detected::Nothing if operation.count.is_some() => {
                let text = format!(
                    "the replies to `{name}` hold nothing that tells one result from another: only the counter decides"
                );
                self.note(None, text)?;
                Ok(Identity::None)
            }
            Detected::Nothing => Err(Halt::Stopped(Stopped {
                why: format!(
                    "the replies to `{name}` hold nothing that tells one result from another, and its effects are not counted"
                ),
                remedy: format!(
                    "under [operation.{name}] add  identity = \"/POINTER\"  or  count = {{ sql = \"SELECT count(*) ...\" }}"
                ),
                misconfigured: false,
            })),
        }
    }
}

/// The declared identity is what was sent: it is the same in every reply to a request, also to one that ran again.
fn echoed(operation: &Operation) -> Stopped {
    let name = &operation.name;
    let declared = written(&operation.identity);
    Stopped {
        why: format!(
            "{declared} in the replies to `{name}` is the text that the request itself brought (its key or its reference): it tells \
             no result from another, and effects are not counted"
        ),
        remedy: format!(
            "under [operation.{name}] declare as identity what the service makes up for each result, or  identity = \"none\"  with a \
             counter"
        ),
        misconfigured: true,
    }
}

/// The declared identity is in no reply: no drill could tell one result from another, and each would end without a verdict.
fn astray(operation: &Operation, found: &Detected) -> Stopped {
    let name = &operation.name;
    let fitting: Vec<String> = match found {
        Detected::Found(one) => vec![written(one)],
        Detected::Ambiguous(several) => several.iter().map(written).collect(),
        Detected::Nothing => Vec::new(),
    };
    let declared = written(&operation.identity);
    let (would_do, remedy) = match fitting.first() {
        Some(first) => (
            format!("what tells them apart is {}", fitting.join(" or ")),
            format!(
                "under [operation.{name}] say  identity = \"{first}\"  (or --identity {first})"
            ),
        ),
        None => (
            "nothing in them tells one from another".to_owned(),
            format!(
                "under [operation.{name}] say where results differ, or  identity = \"none\"  (or --identity none) with a counter"
            ),
        ),
    };
    Stopped {
        why: format!(
            "two successful replies to `{name}` hold no {declared}, which is declared as what tells results apart (identity); {would_do}"
        ),
        remedy,
        misconfigured: true,
    }
}
