//! What a policy allows a server to answer in a situation, and how a reply is recognised as a declared refusal.
//! It must not know which situation it stands for, nor how replies are fetched.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must come in a situation. An answer knows its effects: `run` means one more, `replay`, `wait` and `refuse` none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The policy leaves the situation open: it is sent and observed, never judged.
    Unspecified,
    /// The request runs, with an effect and an identity of its own.
    Run,
    /// The key is taken as a valid one and protects: the first request runs, its repeat does not.
    Accept,
    /// The stored reply comes back; nothing runs.
    Replay,
    /// The duplicate waits for the first and then gets its reply; nothing runs.
    Wait,
    /// The request is refused with a reply that fits; nothing runs.
    Refuse(Match),
    /// Any of these.
    AnyOf(Vec<Answer>),
}

/// How a declared refusal is recognised. Everything that is given must fit; nothing given means "any status from 400 to 499".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Match {
    /// Statuses that fit: numbers, or classes such as `"4xx"`. Empty: any 4xx.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<StatusPattern>,
    /// Places in the body that must hold one of the listed values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyMatch>,
    /// Headers that must be there, with one of the listed values where any is listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<HeaderMatch>,
    /// Whether the refusal may name what the first request made (its identity): true, false, or left open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveals: Option<bool>,
}

/// One place in a reply's body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BodyMatch {
    /// A JSON Pointer (`/error/type`), an element path in XML (`xml:/Response/Errors/Error/Code`), a form field (`form:name`),
    /// or `text` for the whole body.
    pub at: String,
    /// One of these values must stand there. Empty: anything must be there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
    /// One of these texts must be contained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub has: Vec<String>,
}

/// One header of a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HeaderMatch {
    /// The header's name, in any case.
    pub name: String,
    /// One of these values must be there. Empty: the header must be present.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub is: Vec<String>,
}

/// A status, or a class of statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "StatusText", into = "StatusText")]
#[schemars(with = "StatusText")]
pub enum StatusPattern {
    /// Exactly this status.
    Exact(u16),
    /// All statuses of this class: 4 for 400 to 499.
    Class(u16),
}

/// A status as written: `422`, or `"4xx"`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Status")]
pub enum StatusText {
    /// `422`
    Number(u16),
    /// `"4xx"`
    Text(String),
}

impl StatusPattern {
    /// Whether a reply's status fits.
    #[must_use]
    pub fn fits(self, status: u16) -> bool {
        match self {
            Self::Exact(exact) => exact == status,
            Self::Class(class) => status / 100 == class,
        }
    }
}

impl TryFrom<StatusText> for StatusPattern {
    type Error = String;

    fn try_from(text: StatusText) -> Result<Self, Self::Error> {
        match text {
            StatusText::Number(status) if (100..600).contains(&status) => Ok(Self::Exact(status)),
            StatusText::Number(status) => Err(format!(
                "{status} is no HTTP status; statuses are 100 to 599"
            )),
            StatusText::Text(text) => match text.as_bytes() {
                [class @ b'1'..=b'5', b'x', b'x'] => Ok(Self::Class(u16::from(class - b'0'))),
                _ => match text.parse::<u16>() {
                    Ok(status) if (100..600).contains(&status) => Ok(Self::Exact(status)),
                    _ => Err(format!(
                        "`{text}` is no status; write a number such as 422 or a class such as \"4xx\""
                    )),
                },
            },
        }
    }
}

impl From<StatusPattern> for StatusText {
    fn from(pattern: StatusPattern) -> Self {
        match pattern {
            StatusPattern::Exact(status) => Self::Number(status),
            StatusPattern::Class(class) => Self::Text(format!("{class}xx")),
        }
    }
}

impl fmt::Display for StatusPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(status) => write!(f, "{status}"),
            Self::Class(class) => write!(f, "{class}xx"),
        }
    }
}

impl Match {
    /// Whether a status fits: the listed ones, or any 4xx where none is listed.
    #[must_use]
    pub fn status_fits(&self, status: u16) -> bool {
        if self.status.is_empty() {
            status / 100 == 4
        } else {
            self.status.iter().any(|s| s.fits(status))
        }
    }
}

impl fmt::Display for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.status.is_empty() {
            write!(f, "any 4xx")?;
        }
        for (i, status) in self.status.iter().enumerate() {
            write!(f, "{}{status}", if i == 0 { "" } else { " or " })?;
        }
        for body in &self.body {
            write!(f, " with {}", body.at)?;
            if !body.is.is_empty() {
                write!(f, " = {}", body.is.join(" or "))?;
            }
            if !body.has.is_empty() {
                write!(f, " containing {}", body.has.join(" or "))?;
            }
        }
        for header in &self.header {
            write!(f, " with {}", header.name)?;
            if !header.is.is_empty() {
                write!(f, ": {}", header.is.join(" or "))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unspecified => write!(f, "unspecified"),
            Self::Run => write!(f, "run"),
            Self::Accept => write!(f, "accept"),
            Self::Replay => write!(f, "replay"),
            Self::Wait => write!(f, "wait, then replay"),
            Self::Refuse(how) => write!(f, "refuse ({how})"),
            Self::AnyOf(answers) => {
                for (i, answer) in answers.iter().enumerate() {
                    write!(f, "{}{answer}", if i == 0 { "" } else { ", or " })?;
                }
                Ok(())
            }
        }
    }
}

impl Answer {
    /// The alternatives of an answer, flat: itself where it is no `any-of`.
    #[must_use]
    pub fn alternatives(&self) -> Vec<&Answer> {
        match self {
            Self::AnyOf(answers) => answers.iter().flat_map(Answer::alternatives).collect(),
            other => vec![other],
        }
    }

    /// Whether the policy leaves the situation open (alone, or as one of the alternatives).
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.alternatives()
            .iter()
            .any(|a| matches!(a, Answer::Unspecified))
    }
}
