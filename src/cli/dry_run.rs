//! `--dry-run`: what would be sent, drill by drill, and what would be skipped and why.
//! It must not send anything.

use super::faults::list;
use super::look::Look;
use crate::config::Loaded;
use crate::plan::{Instance, Plan, requests_of};
use crate::report::text;

/// The plan as text.
#[must_use]
pub fn show(loaded: &Loaded, plan: &Plan, cap: u64, look: &Look) -> String {
    let (target, settings) = (&loaded.target, &loaded.settings);
    let mut table = list(look, &["drill", "rounds", "what is done"]);
    for instance in &plan.instances {
        let what = match &instance.skip {
            Some(reason) => format!("skip: {}", text::line(reason)),
            None => done(instance),
        };
        let rounds = if instance.skip.is_some() {
            String::new()
        } else {
            instance.rounds.to_string()
        };
        table.add_row([text::line(&instance.id), rounds, what]);
    }
    let skipped = plan
        .instances
        .iter()
        .filter(|instance| instance.skip.is_some())
        .count();
    let urls: Vec<&str> = target
        .replicas
        .iter()
        .map(|replica| replica.url.as_str())
        .collect();
    let mut out: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    out.push(String::new());
    out.push(format!(
        "{} on {}, {skipped} of them skipped; policy {}",
        text::counted(plan.instances.len() as u64, "drill"),
        text::line(&urls.join(", ")),
        text::line(&target.policy.id)
    ));
    if let Some(most) = settings.max_copies {
        out.push(format!(
            "no burst has more than {most} copies (--max-copies)"
        ));
    }
    for account in &target.accounts {
        if let Some(oauth) = &account.oauth {
            out.push(format!(
                "a token for account {} comes from POST {} before the first request, and again when it expires",
                text::line(&account.name),
                text::line(oauth.token_url.as_str())
            ));
        }
    }
    out.push(format!(
        "about {}, and more where rounds out of step are repeated or a busy server is asked again; {cap} at the most (--max-requests); nothing was sent",
        text::counted(plan.requests, "request")
    ));
    out.push(String::new());
    out.join("\n")
}

fn done(instance: &Instance) -> String {
    use crate::config::suite::Step;
    let parts: Vec<String> = instance
        .drill
        .step
        .iter()
        .map(|step| {
            let names: Vec<&str> = requests_of(step)
                .iter()
                .map(|request| request.name.as_deref().unwrap_or("request"))
                .collect();
            let names = names.join(" + ");
            match step {
                Step::Send(_) => format!("send {names}"),
                Step::Retry(_) => format!("repeat {names}"),
                Step::Burst(burst) => {
                    format!(
                        "release {} of {names} together",
                        burst.copies.unwrap_or(instance.copies)
                    )
                }
                Step::Overlap(_) => format!("overlap {names}"),
                Step::Count(_) => "count".to_owned(),
                Step::Expire(_) => "expire".to_owned(),
                Step::Hook(hook) => format!("run {}", hook.run),
                Step::Wait(wait) if wait.until.is_some() => {
                    "wait for the end of the run".to_owned()
                }
                Step::Wait(_) => "wait".to_owned(),
                Step::Read(_) => "read".to_owned(),
            }
        })
        .collect();
    let mut text = parts.join(", ");
    if !instance.left_out.is_empty() {
        text.push_str(&format!("; left out: {}", instance.left_out.join("; ")));
    }
    text::line(&text)
}
