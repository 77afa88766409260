//! A contract for the samples.
//! It must not know what is recorded.

use crate::contract::{
    Answer, Clause, Contract, Covers, Fingerprint, KeyRule, Length, Level, Malformed, Marker,
    Methods, Origin, Replay, Retention, Sameness, Scope, Storage, Stored,
};

/// A contract that leaves everything open but the marker and the floor.
pub fn contract() -> Contract {
    fn open(name: &str) -> Clause<Answer> {
        Clause::undeclared(name, Answer::Unspecified)
    }
    fn same(name: &str) -> Clause<Sameness> {
        Clause::undeclared(name, Sameness::Unspecified)
    }
    fn stored(name: &str) -> Clause<Storage> {
        Clause::undeclared(name, Storage::Unspecified)
    }
    Contract {
        key: Clause::undeclared("key", KeyRule::default()),
        missing: open("missing"),
        malformed: Malformed {
            empty: open("malformed.empty"),
            too_short: open("malformed.too-short"),
            too_long: open("malformed.too-long"),
            charset: open("malformed.charset"),
            form: open("malformed.form"),
            twice: open("malformed.twice"),
        },
        mismatch: open("mismatch"),
        in_progress: open("in-progress"),
        in_progress_for: Clause::undeclared("in-progress-for", Length::seconds(30)),
        errors_at: Clause::undeclared("errors-at", Vec::new()),
        replay: Clause::undeclared("replay", Replay::Unspecified),
        marker: Clause {
            value: Marker::Header {
                name: "Idempotent-Replayed".into(),
                replay: vec!["true".into()],
                first: Vec::new(),
            },
            name: "marker".into(),
            origin: Some(Origin {
                file: "policies/one-transaction.toml".into(),
                line: 21,
            }),
            level: Level::Must,
            should_parts: Vec::new(),
        },
        scope: Scope {
            account: open("scope.account"),
            credential: open("scope.credential"),
            anonymous: open("scope.anonymous"),
            route: open("scope.route"),
            resource: open("scope.resource"),
            query: open("scope.query"),
            method: open("scope.method"),
            region: open("scope.region"),
        },
        fingerprint: Fingerprint {
            covers: Clause::undeclared("fingerprint.covers", Covers::Unspecified),
            ignores: Clause::undeclared("fingerprint.ignores", Vec::new()),
            members_reordered: same("fingerprint.members-reordered"),
            whitespace: same("fingerprint.whitespace"),
            number_form: same("fingerprint.number-form"),
            null_member: same("fingerprint.null-member"),
            array_reordered: same("fingerprint.array-reordered"),
            unicode_escapes: same("fingerprint.unicode-escapes"),
            content_type_charset: same("fingerprint.content-type-charset"),
            unrelated_header: same("fingerprint.unrelated-header"),
            added_member: same("fingerprint.added-member"),
        },
        stored: Stored {
            success: stored("stored.success"),
            validation: stored("stored.validation"),
            business: stored("stored.business"),
            auth: stored("stored.auth"),
            rate_limited: stored("stored.rate-limited"),
            server_error: stored("stored.server-error"),
        },
        retention: Clause::undeclared("retention", Retention::default()),
        after_retention: open("after-retention"),
        methods: Methods {
            get: open("methods.get"),
            put: open("methods.put"),
            delete: open("methods.delete"),
            stale_if_match: open("methods.stale-if-match"),
        },
        one_effect: Clause::undeclared("one-effect", true),
        isolation: Clause::undeclared("isolation", true),
        no_server_error: Clause::undeclared("no-server-error", true),
    }
}
