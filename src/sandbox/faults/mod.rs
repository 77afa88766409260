//! The faults that can be switched on: one file each, a list of all, and how one is chosen by name.
//! Must not know what tests them.

use std::fmt;
use std::str::FromStr;

use super::defect::Defect;
use super::design::Design;

mod anonymous_bucket;
mod auth_error_stored;
mod binary_reply_unprotected;
mod body_rebuilt;
mod cancel_on_disconnect;
mod check_then_insert;
mod completion_never_recorded;
mod content_dedupe;
mod double_effect_hidden;
mod downstream_doubled;
mod duplicate_header_joined;
mod empty_key_shared_bucket;
mod empty_reply_unprotected;
mod every_error_stored;
mod expired_still_replays;
mod get_cached;
mod global_scope;
mod ignore_key;
mod in_progress_after_completion;
mod in_progress_ignored;
mod key_lower_cased;
mod key_outside_transaction;
mod key_stuck_in_progress;
mod key_truncated;
mod location_lost;
mod long_key_500;
mod loser_5xx;
mod marker_missing;
mod marker_on_first;
mod member_order_sensitive;
mod mismatch_reveals;
mod no_error_stored;
mod no_fingerprint;
mod overwritten_record;
mod query_blind;
mod quoted_and_bare_differ;
mod rate_limit_stored;
mod raw_byte_fingerprint;
mod replay_as_200;
mod resource_blind;
mod retention_shorter;
mod retry_after_absurd;
mod retry_after_missing;
mod route_blind;
mod run_mismatch;
mod safety_net_outlives_key;
mod server_error_frees_key_after_effect;
mod server_error_stored;
mod set_cookie_replayed;
mod validation_error_stored;

/// Every fault, sorted by what it breaks: claims, effects, fingerprints, scopes, replays, storing, retention, keys.
#[must_use]
pub fn all() -> &'static [&'static Fault] {
    &[
        &check_then_insert::FAULT,
        &in_progress_ignored::FAULT,
        &loser_5xx::FAULT,
        &overwritten_record::FAULT,
        &in_progress_after_completion::FAULT,
        &completion_never_recorded::FAULT,
        &key_stuck_in_progress::FAULT,
        &retry_after_missing::FAULT,
        &retry_after_absurd::FAULT,
        &ignore_key::FAULT,
        &double_effect_hidden::FAULT,
        &downstream_doubled::FAULT,
        &content_dedupe::FAULT,
        &no_fingerprint::FAULT,
        &run_mismatch::FAULT,
        &mismatch_reveals::FAULT,
        &route_blind::FAULT,
        &resource_blind::FAULT,
        &query_blind::FAULT,
        &member_order_sensitive::FAULT,
        &raw_byte_fingerprint::FAULT,
        &global_scope::FAULT,
        &anonymous_bucket::FAULT,
        &body_rebuilt::FAULT,
        &replay_as_200::FAULT,
        &location_lost::FAULT,
        &set_cookie_replayed::FAULT,
        &marker_missing::FAULT,
        &marker_on_first::FAULT,
        &empty_reply_unprotected::FAULT,
        &binary_reply_unprotected::FAULT,
        &get_cached::FAULT,
        &no_error_stored::FAULT,
        &every_error_stored::FAULT,
        &validation_error_stored::FAULT,
        &auth_error_stored::FAULT,
        &rate_limit_stored::FAULT,
        &server_error_stored::FAULT,
        &server_error_frees_key_after_effect::FAULT,
        &key_outside_transaction::FAULT,
        &cancel_on_disconnect::FAULT,
        &expired_still_replays::FAULT,
        &retention_shorter::FAULT,
        &safety_net_outlives_key::FAULT,
        &key_truncated::FAULT,
        &key_lower_cased::FAULT,
        &duplicate_header_joined::FAULT,
        &quoted_and_bare_differ::FAULT,
        &empty_key_shared_bucket::FAULT,
        &long_key_500::FAULT,
    ]
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
