//! Makes what the journal keeps of a body or a header: redacted text, length, and an HMAC that tells equal bytes from others.
//! It must not know what the bytes mean.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::event::Content;
use super::redact::Redactor;

/// The most text of one body that a journal keeps.
pub const MOST_TEXT: usize = 256 * 1024;

/// Turns bytes into what may be kept of them.
#[derive(Clone)]
pub struct ContentMaker {
    key: [u8; 32],
    redactor: Redactor,
}

impl std::fmt::Debug for ContentMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ContentMaker")
    }
}

impl ContentMaker {
    /// A maker with a key of its own, good for one run.
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        // two random UUIDs hold 244 random bits
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        Self { key, redactor }
    }

    /// A maker with the key of an earlier run, for a run that is resumed.
    #[must_use]
    pub fn with_key(key: [u8; 32], redactor: Redactor) -> Self {
        Self { key, redactor }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// What takes secrets out.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// What is kept of a body. `cut`: the connection ended before the declared length.
    #[must_use]
    pub fn make(&self, bytes: &[u8], cut: bool) -> Content {
        // redacted before it is shortened: a secret across the edge would lose its end and stay
        let text = std::str::from_utf8(bytes).ok().map(|text| {
            if cut {
                self.redactor.redact_cut(text)
            } else {
                self.redactor.redact(text)
            }
        });
        let too_long = text.as_ref().is_some_and(|t| t.len() > MOST_TEXT);
        Content {
            text: text.map(shorten),
            len: bytes.len() as u64,
            hmac: self.hmac(bytes),
            truncated: cut || too_long,
        }
    }

    /// What is kept of a header's value. Cookies and credentials are replaced by a digest, so that equal ones stay equal.
    #[must_use]
    pub fn header(&self, name: &str, value: &[u8]) -> String {
        let text = match std::str::from_utf8(value) {
            Ok(text) => text.to_owned(),
            Err(_) => value.escape_ascii().to_string(),
        };
        let redacted = self.redactor.redact(&text);
        match name.to_ascii_lowercase().as_str() {
            "set-cookie" => self.cookie(&redacted, true),
            "cookie" => redacted
                .split(';')
                .map(|pair| self.cookie(pair, false))
                .collect::<Vec<_>>()
                .join("; "),
            "authorization" | "proxy-authorization" if redacted == text => {
                let digest = self.digest(text.as_bytes());
                match text.split_once(' ') {
                    Some((scheme, _)) => format!("{scheme} $HIDDEN_{digest}"),
                    None => format!("$HIDDEN_{digest}"),
                }
            }
            _ => redacted,
        }
    }

    /// `name=VALUE; attributes` with the value as a digest.
    fn cookie(&self, text: &str, attributes: bool) -> String {
        let (pair, rest) = match text.split_once(';') {
            Some((pair, rest)) if attributes => (pair, Some(rest)),
            _ => (text, None),
        };
        let hidden = match pair.split_once('=') {
            Some((name, value)) if !value.is_empty() => {
                format!("{}=$COOKIE_{}", name.trim(), self.digest(value.as_bytes()))
            }
            _ => pair.trim().to_owned(),
        };
        match rest {
            Some(rest) => format!("{hidden};{rest}"),
            None => hidden,
        }
    }

    fn hmac(&self, bytes: &[u8]) -> String {
        // HMAC takes keys of any length; the error exists for other MACs
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
            return String::new();
        };
        mac.update(bytes);
        let tag = mac.finalize().into_bytes();
        tag.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn digest(&self, bytes: &[u8]) -> String {
        self.hmac(bytes)[..16].to_owned()
    }
}

fn shorten(mut text: String) -> String {
    if text.len() > MOST_TEXT {
        let mut end = MOST_TEXT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::target::Secret;

    fn maker(secret: &str) -> ContentMaker {
        ContentMaker::new(Redactor::new(&[Secret {
            name: "$T".into(),
            value: secret.to_owned().into(),
        }]))
    }

    #[test]
    fn equal_bytes_have_equal_digests_and_others_have_others() {
        let m = maker("none-here");
        assert_eq!(m.make(b"abc", false).hmac, m.make(b"abc", false).hmac);
        assert_ne!(m.make(b"abc", false).hmac, m.make(b"abd", false).hmac);
        assert_ne!(
            m.make(b"abc", false).hmac,
            maker("none-here").make(b"abc", false).hmac
        );
    }

    #[test]
    fn a_secret_across_the_edge_of_a_long_body_is_taken_out_before_the_cut() {
        let secret = "0123456789abcdef";
        let mut body = "x".repeat(MOST_TEXT - 8);
        body.push_str(secret);
        let content = maker(secret).make(body.as_bytes(), false);
        assert!(content.text.as_ref().unwrap().ends_with("$T"));
        let kept = maker("other-secret").make(body.as_bytes(), false);
        assert!(kept.truncated && kept.text.unwrap().ends_with("01234567"));
    }

    #[test]
    fn bytes_that_are_no_text_keep_length_and_digest_only() {
        let content = maker("s").make(&[0xff, 0xfe], false);
        assert_eq!((content.text, content.len), (None, 2));
        assert_eq!(content.hmac.len(), 64);
    }

    #[test]
    fn cookies_are_hidden_and_equal_ones_stay_equal() {
        let m = maker("s");
        let one = m.header("Set-Cookie", b"sid=abcdef; Path=/; HttpOnly");
        assert_eq!(one, m.header("set-cookie", b"sid=abcdef; Path=/; HttpOnly"));
        assert_ne!(one, m.header("set-cookie", b"sid=abcdeg; Path=/; HttpOnly"));
        assert!(
            !one.contains("abcdef") && one.ends_with("; Path=/; HttpOnly"),
            "{one}"
        );
    }

    #[test]
    fn credentials_typed_into_the_target_file_are_hidden_too() {
        let shown = maker("s").header("Authorization", b"Bearer typed-in");
        assert!(!shown.contains("typed-in") && shown.starts_with("Bearer $HIDDEN_"));
    }
}
