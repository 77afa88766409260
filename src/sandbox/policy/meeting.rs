//! A request meets the record of another one: refused, answered from the record, told to wait, or run all the same.
//! Must not know how keys are claimed.

use super::carrier::place_in_body;
use super::choice::{Choice, chosen};
use super::perform::Asked;
use super::print::Print;
use super::refusal::{Usual, refuse};
use super::replays::{identity, replay};
use super::sameness::same;
use super::scope::{Distance, distance};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::store::record::Found;
use crate::sandbox::store::{Session, Stored};

/// What comes of it.
pub(super) enum Outcome {
    /// This is the answer.
    Answer(Reply),
    /// The first request has to end before there is an answer.
    Wait,
    /// The request runs, and no record protects it.
    Run,
}

/// What comes of a request and the record that it met.
pub(super) async fn meet(
    session: &mut Session,
    asked: &Asked,
    print: &Print,
    found: &Found,
) -> Stored<Outcome> {
    let contract = &asked.contract;
    let made = found.reply.as_ref().and_then(identity);
    let refused = |how, status, detail| {
        let usual = Usual {
            status,
            detail,
            identity: made.as_deref(),
        };
        Ok(Outcome::Answer(refuse(how, usual)))
    };
    // A record that cannot be read was written for another request.
    let Some(first) = Print::from_text(&found.fingerprint) else {
        return Ok(Outcome::Answer(reused()));
    };
    let another = match distance(contract, &first, print) {
        Distance::Refused(how) => {
            return refused(how, 422, "this idempotency key was used elsewhere");
        }
        Distance::Another => true,
        Distance::Shared => false,
        Distance::None => {
            let key_at = place_in_body(contract);
            !same(&contract.fingerprint, &first, print, key_at.as_deref())
        }
    };
    if another {
        match chosen(&contract.mismatch.value) {
            Choice::AsUsual => return Ok(Outcome::Answer(reused())),
            Choice::Run | Choice::Accept => return Ok(Outcome::Run),
            Choice::Refuse(how) => {
                let detail = "this idempotency key was used for a different request";
                return refused(how, 422, detail);
            }
            Choice::Replay => {}
        }
    }
    match (&found.reply, chosen(&contract.in_progress.value)) {
        (Some(stored), _) => {
            let reply = replay(session, asked, &first.account, stored.clone()).await?;
            Ok(Outcome::Answer(reply))
        }
        (None, Choice::Refuse(how)) => refused(
            how,
            409,
            "a request with this idempotency key is in progress",
        ),
        (None, Choice::Run) => Ok(Outcome::Run),
        (None, Choice::AsUsual | Choice::Accept | Choice::Replay) => Ok(Outcome::Wait),
    }
}

fn reused() -> Reply {
    let detail = "this idempotency key was used for a different request";
    Reply::problem(422, detail)
}
