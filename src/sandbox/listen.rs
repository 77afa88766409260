//! Starts and ends the sandbox: listeners, replicas, the schema.
//! Must not know the command line; it tells its caller where it listens.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::defect::Defect;
use super::http;
use super::machine::{Ledger, Machine, Settings};
use super::options::Options;
use super::store::Store;
use super::store::memory::Memory;
use super::store::postgres::pool::Pool;

/// Why the sandbox does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The database cannot be used.
    #[error("cannot use the database: {0}")]
    Database(String),
    /// A fault cannot be used.
    #[error("{0}")]
    Fault(String),
}

/// What a started sandbox says about itself.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Where each replica listens.
    pub addresses: Vec<SocketAddr>,
    /// The schema in use, on PostgreSQL.
    pub schema: Option<String>,
}

/// A running sandbox. It ends when it is stopped; dropped, it leaves its schema behind.
pub struct Running {
    ready: Ready,
    pool: Option<Arc<Pool>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// Where it listens, and its schema.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Stops listening and drops the schema.
    ///
    /// # Errors
    /// If the schema cannot be dropped.
    pub async fn stop(mut self) -> Result<(), StartError> {
        self.abort();
        match self.pool.take() {
            Some(pool) => pool.remove_schema().await.map_err(database),
            None => Ok(()),
        }
    }

    fn abort(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.abort();
    }
}

/// Starts a sandbox; when this returns, every replica accepts connections.
///
/// # Errors
/// If an address, the database or a fault cannot be used.
pub async fn start(options: Options) -> Result<Running, StartError> {
    let mut listeners = Vec::new();
    for replica in 0..options.replicas.max(1) {
        let mut address = options.listen;
        if replica > 0 {
            address.set_port(0);
        }
        let listener = TcpListener::bind(address).await;
        listeners.push(listener.map_err(|source| StartError::Listen { address, source })?);
    }
    let defects: Result<Vec<Box<dyn Defect>>, String> = options
        .faults
        .iter()
        .map(|selected| selected.build(options.design))
        .collect();
    let defects: Arc<[Box<dyn Defect>]> = defects.map_err(StartError::Fault)?.into();
    let schema = options.database_url.as_ref().map(|_| {
        let random = || format!("doubletap_sandbox_{}", uuid::Uuid::new_v4().simple());
        options.schema.clone().unwrap_or_else(random)
    });
    let pool = match (&options.database_url, &schema) {
        (Some(url), Some(schema)) => {
            let pool = Pool::open(url, schema, options.warm_connections).await;
            Some(pool.map_err(database)?)
        }
        _ => None,
    };
    let store = match &pool {
        Some(pool) => Store::Postgres(Arc::clone(pool)),
        None => Store::Memory(Arc::new(Memory::default())),
    };
    let ledger = Arc::new(Ledger::default());
    let mut running = Running {
        ready: Ready {
            addresses: Vec::new(),
            schema,
        },
        pool,
        tasks: Vec::new(),
    };
    for listener in listeners {
        let machine = Arc::new(Machine {
            settings: Settings {
                design: options.design,
                retention: options.retention,
                lease: options.lease,
                work_delay: options.work_delay,
                require_key: options.require_key,
            },
            policy: options.policy.clone(),
            store: store.clone(),
            own_store: Store::Memory(Arc::new(Memory::default())),
            ledger: Arc::clone(&ledger),
            defects: Arc::clone(&defects),
        });
        let address = listener.local_addr().map_err(|source| StartError::Listen {
            address: options.listen,
            source,
        })?;
        running.ready.addresses.push(address);
        running.tasks.push(tokio::spawn(accept(listener, machine)));
    }
    Ok(running)
}

/// Runs a sandbox until `until` completes; `ready` is called once every replica accepts connections.
///
/// # Errors
/// If it cannot start, or cannot drop its schema.
pub async fn serve(
    options: Options,
    ready: impl FnOnce(&Ready),
    until: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let running = start(options).await?;
    ready(running.ready());
    until.await;
    running.stop().await
}

async fn accept(listener: TcpListener, machine: Arc<Machine>) {
    let service = Router::new().fallback(http::answer).with_state(machine);
    let listener = listener.tap_io(|connection| {
        // Where it fails, small replies are only slower.
        let _ = connection.set_nodelay(true);
    });
    // It serves HTTP/1.1 and, by prior knowledge, HTTP/2. It never ends by itself.
    let _ = axum::serve(listener, service).await;
}

fn database(error: super::store::StoreError) -> StartError {
    StartError::Database(error.to_string())
}
