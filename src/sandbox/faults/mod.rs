//! The faults that can be switched on: one file each, a list of all, and how one is chosen by name.
//! Must not know what tests them.

use std::fmt;
use std::str::FromStr;

use super::defect::Defect;
use super::design::Design;

/// Names the files of the faults and lists them in this order.
macro_rules! faults {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// Every fault, in the order of the list that people see.
        #[must_use]
        pub fn all() -> &'static [&'static Fault] {
            &[$(&$file::FAULT),*]
        }
    };
}

faults! {
    check_then_insert
    in_progress_ignored
    loser_5xx
    overwritten_record
    in_progress_after_completion
    completion_never_recorded
    key_stuck_in_progress
    retry_after_missing
    retry_after_absurd
    ignore_key
    double_effect_hidden
    downstream_doubled
    content_dedupe
    no_fingerprint
    run_mismatch
    mismatch_reveals
    route_blind
    resource_blind
    query_blind
    member_order_sensitive
    raw_byte_fingerprint
    global_scope
    anonymous_bucket
    body_rebuilt
    replay_as_200
    location_lost
    set_cookie_replayed
    marker_missing
    marker_on_first
    empty_reply_unprotected
    binary_reply_unprotected
    get_cached
    no_error_stored
    every_error_stored
    validation_error_stored
    auth_error_stored
    rate_limit_stored
    server_error_stored
    server_error_frees_key_after_effect
    key_outside_transaction
    cancel_on_disconnect
    expired_still_replays
    retention_shorter
    safety_net_outlives_key
    key_truncated
    key_lower_cased
    duplicate_header_joined
    quoted_and_bare_differ
    empty_key_shared_bucket
    long_key_500
}

/// Faults that make sense on both right designs.
const RIGHT: &[Design] = &[Design::OneTransaction, Design::ClaimFirst];

/// A fault of the sandbox.
#[derive(Debug)]
pub struct Fault {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The designs that it applies to.
    pub designs: &'static [Design],
    /// The value that it takes if none is given; none = it takes no value.
    pub default: Option<&'static str>,
    make: fn(&str) -> Result<Box<dyn Defect>, String>,
}

impl Fault {
    /// Whether it applies to a design.
    #[must_use]
    pub fn applies_to(&self, design: Design) -> bool {
        self.designs.contains(&design)
    }
}

/// A fault as chosen on the command line, with its value.
#[derive(Clone, Debug)]
pub struct Selected {
    fault: &'static Fault,
    value: Option<String>,
}

impl Selected {
    /// The fault.
    #[must_use]
    pub fn fault(&self) -> &'static Fault {
        self.fault
    }

    /// Checks that the fault applies to the design.
    ///
    /// # Errors
    /// With a text for people, if it does not.
    pub fn check(&self, design: Design) -> Result<(), String> {
        if self.fault.applies_to(design) {
            return Ok(());
        }
        let designs: Vec<&str> = self
            .fault
            .designs
            .iter()
            .map(|design| design.name())
            .collect();
        Err(format!(
            "the fault `{}` does not apply to the design `{design}`; it applies to {}",
            self.fault.name,
            designs.join(", ")
        ))
    }

    pub(crate) fn build(&self, design: Design) -> Result<Box<dyn Defect>, String> {
        self.check(design)?;
        (self.fault.make)(
            self.value
                .as_deref()
                .or(self.fault.default)
                .unwrap_or_default(),
        )
    }
}

impl fmt::Display for Selected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Some(value) => write!(f, "{}={value}", self.fault.name),
            None => f.write_str(self.fault.name),
        }
    }
}

impl FromStr for Selected {
    type Err = String;

    /// Reads `NAME` or `NAME=VALUE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let fault = all().iter().find(|fault| fault.name == name);
        let Some(&fault) = fault else {
            return Err(format!("no fault is called `{name}`{}", nearest(name)));
        };
        if value.is_some() && fault.default.is_none() {
            return Err(format!("the fault `{name}` takes no value"));
        }
        if let Some(value) = &value {
            (fault.make)(value).map_err(|why| format!("the fault `{name}`: {why}"))?;
        }
        Ok(Self { fault, value })
    }
}

/// The names that were perhaps meant.
fn nearest(name: &str) -> String {
    let mut close: Vec<(f64, &str)> = all()
        .iter()
        .map(|fault| (strsim::jaro_winkler(name, fault.name), fault.name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .collect();
    close.sort_by(|one, other| other.0.total_cmp(&one.0));
    let names: Vec<String> = close
        .iter()
        .take(3)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    if names.is_empty() {
        "; `doubletap faults` lists them".to_owned()
    } else {
        format!("; the nearest names are {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_say_what_the_fault_does() {
        let mut names: Vec<&str> = all().iter().map(|fault| fault.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for fault in all() {
            assert!(fault.summary.ends_with('.'), "{}", fault.name);
            assert!(!fault.designs.is_empty(), "{}", fault.name);
            assert!(
                (fault.make)(fault.default.unwrap_or_default()).is_ok(),
                "{}",
                fault.name
            );
        }
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let error = "check-than-insert".parse::<Selected>().unwrap_err();
        assert!(error.contains("`check-then-insert`"), "{error}");
        assert!(
            "ignore-key=1"
                .parse::<Selected>()
                .unwrap_err()
                .contains("no value")
        );
        assert!(
            "check-then-insert=soon"
                .parse::<Selected>()
                .unwrap_err()
                .contains("20ms")
        );
        assert!("check-then-insert=100us-cpu".parse::<Selected>().is_ok());
    }

    #[test]
    fn a_fault_is_refused_on_a_design_that_it_does_not_apply_to() {
        let fault: Selected = "ignore-key".parse().unwrap();
        assert!(fault.check(Design::OneTransaction).is_ok());
        assert!(
            fault
                .check(Design::KeyAfterWork)
                .unwrap_err()
                .contains("claim-first")
        );
    }
}
