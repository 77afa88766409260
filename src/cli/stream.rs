//! `--format ndjson`: what happens, on standard output, while it happens, without secrets.
//! It must not know what the lines hold.

use std::io::{self, ErrorKind, Write};

use crate::journal::write::clean;
use crate::journal::{Event, Journal, Redactor};
use crate::report::ndjson::{self, BeginLine, Line};
use crate::report::{self, Document};

/// Lines that are written as they come.
pub struct Stream {
    redactor: Redactor,
    /// Nobody reads any more: that is no error.
    closed: bool,
    failure: Option<String>,
}

/// What of an event is told once the journal knows it.
pub enum Told {
    /// A line of its own.
    Line(Line),
    /// The request of this number is over.
    Over(u64),
}

impl Stream {
    /// A stream that begins with the run.
    #[must_use]
    pub fn begin(live: &Journal, kept_at: &str, redactor: &Redactor) -> Self {
        let mut stream = Self {
            redactor: redactor.clone(),
            closed: false,
            failure: None,
        };
        let judged = crate::judge::judge(live, &live.start.contracts, false, &[]);
        stream.write(&ndjson::first(&report::build(&judged, live, Some(kept_at))));
        stream
    }

    /// What of an event will be told.
    #[must_use]
    pub fn of(event: &Event) -> Option<Told> {
        match event {
            Event::Instance(begun) if begun.skip.is_none() => {
                Some(Told::Line(Line::Begin(BeginLine {
                    drill: begun.instance.clone(),
                })))
            }
            Event::Outcome(done) => Some(Told::Over(done.n)),
            Event::Count(taken) => Some(Told::Line(Line::Count(taken.clone()))),
            _ => None,
        }
    }

    /// Tells it.
    pub fn tell(&mut self, told: Told, live: &Journal) {
        match told {
            Told::Line(line) => self.write(&line),
            Told::Over(n) => {
                if let Some(line) = ndjson::attempt(live, n) {
                    self.write(&line);
                }
            }
        }
    }

    /// The results and the verdict; says what could not be written.
    #[must_use]
    pub fn end(mut self, document: &Document) -> Option<String> {
        for line in ndjson::last(document) {
            self.write(&line);
        }
        self.failure
    }

    fn write(&mut self, line: &Line) {
        if self.closed || self.failure.is_some() {
            return;
        }
        let text = serde_json::to_value(line).and_then(|mut value| {
            clean(&mut value, &self.redactor);
            ndjson::text(&value)
        });
        let written = text.map_err(io::Error::other).and_then(|text| {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        });
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => {
                self.failure = Some(format!("cannot write to standard output: {error}"));
            }
        }
    }
}
