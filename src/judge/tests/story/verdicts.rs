//! What the judge says of a story.
//! It must not know how the story was told.

use super::Story;
use crate::journal::{End, Event, Journal, Redactor, Writer, read};
use crate::judge::{CheckResult, Finding, Judged, Verdict};

impl Story {
    /// The journal, after a round trip through its own format.
    pub fn journal(mut self) -> Journal {
        self.events.push(Event::End(End {
            interrupted: false,
            requests: self.n,
            at_us: self.us,
        }));
        let mut writer = Writer::new(Vec::new(), Redactor::default());
        writer.write(&Event::Start(Box::new(self.start))).unwrap();
        for event in &self.events {
            writer.write(event).unwrap();
        }
        read(&String::from_utf8(writer.into_inner()).unwrap()).unwrap()
    }

    /// What the judge says of the run.
    pub fn judged(mut self) -> Judged {
        self.instance = self.start.plan.len() - 1;
        let journal = self.end().journal();
        crate::judge::judge(&journal, &journal.start.contracts, false, &[])
    }

    /// What the judge says of the last drill.
    pub fn finding(self) -> Finding {
        self.judged().findings.pop().unwrap()
    }

    /// The verdict of the last drill.
    pub fn verdict(self) -> Verdict {
        self.finding().verdict
    }

    /// One check of the last drill.
    pub fn check(self, id: &str) -> CheckResult {
        let finding = self.finding();
        let found = finding.checks.iter().find(|c| c.id == id).cloned();
        found.unwrap_or_else(|| panic!("no check {id} in {:#?}", finding.checks))
    }
}
