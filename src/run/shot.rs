//! A request as final bytes on its way out, and what became of it.
//! It must not know why it is sent, nor how it is carried.

use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::contract::Received;

/// A request as final bytes. Below this only Host and Content-Length are added.
#[derive(Clone, Debug)]
pub struct Shot {
    /// The method.
    pub method: Method,
    /// The whole URL.
    pub url: Url,
    /// The headers; a name may stand twice.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Shot {
    /// Takes a request's parts. `Err` says what HTTP cannot carry.
    pub fn new(
        method: &str,
        url: Url,
        headers: &[(String, Vec<u8>)],
        body: Vec<u8>,
    ) -> Result<Self, String> {
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| format!("`{method}` is no HTTP method"))?;
        let mut map = HeaderMap::with_capacity(headers.len());
        for (name, value) in headers {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("`{name}` is no header name"))?;
            let value = HeaderValue::from_bytes(value).map_err(|_| {
                format!("a header cannot carry the value of `{name}` (control bytes)")
            })?;
            map.append(header, value);
        }
        // RFC 9110, section 8.6: a POST without content says so; hyper leaves it out
        let speaks_of_content = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        if body.is_empty() && speaks_of_content && !map.contains_key(CONTENT_LENGTH) {
            map.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        Ok(Self {
            method,
            url,
            headers: map,
            body: Bytes::from(body),
        })
    }
}

/// What became of a shot.
#[derive(Clone, Debug)]
pub struct Flight {
    /// When it was handed over to the client.
    pub at_us: u64,
    /// When its last byte was handed to the connection, where that was seen.
    pub released_us: Option<u64>,
    /// When the reply's head arrived.
    pub first_byte_us: Option<u64>,
    /// When it was over.
    pub end_us: u64,
    /// `HTTP/1.1` or `HTTP/2`, where a reply told.
    pub protocol: Option<&'static str>,
    /// What came.
    pub landing: Landing,
}

impl Flight {
    /// The reply, where a whole one came.
    #[must_use]
    pub fn reply(&self) -> Option<&RawReply> {
        match &self.landing {
            Landing::Replied(reply) => Some(reply),
            _ => None,
        }
    }

    /// Whether its HTTP/1.1 connection waits for another request now.
    #[must_use]
    pub fn leaves_its_connection_open(&self) -> bool {
        self.protocol == Some("HTTP/1.1")
            && self.reply().is_some_and(|reply| {
                let closes = reply.headers.iter().any(|(name, value)| {
                    name == "connection" && value.to_ascii_lowercase().contains("close")
                });
                !closes && !reply.truncated
            })
    }

    /// A shot that never left.
    #[must_use]
    pub fn not_sent(at_us: u64, why: String) -> Self {
        Self::without_reply(at_us, Landing::NotSent(why))
    }

    /// A shot of which nothing came back.
    #[must_use]
    pub fn without_reply(at_us: u64, landing: Landing) -> Self {
        Self {
            at_us,
            released_us: None,
            first_byte_us: None,
            end_us: at_us,
            protocol: None,
            landing,
        }
    }
}

/// What came of a shot.
#[derive(Clone, Debug)]
pub enum Landing {
    /// A whole reply.
    Replied(RawReply),
    /// It may or may not have been carried out.
    Unknown(String),
    /// It never left.
    NotSent(String),
}

/// A reply as it came.
#[derive(Clone, Debug)]
pub struct RawReply {
    /// The status.
    pub status: u16,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, at most [`BODY_CAP`] bytes of it.
    pub body: Bytes,
    /// Whether the body went on beyond the cap.
    pub truncated: bool,
}

impl RawReply {
    /// As it is read by the contract.
    #[must_use]
    pub fn received(&self) -> Received<'_> {
        Received {
            status: self.status,
            headers: &self.headers,
            text: std::str::from_utf8(&self.body).ok(),
        }
    }

    /// The first header of this name (lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is read of a body at the most: an endless reply must not fill the memory.
pub const BODY_CAP: usize = 4 * 1024 * 1024;
