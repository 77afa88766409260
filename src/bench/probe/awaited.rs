//! The probe as a tokio server: HTTP/1.1 and HTTP/2 (prior knowledge) on one port, two workers, windows awaited.
//! It must not know what is noted.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, Response};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use super::{ANSWER, Asked, Ledger, status};
use crate::sandbox::window::Window;

/// Workers of the server.
const WORKERS: usize = 2;

/// Serves until `until` completes; `ready` is told the address.
///
/// # Errors
/// If it cannot listen.
pub fn serve(ready: impl FnOnce(SocketAddr), until: impl Future<Output = ()>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?;
    runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        ready(listener.local_addr()?);
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::<Ledger>::default());
        let listener = listener.tap_io(|connection| {
            // where it fails, answers are only slower
            let _ = connection.set_nodelay(true);
        });
        tokio::select! {
            served = async { axum::serve(listener, app).await } => served,
            () = until => Ok(()),
        }
    })
}

async fn answer(State(ledger): State<Arc<Ledger>>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let read = to_bytes(body, 4 * 1024 * 1024).await;
    let complete = Instant::now();
    if read.is_err() {
        return reply(400, "");
    }
    let key = parts.headers.get("idempotency-key");
    let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default();
    match Asked::of(parts.uri.path()) {
        Asked::Race(window) => match Window::parse(&window) {
            Ok(window) => reply(status(race(&ledger, key, complete, window).await), ANSWER),
            Err(_) => reply(400, ""),
        },
        Asked::Locked => reply(status(ledger.claimed(key, complete)), ANSWER),
        Asked::Report => reply(200, &ledger.report()),
        Asked::Nothing => reply(404, ""),
    }
}

async fn race(ledger: &Ledger, key: &str, complete: Instant, window: Window) -> bool {
    let is_new = ledger.arrived(key, complete);
    if is_new {
        let looked = Instant::now();
        window.pass().await;
        ledger.done(key, looked.elapsed());
    }
    is_new
}

fn reply(status: u16, body: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_owned()));
    if let Ok(status) = axum::http::StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    response
}
