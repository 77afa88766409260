//! The contract of one operation: every clause decided, each with the place where it was declared.
//! It must not know how clauses are merged, nor how they are judged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration::some_time;
use super::{Answer, Clause, KeyRule, Length, Match};

/// What one operation promises about idempotency keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Contract {
    /// The key's carrier, form and syntax.
    pub key: Clause<KeyRule>,
    /// A request without a key.
    pub missing: Clause<Answer>,
    /// Keys that are not valid.
    pub malformed: Malformed,
    /// Another request under a key that is taken.
    pub mismatch: Clause<Answer>,
    /// A duplicate while the first is in progress.
    pub in_progress: Clause<Answer>,
    /// How long a request may stay in progress at the most.
    pub in_progress_for: Clause<Length>,
    /// Where a reply with a status of a success says that it is none (GraphQL): something there, and it is a refusal.
    #[serde(default = "no_errors_at")]
    pub errors_at: Clause<Vec<String>>,
    /// A repeat after the first is finished.
    pub replay: Clause<Replay>,
    /// The header that marks a replay.
    pub marker: Clause<Marker>,
    /// What else, besides its text, makes a key another key.
    pub scope: Scope,
    /// When two bodies are the same request.
    pub fingerprint: Fingerprint,
    /// Which results are stored and replayed.
    pub stored: Stored,
    /// How long a key is kept.
    pub retention: Clause<Retention>,
    /// The same request after the key expired.
    pub after_retention: Clause<Answer>,
    /// Keys on other methods.
    pub methods: Methods,
    /// Floor: one key has one effect. False only where a policy says that keys do not protect.
    pub one_effect: Clause<bool>,
    /// Floor: nothing that the server made for one account reaches another.
    pub isolation: Clause<bool>,
    /// Floor: a duplicate never gets a 5xx other than 502, 503 and 504 after a first success.
    pub no_server_error: Clause<bool>,
}

/// Answers to keys that are not valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Malformed {
    /// An empty or blank key.
    pub empty: Clause<Answer>,
    /// Shorter than the least length.
    pub too_short: Clause<Answer>,
    /// Longer than the greatest length.
    pub too_long: Clause<Answer>,
    /// Characters that are not allowed.
    pub charset: Clause<Answer>,
    /// The other wire form (bare for quoted, quoted for bare), or not of the declared format.
    pub form: Clause<Answer>,
    /// The key sent twice, or as a list.
    pub twice: Clause<Answer>,
}

/// What the repeat of a finished request gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// Not documented.
    Unspecified,
    /// A copy of the first reply.
    Same(Same),
    /// The state of now of the same thing: the identity stays, the rest may differ.
    Current(Same),
    /// An error that says "duplicate"; nothing runs.
    Refuse(Match),
}

/// How like the first reply a replay must be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Same {
    /// Statuses that replace the first one on a replay (`201 = [200]`). Not listed: the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub status: BTreeMap<String, Vec<u16>>,
    /// How like the bodies must be.
    #[serde(default)]
    pub body: BodyFidelity,
    /// JSON Pointers left out of the comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volatile: Vec<String>,
    /// Headers that must come back with the same value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

/// How like two bodies must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BodyFidelity {
    /// Byte for byte.
    Bytes,
    /// The same JSON value (bytes where it is no JSON).
    #[default]
    Json,
    /// The same identity.
    Identity,
    /// Not compared.
    Ignore,
}

/// The header that tells a replay from a first reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Marker {
    /// Not documented.
    Unspecified,
    /// There is none.
    None,
    /// A header.
    Header {
        /// Its name.
        name: String,
        /// The values that mark a replay. Empty: its presence.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replay: Vec<String>,
        /// The values that a first reply carries. Empty: the header is absent there.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        first: Vec<String>,
    },
    /// A header that first replies and replays carry alike, such as an echo of the key: it tells nothing, but has to be there.
    Always {
        /// Its name.
        name: String,
        /// One of these values must stand there. Empty: any value.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        is: Vec<String>,
    },
}

/// What the same key text means elsewhere: `run` = another key, `replay` = the same key, `refuse` = refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Scope {
    /// Sent by another account.
    pub account: Clause<Answer>,
    /// Sent by another credential of the same account.
    pub credential: Clause<Answer>,
    /// Sent without credentials.
    pub anonymous: Clause<Answer>,
    /// Sent to another operation.
    pub route: Clause<Answer>,
    /// Sent to another resource of the same operation.
    pub resource: Clause<Answer>,
    /// Sent with another query.
    pub query: Clause<Answer>,
    /// Sent with another method.
    pub method: Clause<Answer>,
    /// Sent to another region.
    pub region: Clause<Answer>,
}

/// When a request is "the same": what the fingerprint covers, and differences that are declared one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Fingerprint {
    /// What is compared.
    pub covers: Clause<Covers>,
    /// JSON Pointers that are not compared.
    pub ignores: Clause<Vec<String>>,
    /// Members of objects in another order.
    pub members_reordered: Clause<Sameness>,
    /// Other white space between tokens.
    pub whitespace: Clause<Sameness>,
    /// `1.0` for `1`.
    pub number_form: Clause<Sameness>,
    /// A member that is `null` instead of absent.
    pub null_member: Clause<Sameness>,
    /// Elements of an array in another order.
    pub array_reordered: Clause<Sameness>,
    /// `\u0061` for `a`.
    pub unicode_escapes: Clause<Sameness>,
    /// `; charset=utf-8` after the content type.
    pub content_type_charset: Clause<Sameness>,
    /// A header that has nothing to do with the request's meaning.
    pub unrelated_header: Clause<Sameness>,
    /// A member that the API does not know.
    pub added_member: Clause<Sameness>,
}

/// What a fingerprint covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Covers {
    /// Not documented.
    Unspecified,
    /// Nothing: any body counts as the same request.
    None,
    /// The bytes of the body.
    Bytes,
    /// The meaning of the JSON body.
    Json,
}

/// Whether two requests written differently are the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sameness {
    /// Not documented.
    Unspecified,
    /// The same request.
    Same,
    /// Another request.
    Different,
}

/// Whether results of a class are stored and replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Stored {
    /// 2xx.
    pub success: Clause<Storage>,
    /// The request was not valid (400, 422).
    pub validation: Clause<Storage>,
    /// The request was valid and refused by the business (402).
    pub business: Clause<Storage>,
    /// 401 and 403.
    pub auth: Clause<Storage>,
    /// 429.
    pub rate_limited: Clause<Storage>,
    /// 5xx.
    pub server_error: Clause<Storage>,
}

/// Whether a result is kept under its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Not documented.
    Unspecified,
    /// Kept: the same request gets the same result again.
    Stored,
    /// Not kept: the same request runs again.
    NotStored,
}

/// How long keys are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Retention {
    /// A key is kept at least as long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Length>,
    /// A key is kept at most as long.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "some_time"
    )]
    pub at_most: Option<Length>,
}

/// Keys on methods that need none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Methods {
    /// A key on a GET changes nothing (`run`), or is honoured (`replay`).
    pub get: Clause<Answer>,
    /// A key on PUT.
    pub put: Clause<Answer>,
    /// A key on DELETE.
    pub delete: Clause<Answer>,
    /// A keyed PATCH whose `If-Match` names a state that is gone (RFC 9110, section 13.1.1).
    #[serde(default = "no_stale_if_match")]
    pub stale_if_match: Clause<Answer>,
}

/// Journals of earlier versions know no such clause.
fn no_errors_at() -> Clause<Vec<String>> {
    Clause::undeclared("errors-at", Vec::new())
}

/// Journals of earlier versions know no such clause.
fn no_stale_if_match() -> Clause<Answer> {
    Clause::undeclared("methods.stale-if-match", Answer::Unspecified)
}

/// A contract in which nothing is declared but the floor's three promises: where merging begins, and tests.
#[must_use]
pub fn open() -> Contract {
    let answer = |name: &str| Clause::undeclared(name, Answer::Unspecified);
    let same =
        |name: &str| Clause::undeclared(&format!("fingerprint.{name}"), Sameness::Unspecified);
    let storage = |name: &str| Clause::undeclared(&format!("stored.{name}"), Storage::Unspecified);
    Contract {
        key: Clause::undeclared("key", KeyRule::default()),
        missing: answer("missing"),
        malformed: Malformed {
            empty: answer("malformed.empty"),
            too_short: answer("malformed.too-short"),
            too_long: answer("malformed.too-long"),
            charset: answer("malformed.charset"),
            form: answer("malformed.form"),
            twice: answer("malformed.twice"),
        },
        mismatch: answer("mismatch"),
        in_progress: answer("in-progress"),
        in_progress_for: Clause::undeclared("in-progress-for", Length::seconds(30)),
        errors_at: no_errors_at(),
        replay: Clause::undeclared("replay", Replay::Unspecified),
        marker: Clause::undeclared("marker", Marker::Unspecified),
        scope: Scope {
            account: answer("scope.account"),
            credential: answer("scope.credential"),
            anonymous: answer("scope.anonymous"),
            route: answer("scope.route"),
            resource: answer("scope.resource"),
            query: answer("scope.query"),
            method: answer("scope.method"),
            region: answer("scope.region"),
        },
        fingerprint: Fingerprint {
            covers: Clause::undeclared("fingerprint.covers", Covers::Unspecified),
            ignores: Clause::undeclared("fingerprint.ignores", Vec::new()),
            members_reordered: same("members-reordered"),
            whitespace: same("whitespace"),
            number_form: same("number-form"),
            null_member: same("null-member"),
            array_reordered: same("array-reordered"),
            unicode_escapes: same("unicode-escapes"),
            content_type_charset: same("content-type-charset"),
            unrelated_header: same("unrelated-header"),
            added_member: same("added-member"),
        },
        stored: Stored {
            success: storage("success"),
            validation: storage("validation"),
            business: storage("business"),
            auth: storage("auth"),
            rate_limited: storage("rate-limited"),
            server_error: storage("server-error"),
        },
        retention: Clause::undeclared("retention", Retention::default()),
        after_retention: answer("after-retention"),
        methods: Methods {
            get: answer("methods.get"),
            put: answer("methods.put"),
            delete: answer("methods.delete"),
            stale_if_match: answer("methods.stale-if-match"),
        },
        one_effect: Clause::undeclared("one-effect", true),
        isolation: Clause::undeclared("isolation", true),
        no_server_error: Clause::undeclared("no-server-error", true),
    }
}
