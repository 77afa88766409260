//! HTTP clients that add nothing: no redirects, proxies, cookies, decompression or retries of their own.
//! It must not know what is sent with them, nor when.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::gated_body::Gate;
use super::hosts::Hosts;
use crate::config::settings::Protocol;

/// How a request travels. One lane keeps one client of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// As an ordinary client: pooled connections, the declared protocol.
    Ordinary,
    /// A connection of its own for each request.
    Fresh,
    /// HTTP/1.1 on pooled connections.
    H1,
    /// HTTP/1.1, a connection of its own for each request, opened but held back until the lane's valve opens.
    H1Valved,
    /// HTTP/2 on one connection.
    H2,
    /// HTTP/1.1 through the SOCKS relay on this loopback port.
    Relay(u16),
}

/// Holds connections back once they are open: a lane's burst puts a gate in.
#[derive(Clone, Debug, Default)]
pub struct Valve(Arc<Mutex<Option<Arc<Gate>>>>);

impl Valve {
    /// Puts a gate in, or takes it out.
    pub fn set(&self, gate: Option<Arc<Gate>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = gate;
    }

    fn gate(&self) -> Option<Arc<Gate>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What all clients of a run have in common.
#[derive(Clone, Debug)]
pub struct ClientMaker {
    hosts: Arc<Hosts>,
    tls: rustls::ClientConfig,
    protocol: Protocol,
    connect_timeout: Duration,
}

/// A certificate bundle that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the certificate bundle cannot be read: {0}\ngive --cacert a file with PEM certificates (-----BEGIN CERTIFICATE-----)"
)]
pub struct BadCertificates(String);

/// TLS that trusts the public roots and the certificates of a PEM bundle.
pub fn tls(extra_pem: Option<&[u8]>) -> Result<rustls::ClientConfig, BadCertificates> {
    let mut roots = rustls::RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if let Some(pem) = extra_pem {
        let mut found = 0;
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| BadCertificates(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| BadCertificates(error.to_string()))?;
            found += 1;
        }
        if found == 0 {
            return Err(BadCertificates("it holds no certificate".to_owned()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| BadCertificates(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

impl ClientMaker {
    /// Clients for checked hosts.
    #[must_use]
    pub fn new(
        hosts: Arc<Hosts>,
        tls: rustls::ClientConfig,
        protocol: Protocol,
        timeout: Duration,
    ) -> Self {
        Self {
            hosts,
            tls,
            protocol,
            connect_timeout: timeout.min(Duration::from_secs(10)),
        }
    }

    /// A client of this kind.
    pub fn make(&self, route: Route, valve: &Valve) -> Result<reqwest::Client, String> {
        let mut tls = self.tls.clone();
        let http2_only = match route {
            Route::H2 => true,
            Route::Ordinary | Route::Fresh => self.protocol == Protocol::Http2PriorKnowledge,
            _ => false,
        };
        let http1_only = match route {
            Route::H1 | Route::H1Valved | Route::Relay(_) => true,
            _ => self.protocol == Protocol::Http1,
        };
        tls.alpn_protocols = if http2_only || (self.protocol == Protocol::Http2 && !http1_only) {
            vec![b"h2".to_vec()]
        } else if http1_only {
            vec![b"http/1.1".to_vec()]
        } else {
            vec![b"h2".to_vec(), b"http/1.1".to_vec()]
        };
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .tcp_nodelay(true)
            .connect_timeout(self.connect_timeout)
            // shorter than what servers keep: a connection that they are about to close is not used again
            .pool_idle_timeout(Duration::from_millis(1_000))
            .dns_resolver(Pinned(self.hosts.clone()));
        if http1_only {
            builder = builder.http1_only();
        }
        if http2_only {
            builder = builder.http2_prior_knowledge();
        }
        match route {
            Route::Ordinary | Route::H1 | Route::H2 => {}
            Route::Fresh => builder = builder.pool_max_idle_per_host(0),
            Route::H1Valved => {
                builder = builder
                    .pool_max_idle_per_host(0)
                    .connector_layer(HoldOpened(valve.clone()));
            }
            Route::Relay(port) => {
                let proxy = reqwest::Proxy::all(format!("socks5h://127.0.0.1:{port}"))
                    .map_err(|error| error.to_string())?;
                builder = builder.pool_max_idle_per_host(0).proxy(proxy);
            }
        }
        builder
            .build()
            .map_err(|error| format!("the HTTP client cannot be made: {}", chain(&error)))
    }
}

/// An error with all its causes, once each.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}

/// Answers names with the addresses that were checked before the run, and no others.
struct Pinned(Arc<Hosts>);

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.0.addresses(name.as_str()).map(<[IpAddr]>::to_vec);
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let Some(addresses) = found else {
                return Err(format!("`{name}` was not checked before the run").into());
            };
            let with_port = addresses.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(with_port) as Addrs)
        })
    }
}

/// Lets a connection be opened (TCP and TLS) and holds it back before HTTP is spoken on it.
#[derive(Clone)]
struct HoldOpened(Valve);

impl<S> tower_layer::Layer<S> for HoldOpened {
    type Service = Holding<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Holding {
            inner,
            valve: self.0.clone(),
        }
    }
}

#[derive(Clone)]
struct Holding<S> {
    inner: S,
    valve: Valve,
}

impl<S, R> tower_service::Service<R> for Holding<S>
where
    S: tower_service::Service<R>,
    S::Future: Send + 'static,
    S::Response: Send,
    S::Error: Send,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let opening = self.inner.call(request);
        let gate = self.valve.gate();
        Box::pin(async move {
            let opened = opening.await?;
            if let Some(gate) = gate {
                let mut place = None;
                std::future::poll_fn(|cx| gate.pass(&mut place, cx)).await;
            }
            Ok(opened)
        })
    }
}
