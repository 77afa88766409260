//! preflight: browsers may send the key and read the marker (CORS). Advice: it warns at the most.
//!
//! Read: the reply to the preflight, and the ordinary replies of the control.
//! Pass: the service takes part in CORS, allows the key's header (by name or `*`), and exposes the marker where one is declared
//! and ordinary replies take part in CORS. Warn: it does not. Observed: it takes no part in CORS at all. Skip: the key is
//! in no header.

use super::evidence::{Evidence, Scene};
use super::tally::{Cited, Tally, Violation};
use crate::config::suite::Steps;
use crate::contract::{Carrier, Marker, Received};

/// Judges the situation.
#[must_use]
pub fn judge(evidence: Evidence<'_>, steps: &Steps) -> Tally {
    let first = steps.first.as_deref().unwrap_or("preflight");
    let mut tally = Tally::new(format!("preflight:{first}"), evidence.instance.plan.rounds);
    for scene in evidence.scenes() {
        tally.in_round(scene.number);
        judge_scene(&scene, steps, &mut tally);
    }
    tally
}

fn judge_scene(scene: &Scene<'_>, steps: &Steps, tally: &mut Tally) {
    tally.premise("the key's header is allowed, and the marker exposed");
    let Some(seen) = scene.need(steps.first.as_ref(), tally) else {
        return;
    };
    let contract = seen.op.contract;
    let Carrier::Header(key) = &contract.key.value.carrier else {
        tally.skip("the key travels in no header: browsers need not be asked");
        return;
    };
    let Some(reply) = seen.received() else {
        tally.doubt(seen.words(), &[seen.n()]);
        return;
    };
    if !reply.has_header("access-control-allow-origin") {
        tally.leave_open();
        tally.saw(format!("{}: no part in CORS", seen.words()), &[seen.n()]);
        return;
    }
    let advise = |header: &str, name: &str, meaning: &str| Violation {
        cited: Cited::advice(
            "cors",
            "browsers may send the key and read the marker",
            None,
        ),
        part: None,
        expected: format!("{name} in {header}"),
        observed: format!("{}: {header} does not name {name}", seen.words()),
        meaning: meaning.to_owned(),
        attempts: vec![seen.n()],
    };
    if lists(reply, "access-control-allow-headers", key) {
        tally.saw(format!("{}: {key} is allowed", seen.words()), &[seen.n()]);
    } else {
        tally.violated(advise(
            "Access-Control-Allow-Headers",
            key,
            "Web clients cannot send the key, and retry without it.",
        ));
    }
    let Marker::Header { name, .. } = &contract.marker.value else {
        return;
    };
    // the preflight itself exposes nothing: ordinary replies do
    let mut ordinary = scene
        .evidence
        .journal
        .attempts()
        .filter(|a| a.sent.operation == seen.attempt.sent.operation && a.sent.n != seen.n());
    let open = ordinary.find_map(|attempt| {
        let reply = super::evidence::received(attempt.reply()?);
        reply
            .has_header("access-control-allow-origin")
            .then_some(reply)
    });
    if let Some(reply) = open
        && !lists(reply, "access-control-expose-headers", name)
    {
        tally.violated(advise(
            "Access-Control-Expose-Headers",
            name,
            "Web clients cannot tell a replay from a first result.",
        ));
    }
}

fn lists(reply: Received<'_>, header: &str, name: &str) -> bool {
    let mut names = reply.header(header).flat_map(|value| value.split(','));
    names.any(|listed| listed.trim() == "*" || listed.trim().eq_ignore_ascii_case(name))
}
