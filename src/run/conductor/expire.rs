//! Keys made to expire as the target declares, and commands of the target.
//! It must not know what the API should do afterwards.

use super::send::Spot;
use super::{Conductor, Halt, Round};
use crate::config::suite::{ExpireStep, HookStep};
use crate::config::target::{Account, Body, Expire};
use crate::journal::event::{Errand, Event, ExpiryDone, HookDone};
use crate::plan::Instance;
use crate::plan::intent::Intent;
use crate::plan::prepare;
use crate::plan::sql::{Bound, Parameter, bind};
use crate::plan::template::{Values, render, render_json};
use crate::run::client::Route;
use crate::run::command;
use crate::run::effects::Whose;
use crate::run::shot::{Landing, Shot};

/// What to try where no row has the key: services that keep the header's text keep a structured-field string with its quotes.
fn other_form(bound: &Bound, intent: &Intent) -> &'static str {
    let wire = intent.lines.first().map(Vec::as_slice);
    let is_other = intent
        .key
        .as_ref()
        .is_some_and(|key| wire.is_some_and(|wire| wire != key.as_bytes()));
    let asks = |parameter| bound.parameters.contains(&parameter);
    if !is_other {
        ""
    } else if asks(Parameter::Key) && !asks(Parameter::WireKey) {
        "; :key is the key without its quotes, and it travels as a quoted string: a service that keeps the header's text is asked by :wire_key"
    } else if asks(Parameter::WireKey) {
        "; :wire_key is the key as it travels, in quotes: a service that keeps the key itself is asked by :key"
    } else {
        ""
    }
}

impl Conductor<'_> {
    pub(super) fn expire(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        step: &ExpireStep,
    ) -> Result<(), Halt> {
        self.make_intent(instance, round, &step.key)?;
        let intent = round.intents[&step.key].clone();
        let account = step.account.as_deref().unwrap_or("a");
        let account = prepare::account(self.target(), account).map_err(Halt::Broken)?;
        let target = self.target();
        let Some(expire) = &target.expire else {
            return Err(Halt::Broken(
                "the target declares no way to make a key expire ([expire])".to_owned(),
            ));
        };
        let mut errand = None;
        let (how, outcome) = match expire {
            Expire::Wait(length) => {
                self.pause(length.0)?;
                ("wait", Ok(format!("waited {length}")))
            }
            Expire::Sql { sql, rows } => ("sql", self.expire_by_sql(sql, *rows, &intent, account)),
            Expire::Http {
                method,
                path,
                headers,
                body,
            } => (
                "http",
                self.errand(method, path, headers, body, &intent, account)
                    .and_then(|shot| {
                        errand = Some(self.told(&shot));
                        self.expire_over_http(shot)
                    }),
            ),
            Expire::Command(line) => {
                let whose = Whose {
                    intent: &intent,
                    account,
                    run: &self.request.plan.run,
                };
                let ended = command::run(line, &whose.environment());
                let outcome = match ended.exit {
                    Some(0) => Ok(format!("exit 0: {}", ended.tail())),
                    Some(code) => Err(format!("exit {code}: {}", ended.tail())),
                    None => Err(ended.why.unwrap_or_default()),
                };
                ("command", outcome)
            }
            // the round is kept before it comes here
            Expire::Later => ("later", Err("the key is left to expire".to_owned())),
        };
        let at_us = self.clock.now();
        self.record(Event::Expired(ExpiryDone {
            instance: instance.id.clone(),
            round: round.number,
            intent: step.key.clone(),
            how: how.to_owned(),
            done: outcome.is_ok(),
            detail: outcome.unwrap_or_else(|why| why),
            errand,
            at_us,
        }))
    }

    fn expire_by_sql(
        &mut self,
        sql: &str,
        rows: u64,
        intent: &Intent,
        account: &Account,
    ) -> Result<String, String> {
        self.may_change_database()?;
        let bound = bind(sql);
        let whose = Whose {
            intent,
            account,
            run: &self.request.plan.run,
        };
        let values = whose.values(&bound)?;
        let database = self
            .counters
            .database
            .as_mut()
            .ok_or("the target declares no database ([postgres])")?;
        let changed = database.change(&bound, &values, rows)?;
        if changed == rows {
            Ok(format!("{changed} rows changed"))
        } else {
            Err(format!(
                "the statement would have changed {changed} rows; {rows} are declared, so it was rolled back{}",
                if changed == 0 {
                    other_form(&bound, intent)
                } else {
                    ""
                }
            ))
        }
    }

    /// Whether the database may be changed or locked: only near ones, or those allowed by name.
    pub(super) fn may_change_database(&self) -> Result<(), String> {
        let database = self
            .counters
            .database
            .as_ref()
            .ok_or("the target declares no database ([postgres])")?;
        for host in database.hosts() {
            let addresses: Vec<std::net::IpAddr> = match host.parse() {
                Ok(ip) => vec![ip],
                Err(_) => std::net::ToSocketAddrs::to_socket_addrs(&(host.as_str(), 5432))
                    .map_err(|error| format!("the database host `{host}` has no address: {error}"))?
                    .map(|address| address.ip())
                    .collect(),
            };
            self.hosts
                .admit(&host.to_lowercase(), &addresses)
                .map_err(|refused| refused.to_string())?;
        }
        Ok(())
    }

    /// The declared request that makes a key expire.
    fn errand(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &Body,
        intent: &Intent,
        account: &Account,
    ) -> Result<Shot, String> {
        let values = Values::of(&self.request.plan.run, account, Some(intent));
        let fill = |text: &str| render(text, &values).map_err(|missing| missing.to_string());
        let url = self.errand_url(path, &values)?;
        let (content_type, bytes) = match body {
            Body::Empty => (None, Vec::new()),
            Body::Json(text) => {
                let text = render_json(text, &values).map_err(|missing| missing.to_string())?;
                (Some("application/json".to_owned()), text.into_bytes())
            }
            Body::Form(fields) => {
                let mut form = url::form_urlencoded::Serializer::new(String::new());
                for (name, value) in fields {
                    form.append_pair(name, &fill(value)?);
                }
                let content_type = "application/x-www-form-urlencoded".to_owned();
                (Some(content_type), form.finish().into_bytes())
            }
            Body::Text { content_type, text } => {
                (Some(content_type.clone()), fill(text)?.into_bytes())
            }
        };
        let mut lines = super::counter::errand_lines(account, headers, &values)?;
        let has_type = lines
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if let (Some(content_type), false) = (content_type, has_type) {
            lines.push(("Content-Type".to_owned(), content_type.into_bytes()));
        }
        let lines = self.with_token(&account.name, &lines);
        Shot::new(method, url, &lines, bytes)
    }

    /// What the journal keeps of such a request, so that a reader can repeat it.
    fn told(&self, shot: &Shot) -> Errand {
        let headers = shot.headers.iter().map(|(name, value)| {
            let text = (self.request.header)(name.as_str(), value.as_bytes());
            (name.to_string(), text)
        });
        Errand {
            method: shot.method.to_string(),
            url: shot.url.to_string(),
            headers: headers.collect(),
            body: (self.request.content)(&shot.body, false),
        }
    }

    fn expire_over_http(&mut self, shot: Shot) -> Result<String, String> {
        self.meter
            .permit(1)
            .map_err(|refused| refused.to_string())?;
        let pending = self
            .counting
            .send(shot, Route::Ordinary, self.target().timeout.0);
        let (flight, _) = self.await_flight(&pending);
        match flight.landing {
            Landing::Replied(reply) if (200..300).contains(&reply.status) => {
                Ok(format!("answered {}", reply.status))
            }
            Landing::Replied(reply) => Err(format!("answered {}", reply.status)),
            Landing::Unknown(why) | Landing::NotSent(why) => Err(why),
        }
    }

    pub(super) fn hook(
        &mut self,
        instance: &Instance,
        round: &mut Round,
        step: &HookStep,
    ) -> Result<(), Halt> {
        let spot = Spot {
            instance,
            round: round.number,
        };
        let Some(line) = self.target().hooks.get(&step.run) else {
            return Err(Halt::Broken(format!(
                "the target declares no command `{}` ([hook])",
                step.run
            )));
        };
        if self.meter.is_interrupted() {
            return Err(Halt::Interrupted);
        }
        let environment = [
            ("DOUBLETAP_RUN".to_owned(), self.request.plan.run.clone()),
            ("DOUBLETAP_INSTANCE".to_owned(), spot.instance.id.clone()),
            ("DOUBLETAP_ROUND".to_owned(), spot.round.to_string()),
        ];
        let ended = command::run(line, &environment);
        let output = match &ended.why {
            Some(why) => format!("{why}\n{}", ended.tail()),
            None => ended.tail(),
        };
        let at_us = self.clock.now();
        self.record(Event::Hook(HookDone {
            instance: instance.id.clone(),
            round: round.number,
            name: step.run.clone(),
            exit: ended.exit,
            output: output.trim().to_owned(),
            at_us,
        }))
    }
}
