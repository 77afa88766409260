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

    /// The round trip as the time to open a connection; nothing is sent on it.
    pub(super) fn measure_round_trip(&mut self) -> Result<(), Halt> {
        for replica in &self.target().replicas {
            let mut best: Option<Duration> = None;
            for _ in 0..3 {
                match self.connect(&replica.url) {
                    Ok(took) => best = Some(best.map_or(took, |best| best.min(took))),
                    Err(why) if best.is_none() => {
                        return Err(Halt::Stopped(Stopped {
                            why: format!("nothing answers at {}: {why}", replica.url),
                            remedy: "start the service, check --url, or wait for it: --wait 30s"
                                .to_owned(),
                        }));
                    }
                    Err(_) => break,
                }
            }
            self.round_trip = self.round_trip.max(best.unwrap_or_default());
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
