//! A key as it stood on the wire: valid by the contract, or in which way it is not.
//! It must not know how the key was made, nor what a server answered.

use super::{Answer, Clause, Contract, KeyFormat, KeyRule, LengthUnit, WireForm};

/// The length above which a key is long where the policy does not say.
pub const USUAL_MOST: usize = 255;

/// What a key is by the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyClass {
    /// None was sent.
    Missing,
    /// Nothing, or blanks.
    Empty,
    /// Shorter than the least length.
    TooShort,
    /// Longer than the greatest length.
    TooLong,
    /// Characters that are not allowed.
    Charset,
    /// The other wire form, or not of the declared format.
    Form,
    /// Twice, or a list.
    Twice,
    /// Longer than usual, and the policy names no greatest length.
    LongUndeclared,
    /// Valid.
    Valid,
}

impl KeyClass {
    /// The clause that says what such a key gets; `None` for keys that need no answer of their own.
    #[must_use]
    pub fn clause(self, contract: &Contract) -> Option<&Clause<Answer>> {
        match self {
            Self::Missing => Some(&contract.missing),
            Self::Empty => Some(&contract.malformed.empty),
            Self::TooShort => Some(&contract.malformed.too_short),
            Self::TooLong | Self::LongUndeclared => Some(&contract.malformed.too_long),
            Self::Charset => Some(&contract.malformed.charset),
            Self::Form => Some(&contract.malformed.form),
            Self::Twice => Some(&contract.malformed.twice),
            Self::Valid => None,
        }
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "no key",
            Self::Empty => "an empty key",
            Self::TooShort => "a key that is too short",
            Self::TooLong => "a key that is too long",
            Self::Charset => "a key with characters that are not allowed",
            Self::Form => "a key in another form",
            Self::Twice => "a key sent twice",
            Self::LongUndeclared => "a long key",
            Self::Valid => "a valid key",
        }
    }
}

/// Classes the key that was sent, one text a header line (or the one value of another carrier).
#[must_use]
pub fn classify(rule: &KeyRule, lines: &[&str]) -> KeyClass {
    let line = match lines {
        [] => return KeyClass::Missing,
        [line] => *line,
        _ => return KeyClass::Twice,
    };
    let text = line.trim_matches([' ', '\t']);
    if text.is_empty() {
        return KeyClass::Empty;
    }
    if is_list(text) {
        return KeyClass::Twice;
    }
    let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    let bare = match (rule.form, quoted) {
        (WireForm::Bare, true) | (WireForm::SfString, false) => return KeyClass::Form,
        (WireForm::Bare, false) => text.to_owned(),
        (WireForm::SfString, true) => match unquoted(text) {
            Some(bare) => bare,
            None => return KeyClass::Charset,
        },
    };
    if bare.trim().is_empty() {
        return KeyClass::Empty;
    }
    let length = match rule.unit {
        LengthUnit::Chars => bare.chars().count(),
        LengthUnit::Bytes => bare.len(),
    };
    if rule.least.is_some_and(|least| length < least as usize) {
        return KeyClass::TooShort;
    }
    if rule.most.is_some_and(|most| length > most as usize) {
        return KeyClass::TooLong;
    }
    let allowed = match &rule.charset {
        Some(set) => bare.chars().all(|c| in_set(set, c)),
        None => bare.chars().all(|c| matches!(c, ' '..='~')),
    };
    if !allowed {
        return KeyClass::Charset;
    }
    if !fits(rule.format, &bare) {
        return KeyClass::Form;
    }
    if rule.most.is_none() && length > USUAL_MOST {
        return KeyClass::LongUndeclared;
    }
    KeyClass::Valid
}

/// The text inside a structured-field string (RFC 9651, section 3.3.3); `None` where it is none.
#[must_use]
pub fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                escaped @ ('"' | '\\') => out.push(escaped),
                _ => return None,
            },
            '"' => return None,
            ' '..='~' => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

/// Whether a text is one key several times, joined by commas.
fn is_list(text: &str) -> bool {
    let mut parts = text.split(',').map(str::trim);
    let Some(first) = parts.next().filter(|first| !first.is_empty()) else {
        return false;
    };
    let mut others = parts.peekable();
    others.peek().is_some() && others.all(|part| part == first)
}

fn fits(format: KeyFormat, key: &str) -> bool {
    let uuid = |version: Option<usize>| {
        key.len() == 36
            && uuid::Uuid::try_parse(key)
                .is_ok_and(|u| version.is_none_or(|v| u.get_version_num() == v))
    };
    match format {
        KeyFormat::Any => true,
        KeyFormat::Uuid => uuid(None),
        KeyFormat::UuidV4 => uuid(Some(4)),
        KeyFormat::UuidV7 => uuid(Some(7)),
        KeyFormat::Hex32 => key.len() == 32 && key.bytes().all(|b| b.is_ascii_hexdigit()),
        KeyFormat::Digits => key.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// Whether a set such as `A-Za-z0-9_-` holds a character; a dash is a range only between two characters.
fn in_set(set: &str, c: char) -> bool {
    let set: Vec<char> = set.chars().collect();
    let mut i = 0;
    while i < set.len() {
        if i + 2 < set.len() && set[i + 1] == '-' {
            if (set[i]..=set[i + 2]).contains(&c) {
                return true;
            }
            i += 3;
        } else {
            if set[i] == c {
                return true;
            }
            i += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare() -> KeyRule {
        KeyRule {
            least: Some(2),
            most: Some(40),
            ..KeyRule::default()
        }
    }

    #[test]
    fn a_bare_key_is_classed_by_what_is_wrong_with_it() {
        let long = "k".repeat(41);
        for (line, class) in [
            ("8e03978e-40d5-43dd-bc93-6894a57f9324", KeyClass::Valid),
            ("", KeyClass::Empty),
            ("  ", KeyClass::Empty),
            ("k", KeyClass::TooShort),
            (long.as_str(), KeyClass::TooLong),
            ("kéy", KeyClass::Charset),
            ("k\u{1}y", KeyClass::Charset),
            ("\"abc\"", KeyClass::Form),
            ("abc, abc", KeyClass::Twice),
            ("abc,abd", KeyClass::Valid),
        ] {
            assert_eq!(classify(&bare(), &[line]), class, "{line}");
        }
        assert_eq!(classify(&bare(), &[]), KeyClass::Missing);
        assert_eq!(classify(&bare(), &["abc", "abc"]), KeyClass::Twice);
    }

    #[test]
    fn a_structured_field_string_needs_its_quotes() {
        let rule = KeyRule {
            form: WireForm::SfString,
            ..KeyRule::default()
        };
        assert_eq!(classify(&rule, &["\"abc\""]), KeyClass::Valid);
        assert_eq!(classify(&rule, &["abc"]), KeyClass::Form);
        assert_eq!(classify(&rule, &["\"\""]), KeyClass::Empty);
        assert_eq!(classify(&rule, &["\"é\""]), KeyClass::Charset);
        assert_eq!(classify(&rule, &["\"a\", \"a\""]), KeyClass::Twice);
    }

    #[test]
    fn formats_and_sets_of_characters_are_kept() {
        let v4 = KeyRule {
            format: KeyFormat::UuidV4,
            ..KeyRule::default()
        };
        assert_eq!(
            classify(&v4, &["8e03978e-40d5-43dd-bc93-6894a57f9324"]),
            KeyClass::Valid
        );
        assert_eq!(
            classify(&v4, &["8e03978e-40d5-13dd-bc93-6894a57f9324"]),
            KeyClass::Form
        );
        let set = KeyRule {
            charset: Some("A-Za-z0-9_-".into()),
            ..KeyRule::default()
        };
        assert_eq!(classify(&set, &["a_b-C9"]), KeyClass::Valid);
        assert_eq!(classify(&set, &["a.b"]), KeyClass::Charset);
    }

    #[test]
    fn a_long_key_is_no_mistake_where_no_greatest_length_is_declared() {
        let long = "k".repeat(256);
        assert_eq!(
            classify(&KeyRule::default(), &[&long]),
            KeyClass::LongUndeclared
        );
    }
}
