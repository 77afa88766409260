//! The store in this process: committed rows behind one lock, a transaction as a list of writes to come.
//! Must not know the designs; it keeps what PostgreSQL keeps (row locks, unique constraints, column widths) and no more.

mod effects;
mod records;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;

use super::Stored;
use super::effect::{Effect, Kind};
use super::record::{Claiming, Found, RecordId};
use crate::sandbox::http::reply::Reply;

/// A committed record.
#[derive(Clone, Debug)]
struct Row {
    claiming: Claiming,
    reply: Option<Reply>,
    claimed: Instant,
    completed: Option<Instant>,
    expires: Instant,
}

impl Row {
    fn claimed(claiming: &Claiming) -> Self {
        let now = Instant::now();
        Self {
            claiming: claiming.clone(),
            reply: None,
            claimed: now,
            completed: None,
            expires: later(now, claiming.retention),
        }
    }

    fn found(&self) -> Found {
        let lease = self.claiming.lease;
        Found {
            id: self.claiming.id.clone(),
            fingerprint: self.claiming.fingerprint.clone(),
            life: self.claiming.life.clone(),
            owner: self.claiming.owner.clone(),
            lapsed: self.reply.is_none()
                && lease.is_some_and(|lease| self.claimed.elapsed() >= lease),
            reply: self.reply.clone(),
            completed_ago: self.completed.map(|completed| completed.elapsed()),
        }
    }
}

/// `now + by`, or a century later where that is past what the clock can say.
fn later(now: Instant, by: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    now.checked_add(by.min(CENTURY)).unwrap_or(now)
}

/// What a row lock stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Lock {
    Record(RecordId),
    Net(Kind, String),
}

#[derive(Default)]
struct Tables {
    records: HashMap<RecordId, Row>,
    effects: HashMap<Kind, Vec<Effect>>,
    nets: HashSet<(Kind, String)>,
    locks: HashMap<Lock, Arc<tokio::sync::Mutex<()>>>,
}

/// The committed state.
#[derive(Default)]
pub(crate) struct Memory {
    tables: Mutex<Tables>,
}

impl Memory {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A write to come.
#[derive(Clone)]
enum Write {
    Put(Box<Row>),
    Remove(RecordId),
    Insert(Box<Effect>),
    Note { id: String, note: Option<String> },
    Delete { id: String },
}

/// One request's conversation with the memory store.
pub(crate) struct MemorySession {
    memory: Arc<Memory>,
    reads_expiry: bool,
    in_transaction: bool,
    writes: Vec<Write>,
    savepoint: usize,
    held: HashMap<Lock, OwnedMutexGuard<()>>,
}

impl MemorySession {
    pub(crate) fn new(memory: Arc<Memory>, reads_expiry: bool) -> Self {
        Self {
            memory,
            reads_expiry,
            in_transaction: false,
            writes: Vec::new(),
            savepoint: 0,
            held: HashMap::new(),
        }
    }

    pub(crate) async fn begin(&mut self) -> Stored<()> {
        self.in_transaction = true;
        Ok(())
    }

    pub(crate) async fn commit(&mut self) -> Stored<()> {
        let memory = Arc::clone(&self.memory);
        let mut tables = memory.tables();
        for write in self.writes.drain(..) {
            apply(&mut tables, write);
        }
        self.let_go(&mut tables);
        Ok(())
    }

    pub(crate) async fn rollback(&mut self) -> Stored<()> {
        self.undo();
        Ok(())
    }

    pub(crate) async fn savepoint(&mut self) -> Stored<()> {
        self.savepoint = self.writes.len();
        Ok(())
    }

    pub(crate) async fn back_to_savepoint(&mut self) -> Stored<()> {
        self.writes.truncate(self.savepoint);
        Ok(())
    }

    fn undo(&mut self) {
        let memory = Arc::clone(&self.memory);
        self.writes.clear();
        self.let_go(&mut memory.tables());
    }

    /// Ends the transaction's locks, and forgets those that nobody waits for.
    fn let_go(&mut self, tables: &mut Tables) {
        self.in_transaction = false;
        self.savepoint = 0;
        for (lock, guard) in self.held.drain() {
            drop(guard);
            if tables
                .locks
                .get(&lock)
                .is_some_and(|known| Arc::strong_count(known) == 1)
            {
                tables.locks.remove(&lock);
            }
        }
    }

    /// Waits for the row, as an INSERT or UPDATE of it would.
    async fn lock(&mut self, lock: Lock) {
        if self.held.contains_key(&lock) {
            return;
        }
        let row = Arc::clone(self.memory.tables().locks.entry(lock.clone()).or_default());
        self.held.insert(lock, row.lock_owned().await);
    }

    /// Outside a transaction every operation commits by itself.
    async fn end_statement(&mut self) -> Stored<()> {
        if self.in_transaction {
            Ok(())
        } else {
            self.commit().await
        }
    }
}

impl Drop for MemorySession {
    fn drop(&mut self) {
        self.undo();
    }
}

fn apply(tables: &mut Tables, write: Write) {
    match write {
        Write::Put(row) => {
            tables.records.insert(row.claiming.id.clone(), *row);
        }
        Write::Remove(id) => {
            tables.records.remove(&id);
        }
        Write::Insert(effect) => {
            if let Some(net) = &effect.safety_net {
                tables.nets.insert((effect.kind, net.clone()));
            }
            tables.effects.entry(effect.kind).or_default().push(*effect);
        }
        Write::Note { id, note } => {
            if let Some(payment) = payment(tables, &id) {
                payment.note = note;
                payment.version += 1;
            }
        }
        Write::Delete { id } => {
            if let Some(payment) = payment(tables, &id) {
                payment.deleted = true;
            }
        }
    }
}

fn payment<'a>(tables: &'a mut Tables, id: &str) -> Option<&'a mut Effect> {
    let payments = tables.effects.get_mut(&Kind::Payment)?;
    payments.iter_mut().find(|payment| payment.id == id)
}
