//! The store in PostgreSQL: the usual two tables, mended, with real transactions and real row locks.
//! Must not know the designs; one session is one connection, used by one request.

mod effects;
pub(crate) mod pool;
mod records;
mod schema;

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::Stored;
use pool::{Lent, database};

/// A parameter with its type, so that a statement costs one round trip.
type Bound<'a> = (&'a (dyn ToSql + Sync), Type);

/// One request's conversation with the database.
pub(crate) struct PostgresSession {
    lent: Lent,
    reads_expiry: bool,
}

impl PostgresSession {
    pub(crate) fn new(lent: Lent, reads_expiry: bool) -> Self {
        Self { lent, reads_expiry }
    }

    pub(crate) async fn begin(&mut self) -> Stored<()> {
        self.lent.clean = false;
        self.batch("BEGIN").await
    }

    pub(crate) async fn commit(&mut self) -> Stored<()> {
        self.batch("COMMIT").await?;
        self.lent.clean = true;
        Ok(())
    }

    pub(crate) async fn rollback(&mut self) -> Stored<()> {
        self.batch("ROLLBACK").await?;
        self.lent.clean = true;
        Ok(())
    }

    pub(crate) async fn savepoint(&mut self) -> Stored<()> {
        self.batch("SAVEPOINT work").await
    }

    pub(crate) async fn back_to_savepoint(&mut self) -> Stored<()> {
        self.batch("ROLLBACK TO SAVEPOINT work").await
    }

    async fn batch(&self, sql: &str) -> Stored<()> {
        self.lent
            .client()?
            .batch_execute(sql)
            .await
            .map_err(database)
    }

    async fn execute(&self, sql: &str, values: &[Bound<'_>]) -> Stored<u64> {
        let client = self.lent.client()?;
        client.execute_typed(sql, values).await.map_err(database)
    }

    async fn rows(&self, sql: &str, values: &[Bound<'_>]) -> Stored<Vec<Row>> {
        let client = self.lent.client()?;
        client.query_typed(sql, values).await.map_err(database)
    }
}

/// A text parameter.
fn text(value: &(impl ToSql + Sync)) -> Bound<'_> {
    (value, Type::TEXT)
}
