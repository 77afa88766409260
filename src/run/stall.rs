//! A lock in PostgreSQL that holds a request in progress, and the proof that somebody waits for it.
//! It must not know which request that is. The lock is capped: by its own clock, and by timeouts in the server.

use std::time::{Duration, Instant};

use tokio_postgres::Client;

use super::effects::sql::{Database, explain};

/// A lock that is held.
pub(super) struct Lock {
    holder: Client,
    watcher: Client,
    pid: i32,
    before: Vec<i32>,
    until: Instant,
}

impl Lock {
    /// Opens connections of its own and takes the lock. `Err` says why it could not be had.
    pub(super) fn take(
        database: &Database,
        lock: &str,
        is_statement: bool,
        hold: Duration,
    ) -> Result<Self, String> {
        let statement = if is_statement {
            lock.to_owned()
        } else {
            format!("LOCK TABLE {} IN SHARE MODE", table(lock)?)
        };
        let holder = database.open()?;
        let watcher = database.open()?;
        let limits = format!(
            "SET lock_timeout = 2000; SET statement_timeout = 10000; \
             SET idle_in_transaction_session_timeout = {}; BEGIN",
            (hold + Duration::from_secs(5)).as_millis()
        );
        let (pid, before) = database.wait(async {
            let said = |error: tokio_postgres::Error| explain(&error);
            holder.batch_execute(&limits).await.map_err(said)?;
            holder
                .batch_execute(&statement)
                .await
                .map_err(|error| refused(&error, &statement))?;
            let row = holder
                .query_one("SELECT pg_backend_pid()", &[])
                .await
                .map_err(said)?;
            let pid: i32 = row.try_get(0).map_err(said)?;
            let before = blocked_by(&watcher, pid).await?;
            Ok::<_, String>((pid, before.into_iter().map(|(pid, _)| pid).collect()))
        })?;
        Ok(Self {
            holder,
            watcher,
            pid,
            before,
            until: Instant::now() + hold,
        })
    }

    /// Who waits for the lock and did not before, in words.
    pub(super) fn waiting(&self, database: &Database) -> Result<Option<String>, String> {
        let blocked = database.wait(blocked_by(&self.watcher, self.pid))?;
        let found = blocked
            .into_iter()
            .find(|(pid, _)| !self.before.contains(pid));
        Ok(found.map(|(pid, query)| {
            format!(
                "backend {pid} waits for the lock of backend {} (pg_blocking_pids){}",
                self.pid,
                if query.is_empty() {
                    String::new()
                } else {
                    format!(", in: {query}")
                }
            )
        }))
    }

    /// Whether it was held as long as it may be.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    /// Lets the lock go.
    pub(super) fn release(self, database: &Database) -> Result<(), String> {
        database.wait(async {
            let ended = self.holder.batch_execute("ROLLBACK").await;
            ended.map_err(|error| explain(&error))
        })
    }
}

/// Backends that wait for a lock of `pid`, with the beginning of what they run (empty where the role may not see it).
async fn blocked_by(watcher: &Client, pid: i32) -> Result<Vec<(i32, String)>, String> {
    let rows = watcher
        .query(
            "SELECT pid, coalesce(left(regexp_replace(query, '\\s+', ' ', 'g'), 60), '') \
             FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))",
            &[&pid],
        )
        .await
        .map_err(|error| explain(&error))?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect::<Result<_, tokio_postgres::Error>>()
        .map_err(|error| explain(&error))
}

/// A table's name goes into the statement as it stands: only what a name is made of may be in it.
fn table(name: &str) -> Result<&str, String> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '$');
    if !name.is_empty() && name.chars().all(fits) {
        Ok(name)
    } else {
        Err(format!(
            "`{name}` is no table name; give a whole statement as `statement`"
        ))
    }
}

fn refused(error: &tokio_postgres::Error, statement: &str) -> String {
    let said = explain(error);
    match error.code().map(tokio_postgres::error::SqlState::code) {
        Some("42501") => format!(
            "{said}; `{statement}` needs the privilege UPDATE, DELETE or TRUNCATE on the table (GRANT UPDATE ON ... TO the role)"
        ),
        Some("55P03") => format!("{said}; others hold the table"),
        _ => said,
    }
}
