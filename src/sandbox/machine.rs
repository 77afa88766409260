//! The running sandbox: its settings, its store, its defects, and the steps that all designs share.
//! Must not know in which order a design takes these steps.

mod ledger;
mod nature;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use super::defect::{Defect, Encounter, Ending, Met};
use super::design::Design;
use super::http::reply::{MARKER, Reply};
use super::http::request::{Keyed, Request};
use super::key::Reading;
use super::policy::Policy;
use super::store::record::{Claim, Claiming, Found, Held, RecordId};
use super::store::{Session, Store, Stored};
use super::work::Finished;
pub(crate) use ledger::Ledger;

/// What the defects and designs may look up.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) design: Design,
    pub(crate) retention: Duration,
    pub(crate) lease: Option<Duration>,
    pub(crate) work_delay: Duration,
    pub(crate) require_key: bool,
}

/// One replica.
pub(crate) struct Machine {
    pub(crate) settings: Settings,
    /// The policy that decides instead of the design.
    pub(crate) policy: Option<Policy>,
    /// Shared by all replicas.
    pub(crate) store: Store,
    /// Of this replica alone; only one design keeps keys here.
    pub(crate) own_store: Store,
    /// What happened outside the store; shared by all replicas.
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) defects: Arc<[Box<dyn Defect>]>,
}

impl Machine {
    /// A session on the shared store.
    pub(crate) async fn session(&self) -> Stored<Session> {
        let reads_expiry = self.defects.iter().all(|defect| defect.reads_expiry());
        self.store.session(reads_expiry).await
    }

    /// Reads the key from the header lines.
    pub(crate) fn read_key(&self, lines: &[Vec<u8>]) -> Reading {
        let right = super::key::read(lines);
        self.defects
            .iter()
            .fold(right, |reading, defect| defect.key(lines, reading))
    }

    /// The request with its record's primary key and fingerprint, if it has a key that is looked at.
    pub(crate) fn keyed(&self, request: &Arc<Request>) -> Option<Keyed> {
        let key = request.key.clone()?;
        if !self.defects.iter().all(|defect| defect.covers(request)) {
            return None;
        }
        let mut parts = request.parts();
        let mut scope = request.account.clone();
        let mut slot = String::new();
        for defect in self.defects.iter() {
            defect.fingerprint(request, &mut parts);
            scope = defect.scope(request, scope);
        }
        let fingerprint = parts.hash();
        for defect in self.defects.iter() {
            slot = defect.slot(&fingerprint, slot);
        }
        Some(Keyed {
            request: Arc::clone(request),
            id: RecordId { scope, key, slot },
            fingerprint,
        })
    }

    /// What would be written if the key is free.
    pub(crate) fn claiming(&self, keyed: &Keyed, lease: Option<Duration>) -> Claiming {
        let mut claiming = Claiming {
            id: keyed.id.clone(),
            account: keyed.request.account.clone(),
            fingerprint: keyed.fingerprint.clone(),
            life: Uuid::new_v4().simple().to_string(),
            owner: Uuid::new_v4().simple().to_string(),
            lease,
            retention: self.settings.retention,
        };
        for defect in self.defects.iter() {
            defect.claiming(&mut claiming);
        }
        claiming
    }

    /// Claims the key, in the way of the defect that wants it otherwise.
    pub(crate) async fn claim(&self, session: &mut Session, claiming: &Claiming) -> Stored<Claim> {
        for defect in self.defects.iter() {
            if let Some(claim) = defect.claim(session, claiming) {
                return claim.await;
            }
        }
        session.claim(claiming).await
    }

    /// The safety net of an effect: one for each life of a key.
    pub(crate) fn safety_net(&self, claiming: &Claiming) -> Option<String> {
        let right = Some(claiming.life.clone());
        self.defects
            .iter()
            .fold(right, |net, defect| defect.safety_net(claiming, net))
    }

    /// Lets the defects act between the work and the effect.
    pub(crate) async fn before_effect(
        &self,
        session: &mut Session,
        held: &Held,
        reply: &Reply,
    ) -> Stored<()> {
        for defect in self.defects.iter() {
            defect.before_effect(session, held, reply).await?;
        }
        Ok(())
    }

    /// Lets the defects change what the work made.
    pub(crate) fn produced(&self, reply: &mut Reply) {
        for defect in self.defects.iter() {
            defect.produced(reply);
        }
    }

    /// What becomes of key and effect: successes and business refusals are stored; all else frees the key and has no effect.
    pub(crate) fn ending(&self, finished: &Finished) -> Ending {
        let kept = finished.crash.is_none() && matches!(finished.reply.status, 200..400 | 402);
        let right = if kept {
            Ending::Store
        } else {
            Ending::Free { keep_effect: false }
        };
        self.defects
            .iter()
            .fold(right, |ending, defect| defect.ending(finished, ending))
    }

    /// The reply as it is stored.
    pub(crate) fn remembered(&self, reply: &Reply) -> Reply {
        const STORED: [&str; 4] = ["Content-Type", "Location", "X-Receipt-Id", "ETag"];
        let mut reply = reply.clone();
        reply.headers.retain(|(name, _)| {
            let right = STORED
                .iter()
                .any(|stored| stored.eq_ignore_ascii_case(name));
            self.defects
                .iter()
                .fold(right, |keep, defect| defect.remembers(name, keep))
        });
        reply
    }

    /// The work has ended and been kept or not: tell the payment provider, and let the first reply go.
    pub(crate) fn first(&self, finished: Finished, effect_kept: bool) -> Reply {
        if let Some(effect) = finished.effect.as_ref().filter(|_| effect_kept) {
            self.ledger
                .call_provider(effect.key.as_deref(), effect.reference.as_deref());
        }
        let mut reply = finished.reply;
        for defect in self.defects.iter() {
            defect.first(&mut reply);
        }
        reply
    }

    /// Answers a request that met the record of another one. The session is outside any transaction.
    pub(crate) async fn meet(
        &self,
        session: &mut Session,
        keyed: &Keyed,
        mut found: Found,
    ) -> Stored<Reply> {
        for defect in self.defects.iter() {
            defect.seen(&mut found);
        }
        let met = if found.fingerprint != keyed.fingerprint {
            Met::Mismatch
        } else if found.reply.is_none() {
            Met::InProgress
        } else {
            Met::Done
        };
        for defect in self.defects.iter() {
            let encounter = Encounter {
                machine: self,
                session: &mut *session,
                keyed,
                found: &found,
                met,
            };
            defect.met(encounter).await?;
        }
        Ok(match (met, &found.reply) {
            (Met::Done, Some(stored)) => self.replay(stored.clone()),
            (Met::Mismatch, _) => self.mismatch(&found),
            _ => self.in_progress(),
        })
    }

    /// A stored reply once more.
    pub(crate) fn replay(&self, stored: Reply) -> Reply {
        let mut reply = stored.with(MARKER, "true");
        for defect in self.defects.iter() {
            defect.replayed(&mut reply);
        }
        reply
    }

    /// Another request has the key and is still running.
    pub(crate) fn in_progress(&self) -> Reply {
        let detail = "a request with this Idempotency-Key is in progress";
        let mut reply = Reply::problem_with(409, detail, json!({ "code": "in-progress" }))
            .with("Retry-After", "1");
        for defect in self.defects.iter() {
            defect.in_progress(&mut reply);
        }
        reply
    }

    fn mismatch(&self, found: &Found) -> Reply {
        let detail = "this Idempotency-Key was used for a different request";
        let mut reply = Reply::problem_with(422, detail, json!({ "code": "key-reused" }));
        for defect in self.defects.iter() {
            defect.mismatch(&mut reply, found);
        }
        reply
    }
}
