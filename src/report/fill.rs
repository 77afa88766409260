//! What a repetition must not take from the recorded run: keys and references, each with a variable and how bash makes a fresh one.
//! It must not know in which request they are sent.

use super::bash::{Known, literal, quote};
use super::document::AttemptRecord;

const FRESH_UUID: &str = "$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen | tr A-F a-f)";

/// Texts of a recorded run, and the variables that stand for fresh ones.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    known: Vec<Known>,
}

impl Fill {
    /// What these requests carry.
    #[must_use]
    pub fn of(attempts: &[&AttemptRecord]) -> Self {
        let mut fill = Self::default();
        for attempt in attempts {
            if let Some(key) = attempt.key.as_deref()
                && let Some(fresh) = fill.derived(key).or_else(|| fresh(key))
            {
                fill.add(key, "KEY", fresh);
            }
            if attempt.reference.len() >= 8 && occurs(attempt, &attempt.reference) {
                fill.add(&attempt.reference, "REF", FRESH_UUID.to_owned());
            }
        }
        fill
    }

    /// A text for which a variable stands from now on that something else assigns.
    pub fn know(&mut self, text: &str, variable: &str) {
        self.known.push(Known {
            text: text.to_owned(),
            variable: variable.to_owned(),
            fresh: String::new(),
        });
    }

    /// One word for bash, with variables in place of what is known.
    #[must_use]
    pub fn word(&self, text: &str) -> String {
        quote(text, &self.known)
    }

    /// `KEY=$(...)`, in an order in which each can be made.
    #[must_use]
    pub fn assignments(&self) -> Vec<String> {
        let own = self.known.iter().filter(|known| !known.fresh.is_empty());
        own.map(|known| format!("{}={}", known.variable, known.fresh))
            .collect()
    }

    fn add(&mut self, text: &str, stem: &str, fresh: String) {
        if self.known.iter().any(|known| known.text == text) {
            return;
        }
        let others = self
            .known
            .iter()
            .filter(|known| known.variable.starts_with(stem))
            .count();
        let variable = if others == 0 {
            stem.to_owned()
        } else {
            format!("{stem}{}", others + 1)
        };
        self.known.push(Known {
            text: text.to_owned(),
            variable,
            fresh,
        });
    }

    /// How a key is made of another one that it nearly is: that they are near is what matters.
    fn derived(&self, key: &str) -> Option<String> {
        let keys = self
            .known
            .iter()
            .filter(|known| known.variable.starts_with("KEY"));
        for Known { text, variable, .. } in keys.filter(|known| known.text != key) {
            if text.to_uppercase() == key {
                return Some(format!("$(printf %s \"${variable}\" | tr a-z A-Z)"));
            }
            if text.to_lowercase() == key {
                return Some(format!("$(printf %s \"${variable}\" | tr A-Z a-z)"));
            }
            let (own, other) = (last(key), last(text));
            if let Some(((head, own), (same, _))) = own.zip(other)
                && head == same
                && !head.is_empty()
            {
                return Some(format!("${{{variable}%?}}{}", literal(&own.to_string())));
            }
        }
        None
    }
}

/// A text without its last character, and that one.
fn last(text: &str) -> Option<(&str, char)> {
    let last = text.chars().next_back()?;
    Some((&text[..text.len() - last.len_utf8()], last))
}

fn occurs(attempt: &AttemptRecord, text: &str) -> bool {
    let request = &attempt.request;
    request.url.contains(text)
        || request
            .body
            .as_ref()
            .is_some_and(|body| body.contains(text))
        || request
            .headers
            .iter()
            .any(|(_, value)| value.contains(text))
}

/// A fresh UUID, changed by a program.
fn piped(program: &str) -> Option<String> {
    let making = FRESH_UUID.strip_prefix("$(")?.strip_suffix(')')?;
    Some(format!("$({{ {making}; }} | {program})"))
}

/// How bash makes a fresh key of the same kind; `None` where nothing in it is by chance.
fn fresh(key: &str) -> Option<String> {
    if let Ok(uuid) = uuid::Uuid::try_parse(key)
        && key.chars().all(|c| !c.is_ascii_uppercase())
    {
        match (uuid.get_version_num(), key.len()) {
            (4, 36) => return Some(FRESH_UUID.to_owned()),
            // its first half is a time
            (7, 36) => return Some(format!("{}{}", &key[..15], piped("cut -c16-")?)),
            (_, 32) => return piped("tr -d -"),
            _ => {}
        }
    }
    // the tool's own texts by chance are digits and small letters, at the end where something else stands before them
    let chance = |c: char| c.is_ascii_digit() || c.is_ascii_lowercase();
    let head = key.trim_end_matches(chance);
    let length = key.len() - head.len();
    if length == 0 || (length < 8 && !head.is_empty()) {
        return None;
    }
    let digits = key[head.len()..].chars().all(|c| c.is_ascii_digit());
    let letters = if digits { "0-9" } else { "0-9a-z" };
    let head = if head.is_empty() {
        String::new()
    } else {
        literal(head)
    };
    Some(format!(
        "{head}$(LC_ALL=C tr -dc {letters} </dev/urandom | head -c {length})"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(keys: &[&str]) -> Vec<String> {
        let mut fill = Fill::default();
        for key in keys {
            if let Some(fresh) = fill.derived(key).or_else(|| fresh(key)) {
                fill.add(key, "KEY", fresh);
            }
        }
        let mut text = fill.assignments().join("\n");
        for key in keys {
            text.push_str(&format!("\nprintf '%s\\n' {}", fill.word(key)));
        }
        let out = std::process::Command::new("bash")
            .args(["-c", &text])
            .output()
            .unwrap();
        let out = String::from_utf8(out.stdout).unwrap();
        out.lines().map(str::to_owned).collect()
    }

    #[test]
    fn keys_that_are_nearly_the_same_stay_so() {
        let key = "3f2b8c1e-6d0a-4c55-9b1e-7a2f4c9d0e11";
        let again = made(&[key, &key.to_uppercase()]);
        assert_ne!(again[0], key);
        assert_eq!(again[1], again[0].to_uppercase());
        let long = "k7".repeat(40);
        let other = format!("{}0", &long[..79]);
        let again = made(&[&long, &other]);
        assert_ne!(again[0], long);
        assert_eq!(again[0].len(), 80);
        assert_eq!(again[1], format!("{}0", &again[0][..79]));
    }

    #[test]
    fn a_fresh_key_is_of_the_same_kind() {
        for key in [
            "0190b9e2-6d0a-7c55-9b1e-7a2f4c9d0e11",
            "3f2b8c1e6d0a4c559b1e7a2f4c9d0e11",
            "123456789012345678",
            "ключ-é-k3j4h5k6k7",
        ] {
            let again = made(&[key]);
            assert_ne!(again[0], key);
            assert_eq!(again[0].len(), key.len(), "{again:?}");
            let kind = |c: char| if c.is_ascii_digit() { '0' } else { c };
            if key.starts_with('1') {
                assert!(again[0].chars().all(|c| kind(c) == '0'), "{again:?}");
            }
        }
    }
}
