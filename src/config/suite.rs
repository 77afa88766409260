//! The vocabulary of drills: what a file under `suites/` can say.
//! It must not know which drills exist, nor how a step is carried out or a check judged.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::step::{Burst, CountStep, ExpireStep, HookStep, Overlap, Until, WaitStep};

/// One scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Drill {
    /// `SUITE.NAME`; never changes.
    pub id: String,
    /// What must hold, in one sentence.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// What to look for first when it does not hold.
    pub hint: String,
    /// Where the requirement comes from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Whether the whole list of steps is repeated with fresh keys (`--rounds`).
    #[serde(default)]
    pub rounds: bool,
    /// Methods of the operations that it is for. Empty: POST and PATCH.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Variants.
    #[serde(default)]
    pub case: Vec<Case>,
    /// Keys that are not fresh ones, for all cases.
    #[serde(default)]
    pub keys: BTreeMap<String, KeyShape>,
    /// What is done, in order.
    pub step: Vec<Step>,
    /// What must hold.
    pub check: Vec<Check>,
}

/// A variant of a drill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Case {
    /// Its name in `drill/case@operation`; never changes.
    pub id: String,
    /// The shapes of keys in this case.
    #[serde(default)]
    pub keys: BTreeMap<String, KeyShape>,
    /// Fields that replace those of the request with this `as` name.
    #[serde(default)]
    pub with: BTreeMap<String, RequestFields>,
}

/// What an intent's key looks like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeyShape {
    /// A fresh key in the policy's format.
    Fresh,
    /// No key at all.
    Missing,
    /// The empty text.
    Empty,
    /// One space.
    Blank,
    /// One character.
    OneCharacter,
    /// As long as the policy allows (255 where it does not say).
    AtMaximum,
    /// One longer than the policy allows (256 where it does not say).
    OverMaximum,
    /// So many characters, where the policy's format leaves the length open.
    OfLength(u32),
    /// 10,000 characters of high entropy.
    TenThousand,
    /// 4,000 characters of high entropy: more than an index of PostgreSQL holds (2,704 bytes), and less than usual limits of a header (8 KiB).
    HighEntropy,
    /// Letters outside ASCII (UTF-8).
    NotAscii,
    /// A control byte inside.
    ControlByte,
    /// The other wire form: bare for a quoted key, quoted for a bare one.
    OtherForm,
    /// The same key in two header lines.
    TwoLines,
    /// The key twice, joined by a comma.
    CommaList,
    /// The same text as another intent's key, under a new reference.
    SameAs(String),
    /// A fresh key under the same reference and placeholders as another intent.
    SameReferenceAs(String),
    /// Another intent's key in upper case.
    UpperOf(String),
    /// A key that shares all but its last character with another intent's long key.
    PrefixOf(String),
    /// Another intent's key in the other wire form, under its reference.
    OtherFormOf(String),
    /// Another intent's key in two header lines, under its reference.
    TwoLinesOf(String),
}

/// One thing done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// One request, once.
    Send(RequestFields),
    /// One request as a well-behaved client repeats it: while the answer is a declared "in progress", 429 or 503, it waits and sends again.
    Retry(RequestFields),
    /// Copies released together by one gate, dealt out evenly over the requests.
    Burst(Burst),
    /// The first is held in progress, the others are sent meanwhile.
    Overlap(Overlap),
    /// The effects of every intent used so far are counted.
    Count(CountStep),
    /// The key of an intent is made to expire, in the way that the target declares.
    Expire(ExpireStep),
    /// A command of the target is run (`[hook]`).
    Hook(HookStep),
    /// Time passes.
    Wait(WaitStep),
    /// The GET that shows the operation's effects (`read`, or the one by which they are counted), sent with the key.
    Read(RequestFields),
}

/// A request's fields. What is not given: operation = the one under test, account = `a`, body = `base`, no key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RequestFields {
    /// The name that checks use.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `under-test` (the default), `other` (another operation of the target), or an operation's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The account that sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The key's wire form, where it is not the policy's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<crate::contract::WireForm>,
    /// Which body of the target: `base`, `changed`, `invalid`, `declined`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The same meaning in other bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
    /// What else is varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vary: Option<Vary>,
    /// When the client vanishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// Other bytes for the same body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// Members of the outermost object in the reverse order.
    MembersReordered,
    /// White space between tokens.
    Whitespace,
    /// `1.0` for an integer.
    NumberForm,
    /// A `null` member that is absent in the first.
    NullMember,
    /// An array in the reverse order.
    ArrayReordered,
    /// A `\u` escape for a letter.
    UnicodeEscapes,
    /// An added member that the API does not know.
    AddedMember,
    /// Another value in a member that the policy's fingerprint ignores.
    IgnoredMember,
}

/// A difference outside the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Vary {
    /// Without the account's credentials.
    NoCredentials,
    /// With credentials that are not valid.
    BadCredentials,
    /// With another query.
    Query,
    /// With this method.
    Method(String),
    /// With another resource in the path (a new set-up).
    Resource,
    /// With `; charset=utf-8` after the content type.
    ContentTypeCharset,
    /// With a header that has nothing to do with the request's meaning.
    UnrelatedHeader,
    /// To another replica (base URL) of the target.
    Replica(u32),
    /// With a stale `If-Match`.
    StaleIfMatch,
    /// Without the placeholder-borne `Origin`: a CORS preflight for this request.
    Preflight,
    /// Over a new connection.
    NewConnection,
}

/// When the client vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// While the server works: the request is out, nothing has come back.
    WhileWorking,
    /// At the reply's first byte.
    AtFirstByte,
    /// In the middle of a large reply.
    MidReply,
    /// After the reply's last byte; the client never sees it.
    AfterLastByte,
}

macro_rules! situations {
    ($($(#[$doc:meta])* $variant:ident($name:literal) ),+ $(,)?) => {
        /// What must hold: a situation and the steps that show it. It holds no status, no number, no level.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum Check { $($(#[$doc])* $variant(Steps)),+ }

        impl Check {
            /// The situation's name.
            #[must_use]
            pub fn situation(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),+ }
            }

            /// The steps that the check names.
            #[must_use]
            pub fn steps(&self) -> &Steps {
                match self { $(Self::$variant(steps) => steps),+ }
            }
        }
    };
}

situations! {
    /// The control: counters can rise, a fresh key has its own effect.
    Control("control"),
    /// A repeat of a finished request.
    Replay("replay"),
    /// Copies released together.
    Concurrent("concurrent"),
    /// A duplicate (or another body) while the first is in progress.
    InProgress("in-progress"),
    /// Another request under the same key.
    Mismatch("mismatch"),
    /// The same key from another account.
    OtherAccount("other-account"),
    /// The same key elsewhere: another route, resource, query, method, credential, region.
    OtherScope("other-scope"),
    /// The same request written otherwise.
    SameRequest("same-request"),
    /// A key of some shape.
    KeySyntax("key-syntax"),
    /// Two keys that are nearly the same.
    DistinctKeys("distinct-keys"),
    /// A result that is no success, then the same key again.
    Stored("stored"),
    /// A lost reply.
    Recovered("recovered"),
    /// The same request after its key expired.
    AfterRetention("after-retention"),
    /// Nothing that the server made for one appears in the other's reply.
    NothingLeaks("nothing-leaks"),
    /// The same request twice without a key.
    Unkeyed("unkeyed"),
    /// A key on a method that needs none.
    KeyedMethod("keyed-method"),
    /// The CORS preflight of a keyed request.
    Preflight("preflight"),
}

/// The steps of a check, by their `as` names. Which ones a situation needs is said in `suites/README.md`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Steps {
    /// The first request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// The one that is judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The copies of a burst.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// Repeats after everything is finished.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<String>,
    /// Requests between which nothing may leak.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// The request whose reply was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// The retry of a lost request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<String>,
    /// A request under a fresh key that shows what is normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// The count before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The count after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
}

impl Drill {
    /// Whether a step waits for the end of the run: such a drill begins early and ends late.
    #[must_use]
    pub fn rests_until_the_end(&self) -> bool {
        self.step
            .iter()
            .any(|step| matches!(step, Step::Wait(wait) if wait.until.is_some()))
    }

    /// The suite: what stands before the dot of the id.
    #[must_use]
    pub fn suite(&self) -> &str {
        self.id.split('.').next().unwrap_or(&self.id)
    }
}
