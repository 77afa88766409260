//! Requests without credentials, or with bad ones: what a known key means to them, and whether their refusal is stored.
//! Must not know accounts.

use super::choice::{Choice, chosen};
use super::perform::Asked;
use super::print::Print;
use super::refusal::{Usual, refuse};
use super::replays::replay;
use super::run;
use super::sameness::same;
use super::syntax;
use crate::contract::Storage;
use crate::sandbox::design;
use crate::sandbox::http::reply::Reply;
use crate::sandbox::http::unauthorized;
use crate::sandbox::machine::Machine;
use crate::sandbox::store::record::{Claim, Claiming, RecordId};
use crate::sandbox::store::{Session, Stored};

/// The scope of refusals, which belong to no account.
const NOBODY: &str = "nobody";

/// Answers a request of nobody that we know.
pub(super) async fn answer(machine: &Machine, asked: &Asked, key: Option<&str>) -> Stored<Reply> {
    let bad = !asked.request.credential.is_empty();
    let usual = unauthorized();
    match chosen(&asked.contract.scope.anonymous.value) {
        _ if bad => {}
        Choice::Run | Choice::Accept => {
            return match key {
                Some(key) => run::run(machine, asked, key).await,
                None => design::run_without_key(machine, &asked.request).await,
            };
        }
        Choice::Replay => {
            let mut session = machine.store.session(true).await?;
            let known = match key {
                Some(key) => {
                    let key = syntax::stored(&asked.contract, key);
                    session.look_in_all_scopes(&key).await?
                }
                None => None,
            };
            if let Some(found) = known
                && let Some(stored) = found.reply
            {
                let first = Print::from_text(&found.fingerprint);
                let account = first.map(|first| first.account).unwrap_or_default();
                return replay(&mut session, asked, &account, stored).await;
            }
        }
        Choice::Refuse(how) => {
            let detail = "send credentials";
            let usual = Usual {
                status: 401,
                detail,
                identity: None,
            };
            return Ok(refuse(how, usual));
        }
        Choice::AsUsual => {}
    }
    if let Some(key) = key.filter(|_| asked.contract.stored.auth.value == Storage::Stored) {
        store(machine, asked, key, &usual).await?;
    }
    Ok(usual)
}

/// Keeps a refusal under its key.
async fn store(machine: &Machine, asked: &Asked, key: &str, refusal: &Reply) -> Stored<()> {
    let mut claiming = run::claiming(machine, asked, &Print::of(asked), key);
    claiming.id = nobodys(&claiming.id);
    let mut session = machine.store.session(true).await?;
    if let Claim::Mine(held) = session.claim(&claiming).await? {
        session
            .complete(&held, &machine.remembered(refusal))
            .await?;
    }
    Ok(())
}

/// The refusal that was stored under the key of a request that has no record of its own.
pub(super) async fn stored(
    session: &mut Session,
    asked: &Asked,
    claiming: &Claiming,
) -> Stored<Option<Reply>> {
    if asked.contract.stored.auth.value != Storage::Stored {
        return Ok(None);
    }
    if session.look(&claiming.id).await?.is_some() {
        return Ok(None);
    }
    let Some(found) = session.look(&nobodys(&claiming.id)).await? else {
        return Ok(None);
    };
    let first = Print::from_text(&found.fingerprint);
    let again = first.is_some_and(|first| {
        first.route == Print::of(asked).route
            && same(&asked.contract.fingerprint, &first, &Print::of(asked), None)
    });
    match found.reply.filter(|_| again) {
        Some(stored) => replay(session, asked, "", stored).await.map(Some),
        None => Ok(None),
    }
}

fn nobodys(id: &RecordId) -> RecordId {
    RecordId {
        scope: NOBODY.to_owned(),
        ..id.clone()
    }
}
