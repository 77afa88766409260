//! What is done in a story beside its requests: effects counted, keys made to expire, requests held.

use super::*;

impl Story {
    /// A count: `intent` or `intent@account`, and how many; of the operation under test, or of `intent@account/operation`.
    pub fn count(mut self, name: &str, entries: &[(&str, i64)]) -> Self {
        self.us += 10;
        let plan = &self.start.plan[self.instance];
        let entries = entries
            .iter()
            .map(|(what, value)| {
                let (what, operation) = what.split_once('/').unwrap_or((what, &plan.operation));
                let (intent, account) = what.split_once('@').unwrap_or((what, "a"));
                let keyed = keyed(&plan.drill, &self.place(), intent);
                CountEntry {
                    intent: intent.to_owned(),
                    operation: operation.to_owned(),
                    account: account.to_owned(),
                    key: keyed.key,
                    reference: keyed.reference,
                    value: Some(*value),
                    error: None,
                }
            })
            .collect();
        self.events.push(Event::Count(CountTaken {
            instance: self.id(),
            round: self.round,
            name: name.to_owned(),
            entries,
            at_us: self.us,
        }));
        self
    }

    /// The key was made to expire, or not.
    pub fn expire(self, done: bool) -> Self {
        let event = Event::Expired(ExpiryDone {
            instance: self.id(),
            round: self.round,
            intent: "k".into(),
            how: "sql".into(),
            done,
            errand: None,
            detail: if done {
                "1 row changed".into()
            } else {
                "0 rows changed".into()
            },
            at_us: self.us,
        });
        self.event(event)
    }

    /// A proof of a hold.
    pub fn held(self, how: &str, proven: bool, released_ms: u64) -> Self {
        let event = Event::Held(HeldProof {
            instance: self.id(),
            round: self.round,
            how: how.into(),
            proven,
            detail: "as told".into(),
            held_us: Some(self.us),
            released_us: Some(self.us + released_ms * 1000),
        });
        self.event(event)
    }
}
