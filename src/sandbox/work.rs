//! The work itself: validate, take the asked time, simulate what was asked for, write the effect, make the reply.
//! Must not know about keys beyond the text; whether effect and reply are kept is the design's decision.

pub(crate) mod plan;

use super::http::reply::Reply;
use super::http::request::Request;
use super::machine::Machine;
use super::store::effect::Effect;
use super::store::record::Held;
use super::store::{Session, StoreError, Stored};
use plan::{Change, Plan};

/// At what moment the work broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crash {
    /// Before the effect was written.
    Before,
    /// After it.
    After,
}

/// The work has ended, well or not.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// The reply it would give.
    pub(crate) reply: Reply,
    /// The effect that stands in the open transaction.
    pub(crate) effect: Option<Effect>,
    /// Whether it broke off.
    pub(crate) crash: Option<Crash>,
    /// Whether the client still waits.
    pub(crate) client_gone: bool,
}

impl Finished {
    fn refused(reply: Reply) -> Self {
        Self {
            reply,
            effect: None,
            crash: None,
            client_gone: false,
        }
    }

    fn crashed(crash: Crash, effect: Option<Effect>) -> Self {
        Self {
            effect,
            crash: Some(crash),
            ..Self::refused(Reply::problem(500, "the work broke off"))
        }
    }
}

/// Does what the request asks for, inside the transaction that the session has open.
pub(crate) async fn work(
    machine: &Machine,
    session: &mut Session,
    request: &Request,
    held: Option<&Held>,
) -> Finished {
    let finished = attempt(machine, session, request, held).await;
    let mut finished = finished.unwrap_or_else(|error| {
        let detail = match error {
            StoreError::Duplicate => "a unique constraint was violated",
            StoreError::TooLong | StoreError::Database(_) => "the database failed",
        };
        Finished {
            crash: Some(Crash::Before),
            ..Finished::refused(Reply::problem(500, detail))
        }
    });
    finished.client_gone = request.client.is_gone();
    machine.produced(&mut finished.reply);
    finished
}

async fn attempt(
    machine: &Machine,
    session: &mut Session,
    request: &Request,
    held: Option<&Held>,
) -> Stored<Finished> {
    let planned = plan::plan(session, request).await?;
    let delay = request.delay.max(machine.settings.work_delay);
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let Plan {
        mut effect,
        reply,
        change,
    } = match planned {
        Ok(plan) => plan,
        Err(refusal) => return Ok(Finished::refused(refusal)),
    };
    let simulation = due(machine, request);
    match simulation {
        Some("rate-limited-once") => {
            let reply = Reply::problem(429, "too many requests").with("Retry-After", "1");
            return Ok(Finished::refused(reply));
        }
        Some("declined") => return Ok(Finished::refused(declined())),
        _ => {}
    }
    if let Some(held) = held {
        effect.safety_net = machine.safety_net(&held.claiming);
        machine.before_effect(session, held, &reply).await?;
    }
    if matches!(simulation, Some("fail-before" | "fail-before-once")) {
        return Ok(Finished::crashed(Crash::Before, None));
    }
    session.insert(&effect).await?;
    if let Some(Change { payment, note }) = change {
        session.set_note(&payment, note.as_deref()).await?;
    }
    if matches!(simulation, Some("fail-after" | "fail-after-once")) {
        return Ok(Finished::crashed(Crash::After, Some(effect)));
    }
    Ok(Finished {
        effect: Some(effect),
        ..Finished::refused(reply)
    })
}

/// The simulation that applies now; those with `-once` apply to the first request of a reference.
fn due<'a>(machine: &Machine, request: &'a Request) -> Option<&'a str> {
    let simulation = request.simulation()?;
    let due = !simulation.ends_with("-once") || machine.ledger.is_first(request, simulation);
    due.then_some(simulation)
}

fn declined() -> Reply {
    let id = format!("dec_{}", uuid::Uuid::new_v4().simple());
    Reply::problem_with(
        402,
        "the card was declined",
        serde_json::json!({ "decline_id": id }),
    )
}
