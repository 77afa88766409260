//! The faults that can be switched on: one file each, and the list of all of them.
//! Must not know what tests them.

mod anonymous_bucket;
mod auth_error_stored;
mod binary_reply_unprotected;
mod body_rebuilt;
mod cancel_on_disconnect;
mod check_then_insert;
mod completion_never_recorded;
mod content_dedupe;
mod delete_repeat_fails;
mod double_effect_hidden;
mod downstream_doubled;
mod duplicate_header_joined;
mod empty_key_everybodys;
mod empty_key_shared_bucket;
mod empty_reply_unprotected;
mod every_error_stored;
mod expired_row_deleted_first;
mod expired_stays_in_progress;
mod expired_still_replays;
mod forgotten_early;
mod get_cached;
mod global_scope;
mod if_match_ignored;
mod ignore_key;
mod in_progress_after_completion;
mod in_progress_ignored;
mod key_lower_cased;
mod key_outside_transaction;
mod key_stuck_in_progress;
mod key_truncated;
mod keys_per_credential;
mod location_lost;
mod long_key_500;
mod long_key_truncated;
mod loser_5xx;
mod marker_missing;
mod marker_on_first;
mod member_order_sensitive;
mod method_blind;
mod mismatch_reveals;
mod no_error_stored;
mod no_fingerprint;
mod overwritten_record;
mod preflight_refuses_key;
mod put_cached;
mod put_not_idempotent;
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

pub use super::fault::{Fault, Selected};

use super::design::Design;

/// Every fault, sorted by what it breaks: claims, effects, fingerprints, scopes, replays, methods, storing, retention, keys.
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
        &method_blind::FAULT,
        &member_order_sensitive::FAULT,
        &raw_byte_fingerprint::FAULT,
        &global_scope::FAULT,
        &keys_per_credential::FAULT,
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
        &put_cached::FAULT,
        &put_not_idempotent::FAULT,
        &delete_repeat_fails::FAULT,
        &if_match_ignored::FAULT,
        &preflight_refuses_key::FAULT,
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
        &forgotten_early::FAULT,
        &safety_net_outlives_key::FAULT,
        &expired_row_deleted_first::FAULT,
        &expired_stays_in_progress::FAULT,
        &key_truncated::FAULT,
        &key_lower_cased::FAULT,
        &duplicate_header_joined::FAULT,
        &quoted_and_bare_differ::FAULT,
        &empty_key_shared_bucket::FAULT,
        &empty_key_everybodys::FAULT,
        &long_key_500::FAULT,
        &long_key_truncated::FAULT,
    ]
}

/// Faults that make sense on both right designs.
const RIGHT: &[Design] = &[Design::OneTransaction, Design::ClaimFirst];

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
}
