//! Where an operation's evidence stands: every round of every drill, by the situation that its checks name.
//! It must not know what any situation shows.

use std::collections::BTreeMap;

use crate::config::suite::{Step, Steps};
use crate::contract::Contract;
use crate::journal::{InstanceHistory, Journal, OperationFacts};
use crate::judge::control::Control;
use crate::judge::evidence::{Evidence, Scene, Seen};

/// One operation of a run.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    /// The run.
    pub journal: &'a Journal,
    /// By which contracts replies are read.
    pub contracts: &'a BTreeMap<String, Contract>,
    /// What the controls proved.
    pub controls: &'a BTreeMap<String, Control>,
    /// The operation.
    pub operation: &'a str,
}

/// One round in which a situation was tried.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The drill's id.
    pub drill: &'a str,
    /// The case, where the drill has several.
    pub case: &'a str,
    /// The round.
    pub scene: Scene<'a>,
    /// The steps that the check names.
    pub steps: &'a Steps,
}

impl<'a> Field<'a> {
    /// What the target declares of the operation.
    pub fn facts(&self) -> Option<&'a OperationFacts> {
        let mut all = self.journal.start.operations.iter();
        all.find(|facts| facts.name == self.operation)
    }

    /// All rounds in which a situation was tried.
    pub fn trials(&self, situation: &str) -> Vec<Trial<'a>> {
        let mut trials = Vec::new();
        for instance in self.carried_out() {
            let evidence = Evidence {
                journal: self.journal,
                contracts: self.contracts,
                instance,
                controls: Some(self.controls),
                replies_only: false,
            };
            let checks = instance.plan.drill.check.iter();
            for check in checks.filter(|check| check.situation() == situation) {
                for scene in evidence.scenes() {
                    trials.push(Trial {
                        drill: &instance.plan.drill.id,
                        case: instance.plan.case.as_deref().unwrap_or_default(),
                        scene,
                        steps: check.steps(),
                    });
                }
            }
        }
        trials
    }

    fn carried_out(&self) -> impl Iterator<Item = &'a InstanceHistory> + use<'a> {
        let name = self.operation;
        let all = self.journal.instances.iter();
        all.filter(move |i| i.plan.operation == name && i.skip.is_none())
    }

    /// Drills that were not tried, and why.
    pub fn skipped(&self) -> Vec<(String, String)> {
        let all = self.journal.instances.iter();
        let mine = all.filter(|i| i.plan.operation == self.operation);
        mine.filter_map(|i| {
            let id = i.plan.id.split('@').next().unwrap_or_default();
            Some((id.to_owned(), i.skip.clone()?))
        })
        .collect()
    }

    /// The control of the operation.
    pub fn control(&self) -> Option<&'a Control> {
        self.controls.get(self.operation)
    }
}

impl<'a> Trial<'a> {
    /// The first request, where it was answered.
    pub fn first(&self) -> Option<Seen<'a>> {
        self.step(self.steps.first.as_deref())
    }

    /// The second request, where it was answered.
    pub fn second(&self) -> Option<Seen<'a>> {
        self.step(self.steps.second.as_deref())
    }

    /// The probe, where it was answered.
    pub fn probe(&self) -> Option<Seen<'a>> {
        self.step(self.steps.probe.as_deref())
    }

    /// Both, where both were answered.
    pub fn both(&self) -> Option<(Seen<'a>, Seen<'a>)> {
        Some((self.first()?, self.second()?))
    }

    /// Whether the drill waits for its keys to grow old: so much of the retention, or until the end of the run.
    pub fn grows_old(&self) -> bool {
        let mut steps = self.scene.evidence.instance.plan.drill.step.iter();
        steps.any(|step| matches!(step, Step::Wait(wait) if wait.length.is_none()))
    }

    /// Whether it waits for the end of the run.
    pub fn rests_until_the_end(&self) -> bool {
        let instance = self.scene.evidence.instance;
        instance.plan.drill.rests_until_the_end()
    }

    fn step(&self, name: Option<&str>) -> Option<Seen<'a>> {
        self.scene.last(name?).filter(|seen| seen.reply().is_some())
    }
}
