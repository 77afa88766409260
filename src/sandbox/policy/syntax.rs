//! From the texts of a key to a valid key, or to what is wrong with it by the policy's rules.
//! Must not know what is done with a key that is not valid.

use sfv::{BareItem, Item, Parser};

use crate::contract::{Answer, Contract, KeyFormat, KeyRule, LengthUnit, WireForm};
use crate::sandbox::fingerprint;
use crate::sandbox::store::record::KEY_WIDTH;

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    Empty,
    TooShort,
    TooLong,
    Charset,
    Form,
    Twice,
}

/// A key that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flawed {
    pub(super) flaw: Flaw,
    /// The key that it would be; none if it cannot be read at all.
    pub(super) text: Option<String>,
    /// Whether the right designs take it for that key.
    pub(super) taken_as_usual: bool,
}

impl Flaw {
    /// What is declared of it.
    pub(super) fn answer(self, contract: &Contract) -> &Answer {
        let malformed = &contract.malformed;
        match self {
            Self::Empty => &malformed.empty.value,
            Self::TooShort => &malformed.too_short.value,
            Self::TooLong => &malformed.too_long.value,
            Self::Charset => &malformed.charset.value,
            Self::Form => &malformed.form.value,
            Self::Twice => &malformed.twice.value,
        }
    }

    /// The text for the client.
    pub(super) fn detail(self) -> &'static str {
        match self {
            Self::Empty => "the idempotency key is empty",
            Self::TooShort => "the idempotency key is too short",
            Self::TooLong => "the idempotency key is too long",
            Self::Charset => "the idempotency key has characters that are not allowed",
            Self::Form => "the idempotency key is not written as it should be",
            Self::Twice => "the idempotency key was sent more than once",
        }
    }
}

/// Reads the key; none if none was sent.
pub(super) fn read(rule: &KeyRule, texts: &[Vec<u8>]) -> Result<Option<String>, Flawed> {
    let flawed = |flaw, text: &str, taken_as_usual| Flawed {
        flaw,
        text: Some(text.to_owned()),
        taken_as_usual,
    };
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    let text = match texts {
        [] => return Ok(None),
        [text] => lossy(text),
        [first, ..] if texts.iter().all(|text| text == first) => {
            let once = opened(&lossy(first)).unwrap_or_default();
            return Err(flawed(Flaw::Twice, &once, false));
        }
        _ => {
            let all: Vec<String> = texts.iter().map(|text| lossy(text)).collect();
            return Err(flawed(Flaw::Twice, &all.join(", "), false));
        }
    };
    if text.is_empty() {
        return Err(flawed(Flaw::Empty, "", false));
    }
    if let Some(once) = repeated(&text) {
        let once = opened(once).unwrap_or_default();
        return Err(flawed(Flaw::Twice, &once, false));
    }
    let quoted = text.starts_with('"');
    let Some(key) = opened(&text) else {
        return Err(Flawed {
            flaw: Flaw::Form,
            text: None,
            taken_as_usual: false,
        });
    };
    if key.trim().is_empty() {
        return Err(flawed(Flaw::Empty, &key, false));
    }
    // What is declared comes first, and of that the form last: a key in the other form may be taken, if it is valid otherwise.
    let usual = unusual(&key, quoted).filter(|flaw| is_open(rule, *flaw));
    match declared_flaw(rule, &key, quoted).or(usual) {
        None => Ok(Some(key)),
        Some(flaw) => {
            let taken = usual.is_none() && matches!(flaw, Flaw::TooShort | Flaw::Form);
            Err(flawed(flaw, &key, taken))
        }
    }
}

/// What is wrong with a key by what is declared.
fn declared_flaw(rule: &KeyRule, key: &str, quoted: bool) -> Option<Flaw> {
    let length = match rule.unit {
        LengthUnit::Chars => key.chars().count(),
        LengthUnit::Bytes => key.len(),
    };
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let strange = |set: &String| !key.chars().all(|letter| holds(set, letter));
    if rule.least.is_some_and(|least| length < least) {
        Some(Flaw::TooShort)
    } else if rule.most.is_some_and(|most| length > most) {
        Some(Flaw::TooLong)
    } else if rule.charset.as_ref().is_some_and(strange) {
        Some(Flaw::Charset)
    } else if quoted != (rule.form == WireForm::SfString) || !has_format(rule.format, key) {
        Some(Flaw::Form)
    } else {
        None
    }
}

/// What is wrong with a key where nothing is declared: it is longer than the column, or not all visible ASCII. A bare comma
/// looks like two keys.
fn unusual(key: &str, quoted: bool) -> Option<Flaw> {
    let visible = |letter: char| letter.is_ascii_graphic() && (quoted || letter != ',');
    if key.chars().count() > KEY_WIDTH {
        Some(Flaw::TooLong)
    } else if !key.chars().all(visible) {
        Some(Flaw::Charset)
    } else {
        None
    }
}

/// Whether the policy leaves it open when a key has this flaw.
fn is_open(rule: &KeyRule, flaw: Flaw) -> bool {
    match flaw {
        Flaw::TooLong => rule.most.is_none(),
        Flaw::Charset => rule.charset.is_none(),
        _ => false,
    }
}

/// The key as its record has it: without case where case means nothing, and never wider than the column.
pub(super) fn stored(contract: &Contract, key: &str) -> String {
    let key = match contract.key.value.case_sensitive {
        Some(false) => key.to_lowercase(),
        _ => key.to_owned(),
    };
    if key.chars().count() > KEY_WIDTH {
        format!("sha-256:{}", fingerprint::hash(key.as_bytes()))
    } else {
        key
    }
}

/// The text inside quotes, or the text itself; none if quotes are wrong.
fn opened(text: &str) -> Option<String> {
    if !text.starts_with('"') {
        return Some(text.to_owned());
    }
    match Parser::new(text.as_bytes()).parse::<Item>() {
        Ok(Item {
            bare_item: BareItem::String(inner),
            ..
        }) => Some(inner.as_str().to_owned()),
        // A structured-field string is ASCII; others may still quote.
        _ => None,
    }
}

/// The text that a list repeats, as two lines joined by a comma do.
fn repeated(text: &str) -> Option<&str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let first = parts.first().copied().filter(|first| !first.is_empty())?;
    (parts.len() > 1 && parts.iter().all(|part| *part == first)).then_some(first)
}

/// Whether a set such as `A-Za-z0-9_-` holds a letter.
fn holds(set: &str, letter: char) -> bool {
    let set: Vec<char> = set.chars().collect();
    let mut at = 0;
    while at < set.len() {
        if at + 2 < set.len() && set[at + 1] == '-' {
            if (set[at]..=set[at + 2]).contains(&letter) {
                return true;
            }
            at += 3;
        } else {
            if set[at] == letter {
                return true;
            }
            at += 1;
        }
    }
    false
}

fn has_format(format: KeyFormat, key: &str) -> bool {
    let hex = |count: usize| key.len() == count && key.bytes().all(|b| b.is_ascii_hexdigit());
    let uuid = |version: Option<usize>| {
        let id = uuid::Uuid::try_parse(key).ok().filter(|_| key.len() == 36);
        id.is_some_and(|id| version.is_none_or(|version| id.get_version_num() == version))
    };
    match format {
        KeyFormat::Any => true,
        KeyFormat::Uuid => uuid(None),
        KeyFormat::UuidV4 => uuid(Some(4)),
        KeyFormat::UuidV7 => uuid(Some(7)),
        KeyFormat::Hex32 => hex(32),
        KeyFormat::Digits => key.bytes().all(|b| b.is_ascii_digit()),
    }
}
