//! How the database is reached: its URL, and TLS by `sslmode` as libpq reads it.
//! It must not know what is asked there.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::sql::explain;
use crate::run::client;

/// A way to connect.
pub struct Connection {
    config: Config,
    tls: MakeRustlsConnect,
}

/// Reads a URL (or `key=value` text). `verify-ca` is taken as `verify-full`; `prefer` and `require` encrypt without checking, as in libpq.
pub fn connection(url: &str, ca_pem: Option<&[u8]>) -> Result<Connection, String> {
    let (url, root_file) = without(url, "sslrootcert");
    let mut verify = false;
    let mut text = url;
    for mode in ["verify-full", "verify-ca"] {
        let wanted = format!("sslmode={mode}");
        if text.contains(&wanted) {
            text = text.replace(&wanted, "sslmode=require");
            verify = true;
        }
    }
    // the parser's own text could hold the password
    let mut config: Config = text.parse().map_err(|_| {
        "the database URL cannot be read; write postgres://USER:PASSWORD@HOST:PORT/NAME?sslmode=..."
            .to_owned()
    })?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(10));
    }
    if config.get_application_name().is_none() {
        config.application_name("doubletap");
    }
    let roots = match root_file {
        Some(path) if path != "system" => {
            Some(read(&path).map_err(|error| format!("sslrootcert `{path}`: {error}"))?)
        }
        _ => None,
    };
    let mut tls = client::tls(roots.as_deref().or(ca_pem)).map_err(|error| error.to_string())?;
    if !verify {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        tls.dangerous()
            .set_certificate_verifier(Arc::new(EncryptOnly(provider)));
    }
    Ok(Connection {
        config,
        tls: MakeRustlsConnect::new(tls),
    })
}

/// Certificates: what is longer than a bundle of them can be is none.
fn read(path: &str) -> std::io::Result<Vec<u8>> {
    let mut pem = Vec::new();
    std::fs::File::open(path)?
        .take(16 * 1024 * 1024)
        .read_to_end(&mut pem)?;
    Ok(pem)
}

/// Takes a parameter out of a URL or a `key=value` text.
fn without(text: &str, name: &str) -> (String, Option<String>) {
    let wanted = format!("{name}=");
    let Some(at) = text.find(&wanted) else {
        return (text.to_owned(), None);
    };
    let rest = &text[at + wanted.len()..];
    let end = rest.find(['&', ' ']).unwrap_or(rest.len());
    let value = percent_encoding::percent_decode_str(&rest[..end])
        .decode_utf8_lossy()
        .into_owned();
    let mut left = text[..at].to_owned();
    let tail = &rest[end..];
    if left.ends_with('?') && !tail.is_empty() {
        left.push_str(&tail[1..]);
    } else {
        left.truncate(left.trim_end_matches(['?', '&', ' ']).len());
        left.push_str(tail);
    }
    (left, Some(value))
}

impl Connection {
    /// Opens a connection; a task of the runtime drives it.
    pub async fn open(&self) -> Result<Client, String> {
        let (client, driven) = self
            .config
            .connect(self.tls.clone())
            .await
            .map_err(|error| format!("the database cannot be reached: {}", explain(&error)))?;
        tokio::spawn(driven);
        Ok(client)
    }

    /// The host names that it connects to over the network.
    pub fn hosts(&self) -> Vec<String> {
        let addresses = self.config.get_hostaddrs().iter().map(ToString::to_string);
        let names = self
            .config
            .get_hosts()
            .iter()
            .filter_map(|host| match host {
                Host::Tcp(name) => Some(name.clone()),
                #[cfg(unix)]
                Host::Unix(_) => None,
            });
        addresses.chain(names).collect()
    }
}

/// Encrypts without asking who the server is: what libpq does below `verify-ca`.
#[derive(Debug)]
struct EncryptOnly(Arc<CryptoProvider>);

impl ServerCertVerifier for EncryptOnly {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::{connection, without};

    #[test]
    fn every_ssl_mode_of_libpq_is_understood() {
        for mode in ["disable", "prefer", "require", "verify-ca", "verify-full"] {
            let url = format!("postgres://u:p@db.example:5433/shop?sslmode={mode}");
            assert_eq!(
                connection(&url, None).unwrap().hosts(),
                ["db.example"],
                "{mode}"
            );
        }
    }

    #[test]
    fn a_url_that_cannot_be_read_is_not_repeated() {
        let error = connection("postgres://u:secret@host:port/x", None)
            .err()
            .unwrap();
        assert!(!error.contains("secret"), "{error}");
        assert!(error.contains("postgres://USER"), "{error}");
    }

    #[test]
    fn a_root_certificate_is_taken_out_of_the_url() {
        for (text, left) in [
            (
                "postgres://h/d?sslrootcert=/a%20b&sslmode=require",
                "postgres://h/d?sslmode=require",
            ),
            (
                "postgres://h/d?sslmode=require&sslrootcert=/a%20b",
                "postgres://h/d?sslmode=require",
            ),
            ("postgres://h/d?sslrootcert=/a%20b", "postgres://h/d"),
        ] {
            let (rest, value) = without(text, "sslrootcert");
            assert_eq!((rest.as_str(), value.as_deref()), (left, Some("/a b")));
        }
    }
}
