//! Records of keys in memory: claim, look, complete, remove, expire.
//! Must not decide anything about requests; each operation does what its SQL sister does.

use std::sync::Arc;
use std::time::Instant;

use super::{Lock, MemorySession, Row, Write, later};
use crate::sandbox::http::reply::Reply;
use crate::sandbox::store::record::{Claim, Claiming, Found, Held, KEY_WIDTH, RecordId};
use crate::sandbox::store::{StoreError, Stored};

impl MemorySession {
    pub(crate) async fn claim(&mut self, claiming: &Claiming) -> Stored<Claim> {
        self.lock_record(&claiming.id).await?;
        if let Some(row) = self.live(&claiming.id) {
            self.end_statement().await?;
            return Ok(Claim::Theirs(row.found()));
        }
        self.write_row(Row::claimed(claiming));
        self.end_statement().await?;
        Ok(Claim::Mine(Held {
            claiming: claiming.clone(),
            owned: true,
        }))
    }

    pub(crate) async fn look(&mut self, id: &RecordId) -> Stored<Option<Found>> {
        Ok(self.live(id).map(|row| row.found()))
    }

    pub(crate) async fn look_expired(&mut self, id: &RecordId) -> Stored<Option<Found>> {
        let row = self.current(id);
        Ok(row
            .filter(|row| row.expires <= Instant::now())
            .map(|row| row.found()))
    }

    pub(crate) async fn look_in_all_scopes(&mut self, key: &str) -> Stored<Option<Found>> {
        let tables = self.memory.tables();
        let rows = tables.records.values();
        Ok(rows
            .filter(|row| row.claiming.id.key == key && self.counts(row))
            .max_by_key(|row| row.claimed)
            .map(Row::found))
    }

    pub(crate) async fn put(&mut self, claiming: &Claiming) -> Stored<()> {
        self.lock_record(&claiming.id).await?;
        self.write_row(Row::claimed(claiming));
        self.end_statement().await
    }

    pub(crate) async fn take_over(&mut self, from: &Found, claiming: &Claiming) -> Stored<bool> {
        self.lock_record(&from.id).await?;
        let theirs = self
            .live(&from.id)
            .is_some_and(|row| row.reply.is_none() && row.claiming.owner == from.owner);
        if theirs {
            self.write_row(Row::claimed(claiming));
        }
        self.end_statement().await?;
        Ok(theirs)
    }

    pub(crate) async fn complete(&mut self, held: &Held, reply: &Reply) -> Stored<bool> {
        let id = &held.claiming.id;
        self.lock_record(id).await?;
        let current = self.current(id);
        let ours = current
            .as_ref()
            .is_some_and(|row| row.claiming.owner == held.claiming.owner);
        if held.owned && !ours {
            self.end_statement().await?;
            return Ok(false);
        }
        // An UPDATE leaves the columns alone that it does not name (a fingerprint that others have changed, say).
        let mut row = current
            .filter(|_| ours)
            .unwrap_or_else(|| Row::claimed(&held.claiming));
        let now = Instant::now();
        row.reply = Some(reply.clone());
        row.completed = Some(now);
        row.expires = later(now, held.claiming.retention);
        self.write_row(row);
        self.end_statement().await?;
        Ok(true)
    }

    pub(crate) async fn stick(&mut self, held: &Held) -> Stored<()> {
        let mut claiming = held.claiming.clone();
        claiming.lease = None;
        self.put(&claiming).await
    }

    pub(crate) async fn set_fingerprint(&mut self, id: &RecordId, to: &str) -> Stored<()> {
        self.lock_record(id).await?;
        if let Some(mut row) = self.current(id) {
            row.claiming.fingerprint = to.to_owned();
            self.write_row(row);
        }
        self.end_statement().await
    }

    pub(crate) async fn remove(&mut self, id: &RecordId, owner: Option<&str>) -> Stored<()> {
        self.lock_record(id).await?;
        let ours = self
            .current(id)
            .is_some_and(|row| owner.is_none_or(|owner| row.claiming.owner == owner));
        if ours {
            self.writes.push(Write::Remove(id.clone()));
        }
        self.end_statement().await
    }

    pub(crate) async fn expire(&mut self, account: &str, key: &str) -> Stored<u64> {
        let mut tables = self.memory.tables();
        let now = Instant::now();
        let past = now
            .checked_sub(std::time::Duration::from_secs(1))
            .unwrap_or(now);
        let rows = tables.records.values_mut();
        let mut expired = 0;
        for row in rows.filter(|row| row.claiming.account == account && row.claiming.id.key == key)
        {
            row.expires = past;
            expired += 1;
        }
        Ok(expired)
    }

    async fn lock_record(&mut self, id: &RecordId) -> Stored<()> {
        if id.key.chars().count() > KEY_WIDTH {
            return Err(StoreError::TooLong);
        }
        self.lock(Lock::Record(id.clone())).await;
        Ok(())
    }

    fn write_row(&mut self, row: Row) {
        self.writes.push(Write::Put(Box::new(row)));
    }

    /// The row as this transaction sees it, expired or not.
    fn current(&self, id: &RecordId) -> Option<Row> {
        for write in self.writes.iter().rev() {
            match write {
                Write::Put(row) if row.claiming.id == *id => return Some((**row).clone()),
                Write::Remove(removed) if removed == id => return None,
                _ => {}
            }
        }
        Arc::clone(&self.memory).tables().records.get(id).cloned()
    }

    fn live(&self, id: &RecordId) -> Option<Row> {
        self.current(id).filter(|row| self.counts(row))
    }

    fn counts(&self, row: &Row) -> bool {
        !self.reads_expiry || row.expires > Instant::now()
    }
}
