//! Whether the target can be reached, and how long a round trip takes.
//! It must not know which requests will be sent.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::client::Route;
use super::conductor::{Conductor, Halt};
use super::shot::{Landing, Shot};
use crate::config::settings::Protocol;
use crate::journal::event::Stopped;

impl Conductor<'_> {
    /// Polls until the target answers: a connection first, then any answer that is not a gateway's.
    pub(super) fn wait_for_target(&mut self, at_most: Duration) -> Result<(), Halt> {
        let began = Instant::now();
        for replica in &self.target().replicas {
            while let Err(last) = self.answers(&replica.url)? {
                if began.elapsed() >= at_most {
                    return Err(Halt::Stopped(Stopped {
                        why: format!(
                            "the target at {} did not answer within {} s: {last}",
                            replica.url,
                            at_most.as_secs_f64()
                        ),
                        remedy: "start the service, or give it longer: --wait 120s".to_owned(),
                        misconfigured: false,
                    }));
                }
                self.pause(Duration::from_millis(250))?;
            }
        }
        let waited = began.elapsed();
        if waited < Duration::from_millis(250) {
            // it was there
            return Ok(());
        }
        let text = format!(
            "waited {:.1} s until the target answered",
            waited.as_secs_f64()
        );
        self.note(None, text)
    }

    fn answers(&mut self, url: &url::Url) -> Result<Result<(), String>, Halt> {
        if let Err(why) = self.connect(url) {
            return Ok(Err(why));
        }
        let headers = [("Accept".to_owned(), b"*/*".to_vec())];
        let shot = match Shot::new("HEAD", url.clone(), &headers, Vec::new()) {
            Ok(shot) => shot,
            Err(why) => return Ok(Err(why)),
        };
        self.meter.permit(1)?;
        let timeout = Duration::from_secs(5).min(self.target().timeout.0);
        let flight = self.send_aside(shot, Route::Fresh, timeout)?;
        Ok(match flight.landing {
            Landing::Replied(reply) if matches!(reply.status, 502..=504) => {
                Err(format!("a gateway answers {}", reply.status))
            }
            Landing::Replied(_) => Ok(()),
            Landing::Unknown(why) | Landing::NotSent(why) => Err(why),
        })
    }

    fn connect(&self, url: &url::Url) -> Result<Duration, String> {
        let mut last = "it has no address".to_owned();
        for address in self.hosts.sockets(url) {
            let began = Instant::now();
            match TcpStream::connect_timeout(&address, Duration::from_secs(5)) {
                Ok(_) => return Ok(began.elapsed()),
                Err(error) => last = format!("{address}: {error}"),
            }
        }
        Err(last)
    }

    /// The round trip as the time to open a connection, and how much it varies; nothing is sent on it.
    pub(super) fn measure_round_trip(&mut self) -> Result<(), Halt> {
        for replica in &self.target().replicas {
            let mut times: Vec<Duration> = Vec::new();
            for _ in 0..CONNECTIONS {
                match self.connect(&replica.url) {
                    Ok(took) => times.push(took),
                    Err(why) if times.is_empty() => {
                        return Err(Halt::Stopped(Stopped {
                            why: format!("nothing answers at {}: {why}", replica.url),
                            remedy: "start the service, check --url, or wait for it: --wait 30s"
                                .to_owned(),
                            misconfigured: false,
                        }));
                    }
                    Err(_) => break,
                }
            }
            let best = times.iter().min().copied().unwrap_or_default();
            self.round_trip = self.round_trip.max(best);
            self.jitter = self.jitter.max(jitter(&times));
        }
        Ok(())
    }

    /// HTTP/2 is negotiated by TLS: without it there is none, unless it is known beforehand.
    pub(super) fn say_what_protocol_cannot_be(&mut self) -> Result<(), Halt> {
        let plain = self
            .target()
            .replicas
            .iter()
            .any(|replica| replica.url.scheme() == "http");
        if self.request.protocol == Protocol::Http2 && plain {
            let text = "HTTP/2 is negotiated by TLS; http:// is spoken to over HTTP/1.1 (--http2-prior-knowledge does without)";
            self.note(None, text.to_owned())?;
        }
        Ok(())
    }
}

/// Connections opened to measure the round trip.
const CONNECTIONS: u32 = 6;

/// The mean distance from the mean. The first one is left out: it finds caches and routes cold.
fn jitter(times: &[Duration]) -> Duration {
    let warm = times.get(1..).unwrap_or_default();
    let Ok(count) = u32::try_from(warm.len()) else {
        return Duration::ZERO;
    };
    if count == 0 {
        return Duration::ZERO;
    }
    let mean = warm.iter().sum::<Duration>() / count;
    warm.iter()
        .map(|time| time.abs_diff(mean))
        .sum::<Duration>()
        / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_the_mean_distance_from_the_mean_without_the_first() {
        let ms = Duration::from_millis;
        assert_eq!(jitter(&[ms(90), ms(10), ms(12), ms(14), ms(12)]), ms(1));
        assert_eq!(jitter(&[ms(90)]), Duration::ZERO);
    }
}
