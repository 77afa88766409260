//! Tokens of accounts with client credentials: fetched before the run, and again before they expire or when one is refused.
//! It must not let a token into an event: what is recorded holds the account's stand-in.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{Conductor, Halt};
use crate::config::target::{OAuth, Secret};
use crate::journal::Redactor;
use crate::journal::event::Stopped;
use crate::run::client::Route;
use crate::run::patience::retry_after;
use crate::run::shot::{Flight, Landing, RawReply, Shot};

/// A token that lives shorter than this is renewed when a quarter of its life is left.
const MARGIN: Duration = Duration::from_secs(60);
/// How often a busy token endpoint is asked.
const TRIES: u32 = 3;
/// The longest that it is waited for between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The tokens of a run.
#[derive(Default)]
pub(super) struct Tokens {
    held: BTreeMap<String, Held>,
    given: Vec<Secret>,
    redactor: Redactor,
}

struct Held {
    token: SecretString,
    renew_at: Option<Instant>,
    /// A request with it succeeded in being let in: a later 401 means that it is no longer good.
    is_renewal: bool,
}

impl Tokens {
    /// A header's value as it leaves: the token where its stand-in stands.
    pub(super) fn fill(&self, account: &str, value: &[u8]) -> Option<Vec<u8>> {
        let stand_in = OAuth::stand_in(account);
        let held = self.held.get(account)?;
        let text = std::str::from_utf8(value).ok()?;
        text.contains(&stand_in).then(|| {
            text.replace(&stand_in, held.token.expose_secret())
                .into_bytes()
        })
    }

    fn keep(&mut self, account: &str, granted: Granted, is_renewal: bool) {
        self.given.push(Secret {
            name: format!("$TOKEN_OF_{}", account.to_uppercase().replace('-', "_")),
            value: granted.token.clone(),
        });
        self.redactor = Redactor::new(&self.given);
        let margin = |life: Duration| MARGIN.min(life / 4);
        let held = Held {
            token: granted.token,
            renew_at: granted
                .life
                .map(|life| Instant::now() + life - margin(life)),
            is_renewal,
        };
        self.held.insert(account.to_owned(), held);
    }

    /// The flight without tokens: a service may repeat in its reply what it was sent.
    pub(super) fn scrub(&self, flight: &mut Flight) {
        if self.given.is_empty() {
            return;
        }
        let Landing::Replied(reply) = &mut flight.landing else {
            return;
        };
        for (_, value) in &mut reply.headers {
            if self.redactor.finds(value) {
                *value = self.redactor.redact(value);
            }
        }
        if let Ok(text) = std::str::from_utf8(&reply.body)
            && self.redactor.finds(text)
        {
            reply.body = self.redactor.redact_cut(text).into();
        }
    }
}

impl Conductor<'_> {
    /// Fetches the tokens that are not there yet, and those that are about to expire.
    pub(in crate::run) fn renew(&mut self) -> Result<(), Halt> {
        for account in &self.target().accounts {
            let Some(oauth) = &account.oauth else {
                continue;
            };
            let held = self.tokens.held.get(&account.name);
            let is_due = held.is_none_or(|held| {
                let at = held.renew_at;
                at.is_some_and(|at| at <= Instant::now())
            });
            if is_due {
                self.fetch_token(&account.name, oauth, false)?;
            }
        }
        Ok(())
    }

    /// Whether a 401 is worth a new token and another try: once for each token that was good before.
    pub(super) fn renewed_after(&mut self, account: &str, flight: &Flight) -> Result<bool, Halt> {
        if flight.reply().is_none_or(|reply| reply.status != 401) {
            // whoever was let in has a good token: a later 401 is worth another one
            if let Some(held) = self.tokens.held.get_mut(account) {
                held.is_renewal = false;
            }
            return Ok(false);
        }
        let is_spent = self
            .tokens
            .held
            .get(account)
            .is_none_or(|held| held.is_renewal);
        let all = &self.target().accounts;
        let oauth = all
            .iter()
            .find(|other| other.name == account)
            .and_then(|account| account.oauth.as_ref());
        let Some(oauth) = oauth.filter(|_| !is_spent) else {
            return Ok(false);
        };
        self.fetch_token(account, oauth, true)?;
        Ok(true)
    }

    fn fetch_token(&mut self, account: &str, oauth: &OAuth, again: bool) -> Result<(), Halt> {
        let url = &oauth.token_url;
        let stopped = |why: String| {
            Halt::Stopped(Stopped {
                why: format!("no token for account `{account}`: {why}"),
                remedy: format!(
                    "check [account.{account}] oauth: token-url, client-id, client-secret, scope, send"
                ),
                misconfigured: false,
            })
        };
        let mut tries = 0;
        let granted = loop {
            let shot = self.token_shot(oauth).map_err(stopped)?;
            self.meter.permit(1)?;
            let timeout = self.target().timeout.0;
            let flight = self.send_aside(shot, Route::Fresh, timeout)?;
            tries += 1;
            let reply = match &flight.landing {
                Landing::Replied(reply) => reply,
                Landing::Unknown(why) | Landing::NotSent(why) => {
                    return Err(stopped(format!("{url} had no reply: {why}")));
                }
            };
            let wait = retry_after(reply, jiff::Timestamp::now()).unwrap_or(Duration::from_secs(1));
            if matches!(reply.status, 429 | 503) && tries < TRIES && wait <= LONGEST_WAIT {
                self.pause(wait)?;
                continue;
            }
            break granted(reply).map_err(|why| stopped(format!("{url} {why}")))?;
        };
        let lives = granted.life.map_or(String::new(), |life| {
            format!(", good for {} s", life.as_secs())
        });
        self.tokens.keep(account, granted, again);
        let why = if again {
            " (401 was answered to the one before)"
        } else {
            ""
        };
        self.note(
            None,
            format!("a token for account {account} was fetched from {url}{lives}{why}"),
        )
    }

    fn token_shot(&self, oauth: &OAuth) -> Result<Shot, String> {
        self.hosts.admits(&oauth.token_url)?;
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if let Some(scope) = &oauth.scope {
            form.append_pair("scope", scope);
        }
        form.extend_pairs(&oauth.params);
        let secret = oauth.client_secret.expose_secret();
        let mut headers = vec![
            ("Accept".to_owned(), b"application/json".to_vec()),
            (
                "Content-Type".to_owned(),
                b"application/x-www-form-urlencoded".to_vec(),
            ),
            (
                "User-Agent".to_owned(),
                concat!("doubletap/", env!("CARGO_PKG_VERSION")).into(),
            ),
        ];
        if oauth.in_body {
            form.append_pair("client_id", &oauth.client_id);
            form.append_pair("client_secret", secret);
        } else {
            // RFC 6749, section 2.3.1: both are encoded as in a form
            let encoded = |text: &str| -> String {
                url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let pair = format!("{}:{}", encoded(&oauth.client_id), encoded(secret));
            let value = format!("Basic {}", STANDARD.encode(pair));
            headers.push(("Authorization".to_owned(), value.into_bytes()));
        }
        let body = form.finish().into_bytes();
        Shot::new("POST", oauth.token_url.clone(), &headers, body)
    }
}

/// What a token endpoint gave.
struct Granted {
    token: SecretString,
    life: Option<Duration>,
}

/// Reads its reply. An error names its code only: the rest may repeat what was sent.
fn granted(reply: &RawReply) -> Result<Granted, String> {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    if !(200..300).contains(&reply.status) {
        let code = body["error"].as_str().filter(|code| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            code.len() <= 64 && code.bytes().all(plain)
        });
        let code = code.map_or(String::new(), |code| format!(" ({code})"));
        return Err(format!("answered {}{code}", reply.status));
    }
    let token = body["access_token"].as_str().unwrap_or_default();
    if token.is_empty() {
        return Err("answered without an access_token in a JSON object".to_owned());
    }
    if !token.bytes().all(|b| (0x21..0x7f).contains(&b)) {
        return Err("gave a token that no header can carry".to_owned());
    }
    let kind = body["token_type"].as_str().unwrap_or("bearer");
    if !kind.eq_ignore_ascii_case("bearer") {
        return Err("gave a token that is no bearer token".to_owned());
    }
    let seconds = match &body["expires_in"] {
        Value::Number(seconds) => seconds.as_f64(),
        Value::String(seconds) => seconds.parse().ok(),
        _ => None,
    };
    let life = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(Granted {
        token: SecretString::from(token.to_owned()),
        // what lives for years needs no renewal, and no instant is so far away
        life: life.filter(|life| *life < Duration::from_secs(10 * 365 * 24 * 3600)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> RawReply {
        RawReply {
            status,
            headers: vec![],
            body: body.to_owned().into(),
            truncated: false,
        }
    }

    #[test]
    fn a_token_is_read_with_its_life() {
        let read = |body: &str| {
            granted(&reply(200, body)).map(|g| (g.token.expose_secret().to_owned(), g.life))
        };
        let hour = Some(Duration::from_secs(3600));
        assert_eq!(
            read(r#"{"access_token":"abc","token_type":"Bearer","expires_in":3600}"#),
            Ok(("abc".to_owned(), hour))
        );
        assert_eq!(
            read(r#"{"access_token":"abc","expires_in":"3600"}"#),
            Ok(("abc".to_owned(), hour))
        );
        assert_eq!(
            read(r#"{"access_token":"abc","expires_in":1e300}"#),
            Ok(("abc".to_owned(), None))
        );
        assert!(read(r#"{"access_token":"a b"}"#).is_err());
        assert!(read(r#"{"access_token":"abc","token_type":"mac"}"#).is_err());
        assert!(read("<html>").is_err());
    }

    #[test]
    fn a_refusal_is_told_by_its_code_alone() {
        let why = |body: &str| granted(&reply(401, body)).err().unwrap();
        assert_eq!(
            why(r#"{"error":"invalid_client","error_description":"secret hush-hush is wrong"}"#),
            "answered 401 (invalid_client)"
        );
        assert_eq!(why(r#"{"error":"hush hush"}"#), "answered 401");
    }

    #[test]
    fn a_token_never_comes_back_out_of_a_reply() {
        let mut tokens = Tokens::default();
        let granted = granted(&reply(200, r#"{"access_token":"hush-hush-token"}"#)).unwrap();
        tokens.keep("a", granted, false);
        let mut echo = reply(200, r#"{"you":"Bearer hush-hush-token"}"#);
        echo.headers
            .push(("x-echo".to_owned(), "hush-hush-token".to_owned()));
        let mut flight = Flight::without_reply(0, Landing::Replied(echo));
        tokens.scrub(&mut flight);
        let shown = format!("{:?}", flight.landing);
        assert!(
            !shown.contains("hush-hush") && shown.contains("TOKEN_OF_A"),
            "{shown}"
        );
        let filled = tokens.fill("a", b"Bearer doubletap-token-of-a").unwrap();
        assert_eq!(filled, b"Bearer hush-hush-token");
        assert_eq!(tokens.fill("b", b"Bearer doubletap-token-of-b"), None);
    }
}
