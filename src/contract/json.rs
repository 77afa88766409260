//! JSON values compared exactly: numbers by their decimal value, of any size, and members in any order.
//! It must not know what the values are compared for.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Deeper nesting than any real reply has; what is deeper counts as no JSON.
const DEEPEST: usize = 100;

/// A JSON value. Two are equal when they mean the same, however they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as sign, digits and exponent without needless zeros: 1.0, 1 and 10e-1 are the same.
    Number(String),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// Members by name.
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Reads a text; `None` where it is no JSON.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Self::raw(serde_json::from_str(text).ok()?, 0)
    }

    fn raw(raw: &RawValue, depth: usize) -> Option<Self> {
        let text = raw.get();
        if depth > DEEPEST {
            return None;
        }
        Some(match text.as_bytes().first()? {
            b'n' => Self::Null,
            b't' => Self::Bool(true),
            b'f' => Self::Bool(false),
            b'"' => Self::String(serde_json::from_str(text).ok()?),
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let items = items.into_iter().map(|item| Self::raw(item, depth + 1));
                Self::Array(items.collect::<Option<_>>()?)
            }
            b'{' => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                let members = members
                    .into_iter()
                    .map(|(name, value)| Some((name, Self::raw(value, depth + 1)?)));
                Self::Object(members.collect::<Option<_>>()?)
            }
            _ => Self::Number(number(text)),
        })
    }

    /// The value at a JSON Pointer.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |value, token| {
                let token = token.replace("~1", "/").replace("~0", "~");
                match value {
                    Self::Object(members) => members.get(&token),
                    Self::Array(items) => items.get(token.parse::<usize>().ok()?),
                    _ => None,
                }
            })
    }

    /// All values at a JSON Pointer in which `*` stands for any member or element.
    #[must_use]
    pub fn all_at(&self, pointer: &str) -> Vec<&Self> {
        let Some((before, after)) = pointer.split_once("/*") else {
            return self.at(pointer).into_iter().collect();
        };
        // `/*x` is a member's name
        if !(after.is_empty() || after.starts_with('/')) {
            return self.at(pointer).into_iter().collect();
        }
        let inner: Vec<&Self> = match self.at(before) {
            Some(Self::Object(members)) => members.values().collect(),
            Some(Self::Array(items)) => items.iter().collect(),
            _ => Vec::new(),
        };
        inner
            .into_iter()
            .flat_map(|value| value.all_at(after))
            .collect()
    }

    /// Takes away what stands at a JSON Pointer, where anything does.
    pub fn remove(&mut self, pointer: &str) {
        let Some((parent, token)) = pointer.rsplit_once('/') else {
            return;
        };
        let token = token.replace("~1", "/").replace("~0", "~");
        match self.at_mut(parent) {
            Some(Self::Object(members)) => {
                members.remove(&token);
            }
            // the others keep their places
            Some(Self::Array(items)) => {
                if let Some(item) = token.parse().ok().and_then(|i: usize| items.get_mut(i)) {
                    *item = Self::Null;
                }
            }
            _ => {}
        }
    }

    fn at_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |value, token| {
                let token = token.replace("~1", "/").replace("~0", "~");
                match value {
                    Self::Object(members) => members.get_mut(&token),
                    Self::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
                    _ => None,
                }
            })
    }

    /// A text, number or truth value as text; `None` for what has parts, and for null.
    #[must_use]
    pub fn scalar(&self) -> Option<String> {
        match self {
            Self::String(text) | Self::Number(text) => Some(text.clone()),
            Self::Bool(truth) => Some(truth.to_string()),
            Self::Null | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// All texts inside, the names of members left out.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::String(text) => vec![text],
            Self::Array(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Object(members) => members.values().flat_map(Self::texts).collect(),
            Self::Null | Self::Bool(_) | Self::Number(_) => Vec::new(),
        }
    }

    /// The first place where two values differ, as a JSON Pointer.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        match (self, other) {
            (Self::Object(a), Self::Object(b)) => {
                let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
                names.into_iter().find_map(|name| {
                    let here = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                    match (a.get(name), b.get(name)) {
                        (Some(x), Some(y)) => x.difference(y).map(|rest| format!("{here}{rest}")),
                        _ => Some(here),
                    }
                })
            }
            (Self::Array(a), Self::Array(b)) => {
                (0..a.len().max(b.len())).find_map(|i| match (a.get(i), b.get(i)) {
                    (Some(x), Some(y)) => x.difference(y).map(|rest| format!("/{i}{rest}")),
                    _ => Some(format!("/{i}")),
                })
            }
            (a, b) => (a != b).then(String::new),
        }
    }
}

/// A number's text without the freedom of writing: as an integer where it is a short one, else `digitsEexponent`.
fn number(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => match exponent.parse::<i64>() {
            Ok(exponent) => (mantissa, exponent),
            Err(_) => return text.to_owned(),
        },
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    if short.is_empty() {
        return "0".to_owned();
    }
    let dropped = i64::try_from(digits.len() - short.len()).unwrap_or(0);
    let places = i64::try_from(fraction.len()).unwrap_or(0);
    match exponent.saturating_sub(places).saturating_add(dropped) {
        0 => format!("{sign}{short}"),
        zeros @ 1..=30 => {
            let zeros = usize::try_from(zeros).unwrap_or(0);
            format!("{sign}{short}{}", "0".repeat(zeros))
        }
        exponent => format!("{sign}{short}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Json::read(a).unwrap() == Json::read(b).unwrap()
    }

    #[test]
    fn members_in_another_order_and_other_white_space_are_the_same_value() {
        assert!(same(r#"{"a":1,"b":[1,2]}"#, "{ \"b\": [1, 2], \"a\": 1 }"));
        assert!(!same("[1,2]", "[2,1]"));
        assert!(!same(r#"{"a":null}"#, "{}"));
    }

    #[test]
    fn integers_above_two_to_the_53rd_are_told_apart() {
        assert!(!same("9007199254740993", "9007199254740992"));
        assert!(!same(
            "123456789012345678901234567890",
            "123456789012345678901234567891"
        ));
        assert!(same("18446744073709551616", "18446744073709551616"));
    }

    #[test]
    fn one_number_written_in_several_ways_is_one_number() {
        for text in ["1", "1.0", "10e-1", "0.1E1", "1.00"] {
            assert!(same("1", text), "{text}");
        }
        assert!(same("-0", "0") && same("100", "1e2") && !same("0.1", "1") && !same("-1", "1"));
        assert_eq!(Json::read("4711").unwrap().scalar().unwrap(), "4711");
        assert_eq!(Json::read("1200").unwrap().scalar().unwrap(), "1200");
    }

    #[test]
    fn a_difference_is_named_by_its_place() {
        let a = Json::read(r#"{"a":{"b/c":[1,2]}}"#).unwrap();
        let b = Json::read(r#"{"a":{"b/c":[1,3]}}"#).unwrap();
        assert_eq!(a.difference(&b).unwrap(), "/a/b~1c/1");
        assert_eq!(a.at("/a/b~1c/1").unwrap().scalar().unwrap(), "2");
        assert_eq!(a.difference(&a), None);
    }

    #[test]
    fn hostile_nesting_is_no_json_and_no_crash() {
        let deep = "[".repeat(50_000) + &"]".repeat(50_000);
        assert_eq!(Json::read(&deep), None);
        assert_eq!(Json::read("<html>"), None);
    }
}
