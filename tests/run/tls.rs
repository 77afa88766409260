//! Over TLS everything is as without it: trust, bursts over both protocols, cut replies.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use doubletap::config::target::Target;
use doubletap::journal::event::Outcome;

/// A certificate for 127.0.0.1 and localhost that its own PEM vouches for, and a server configuration with it.
fn certified(alpn: &[&str]) -> (rustls::ServerConfig, String) {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    (config, made.cert.pem())
}

/// Answers every POST after `work`, one thread a connection, over HTTP/1.1.
fn serve(config: rustls::ServerConfig, work: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let config = config.clone();
            std::thread::spawn(move || {
                let connection = rustls::ServerConnection::new(config).unwrap();
                let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
                let mut buffer = Vec::new();
                let mut chunk = [0; 4096];
                while let Ok(n) = stream.read(&mut chunk) {
                    if n == 0 {
                        return;
                    }
                    buffer.extend_from_slice(&chunk[..n]);
                    let text = String::from_utf8_lossy(&buffer).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        continue;
                    };
                    let length = head
                        .lines()
                        .find_map(|line| line.strip_prefix("content-length: "))
                        .map_or(0, |length| length.parse::<usize>().unwrap());
                    if body.len() < length {
                        continue;
                    }
                    buffer.clear();
                    std::thread::sleep(work);
                    let reply = "HTTP/1.1 201 Created\r\ncontent-length: 10\r\n\r\n{\"id\":\"p\"}";
                    if stream.write_all(reply.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

fn secured(address: SocketAddr, pem: Option<String>) -> Target {
    let mut target = target(
        &format!("https://localhost:{}", address.port()),
        vec![payment()],
    );
    target.ca_pem = pem.map(String::into_bytes);
    target
}

const BURST: &str = "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n";

#[test]
fn a_certificate_that_nobody_vouches_for_stops_the_run() {
    let (config, _) = certified(&[]);
    let address = serve(config, Duration::ZERO);
    let story = Trial::new(&secured(address, None)).run(&drill(BURST, false));
    let stopped = story.stopped().unwrap();
    assert!(stopped.why.contains("could not be sent"), "{}", stopped.why);
    assert!(
        stopped.why.to_lowercase().contains("certificate"),
        "{}",
        stopped.why
    );
}

#[test]
fn bursts_over_tls_overlap_through_both_gates() {
    let (config, pem) = certified(&["http/1.1"]);
    let address = serve(config, Duration::from_millis(100));
    let target = secured(address, Some(pem));
    let mut trial = Trial::new(&target);
    trial.rounds = 2;
    let story = trial.run(&drill(BURST, true));
    for gate in story.gates() {
        assert!(gate.all_in_flight, "{gate:?}");
        assert_eq!(gate.protocol, "HTTP/1.1");
    }
}

#[test]
fn negotiated_http2_is_raced_on_one_connection() {
    let (config, pem) = certified(&["h2", "http/1.1"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let Ok(mut http) = h2::server::handshake(stream).await else {
                        return;
                    };
                    while let Some(Ok((request, mut respond))) = http.accept().await {
                        tokio::spawn(async move {
                            let mut body = request.into_body();
                            while let Some(Ok(chunk)) = body.data().await {
                                let _ = body.flow_control().release_capacity(chunk.len());
                            }
                            tokio::time::sleep(Duration::from_millis(100)).await;
                            let head = axum::http::Response::builder()
                                .status(201)
                                .body(())
                                .unwrap();
                            if let Ok(mut stream) = respond.send_response(head, false) {
                                let _ = stream.send_data("{\"id\":\"p\"}".into(), true);
                            }
                        });
                    }
                });
            }
        });
    });
    let target = secured(address, Some(pem));
    let mut trial = Trial::new(&target);
    trial.rounds = 2;
    trial.copies = 10;
    let story = trial.run(&drill(BURST, true));
    assert_eq!(story.ended().broken, None);
    for gate in story.gates() {
        assert_eq!(gate.protocol, "HTTP/2");
        assert!(gate.all_in_flight, "{gate:?}");
    }
}

#[test]
fn replies_are_cut_under_tls_too() {
    let (config, pem) = certified(&["http/1.1"]);
    let address = serve(config, Duration::from_millis(100));
    let target = secured(address, Some(pem));
    for (cut, words) in [
        ("while-working", "while the server worked"),
        ("at-first-byte", "at the reply's first byte"),
        ("after-last-byte", "after the reply's last byte"),
    ] {
        let text = format!("[[step]]\nsend = {{ as = \"lost\", key = \"k\", cut = \"{cut}\" }}\n");
        let story = Trial::new(&target).run(&drill(&text, false));
        let (_, done) = story.attempts("lost").remove(0);
        let Outcome::Unknown { why } = done.outcome else {
            panic!("{cut}: {done:?}");
        };
        assert!(why.contains(words), "{cut}: {why}");
    }
}
