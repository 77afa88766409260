//! How a run is carried out, all decided: flags beat `DOUBLETAP_*` variables, these the file, the file the built-in values.
//! It must not know what is tested.

use std::fmt;
use std::str::FromStr;

use crate::contract::Length;

/// Copies of a burst at the most.
pub const MOST_COPIES: u32 = 100;
/// Rounds at the most.
pub const MOST_ROUNDS: u32 = 1000;

/// How old keys become in every run: an ordinary run on one machine lasts about as long anyway.
pub const KEY_AGE: Length = Length::seconds(5);

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Copies of a burst.
    pub copies: u32,
    /// Copies of any burst at the most, also of drills that say a number themselves.
    pub max_copies: Option<u32>,
    /// Rounds of drills that are repeated.
    pub rounds: u32,
    /// A window that is to be seen, instead of a number of rounds.
    pub window: Option<Length>,
    /// With which probability.
    pub confidence: f64,
    /// A violated should fails too.
    pub strict: bool,
    /// Go on after what would end the run.
    pub keep_going: bool,
    /// Drills that must not be skipped, or `all`.
    pub require: Vec<String>,
    /// What may be decided by chance is decided by this number; never keys.
    pub seed: Option<u64>,
    /// Poll so long until the target answers.
    pub wait: Option<Length>,
    /// How old a key is, at the least, when a drill that rests until the end of the run repeats its request: the run waits for it.
    pub key_age: Length,
    /// Requests a second at the most.
    pub rate: Option<f64>,
    /// Requests of the whole run at the most. `None`: 20,000 on loopback, 1,000 elsewhere.
    pub max_requests: Option<u64>,
    /// Hosts that may be tested although they are neither loopback nor private.
    pub allow_hosts: Vec<String>,
    /// Suites to run. Empty: `drill`.
    pub suites: Vec<String>,
    /// Drills to run. Empty: all of the suites.
    pub drills: Vec<String>,
    /// The report's format on standard output.
    pub format: Format,
    /// Reports into files.
    pub outputs: Vec<(Format, String)>,
    /// Where the journal goes. `None`: the state directory.
    pub journal: Option<String>,
    /// Show the plan and send nothing.
    pub dry_run: bool,
    /// A PEM bundle of further certificate authorities.
    pub cacert: Option<String>,
    /// The protocol.
    pub protocol: Protocol,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            copies: 10,
            max_copies: None,
            rounds: 10,
            window: None,
            confidence: 0.99,
            strict: false,
            keep_going: false,
            require: Vec::new(),
            seed: None,
            wait: None,
            key_age: KEY_AGE,
            rate: None,
            max_requests: None,
            allow_hosts: Vec::new(),
            suites: Vec::new(),
            drills: Vec::new(),
            format: Format::Table,
            outputs: Vec::new(),
            journal: None,
            dry_run: false,
            cacert: None,
            protocol: Protocol::Auto,
        }
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// All words.
            pub const WORDS: &[&str] = &[$($word),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$variant => $word),+ })
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(format!("`{text}` is no {}; known: {}", $what, Self::WORDS.join(", "))),
                }
            }
        }
    };
}

impl Format {
    /// Whether a report is one document that nothing may stand beside: two of them after each other cannot be read.
    #[must_use]
    pub fn is_one_document(self) -> bool {
        match self {
            Self::Json | Self::Junit | Self::Sarif | Self::Gitlab | Self::Tap | Self::Html => true,
            Self::Table | Self::Ndjson | Self::Markdown | Self::Github => false,
        }
    }
}

words! {
    /// A report's format.
    Format, "report format" {
        /// For people.
        Table = "table",
        /// Everything, for programs.
        Json = "json",
        /// Everything, one JSON value a line.
        Ndjson = "ndjson",
        /// For CI systems.
        Junit = "junit",
        /// For code-scanning pages (SARIF 2.1.0).
        Sarif = "sarif",
        /// For a pull request, a wiki or a step summary.
        Markdown = "markdown",
        /// GitHub's annotations.
        Github = "github",
        /// GitLab's code-quality list.
        Gitlab = "gitlab",
        /// The Test Anything Protocol.
        Tap = "tap",
        /// One self-contained page.
        Html = "html",
    }
}

words! {
    /// The HTTP version.
    Protocol, "protocol" {
        /// What TLS negotiates; HTTP/1.1 without TLS.
        Auto = "auto",
        /// HTTP/1.1 only.
        Http1 = "http1",
        /// HTTP/2, negotiated by TLS.
        Http2 = "http2",
        /// HTTP/2 without negotiation.
        Http2PriorKnowledge = "http2-prior-knowledge",
    }
}
