//! An intent: one thing that the user wants done once, with its key, reference and placeholders.
//! It must not know what is sent with it; what is fresh is handed in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::config::suite::KeyShape;
use crate::contract::{Carrier, KeyFormat, KeyRule, WireForm};

/// Where fresh things come from. Keys are never decided by a seed.
pub trait Fresh {
    /// A random UUID.
    fn uuid_v4(&mut self) -> Uuid;
    /// A UUID that begins with the time.
    fn uuid_v7(&mut self) -> Uuid;
    /// A number that no other intent of the run has.
    fn next(&mut self) -> u64;
    /// The time of now as an IMF-fixdate (RFC 9110, section 5.6.7).
    fn now(&mut self) -> String;
}

/// One thing that is wanted once. Equal on every attempt, new for a fresh key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Intent {
    /// Its name in the drill.
    pub name: String,
    /// The key's bare text; `None`: no key is sent.
    pub key: Option<String>,
    /// The key as sent, one value a header line. Empty: no key is sent.
    pub lines: Vec<Vec<u8>>,
    /// The wire form of `lines`.
    pub form: WireForm,
    /// The tool's own text.
    pub reference: String,
    /// `{{uuid}}`.
    pub uuid: String,
    /// `{{n}}`.
    pub n: u64,
    /// Headers that go with the key.
    pub companions: Vec<(String, String)>,
    /// What set-ups filled in.
    pub captured: BTreeMap<String, String>,
}

impl Intent {
    /// The key written in another wire form than the intent's own.
    #[must_use]
    pub fn lines_in(&self, form: WireForm) -> Vec<Vec<u8>> {
        if form == self.form {
            return self.lines.clone();
        }
        self.key.iter().map(|key| written(key, form)).collect()
    }
}

/// The key's bytes in a wire form.
fn written(key: &str, form: WireForm) -> Vec<u8> {
    match form {
        WireForm::Bare => key.as_bytes().to_vec(),
        WireForm::SfString => {
            format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")).into_bytes()
        }
    }
}

fn other(form: WireForm) -> WireForm {
    match form {
        WireForm::Bare => WireForm::SfString,
        WireForm::SfString => WireForm::Bare,
    }
}

/// Makes the intent `name`. `others` are the intents of the same round; `Err` says why such a key cannot be sent (a skip).
pub fn make(
    name: &str,
    shape: &KeyShape,
    others: &BTreeMap<String, Intent>,
    rule: &KeyRule,
    run: &str,
    fresh: &mut dyn Fresh,
) -> Result<Intent, String> {
    let n = fresh.next();
    let uuid = fresh.uuid_v4().to_string();
    let mut intent = Intent {
        name: name.to_owned(),
        key: None,
        lines: Vec::new(),
        form: rule.form,
        reference: format!("dt-{run}-{n}-{}", &uuid[..8]),
        uuid,
        n,
        companions: companions(rule, fresh),
        captured: BTreeMap::new(),
    };
    let of = |name: &str| {
        others
            .get(name)
            .ok_or_else(|| format!("the drill uses `{name}` before it has a key"))
    };
    let one_key = !matches!(rule.format, KeyFormat::Any);
    let in_header = matches!(rule.carrier, Carrier::Header(_));
    let key = match shape {
        KeyShape::Missing => {
            if matches!(rule.carrier, Carrier::Path(_)) {
                return Err("a key in the path cannot be left out".to_owned());
            }
            intent.companions.clear();
            return Ok(intent);
        }
        KeyShape::Fresh | KeyShape::TwoLines | KeyShape::CommaList | KeyShape::OtherForm => {
            fresh_key(rule, fresh)
        }
        KeyShape::Empty => String::new(),
        KeyShape::Blank if in_header => return Err("a header cannot carry outer blanks".to_owned()),
        KeyShape::Blank => " ".to_owned(),
        KeyShape::OneCharacter => random_text(1, fresh),
        KeyShape::AtMaximum | KeyShape::OfLength(_) if one_key => {
            return Err("the policy's key format has one length".to_owned());
        }
        KeyShape::OfLength(length) => random_text(*length as usize, fresh),
        KeyShape::AtMaximum => random_text(rule.most.unwrap_or(255) as usize, fresh),
        KeyShape::OverMaximum => random_text(rule.most.unwrap_or(255) as usize + 1, fresh),
        KeyShape::TenThousand => random_text(10_000, fresh),
        KeyShape::HighEntropy => random_text(4_000, fresh),
        KeyShape::NotAscii => format!("ключ-é-{}", random_text(20, fresh)),
        KeyShape::ControlByte if in_header => {
            return Err("a header cannot carry control bytes".to_owned());
        }
        KeyShape::ControlByte => {
            format!("{}\u{1}{}", random_text(10, fresh), random_text(10, fresh))
        }
        KeyShape::SameAs(name) => {
            let other = of(name)?;
            intent.lines.clone_from(&other.lines);
            intent.companions.clone_from(&other.companions);
            intent.captured.clone_from(&other.captured);
            intent.form = other.form;
            intent.key.clone_from(&other.key);
            return Ok(intent);
        }
        KeyShape::SameReferenceAs(name) => {
            let other = of(name)?;
            intent.reference.clone_from(&other.reference);
            intent.uuid.clone_from(&other.uuid);
            intent.n = other.n;
            intent.captured.clone_from(&other.captured);
            fresh_key(rule, fresh)
        }
        KeyShape::UpperOf(name) => {
            let key = of(name)?.key.clone().unwrap_or_default();
            let upper = key.to_uppercase();
            if upper == key {
                return Err("the key has no letters to put in upper case".to_owned());
            }
            upper
        }
        KeyShape::PrefixOf(name) => {
            let mut key = of(name)?.key.clone().unwrap_or_default();
            let last = key.pop().ok_or("the key is empty")?;
            key.push(if last == '0' { '1' } else { '0' });
            key
        }
        KeyShape::OtherFormOf(name) | KeyShape::TwoLinesOf(name) => {
            let other = of(name)?;
            intent.reference.clone_from(&other.reference);
            intent.uuid.clone_from(&other.uuid);
            intent.n = other.n;
            intent.companions.clone_from(&other.companions);
            intent.captured.clone_from(&other.captured);
            other.key.clone().unwrap_or_default()
        }
    };
    match shape {
        KeyShape::OtherForm | KeyShape::OtherFormOf(_) => {
            intent.form = other(rule.form);
            intent.lines = vec![written(&key, intent.form)];
        }
        KeyShape::TwoLines | KeyShape::TwoLinesOf(_) => {
            if matches!(rule.carrier, Carrier::Json(_) | Carrier::Path(_)) {
                return Err("a JSON member or a path cannot carry a key twice".to_owned());
            }
            intent.lines = vec![written(&key, rule.form); 2];
        }
        KeyShape::CommaList => {
            let one = written(&key, rule.form);
            intent.lines = vec![[one.as_slice(), b", ", one.as_slice()].concat()];
        }
        _ => intent.lines = vec![written(&key, rule.form)],
    }
    intent.key = Some(key);
    Ok(intent)
}

fn companions(rule: &KeyRule, fresh: &mut dyn Fresh) -> Vec<(String, String)> {
    let mut companions = Vec::new();
    for companion in &rule.companions {
        let value = match companion.value.as_str() {
            "now" => fresh.now(),
            "uuid" => fresh.uuid_v4().to_string(),
            literal => literal.to_owned(),
        };
        companions.push((companion.header.clone(), value));
    }
    companions
}

fn fresh_key(rule: &KeyRule, fresh: &mut dyn Fresh) -> String {
    match rule.format {
        KeyFormat::UuidV7 => fresh.uuid_v7().to_string(),
        KeyFormat::Uuid | KeyFormat::UuidV4 => fresh.uuid_v4().to_string(),
        KeyFormat::Hex32 => fresh.uuid_v4().simple().to_string(),
        KeyFormat::Digits => {
            let digits = fresh.uuid_v4().as_u128().to_string();
            digits[..digits.len().min(rule.most.unwrap_or(18) as usize)].to_owned()
        }
        // a policy may allow fewer characters than a UUID has
        KeyFormat::Any => match rule.most {
            Some(most) if most < 36 => random_text(most as usize, fresh),
            _ => fresh.uuid_v4().to_string(),
        },
    }
}

/// Text of hexadecimal digits and lower-case letters that compresses badly: what repeats fits into an index that it should break.
fn random_text(length: usize, fresh: &mut dyn Fresh) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut bits = fresh.uuid_v4().as_u128();
        // the version and variant bits of a UUID are no chance: the low 60 bits are
        for _ in 0..12 {
            if text.len() < length {
                text.push(char::from(LETTERS[(bits & 31) as usize]));
            }
            bits >>= 5;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::fresh::Counted;

    fn rule() -> KeyRule {
        KeyRule {
            most: Some(64),
            ..KeyRule::default()
        }
    }

    fn made(shape: KeyShape, rule: &KeyRule) -> Result<Intent, String> {
        let mut fresh = Counted::default();
        let k = make(
            "k",
            &KeyShape::AtMaximum,
            &BTreeMap::new(),
            &KeyRule {
                format: KeyFormat::Any,
                ..rule.clone()
            },
            "r",
            &mut fresh,
        )?;
        make(
            "j",
            &shape,
            &BTreeMap::from([("k".to_owned(), k)]),
            rule,
            "r",
            &mut fresh,
        )
    }

    #[test]
    fn a_quoted_key_is_a_structured_field_string() {
        let rule = KeyRule {
            form: WireForm::SfString,
            ..rule()
        };
        let intent = made(KeyShape::Fresh, &rule).unwrap();
        let wire = String::from_utf8(intent.lines[0].clone()).unwrap();
        assert_eq!(wire, format!("\"{}\"", intent.key.clone().unwrap()));
        assert_eq!(
            intent.lines_in(WireForm::Bare)[0],
            intent.key.unwrap().into_bytes()
        );
    }

    #[test]
    fn lengths_follow_the_policy() {
        assert_eq!(
            made(KeyShape::AtMaximum, &rule())
                .unwrap()
                .key
                .unwrap()
                .len(),
            64
        );
        assert_eq!(
            made(KeyShape::OverMaximum, &rule())
                .unwrap()
                .key
                .unwrap()
                .len(),
            65
        );
        assert_eq!(
            made(KeyShape::TenThousand, &rule())
                .unwrap()
                .key
                .unwrap()
                .len(),
            10_000
        );
        let short = KeyRule {
            most: Some(20),
            ..rule()
        };
        assert_eq!(
            made(KeyShape::Fresh, &short).unwrap().key.unwrap().len(),
            20
        );
    }

    #[test]
    fn derived_keys_keep_what_they_are_derived_from() {
        let same = made(KeyShape::SameAs("k".into()), &rule()).unwrap();
        let upper = made(KeyShape::UpperOf("k".into()), &rule()).unwrap();
        let near = made(KeyShape::PrefixOf("k".into()), &rule()).unwrap();
        let key = same.key.clone().unwrap();
        assert_eq!(upper.key.unwrap(), key.to_uppercase());
        let near = near.key.unwrap();
        assert!(near != key && near[..63] == key[..63]);
        let reference = made(KeyShape::SameReferenceAs("k".into()), &rule()).unwrap();
        assert_ne!(reference.key.unwrap(), key);
        assert_ne!(
            reference.reference, same.reference,
            "same-as takes a new reference"
        );
    }

    #[test]
    fn what_a_carrier_cannot_carry_is_said() {
        assert!(made(KeyShape::Blank, &rule()).is_err());
        assert!(made(KeyShape::ControlByte, &rule()).is_err());
        let json = KeyRule {
            carrier: Carrier::Json("/token".into()),
            ..rule()
        };
        assert_eq!(made(KeyShape::Blank, &json).unwrap().key.unwrap(), " ");
        assert!(made(KeyShape::TwoLines, &json).is_err());
        assert!(made(KeyShape::Missing, &json).unwrap().lines.is_empty());
    }
}
