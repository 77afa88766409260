//! A sink: the tool listens, the service under test calls it, and every call that carries an intent's reference is an effect.
//! It must not know which calls are expected.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use tokio::runtime::Runtime;

type Calls = Arc<Mutex<Vec<String>>>;

/// A listener that answers 204 to everything and remembers it.
pub struct Sink {
    /// Where it listens.
    pub address: SocketAddr,
    calls: Calls,
    path: Option<String>,
    // ends with the sink
    _runtime: Runtime,
}

impl Sink {
    /// Listens at an address such as `127.0.0.1:9099`. With a path, only calls to it count.
    pub fn start(listen: &str, path: Option<&str>) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("the sink cannot listen at {listen}: {error}");
        let listener = std::net::TcpListener::bind(listen).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("sink")
            .enable_all()
            .build()
            .map_err(cannot)?;
        let calls = Calls::default();
        let app = Router::new()
            .fallback(note)
            .layer(DefaultBodyLimit::max(1024 * 1024))
            .with_state(calls.clone());
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(cannot)?
        };
        runtime.spawn(async move { axum::serve(listener, app).await });
        Ok(Self {
            address,
            calls,
            path: path.map(str::to_owned),
            _runtime: runtime,
        })
    }

    /// How many calls carried this text in their path, headers or body.
    #[must_use]
    pub fn count(&self, reference: &str) -> i64 {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |call: &&String| {
            let path_fits = self.path.as_ref().is_none_or(|path| {
                let target = call.lines().next().unwrap_or_default();
                target.split('?').next() == Some(path.as_str())
            });
            path_fits && call.contains(reference)
        };
        i64::try_from(calls.iter().filter(fits).count()).unwrap_or(i64::MAX)
    }
}

async fn note(State(calls): State<Calls>, uri: Uri, headers: HeaderMap, body: Bytes) -> StatusCode {
    let mut call = format!("{uri}\n");
    for (name, value) in &headers {
        call.push_str(&format!(
            "{name}: {}\n",
            String::from_utf8_lossy(value.as_bytes())
        ));
    }
    call.push_str(&String::from_utf8_lossy(&body));
    calls
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(call);
    StatusCode::NO_CONTENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn call(sink: &Sink, path: &str, body: &str) {
        let mut stream = std::net::TcpStream::connect(sink.address).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 204"), "{reply}");
    }

    #[test]
    fn calls_count_for_the_reference_they_carry() {
        let sink = Sink::start("127.0.0.1:0", Some("/charge")).unwrap();
        call(&sink, "/charge", "{\"ref\":\"dt-1\"}");
        call(&sink, "/charge?ref=dt-1", "");
        call(&sink, "/other", "dt-1");
        call(&sink, "/charge", "dt-2");
        assert_eq!(sink.count("dt-1"), 2);
        assert_eq!(sink.count("dt-2"), 1);
        assert_eq!(sink.count("dt-3"), 0);
    }

    #[test]
    fn an_address_in_use_says_so() {
        let sink = Sink::start("127.0.0.1:0", None).unwrap();
        let error = Sink::start(&sink.address.to_string(), None).err().unwrap();
        assert!(error.contains(&sink.address.to_string()), "{error}");
    }
}
