//! The forms in which a secret may be written: its parts, and each of them as JSON, in a URL, in hexadecimal digits, in base64.
//! It must not know what is searched for them.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

use super::redact::{PREFIX, SHORT};

/// What a URL's path or query leaves alone, roughly as browsers and clients do.
pub(super) const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// What a lax client leaves alone.
const LAX: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'%');

/// The secret itself, and what is secret in it: the credentials after an Authorization scheme, and the two halves of Basic ones.
pub(super) fn parts(value: &str) -> Vec<String> {
    let mut parts = vec![value.to_owned(), value.trim().to_owned()];
    if let Some((scheme, rest)) = value.trim().split_once(' ')
        && !scheme.is_empty()
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-')
        && !rest.trim().is_empty()
        && !rest.trim().contains(' ')
    {
        let rest = rest.trim();
        parts.push(rest.to_owned());
        if scheme.eq_ignore_ascii_case("basic")
            && let Ok(bytes) = STANDARD.decode(rest)
            && let Ok(pair) = String::from_utf8(bytes)
        {
            if let Some((_, password)) = pair.split_once(':') {
                parts.push(password.to_owned());
            }
            parts.push(pair);
        }
    }
    parts.retain(|p| !p.trim().is_empty());
    parts
}

/// Every way in which a secret may be written.
pub(super) fn written(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    if let Ok(json) = serde_json::to_string(value) {
        let inner = json[1..json.len() - 1].to_owned();
        forms.push(inner.replace('/', "\\/"));
        forms.push(inner);
    }
    forms.push(ascii_json(value));
    for set in [NON_ALPHANUMERIC, COMPONENT, LAX] {
        let encoded = utf8_percent_encode(value, set).to_string();
        forms.push(encoded.replace("%20", "+"));
        forms.push(lower_hex(&encoded));
        forms.push(lower_hex(&encoded).replace("%20", "+"));
        forms.push(encoded);
    }
    if value.len() >= SHORT {
        let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
        forms.push(hex.to_uppercase());
        forms.push(hex);
        forms.push(STANDARD.encode(value));
        // inside a longer base64 text (user:password) a secret looks different at each of three offsets
        for offset in 0..3 {
            let mut bytes = vec![0_u8; offset];
            bytes.extend_from_slice(value.as_bytes());
            let skip = [0, 2, 3][offset];
            let whole = bytes.len() / 3 * 4;
            for text in [
                STANDARD_NO_PAD.encode(&bytes),
                URL_SAFE_NO_PAD.encode(&bytes),
            ] {
                forms.push(text[skip..].to_owned());
                // the last incomplete group depends on what follows
                if whole > skip + PREFIX {
                    forms.push(text[skip..whole].to_owned());
                }
            }
        }
    }
    forms.sort();
    forms.dedup();
    forms
}

pub(super) fn lower_hex(encoded: &str) -> String {
    let mut out = String::with_capacity(encoded.len());
    let mut left = 0;
    for c in encoded.chars() {
        if c == '%' {
            left = 3;
        }
        if left > 0 {
            out.push(c.to_ascii_lowercase());
            left -= 1;
        } else {
            out.push(c);
        }
    }
    out
}

/// As JSON written by a server that keeps to ASCII.
pub(super) fn ascii_json(value: &str) -> String {
    let mut out = String::new();
    let mut units = [0_u16; 2];
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out
}
