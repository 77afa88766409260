//! The contract as a file declares it: every clause optional, each with the bytes where it stands.
//! It must not know which files there are, nor in which order they are merged.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Answer, Carrier, Companion, Covers, KeyFormat, Length, LengthUnit, Marker, Replay, Retention,
    Sameness, Storage, WireForm, clause::Placed, duration::some_time_placed,
};

/// A value with its place; `None` = not declared here.
pub type Declared<T> = Option<Placed<T>>;

/// The clauses that one `[contract]` table declares.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ContractPatch {
    /// The key's carrier, form and syntax.
    pub key: Declared<KeyPatch>,
    /// A request without a key.
    pub missing: Declared<Answer>,
    /// Keys that are not valid.
    pub malformed: MalformedPatch,
    /// Another request under a key that is taken.
    pub mismatch: Declared<Answer>,
    /// A duplicate while the first is in progress.
    pub in_progress: Declared<Answer>,
    /// How long a request may stay in progress at the most.
    #[serde(deserialize_with = "some_time_placed")]
    pub in_progress_for: Declared<Length>,
    /// Places at which a reply with a status of a success says that it is none: JSON Pointers, `*` for any member or element.
    pub errors_at: Declared<Vec<String>>,
    /// A repeat after the first is finished.
    pub replay: Declared<Replay>,
    /// The header that marks a replay.
    pub marker: Declared<Marker>,
    /// What else makes a key another key.
    pub scope: ScopePatch,
    /// When two bodies are the same request.
    pub fingerprint: FingerprintPatch,
    /// Which results are stored.
    pub stored: StoredPatch,
    /// How long a key is kept.
    pub retention: Declared<Retention>,
    /// The same request after the key expired.
    pub after_retention: Declared<Answer>,
    /// Keys on other methods.
    pub methods: MethodsPatch,
    /// One key has one effect.
    pub one_effect: Declared<bool>,
    /// Nothing made for one account reaches another.
    pub isolation: Declared<bool>,
    /// A duplicate of a success never gets a 5xx.
    pub no_server_error: Declared<bool>,
}

/// The `key` table: fields merge one by one.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct KeyPatch {
    /// Where it travels.
    pub r#in: Option<Carrier>,
    /// How it is written.
    pub form: Option<WireForm>,
    /// What a fresh one looks like.
    pub format: Option<KeyFormat>,
    /// The least length.
    pub least: Option<u32>,
    /// The greatest length.
    pub most: Option<u32>,
    /// What lengths count.
    pub unit: Option<LengthUnit>,
    /// Characters allowed, as a set such as `A-Za-z0-9_-`.
    pub charset: Option<String>,
    /// Whether keys that differ in case are different.
    pub case_sensitive: Option<bool>,
    /// Headers that go with the key.
    pub companions: Option<Vec<Companion>>,
}

macro_rules! patch {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: Declared<$type>,)+
        }
    };
}

patch!(
    /// The `malformed` table.
    MalformedPatch {
        /// An empty or blank key.
        empty: Answer,
        /// Shorter than the least length.
        too_short: Answer,
        /// Longer than the greatest length.
        too_long: Answer,
        /// Characters that are not allowed.
        charset: Answer,
        /// The other wire form, or not of the declared format.
        form: Answer,
        /// Sent twice, or as a list.
        twice: Answer,
    }
);

patch!(
    /// The `scope` table.
    ScopePatch {
        /// Another account.
        account: Answer,
        /// Another credential of the same account.
        credential: Answer,
        /// No credentials.
        anonymous: Answer,
        /// Another operation.
        route: Answer,
        /// Another resource.
        resource: Answer,
        /// Another query.
        query: Answer,
        /// Another method.
        method: Answer,
        /// Another region.
        region: Answer,
    }
);

patch!(
    /// The `fingerprint` table.
    FingerprintPatch {
        /// What is compared.
        covers: Covers,
        /// JSON Pointers that are not compared.
        ignores: Vec<String>,
        /// Members in another order.
        members_reordered: Sameness,
        /// Other white space.
        whitespace: Sameness,
        /// `1.0` for `1`.
        number_form: Sameness,
        /// `null` instead of absent.
        null_member: Sameness,
        /// Array elements in another order.
        array_reordered: Sameness,
        /// Escapes for letters.
        unicode_escapes: Sameness,
        /// A charset after the content type.
        content_type_charset: Sameness,
        /// A header without meaning.
        unrelated_header: Sameness,
        /// An unknown member.
        added_member: Sameness,
    }
);

patch!(
    /// The `stored` table.
    StoredPatch {
        /// 2xx.
        success: Storage,
        /// Not valid.
        validation: Storage,
        /// Refused by the business.
        business: Storage,
        /// 401 and 403.
        auth: Storage,
        /// 429.
        rate_limited: Storage,
        /// 5xx.
        server_error: Storage,
    }
);

patch!(
    /// The `methods` table.
    MethodsPatch {
        /// A key on GET.
        get: Answer,
        /// A key on PUT.
        put: Answer,
        /// A key on DELETE.
        delete: Answer,
        /// A PATCH whose `If-Match` names a state that is gone.
        stale_if_match: Answer,
    }
);
