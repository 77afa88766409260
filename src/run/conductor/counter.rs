//! One reading of a counter: by database, sink, command or GET. A counter that stays silent is not waited for again and again.
//! It must not know what is counted for, nor how many effects there should be.

use std::time::{Duration, Instant};

use super::{Conductor, Halt};
use crate::config::target::{Account, Counter, Operation};
use crate::journal::event::Stopped;
use crate::plan::intent::Intent;
use crate::plan::prepare;
use crate::plan::template::{Values, render, render_path};
use crate::run::client::Route;
use crate::run::effects::Whose;
use crate::run::effects::http::{Place, read};
use crate::run::meter::Meter;
use crate::run::patience::retry_after;
use crate::run::shot::{Flight, Landing, RawReply, Shot};

/// How long readings that fail one after another may take altogether before the counter is given up.
const LOST_AT_MOST: Duration = Duration::from_secs(10);
/// How often a counter's GET is sent again that a busy server put off.
const TRIES: u32 = 2;
/// The longest that such a server is waited for each time.
const OBEYED: Duration = Duration::from_secs(10);

/// Readings of one counter that failed one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Silence {
    in_a_row: u32,
    lost: Duration,
    last: String,
}

impl Silence {
    /// Quick failures cost nothing and may pass; two slow ones in a row are enough.
    fn is_given_up(&self) -> bool {
        self.in_a_row >= 2 && self.lost >= LOST_AT_MOST
    }
}

impl Conductor<'_> {
    /// Reads the counter once after the ordinary request: what is wrong with it is said before any drill begins.
    pub(in crate::run) fn try_counter(
        &mut self,
        operation: &Operation,
        intent: &Intent,
    ) -> Result<(), Halt> {
        let Some(counter) = &operation.count else {
            return Ok(());
        };
        let account = prepare::account(self.target(), "a").map_err(Halt::Broken)?;
        let counted = self.count_one(operation, intent, account)?;
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        let Err(why) = counted else {
            return Ok(());
        };
        let name = &operation.name;
        let place = match counter {
            Counter::Sql { .. } => {
                "mend the statement, the URL under [postgres] or the rights of its user".to_owned()
            }
            Counter::Get { path, .. } => format!(
                "mend the path `{path}`, the place in its reply, or the credentials of account a"
            ),
            Counter::Command(_) => "mend the command: it must print one whole number".to_owned(),
            Counter::Sink { .. } => "mend the sink's address".to_owned(),
        };
        Err(Halt::Stopped(Stopped {
            why: format!("the effects of `{name}` cannot be counted: {why}"),
            remedy: format!("{place} (count under [operation.{name}], or the --count-... flag)"),
            misconfigured: true,
        }))
    }

    /// One reading. The inner error says why there is no number.
    pub(super) fn count_one(
        &mut self,
        operation: &Operation,
        intent: &Intent,
        account: &Account,
    ) -> Result<Result<i64, String>, Halt> {
        let silence = self.silent.get(&operation.name);
        if let Some(silence) = silence.filter(|silence| silence.is_given_up()) {
            return Ok(Err(format!(
                "the counter was given up after {} readings without a number: {}",
                silence.in_a_row, silence.last
            )));
        }
        let began = Instant::now();
        let whose = Whose {
            intent,
            account,
            run: &self.request.plan.run,
        };
        let counted = match self.counters.count(operation, whose) {
            Some(counted) => counted,
            None => self.count_over_http(operation, intent, account),
        };
        match &counted {
            Ok(_) => drop(self.silent.remove(&operation.name)),
            Err(why) => {
                let silence = self.silent.entry(operation.name.clone()).or_default();
                silence.in_a_row += 1;
                silence.lost += began.elapsed();
                silence.last.clone_from(why);
                if silence.is_given_up() {
                    let text = format!(
                        "the counter of `{}` is given up, it was waited for {} s in vain: {why}",
                        operation.name,
                        silence.lost.as_secs()
                    );
                    self.note(None, text)?;
                }
            }
        }
        Ok(counted)
    }

    /// Where a request of the tool's own goes, that is no part of a drill: beside the service's first URL.
    pub(super) fn errand_url(&self, path: &str, values: &Values) -> Result<url::Url, String> {
        let path = render_path(path, values).map_err(|missing| missing.to_string())?;
        let base = self
            .target()
            .replicas
            .first()
            .ok_or("the target has no URL")?;
        let url = prepare::join(&base.url, &path)?;
        self.hosts.admits(&url)?;
        Ok(url)
    }

    fn count_over_http(
        &mut self,
        operation: &Operation,
        intent: &Intent,
        account: &Account,
    ) -> Result<i64, String> {
        let Some(Counter::Get {
            path,
            headers,
            at,
            matching,
            ..
        }) = &operation.count
        else {
            return Err("its effects are not counted".to_owned());
        };
        let values = Values::of(&self.request.plan.run, account, Some(intent));
        let fill = |text: &str| render(text, &values).map_err(|missing| missing.to_string());
        let url = self.errand_url(path, &values)?;
        let mut lines = errand_lines(account, headers, &values)?;
        for (name, value) in [
            ("Accept", "*/*"),
            (
                "User-Agent",
                concat!("doubletap/", env!("CARGO_PKG_VERSION")),
            ),
        ] {
            if !lines
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
            {
                lines.push((name.to_owned(), value.as_bytes().to_vec()));
            }
        }
        let lines = self.with_token(&account.name, &lines);
        let shot = Shot::new("GET", url, &lines, Vec::new())?;
        let matching = match matching {
            Some((field, text)) => Some((field.as_str(), fill(text)?)),
            None => None,
        };
        match self.get_count(&shot)?.landing {
            Landing::Replied(reply) => read(&reply, &Place { at, matching }),
            Landing::Unknown(why) | Landing::NotSent(why) => {
                Err(format!("the counter's GET had no reply: {why}"))
            }
        }
    }

    /// Sends the counter's GET, and once or twice more where the server says that it is busy.
    fn get_count(&mut self, shot: &Shot) -> Result<Flight, String> {
        let mut tries = 0;
        loop {
            permit(&mut self.meter)?;
            let timeout = self.target().timeout.0;
            let pending = self.counting.send(shot.clone(), Route::Ordinary, timeout);
            let (flight, was_interrupted) = self.await_flight(&pending);
            self.obey(&flight);
            let wait = flight.reply().and_then(|reply| put_off(reply, tries));
            let Some(wait) = wait.filter(|_| !was_interrupted) else {
                return Ok(flight);
            };
            self.meter.pause(wait);
            tries += 1;
        }
    }
}

/// The account's headers, and over them those of the request.
pub(super) fn errand_lines(
    account: &Account,
    headers: &[(String, String)],
    values: &Values,
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut lines: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, value) in account.headers.iter().chain(headers) {
        let value = render(value, values).map_err(|missing| missing.to_string())?;
        lines.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        lines.push((name.clone(), value.into_bytes()));
    }
    Ok(lines)
}

/// How long to wait before a counter is asked again; `None`: its reply is what there is.
fn put_off(reply: &RawReply, tries: u32) -> Option<Duration> {
    if tries >= TRIES || !matches!(reply.status, 429 | 502 | 503 | 504) {
        return None;
    }
    let backoff = Duration::from_millis(200 << tries);
    let wish = retry_after(reply, jiff::Timestamp::now()).unwrap_or(backoff);
    // asked earlier than it wants to be, it would only say the same
    (wish <= OBEYED).then(|| wish.max(Duration::from_millis(50)))
}

fn permit(meter: &mut Meter<'_>) -> Result<(), String> {
    meter.permit(1).map_err(|refused| refused.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(status: u16, retry_after: &str) -> RawReply {
        RawReply {
            status,
            headers: vec![("retry-after".to_owned(), retry_after.to_owned())],
            body: bytes::Bytes::new(),
            truncated: false,
        }
    }

    #[test]
    fn a_busy_counter_is_asked_again_when_it_says_and_no_more_than_twice() {
        assert_eq!(put_off(&busy(503, "2"), 0), Some(Duration::from_secs(2)));
        assert_eq!(
            put_off(&busy(429, "x"), 1),
            Some(Duration::from_millis(400))
        );
        assert_eq!(put_off(&busy(503, "2"), 2), None);
        assert_eq!(
            put_off(&busy(503, "3600"), 0),
            None,
            "an hour is not waited for"
        );
        assert_eq!(put_off(&busy(500, "1"), 0), None);
        assert_eq!(put_off(&busy(200, "1"), 0), None);
    }

    #[test]
    fn quick_failures_are_borne_and_slow_ones_are_not() {
        let silence = |in_a_row, lost| Silence {
            in_a_row,
            lost: Duration::from_secs(lost),
            last: String::new(),
        };
        assert!(!silence(500, 1).is_given_up());
        assert!(!silence(1, 30).is_given_up());
        assert!(silence(2, 60).is_given_up());
    }
}
