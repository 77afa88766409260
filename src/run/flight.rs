//! One request on its way: sent once, its reply read up to a cap, never longer than its timeout.
//! It must not know what the reply means.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Version;

use super::client::chain;
use super::clock::Clock;
use super::gated_body::{Gate, GatedBody, Stamp};
use super::shot::{BODY_CAP, Flight, Landing, RawReply, Shot};

/// How a request is sent.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The gate that keeps the last byte back, where there is one.
    pub gate: Option<Arc<Gate>>,
    /// Notes when the last byte was handed over.
    pub stamp: Arc<Stamp>,
    /// How long it may take, from hand-over to the reply's last byte.
    pub timeout: Duration,
}

/// Sends a request and reads its reply. It never hangs: what takes longer than the timeout is unknown.
pub async fn fly(client: &reqwest::Client, shot: Shot, passage: Passage, clock: Clock) -> Flight {
    let mut request = reqwest::Request::new(shot.method, shot.url);
    *request.headers_mut() = shot.headers;
    let body = GatedBody::new(shot.body, passage.gate, passage.stamp.clone());
    *request.body_mut() = Some(reqwest::Body::wrap(body));
    let mut flight = Flight::without_reply(clock.now(), Landing::Unknown(String::new()));
    let sending = exchange(client, request, clock, &mut flight);
    let landing = match tokio::time::timeout(passage.timeout, sending).await {
        Ok(landing) => landing,
        Err(_) => Landing::Unknown(format!(
            "no whole reply within {} s",
            passage.timeout.as_secs_f64()
        )),
    };
    flight.end_us = clock.now();
    if !matches!(landing, Landing::NotSent(_)) {
        flight.released_us = passage.stamp.get();
    }
    flight.landing = landing;
    flight
}

async fn exchange(
    client: &reqwest::Client,
    request: reqwest::Request,
    clock: Clock,
    flight: &mut Flight,
) -> Landing {
    let mut response = match client.execute(request).await {
        Ok(response) => response,
        Err(error) if error.is_connect() || error.is_builder() => {
            return Landing::NotSent(chain(&error.without_url()));
        }
        Err(error) => {
            return Landing::Unknown(format!(
                "the connection ended without a reply: {}",
                chain(&error.without_url())
            ));
        }
    };
    flight.first_byte_us = Some(clock.now());
    flight.protocol = Some(protocol_name(response.version()));
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect();
    let mut body = BytesMut::new();
    let mut truncated = false;
    loop {
        match response.chunk().await {
            Ok(None) => break,
            Ok(Some(chunk)) if body.len() + chunk.len() > BODY_CAP => {
                body.extend_from_slice(&chunk[..BODY_CAP - body.len()]);
                truncated = true;
                break;
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) => {
                return Landing::Unknown(format!(
                    "the reply (status {status}) was cut after {} bytes of its body: {}",
                    body.len(),
                    chain(&error.without_url())
                ));
            }
        }
    }
    Landing::Replied(RawReply {
        status,
        headers,
        body: Bytes::from(body),
        truncated,
    })
}

fn protocol_name(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_11 => "HTTP/1.1",
        Version::HTTP_2 => "HTTP/2",
        _ => "HTTP/3",
    }
}
