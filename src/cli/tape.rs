//! The record of a run while it goes on: every event is told, written and kept, and the run is asked for by its settings.
//! It must not know what is planned, nor what is made of the record.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, Write};

use super::progress::Progress;
use super::recording::{Resumed, Sending};
use super::stream::Stream;
use super::{interrupt, run_key};
use crate::config::Loaded;
use crate::config::settings::Settings;
use crate::journal::{self, Content, ContentMaker, Event, Journal, Redactor, Writer};
use crate::judge;
use crate::plan::Plan;
use crate::plan::chance::Aim;
use crate::run::{Limits, RecordError, Request, RunError};

/// A file, and the same text in memory where it cannot be read back: the judge reads what was kept even where it is a pipe.
pub struct Tee {
    file: File,
    text: Option<Vec<u8>>,
}

impl Tee {
    fn new(file: File) -> Self {
        let is_file = file.metadata().is_ok_and(|file| file.is_file());
        Self {
            file,
            text: (!is_file).then(Vec::new),
        }
    }
}

impl Write for Tee {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        if let Some(text) = &mut self.text {
            text.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A run that is being recorded.
pub struct Recording {
    writer: Writer<Tee>,
    live: Journal,
    progress: Progress,
    stream: Option<Stream>,
    kept_at: String,
}

impl Recording {
    /// Begins with the first event.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(
        file: File,
        redactor: &Redactor,
        start: journal::Start,
        progress: Progress,
        streamed: Option<&str>,
        kept_at: &str,
    ) -> Result<Self, journal::WriteError> {
        let mut writer = Writer::new(Tee::new(file), redactor.clone());
        writer.write(&Event::Start(Box::new(start.clone())))?;
        let live = Journal::new(start);
        Ok(Self {
            writer,
            stream: streamed.map(|kept_at| Stream::begin(&live, kept_at, redactor)),
            live,
            progress,
            kept_at: kept_at.to_owned(),
        })
    }

    /// A record that goes on, in its file at the end.
    #[must_use]
    pub fn again(
        file: File,
        redactor: &Redactor,
        live: Journal,
        progress: Progress,
        kept_at: &str,
    ) -> Self {
        Self {
            writer: Writer::new(Tee::new(file), redactor.clone()),
            live,
            progress,
            stream: None,
            kept_at: kept_at.to_owned(),
        }
    }

    /// Says something beside the record.
    pub fn say(&self, what: &str) {
        self.progress.say(what);
    }

    /// Carries the plan out.
    ///
    /// # Errors
    /// Where the run cannot be carried out by reasons of this machine.
    pub fn carry(
        &mut self,
        task: &Sending<'_>,
        plan: &Plan,
        maker: &ContentMaker,
    ) -> Result<(), RunError> {
        let contracts = &task.loaded.target.contracts;
        let content = |bytes: &[u8], cut| maker.make(bytes, cut);
        let header = |name: &str, value: &[u8]| maker.header(name, value);
        let request = request(task.loaded, plan, &content, &header);
        let interrupted = interrupt::flag();
        let this = RefCell::new(self);
        let mut record = |event: Event| this.borrow_mut().add(event, maker);
        let mut stop_early = |instance: &str, round: u32| {
            let live = &mut this.borrow_mut().live;
            let stop =
                task.stop_early && judge::violated_in_round(live, contracts, instance, round);
            // it is kept: nothing asks for it before the end
            live.forget(instance, round);
            stop
        };
        crate::run::run(request, &mut record, &mut stop_early, &interrupted).map(drop)
    }

    /// Goes on with what waited.
    ///
    /// # Errors
    /// Where the run cannot be carried out by reasons of this machine.
    pub fn go_on(&mut self, resumed: &Resumed<'_>, plan: &Plan) -> Result<(), RunError> {
        let maker = &resumed.maker;
        let content = |bytes: &[u8], cut| maker.make(bytes, cut);
        let header = |name: &str, value: &[u8]| maker.header(name, value);
        let request = request(resumed.loaded, plan, &content, &header);
        let interrupted = interrupt::flag();
        let mut record = |event: Event| self.add(event, maker);
        crate::run::resume(
            request,
            &resumed.earlier,
            resumed.now,
            &mut record,
            &interrupted,
        )
        .map(drop)
    }

    /// Tells an event, and keeps it; with the first that waits the key by which the run can go on.
    fn add(&mut self, event: Event, maker: &ContentMaker) -> Result<(), RecordError> {
        self.progress.tell(&event);
        if matches!(event, Event::Waiting(_)) && self.live.waiting().next().is_none() {
            run_key::keep(&self.kept_at, maker.key())
                .map_err(|error| RecordError(error.to_string()))?;
        }
        self.writer
            .write(&event)
            .map_err(|error| RecordError(error.to_string()))?;
        let told = Stream::of(&event).filter(|_| self.stream.is_some());
        self.live
            .add(event)
            .map_err(|misfit| RecordError(misfit.to_string()))?;
        if let (Some(stream), Some(told)) = (&mut self.stream, told) {
            stream.tell(told, &self.live);
        }
        Ok(())
    }

    /// Everything that was kept, as it was kept, and what was told of it already.
    pub fn end(self) -> (Result<Journal, journal::ReadError>, Option<Stream>) {
        self.progress.end();
        // a long run is not to be in memory twice
        drop(self.live);
        let tee = self.writer.into_inner();
        if let Err(error) = tee.file.sync_all()
            && error.kind() != io::ErrorKind::InvalidInput
        {
            crate::cli::complain!("warning: the journal may not be on the disk yet: {error}");
        }
        let kept = match tee.text {
            Some(text) => journal::read_from(text.as_slice()),
            None => match File::open(&self.kept_at) {
                Ok(file) => journal::read_from(BufReader::new(file)),
                Err(error) => Err(error.into()),
            },
        };
        (kept, self.stream)
    }
}

/// What is asked of the run itself.
fn request<'r>(
    loaded: &'r Loaded,
    plan: &'r Plan,
    content: &'r dyn Fn(&[u8], bool) -> Content,
    header: &'r dyn Fn(&str, &[u8]) -> String,
) -> Request<'r> {
    let settings = &loaded.settings;
    Request {
        target: &loaded.target,
        plan,
        limits: Limits {
            max_requests: settings.max_requests,
            rate: settings.rate,
            max_copies: settings.max_copies,
            allow_hosts: settings.allow_hosts.clone(),
            wait: settings.wait.map(|length| length.0),
        },
        protocol: settings.protocol,
        keep_going: settings.keep_going,
        key_age: settings.key_age.0,
        aim: aim(settings),
        content,
        header,
    }
}

/// What is to be seen, where that decides on the rounds.
#[must_use]
pub fn aim(settings: &Settings) -> Option<Aim> {
    settings.window.map(|window| Aim {
        confidence: settings.confidence,
        window_us: u64::try_from(window.0.as_micros()).unwrap_or(u64::MAX),
    })
}
