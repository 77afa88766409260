//! Effects in memory: insert under the safety net, list, note, delete.
//! Must not know what an effect means.

use super::{Lock, MemorySession, Write};
use crate::sandbox::store::effect::{Effect, Filter, Kind};
use crate::sandbox::store::{StoreError, Stored};

impl MemorySession {
    pub(crate) async fn insert(&mut self, effect: &Effect) -> Stored<()> {
        if let Some(net) = &effect.safety_net {
            // A unique index makes the second writer wait for the first one's transaction.
            self.lock(Lock::Net(effect.kind, net.clone())).await;
            let taken = (effect.kind, net.clone());
            let in_this_transaction = self.writes.iter().any(|write| {
                matches!(write, Write::Insert(other)
                    if other.kind == effect.kind && other.safety_net == effect.safety_net)
            });
            if in_this_transaction || self.memory.tables().nets.contains(&taken) {
                self.end_statement().await?;
                return Err(StoreError::Duplicate);
            }
        }
        self.writes.push(Write::Insert(Box::new(effect.clone())));
        self.end_statement().await
    }

    pub(crate) async fn list(
        &mut self,
        kind: Kind,
        account: &str,
        filter: &Filter,
    ) -> Stored<Vec<Effect>> {
        let tables = self.memory.tables();
        let of_kind = tables.effects.get(&kind).into_iter().flatten();
        Ok(of_kind
            .filter(|effect| effect.account == account && filter.takes(effect))
            .cloned()
            .collect())
    }

    pub(crate) async fn set_note(&mut self, id: &str, note: Option<&str>) -> Stored<()> {
        self.writes.push(Write::Note {
            id: id.to_owned(),
            note: note.map(str::to_owned),
        });
        self.end_statement().await
    }

    pub(crate) async fn delete(&mut self, id: &str) -> Stored<()> {
        self.writes.push(Write::Delete { id: id.to_owned() });
        self.end_statement().await
    }
}
