//! What is said on standard error while a run goes on: one moving line on a terminal, calm lines elsewhere.
//! It must not know what events mean beyond their names.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::look::Look;
use crate::config::target::Identity;
use crate::journal::{Event, Outcome, Redactor};
use crate::report::text;

/// The progress of a run.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    verbosity: u8,
    sent: u64,
    redactor: Redactor,
}

impl Progress {
    /// Of a run with so many drills, without these secrets.
    #[must_use]
    pub fn new(drills: usize, redactor: &Redactor, look: &Look) -> Self {
        let bar = ProgressBar::new(drills as u64);
        if look.moves() {
            let style = ProgressStyle::with_template("{spinner} {pos}/{len} {wide_msg} {elapsed}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            bar,
            quiet: look.is_quiet(),
            verbosity: look.verbosity(),
            sent: 0,
            redactor: redactor.clone(),
        }
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            let line = self.redactor.redact(line);
            self.bar.suspend(|| crate::cli::complain!("{line}"));
        }
    }

    /// Tells an event, as far as anybody wants to know.
    pub fn tell(&mut self, event: &Event) {
        match event {
            Event::Identity(found) if found.detected => self.say(&format!(
                "results of {} are told apart by {} (found by the tool; `identity` in the target says it for sure)",
                text::line(&found.operation),
                text::line(&words(&found.identity))
            )),
            Event::Instance(begun) => {
                self.bar.inc(1);
                self.bar.set_message(text::line(&begun.instance));
                if self.verbosity > 0 {
                    let skip = begun.skip.as_deref().map_or(String::new(), |why| {
                        format!(": skipped, {}", text::line(why))
                    });
                    self.say(&format!("{}{skip}", text::line(&begun.instance)));
                }
            }
            Event::Attempt(sent) => {
                self.sent += 1;
                self.bar.set_message(format!(
                    "{}, round {}, {}",
                    text::line(&sent.instance),
                    sent.round + 1,
                    text::counted(self.sent, "request")
                ));
                if self.verbosity > 1 {
                    self.say(&format!(
                        "#{} {} {} ({}, account {})",
                        sent.n,
                        text::line(&sent.method),
                        text::line(&sent.url),
                        text::line(&sent.step),
                        text::line(&sent.account)
                    ));
                }
            }
            Event::Outcome(done) if self.verbosity > 1 => {
                let came = match &done.outcome {
                    Outcome::Replied(reply) => reply.status.to_string(),
                    Outcome::Unknown { why } => format!("unknown: {}", text::short(why, 100)),
                    Outcome::NotSent { why } => format!("not sent: {}", text::short(why, 100)),
                };
                self.say(&format!("#{} {came}", done.n));
            }
            Event::Note(note) if self.verbosity > 0 => {
                self.say(&format!("note: {}", text::line(&note.text)))
            }
            _ => {}
        }
    }

    /// Takes the moving line away.
    pub fn end(self) {
        self.bar.finish_and_clear();
    }
}

fn words(identity: &Identity) -> String {
    match identity {
        Identity::Pointer(pointer) => pointer.clone(),
        Identity::Header(name) => format!("the header {name}"),
        Identity::Xml(path) => path.clone(),
        Identity::None | Identity::Detect => "nothing".to_owned(),
    }
}
