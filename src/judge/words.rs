//! What a clause declares, in words for a report.
//! It must not know what a clause means for a verdict.

use crate::contract::{
    Answer, Covers, KeyRule, Length, Marker, Replay, Retention, Sameness, Storage,
};

/// A value that a clause declares, in words.
pub trait Declares {
    /// In words; `name` is the clause's.
    fn words(&self, name: &str) -> String;
}

impl Declares for Answer {
    fn words(&self, _: &str) -> String {
        self.to_string()
    }
}

impl Declares for bool {
    fn words(&self, name: &str) -> String {
        let says = match name {
            "one-effect" => "one key has one effect",
            "isolation" => "nothing made for one account reaches another",
            "no-server-error" => "a duplicate never gets a 5xx other than 502, 503 and 504",
            other => return format!("{other} = {self}"),
        };
        if *self {
            says.to_owned()
        } else {
            format!("not promised: {says}")
        }
    }
}

impl Declares for Replay {
    fn words(&self, _: &str) -> String {
        match self {
            Self::Unspecified => "unspecified".to_owned(),
            Self::Same(_) => "the first reply again".to_owned(),
            Self::Current(_) => "the state of now of what the first request made".to_owned(),
            Self::Refuse(how) => format!("refuse ({how})"),
        }
    }
}

impl Declares for Marker {
    fn words(&self, _: &str) -> String {
        match self {
            Self::Unspecified => "unspecified".to_owned(),
            Self::None => "no marker".to_owned(),
            Self::Header { name, replay, .. } if replay.is_empty() => {
                format!("{name} on replays")
            }
            Self::Header { name, replay, .. } => {
                format!("{name}: {} on replays", replay.join(" or "))
            }
            Self::Always { name, .. } => format!("{name} on every reply"),
        }
    }
}

impl Declares for Length {
    fn words(&self, _: &str) -> String {
        format!("at most {self}")
    }
}

impl Declares for Retention {
    fn words(&self, _: &str) -> String {
        match (self.at_least, self.at_most) {
            (Some(least), Some(most)) => format!("keys are kept from {least} to {most}"),
            (Some(least), None) => format!("keys are kept at least {least}"),
            (None, Some(most)) => format!("keys are kept at most {most}"),
            (None, None) => "unspecified".to_owned(),
        }
    }
}

impl Declares for Storage {
    fn words(&self, _: &str) -> String {
        match self {
            Self::Unspecified => "unspecified",
            Self::Stored => "stored",
            Self::NotStored => "not stored",
        }
        .to_owned()
    }
}

impl Declares for Sameness {
    fn words(&self, _: &str) -> String {
        match self {
            Self::Unspecified => "unspecified",
            Self::Same => "the same request",
            Self::Different => "another request",
        }
        .to_owned()
    }
}

impl Declares for Covers {
    fn words(&self, _: &str) -> String {
        match self {
            Self::Unspecified => "unspecified",
            Self::None => "nothing is compared",
            Self::Bytes => "the bytes of the body are compared",
            Self::Json => "the meaning of the JSON body is compared",
        }
        .to_owned()
    }
}

impl Declares for KeyRule {
    fn words(&self, _: &str) -> String {
        "keys that differ are different keys".to_owned()
    }
}

impl Declares for Vec<String> {
    fn words(&self, _: &str) -> String {
        self.join(", ")
    }
}

/// A text about replies without the numbers of attempts: a reader of a pass wants to know what came, not where to look.
#[must_use]
pub fn without_numbers(text: &str) -> String {
    const BEFORE: &str = "attempt ";
    const AFTER: &str = " got ";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEFORE) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let numbered = &tail[BEFORE.len()..];
        let after = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
        match after.strip_prefix(AFTER) {
            Some(came) if after.len() < numbered.len() => rest = came,
            _ => {
                out.push_str(BEFORE);
                rest = numbered;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn only_the_numbers_of_replies_go() {
        assert_eq!(
            without_numbers("refused (attempt 12 got 400, attempt 13 got 400)"),
            "refused (400, 400)"
        );
        for kept in [
            "nothing of attempt 3 in the reply to attempt 4",
            "attempt 7 was not sent",
            "attempt  got 201",
        ] {
            assert_eq!(without_numbers(kept), kept);
        }
    }
}
