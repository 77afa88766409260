//! Takes secrets out of text, in every form in which a server or a client may write them.
//! It must not know where secrets come from, nor what the text is.

use std::collections::BTreeMap;

use secrecy::ExposeSecret;

use super::forms::{parts, written};
use super::spelled::Spelled;
use crate::config::target::Secret;

/// A secret shorter than this would take half of any text with it: it is replaced only where it stands alone.
pub(super) const SHORT: usize = 4;
/// How deep JSON inside of JSON strings is looked into.
const NESTED: usize = 4;
/// The shortest beginning of a secret at the end of a cut text that is taken out too.
pub(super) const PREFIX: usize = 6;

/// Replaces secrets by their names.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// Longest first, so that a secret that contains another wins.
    needles: Vec<Needle>,
}

#[derive(Clone)]
struct Needle {
    text: String,
    name: String,
    alone: bool,
}

// secrets are never printed, not even by a debugger's habit
impl std::fmt::Debug for Needle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Redactor {
    /// A redactor for these secrets.
    #[must_use]
    pub fn new(secrets: &[Secret]) -> Self {
        let mut forms: BTreeMap<String, String> = BTreeMap::new();
        for secret in secrets {
            let name = if secret.name.starts_with('$') {
                secret.name.clone()
            } else {
                format!("${}", secret.name.replace(' ', "_"))
            };
            for part in parts(secret.value.expose_secret()) {
                for form in written(&part) {
                    forms.entry(form).or_insert_with(|| name.clone());
                }
            }
        }
        let mut needles: Vec<Needle> = forms
            .into_iter()
            .map(|(text, name)| Needle {
                alone: text.len() < SHORT,
                text,
                name,
            })
            .collect();
        needles.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then(a.text.cmp(&b.text)));
        Self { needles }
    }

    /// The text without secrets, also where they stand in JSON strings with other escapes than usual, or in JSON inside of them.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let plain = self.redact_flat(text);
        self.redact_strings(&plain, NESTED).unwrap_or(plain)
    }

    /// The text with the JSON strings rewritten that hold a secret once they are read; `None` where there is none.
    fn redact_strings(&self, text: &str, depth: usize) -> Option<String> {
        if self.needles.is_empty() || depth == 0 || !text.contains('\\') {
            return None;
        }
        let mut out = String::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(start) = text[at..].find('"').map(|found| at + found) {
            let Some(end) = string_end(text, start) else {
                break;
            };
            let token = &text[start..end];
            let read = token
                .contains('\\')
                .then(|| serde_json::from_str::<String>(token).ok())
                .flatten();
            if let Some(read) = read {
                let shown = self.redact_flat(&read);
                let shown = self.redact_strings(&shown, depth - 1).unwrap_or(shown);
                if shown != read {
                    out.push_str(&text[copied..start]);
                    out.push_str(&serde_json::Value::from(shown).to_string());
                    copied = end;
                }
                at = end;
            } else {
                // a quote that opens no string may close one that was cut: the next quote is tried, too
                at = if serde_json::from_str::<String>(token).is_ok() {
                    end
                } else {
                    start + 1
                };
            }
        }
        (copied > 0).then(|| {
            out.push_str(&text[copied..]);
            out
        })
    }

    /// The text without secrets as they are written, and as they are read once percent signs, entities and escapes are.
    fn redact_flat(&self, text: &str) -> String {
        let plain = self.redact_as_written(text);
        self.redact_spelled(&plain).unwrap_or(plain)
    }

    /// The text without secrets of which characters are written otherwise; `None` where there is none.
    fn redact_spelled(&self, text: &str) -> Option<String> {
        if self.needles.is_empty() {
            return None;
        }
        let spelled = Spelled::read(text)?;
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        for needle in &self.needles {
            let mut at = 0;
            while let Some(start) = needle.find(&spelled.text, at) {
                at = start + needle.text.len();
                found.push((start, at, &needle.name));
            }
        }
        if found.is_empty() {
            return None;
        }
        // the longer one of two that begin together
        found.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
        for (start, end, name) in found {
            let range = spelled.written(start, end);
            // one that overlaps another is taken out as far as it is still there
            if range.start >= copied {
                out.push_str(&text[copied..range.start]);
                out.push_str(name);
            }
            copied = copied.max(range.end);
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    fn redact_as_written(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        // where each needle is found next; searched again only once the text has moved past it
        let mut next: Vec<Option<usize>> = self.needles.iter().map(|n| n.find(text, 0)).collect();
        loop {
            let mut best: Option<(usize, usize)> = None;
            for (i, found) in next.iter_mut().enumerate() {
                if found.is_some_and(|f| f < at) {
                    *found = self.needles[i].find(text, at);
                }
                if let Some(f) = *found
                    && best.is_none_or(|(first, _)| f < first)
                {
                    best = Some((f, i));
                }
            }
            let Some((found, i)) = best else { break };
            out.push_str(&text[at..found]);
            out.push_str(&self.needles[i].name);
            at = found + self.needles[i].text.len();
        }
        out.push_str(&text[at..]);
        out
    }

    /// The text without secrets, and without a secret's beginning at its end: for text that was cut.
    #[must_use]
    pub fn redact_cut(&self, text: &str) -> String {
        let mut out = self.redact(text);
        let tail = self.needles.iter().filter(|n| !n.alone).find_map(|needle| {
            let ends = needle.text.char_indices().map(|(i, _)| i).rev();
            ends.take_while(|end| *end >= PREFIX)
                .find(|end| out.ends_with(&needle.text[..*end]))
                .map(|end| (end, needle.name.clone()))
        });
        if let Some((end, name)) = tail {
            out.truncate(out.len() - end);
            out.push_str(&name);
        }
        out
    }

    /// Whether the text holds a secret.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.needles.iter().any(|n| n.find(text, 0).is_some())
    }
}

/// The byte after a JSON string's closing quote.
fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

impl Needle {
    fn find(&self, text: &str, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(found) = text.get(at..)?.find(&self.text) {
            let start = at + found;
            let end = start + self.text.len();
            let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            if !self.alone
                || !(touches(text[..start].chars().next_back())
                    || touches(text[end..].chars().next()))
            {
                return Some(start);
            }
            at = end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::forms::{COMPONENT, ascii_json, lower_hex};
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    fn redactor(value: &str) -> Redactor {
        Redactor::new(&[Secret {
            name: "$TOKEN".into(),
            value: value.to_owned().into(),
        }])
    }

    #[test]
    fn a_bearer_token_is_found_without_its_scheme() {
        let r = redactor("Bearer s3cr3t-abc");
        assert_eq!(r.redact("token=s3cr3t-abc;"), "token=$TOKEN;");
        assert_eq!(r.redact("Bearer s3cr3t-abc"), "$TOKEN");
    }

    #[test]
    fn a_secret_is_found_behind_any_escapes_of_json_and_inside_json_in_json() {
        let secret = "CAN\"x\\y/4111";
        let r = redactor(secret);
        let inner = serde_json::json!({ "token": secret, "n": 1.50 }).to_string();
        let outer = serde_json::json!({ "data": inner, "kept": "a\\b" }).to_string();
        let twice = serde_json::json!({ "log": outer }).to_string();
        for text in [&inner, &outer, &twice] {
            let shown = r.redact(text);
            assert!(
                shown.contains("$TOKEN") && !shown.contains("4111"),
                "{shown}"
            );
            assert!(
                serde_json::from_str::<serde_json::Value>(&shown).is_ok(),
                "{shown}"
            );
        }
        let spelled: String = "s3cr3t-abc"
            .bytes()
            .map(|b| format!("\\u00{b:02x}"))
            .collect();
        let r = redactor("s3cr3t-abc");
        let shown = r.redact(&format!(
            r#"{{"a": 12345678901234567890123, "b":"x {spelled} y"}}"#
        ));
        assert_eq!(shown, r#"{"a": 12345678901234567890123, "b":"x $TOKEN y"}"#);
        let untouched = r#"{"a":"\u00e9 \" \\ no secret"} "cut \"#;
        assert_eq!(r.redact(untouched), untouched);
    }

    #[test]
    fn a_secret_is_found_as_entities_percent_signs_and_hexadecimal_digits() {
        let secret = "s3cr&t-abc/1";
        let r = redactor(secret);
        let each = |write: &dyn Fn(u8) -> String| secret.bytes().map(write).collect::<String>();
        let mixed = "s3cr&amp;t%2dabc&#47;1".to_owned();
        for form in [
            each(&|b| format!("&#x{b:x};")),
            each(&|b| format!("&#{b};")),
            each(&|b| format!("&#{b:03}")),
            each(&|b| format!("%{b:02x}")),
            each(&|b| format!("%{b:02X}")),
            each(&|b| format!("{b:02x}")),
            each(&|b| format!("{b:02X}")),
            each(&|b| format!("\\x{b:02x}")),
            mixed,
        ] {
            assert_eq!(
                r.redact(&format!("<b>{form}</b> 5% &c.")),
                "<b>$TOKEN</b> 5% &c."
            );
            // a JSON string may hold it, with an ampersand as Go writes it
            let inside = serde_json::Value::from(form.as_str())
                .to_string()
                .replace('&', "\\u0026");
            let shown = r.redact(&format!("{{\"page\":{inside}}}"));
            assert_eq!(shown, r#"{"page":"$TOKEN"}"#, "{inside}");
        }
        let untouched = "100%25 &lt;b&gt; %C3%A9";
        assert_eq!(r.redact(untouched), untouched);
    }

    #[test]
    fn the_password_of_basic_credentials_is_found_alone_and_as_a_pair() {
        let r = redactor(&format!("Basic {}", STANDARD.encode("alice:pa55word")));
        assert_eq!(r.redact("pa55word"), "$TOKEN");
        assert_eq!(r.redact("alice:pa55word"), "$TOKEN");
        assert_eq!(r.redact(&STANDARD.encode("alice:pa55word")), "$TOKEN");
    }

    #[test]
    fn the_longer_secret_wins_where_one_contains_the_other() {
        let r = Redactor::new(&[
            Secret {
                name: "$A".into(),
                value: "topsecret".to_owned().into(),
            },
            Secret {
                name: "$B".into(),
                value: "topsecret-longer".to_owned().into(),
            },
        ]);
        assert_eq!(r.redact("x topsecret-longer y topsecret"), "x $B y $A");
    }

    #[test]
    fn a_tiny_secret_is_replaced_only_where_it_stands_alone() {
        let r = redactor("17");
        assert_eq!(r.redact("id=17, total 1750"), "id=$TOKEN, total 1750");
    }

    #[test]
    fn the_beginning_of_a_secret_at_the_end_of_a_cut_text_goes_too() {
        let r = redactor("sk_test_4eC39HqLyjWDarjtT1zdp7dc");
        assert_eq!(r.redact_cut("key: sk_test_4eC39Hq"), "key: $TOKEN");
        assert_eq!(r.redact_cut("key: none"), "key: none");
    }

    proptest! {
        #[test]
        fn no_secret_survives_in_any_form(
            secret in "[ -~äöü€/+]{5,40}", before in "[a-z ]{0,7}", after in "[a-z ]{0,7}", user in "[a-z]{1,5}"
        ) {
            prop_assume!(!secret.trim().is_empty() && secret.trim() == secret);
            prop_assume!(!"$TOKEN".contains(&secret));
            let r = redactor(&secret);
            let pair = STANDARD.encode(format!("{user}:{secret}"));
            let forms = [
                secret.clone(),
                serde_json::to_string(&secret).unwrap(),
                ascii_json(&secret),
                utf8_percent_encode(&secret, NON_ALPHANUMERIC).to_string(),
                lower_hex(&utf8_percent_encode(&secret, COMPONENT).to_string()).replace("%20", "+"),
                STANDARD.encode(&secret),
            ];
            for form in &forms {
                let out = r.redact(&format!("{before}{form}{after}"));
                prop_assert!(!out.contains(form.trim_matches('"')), "{form} survived in {out}");
                prop_assert!(!out.contains(&secret));
            }
            let out = r.redact(&format!("Authorization: Basic {pair}"));
            prop_assert!(!out.contains(&pair), "{pair} survived in {out}");
        }
    }
}
