//! Connections to PostgreSQL: at most 64, kept open, handed out in turn.
//! Must not know what is asked over them.
//!
//! A duplicate that waits inside a transaction holds its connection, so the number of requests that can wait for one
//! key is bounded by the pool; further ones queue for a connection. A request uses one connection at a time, so
//! the holder of a key can always go on.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::{Client, Config, NoTls};

use super::schema;
use crate::sandbox::store::{StoreError, Stored};

const MOST: usize = 64;

/// The pool.
pub(crate) struct Pool {
    config: Config,
    schema: String,
    idle: Mutex<Vec<Client>>,
    places: Arc<Semaphore>,
}

impl Pool {
    /// Connects, makes the schema, and opens `warm` connections so that the first burst meets no connection set-up.
    pub(crate) async fn open(url: &str, schema: &str, warm: usize) -> Stored<Arc<Self>> {
        let mut config: Config = url.parse().map_err(database)?;
        config.application_name(schema);
        let pool = Self {
            config,
            schema: schema.to_owned(),
            idle: Mutex::default(),
            places: Arc::new(Semaphore::new(MOST)),
        };
        let first = connect(&pool.config).await?;
        first
            .batch_execute(&schema::create(schema))
            .await
            .map_err(database)?;
        pool.put_back(first);
        for _ in 1..warm.min(MOST) {
            let further = pool.connect().await?;
            pool.put_back(further);
        }
        Ok(Arc::new(pool))
    }

    /// A connection for one request.
    pub(crate) async fn get(self: &Arc<Self>) -> Stored<Lent> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|closed| StoreError::Database(closed.to_string()))?;
        let idle = self.idle().pop();
        let client = match idle {
            Some(client) if !client.is_closed() => client,
            _ => self.connect().await?,
        };
        Ok(Lent {
            client: Some(client),
            clean: true,
            pool: Arc::clone(self),
            _place: place,
        })
    }

    /// Ends every connection of ours and drops the schema.
    pub(crate) async fn remove_schema(&self) -> Stored<()> {
        self.idle().clear();
        let last = connect(&self.config).await?;
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                      WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()";
        let text = tokio_postgres::types::Type::TEXT;
        last.query_typed(others, &[(&self.schema, text)])
            .await
            .map_err(database)?;
        last.batch_execute(&schema::drop(&self.schema))
            .await
            .map_err(database)
    }

    async fn connect(&self) -> Stored<Client> {
        let client = connect(&self.config).await?;
        client
            .batch_execute(&format!("SET search_path TO \"{}\"", self.schema))
            .await
            .map_err(database)?;
        Ok(client)
    }

    fn put_back(&self, client: Client) {
        self.idle().push(client);
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn connect(config: &Config) -> Stored<Client> {
    let (client, connection) = config.connect(NoTls).await.map_err(database)?;
    tokio::spawn(connection);
    Ok(client)
}

/// A connection in use; one that is dropped inside a transaction is closed, which rolls it back.
pub(crate) struct Lent {
    client: Option<Client>,
    /// Whether it is outside any transaction.
    pub(super) clean: bool,
    pool: Arc<Pool>,
    _place: OwnedSemaphorePermit,
}

impl Lent {
    /// The connection.
    pub(super) fn client(&self) -> Stored<&Client> {
        let gone = || StoreError::Database("the connection is gone".to_owned());
        self.client.as_ref().ok_or_else(gone)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(client) = self.client.take()
            && self.clean
        {
            self.pool.put_back(client);
        }
    }
}

/// A failure of the database, sorted by what the sandbox has to tell apart.
pub(super) fn database(error: tokio_postgres::Error) -> StoreError {
    use tokio_postgres::error::SqlState;
    match error.code() {
        Some(&SqlState::UNIQUE_VIOLATION) => StoreError::Duplicate,
        Some(&SqlState::STRING_DATA_RIGHT_TRUNCATION) => StoreError::TooLong,
        _ => {
            let server = error.as_db_error().map(ToString::to_string);
            StoreError::Database(server.unwrap_or_else(|| {
                let source = std::error::Error::source(&error);
                source.map_or_else(|| error.to_string(), |why| format!("{error}: {why}"))
            }))
        }
    }
}
